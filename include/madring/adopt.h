/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adopts a umad file and agents that the program opened and registered itself, so that a program
 * can move to madring step by step.
 *
 * The program keeps the file and its agents: madring neither closes an adopted file nor unregisters
 * an adopted agent. When the port is closed, madring has no read left on the file. madring
 * unregisters the agents that it opened there itself (madring_agent_open()).
 *
 * While a file is adopted, only madring reads from it. The program may continue to write. A
 * callback passes it the replies to what it wrote, by any of its agents, and everything for agents
 * that were not adopted.
 *
 * Linux from 6.17 on puts only so many requests of an agent on the wire at once, and counts those
 * that the program writes by an adopted agent, too, which madring does not know of
 * (madring_agent_state.kernel_limit). A program that writes many uses another agent for them.
 *
 * In the TIDs that the program writes by an adopted agent, the highest of the lower 32 bits
 * (0x80000000) must be clear, as in those of libibmad. In those of madring it is always set.
 */
#ifndef MADRING_ADOPT_H
#define MADRING_ADOPT_H

#include <stdint.h>

#include <madring/agent.h>
#include <madring/receive.h>
#include <madring/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_port;
struct madring_agent;
struct madring_agent_config;

/* Describes an adopted file. */
struct madring_adopt_config {
	/* The port of the file, as umad_open_port(3) got it: NULL and 0 where none was given. */
	const char *ca_name;
	int portnum;
	/*
	 * Called for everything read from the file that is not for madring's agents; must be set.
	 * These are MADs for other agents of the program, replies to what it wrote by an adopted
	 * agent, the kernel's notices (umad_status(3)) that there is no reply, and requests to an
	 * adopted agent without .receive. madring_received.agent is NULL; agent_id in the umad
	 * header names the agent.
	 */
	madring_receive_callback receive;
	void *receive_user;
	/* The most of them read and not yet called back, as in madring_agent_config. */
	uint32_t receive_queue;
};

/*
 * Turns a umad file that the program opened into a port of the ring with this one lane. Makes the
 * file non-blocking, and restores its mode when the port is closed.
 * @fd: from umad_open_port(3), umad_get_fd(3) or open(2). The program must not read from it or
 * close it before the port is closed. @port: set on success.
 *
 * madring_port_close() and madring_close() end all transactions of madring on the file, wait until
 * madring has no read on it, and call back, here and in adopted agents, for everything that was
 * read. Until these callbacks have returned, functions that close the port or its agents, or open
 * an agent on it, return -EBUSY. What the kernel has not delivered stays in the file. Later the
 * file may also have replies to requests that madring sent by an adopted agent, and the kernel's
 * notices for them; their TIDs tell them apart.
 * Returns 0, or
 *   -EBADF     @fd is not open for both reading and writing
 *   -ENOTTY    @fd is not a umad file
 *   -EBADFD    an agent was registered on it without a P_Key index in the umad header, which
 *              umad_open_port(3) or IB_USER_MAD_ENABLE_PKEY enables
 *   -EALREADY  the ring has already adopted the file
 *   -ENXIO     the file belongs to another port; or as madring_port_open()
 *   -EINVAL    .receive is missing, or a field of @config is out of range
 *   -ENOSPC    the ring has no lane left, or no agent (madring_config.agents), of which the file
 *              takes one
 *   -ENODEV, -EIO, -ENOSYS, -ENOMEM, -EMFILE, -ENFILE, -EREMOTE  as madring_port_open()
 */
int madring_port_adopt_sized(struct madring *ring, int fd,
			     const struct madring_adopt_config *config, size_t config_size,
			     struct madring_port **port);
MADRING_SIZED int madring_port_adopt(struct madring *ring, int fd,
				     const struct madring_adopt_config *config,
				     struct madring_port **port)
{
	return madring_port_adopt_sized(ring, fd, config, sizeof(*config), port);
}

/*
 * Turns an agent that the program registered on an adopted file into an agent of madring, to send
 * and receive by.
 * @agent_id: from umad_register(3) or umad_register2(3). @config: its class, version, OUI, RMPP and
 * methods must be those of the registration; madring cannot read them from the kernel. Requests go
 * to .receive if it is set. .flags has no effect. @agent: set on success; closed by
 * madring_agent_close(), or with its port. Closing calls back for the requests that were read.
 * Returns 0, or
 *   -ESRCH     no agent with this ID is registered on the file
 *   -EALREADY  the agent is already one of madring's
 *   -EINVAL    the port was not adopted, or a field of @config is out of range
 *   -EBADRQC, -ENOSPC, -ENOMEM, -ENOBUFS, -ENODEV, -EREMOTE  as madring_agent_open()
 */
int madring_agent_adopt_sized(struct madring_port *port, uint32_t agent_id,
			      const struct madring_agent_config *config, size_t config_size,
			      struct madring_agent **agent);
MADRING_SIZED int madring_agent_adopt(struct madring_port *port, uint32_t agent_id,
				      const struct madring_agent_config *config,
				      struct madring_agent **agent)
{
	return madring_agent_adopt_sized(port, agent_id, config, sizeof(*config), agent);
}

#ifdef __cplusplus
}
#endif
#endif
