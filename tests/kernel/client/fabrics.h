/* SPDX-License-Identifier: BSD-2-Clause */
/* Fabrics of a test's own: processes of vhca-fabric, each of which makes an HCA while it lives. */
#ifndef VM_FABRICS_H
#define VM_FABRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <infiniband/umad.h>

struct fabric {
	pid_t pid;
	char ca_name[UMAD_CA_NAME_LEN];
};

/*
 * Makes an HCA and waits until its port is active. A mute one leaves all that is sent to nodes
 * without an answer.
 */
void fabric_start(struct fabric *fabric, uint64_t guid, bool mute);

/* Unplugs the HCA by killing its fabric; the removal is complete when fabric_reap() returns. */
void fabric_kill(const struct fabric *fabric);
void fabric_reap(const struct fabric *fabric);

#endif
