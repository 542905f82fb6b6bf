/* SPDX-License-Identifier: BSD-2-Clause */
/* Fabrics whose virtual HCAs have the test for a kernel: a socket stands for the device file. */
#ifndef TESTS_VHCA_KERNEL_H
#define TESTS_VHCA_KERNEL_H

#include "cmocka_all.h"

#include <pthread.h>
#include <string.h>

#include <infiniband/umad_sm.h>

#include "vhca/vhca.h"
#include "vhca/vhca_abi.h"

#define KERNEL_HCAS 2
#define PERMISSIVE  0xffff
#define MASTER_BIT  (1u << 1) /* IsSM, of the CapabilityMask */

/* A record of any type, in either direction. */
union any_record {
	struct vhca_record head;
	struct vhca_create create;
	struct vhca_created created;
	struct vhca_port_record port;
	struct vhca_mad mad;
	struct vhca_answer answer;
	struct vhca_upcall_record upcall;
	struct vhca_port_caps caps;
	struct vhca_node_desc node_desc;
};

/* The kernel's end of one HCA. */
struct kernel_end {
	int fd;
	uint8_t bytes[1 << 17]; /* what was read last */
	size_t length, taken;
};

struct kernel {
	struct topology *topology;
	struct fabric *fabric;
	struct vhca_face *face;
	struct kernel_end end[KERNEL_HCAS];
	int stop_fd;
	bool runs;
	pthread_t thread;
	int result; /* of loop_run() */
	char why[256];
};

extern const char *kernel_netlist; /* set by main() */

/* Open a fabric without an HCA, and close it: cmocka's setup and teardown. */
int kernel_open(void **state);
int kernel_close(void **state);

/*
 * Writes the greeting of a device that works, and makes the HCA. Returns the result of
 * vhca_add_open().
 */
int kernel_add(struct kernel *kernel, unsigned int end, const char *node, unsigned int port);
/* Makes the HCA after another greeting; NULL: none. */
int kernel_add_greeting(struct kernel *kernel, unsigned int end, const char *node,
			unsigned int port, const void *greeting, size_t length);

/* Adds host1 with both its ports, runs the loop, and reads what the fabric tells first. */
void kernel_start(struct kernel *kernel);
/* Runs the loop, in a thread of its own. */
void kernel_run(struct kernel *kernel);
/* Waits for the end of loop_run(). Returns its result. */
int kernel_wait(struct kernel *kernel);

void kernel_write(struct kernel *kernel, unsigned int end, const void *record, size_t length);
/* Reads the next record from the fabric, which must be of this type. */
union any_record kernel_read(struct kernel *kernel, unsigned int end, enum vhca_record_type type);
/* Reads up to the first record of the type; those before it are of another. */
union any_record kernel_find(struct kernel *kernel, unsigned int end, enum vhca_record_type type);

struct vhca_record kernel_head(enum vhca_record_type type, size_t length, unsigned int port);
/*
 * Returns a directed-route Get as the kernel sends it: over @hops links, by the path's first
 * entries.
 */
struct umad_smp kernel_get(uint16_t attribute, unsigned int hops, const uint8_t *path);
void kernel_send_smp(struct kernel *kernel, unsigned int end, unsigned int port,
		     const struct umad_smp *smp);
struct umad_smp kernel_smp(const uint8_t *mad);
/*
 * Asks the agents of a port, as process_mad does. Returns the answer, before which @told port
 * records must come.
 */
struct vhca_answer kernel_upcall(struct kernel *kernel, unsigned int port, const void *mad,
				 unsigned int told);
/* Asks the agents of a port, with VHCA_NO_..._CHECK flags. */
struct vhca_answer kernel_upcall_unchecked(struct kernel *kernel, unsigned int port,
					   const void *mad, uint8_t checks);

#endif
