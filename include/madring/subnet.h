/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens the way to a subnet: a ring, a local port, and an agent for each management class at its
 * first use. A program that uses it needs neither madring_open() nor madring_port_open(). These
 * functions are in the library madring-fabric; madring.h does not include this header.
 *
 * A subnet and everything opened with it belong to the thread of its ring (madring.h). Numbers are
 * in host byte order.
 */
#ifndef MADRING_SUBNET_H
#define MADRING_SUBNET_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/agent.h>
#include <madring/ca.h>
#include <madring/port.h>
#include <madring/ring.h>
#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring_subnet;

/* The step at which madring_subnet_open() failed. */
enum madring_subnet_step {
	MADRING_SUBNET_RING = 1, /* opening the ring */
	MADRING_SUBNET_PORT,	 /* opening the port, or one of its two devices */
	MADRING_SUBNET_PKEY,	 /* finding .pkey_index in the port's table */
};

/* Tells why madring_subnet_open() failed. */
struct madring_subnet_failure {
	enum madring_subnet_step step;
	/* The port that could not be opened, as madring_port_open() takes it: "" and 0 for any. */
	char ca_name[MADRING_CA_NAME_BYTES];
	int port;
	/* The text says what failed, for which port, and why, such as "cannot open port 1 of device
	   mlx5_0: ...". It is one line without a newline. */
	char text[256];
};

/*
 * Describes a subnet. Zeroed fields select the defaults, which the comments give after a colon. The
 * fields from .window on are those of struct madring_agent_config with the same names, for the
 * agents that madring_subnet_agent() opens.
 */
struct madring_subnet_config {
	const char *ca_name; /* NULL: any device */
	int port;	     /* 0: the first active port, else the first that is up */
	/* The limits of the subnet's own ring: the defaults with MADRING_PIN_BEST_EFFORT. */
	const struct madring_config *ring;
	/* A ring of the caller's to open the ports on: NULL, the subnet opens a ring of its own. If
	   it is set, .ring must be NULL, and the caller closes the ring after the subnet. */
	struct madring *shared_ring;
	/* The most requests that the program has in flight: any number. If they are few, the subnet
	   opens fewer umad files, each of which takes time to open. */
	uint32_t in_flight;
	/* The index of the P_Key of general management packets, in the port's table: 0. */
	uint16_t pkey_index;

	bool pin_window;
	bool pin_flow_window;
	uint32_t window, flow_window;
	int timeout_ms, retries;
	uint32_t queue_us, patience_ms;
	/* Says why madring_subnet_open() failed; its text is empty when it did not: NULL. */
	struct madring_subnet_failure *failure;
};

/*
 * Opens a ring and the local port. If the port has two devices (madring_ca_get_pair()), either may
 * be named, and both are opened. By default, an InfiniBand port that is not active yet goes before
 * a RoCE port.
 * @config: copied; may be NULL. @subnet: set on success; closed by madring_subnet_close().
 * Returns 0, an error of madring_open() or madring_port_open(), or
 *   -EINVAL  both .ring and .shared_ring are set
 *   -ERANGE  the port's P_Key table is shorter than .pkey_index
 *   -ENOKEY  the port has no P_Key at .pkey_index
 */
int madring_subnet_open_sized(const struct madring_subnet_config *config, size_t config_size,
			      size_t ring_size, size_t failure_size,
			      struct madring_subnet **subnet);
MADRING_SIZED int madring_subnet_open(const struct madring_subnet_config *config,
				      struct madring_subnet **subnet)
{
	return madring_subnet_open_sized(config, sizeof(*config), sizeof(struct madring_config),
					 sizeof(struct madring_subnet_failure), subnet);
}

/*
 * Closes a subnet with its agents, its ports and its ring. Outstanding transactions complete with
 * -ECANCELED, through their callbacks; with .shared_ring they do so at the next dispatch. Before,
 * close each SA (madring_sa_close()), and end each sweep (madring_sweep_end()). Accepts NULL.
 * Returns 0, or
 *   -EBUSY    called from a callback, without .shared_ring; the subnet stays open
 *   -EREMOTE  the ring belongs to another thread, or to the parent process; with .shared_ring, the
 *             subnet stays open
 *   other     an error of madring_close() or madring_port_close(); the subnet is closed
 */
int madring_subnet_close(struct madring_subnet *subnet);

/* Returns the ring of the subnet, which the program runs. */
struct madring *madring_subnet_ring(struct madring_subnet *subnet);

/* Returns the port that MADs of @mgmt_class go through. */
struct madring_port *madring_subnet_port(struct madring_subnet *subnet, uint8_t mgmt_class);

/* Returns whether SMPs go through another device than all other MADs. Such a port may have several
   planes, and their fabric need not route SMPs by LID. */
bool madring_subnet_is_split(const struct madring_subnet *subnet);

/* Returns the P_Key index of the subnet, for madring_mad_set_pkey_index(). */
uint16_t madring_subnet_pkey_index(const struct madring_subnet *subnet);

/* Returns the GUID of the local node, as SMPs know it (IBA 14.2.5.3), or 0 if it cannot be read. */
uint64_t madring_subnet_node_guid(const struct madring_subnet *subnet);

/*
 * Stores the agent for @mgmt_class, and opens it if there is none yet. The agent has the version of
 * the class, MADRING_RMPP_USER for subnet administration (0x03), and the tuning of the subnet's
 * configuration. It receives no requests. Vendor classes 0x30 to 0x4f need an OUI: use
 * madring_subnet_agent_open() for them.
 * @agent: set on success. It belongs to the subnet: do not close it.
 * Returns 0, or an error of madring_agent_open().
 */
int madring_subnet_agent(struct madring_subnet *subnet, uint8_t mgmt_class,
			 struct madring_agent **agent);

/* Fills @config with what madring_subnet_agent() uses for @mgmt_class. The program changes it, and
   gives it to madring_subnet_agent_open(). */
void madring_subnet_get_agent_config_sized(const struct madring_subnet *subnet, uint8_t mgmt_class,
					   struct madring_agent_config *config, size_t config_size);
MADRING_SIZED void madring_subnet_get_agent_config(const struct madring_subnet *subnet,
						   uint8_t mgmt_class,
						   struct madring_agent_config *config)
{
	madring_subnet_get_agent_config_sized(subnet, mgmt_class, config, sizeof(*config));
}

/*
 * Opens another agent on the port of its class. Several agents may have the same class.
 * @config: as for madring_agent_open(); the subnet's tuning does not change it. If .class_version
 * is 0, it is that of the class. @agent: set on success. The caller closes it by
 * madring_agent_close(), or leaves that to madring_subnet_close(). Returns 0, or an error of
 * madring_agent_open().
 */
int madring_subnet_agent_open_sized(struct madring_subnet *subnet,
				    const struct madring_agent_config *config, size_t config_size,
				    struct madring_agent **agent);
MADRING_SIZED int madring_subnet_agent_open(struct madring_subnet *subnet,
					    const struct madring_agent_config *config,
					    struct madring_agent **agent)
{
	return madring_subnet_agent_open_sized(subnet, config, sizeof(*config), agent);
}

#ifdef __cplusplus
}
#endif
#endif
