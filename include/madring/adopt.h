/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adopting: a umad file and agents that the program has opened and registered itself, for one
 * that comes to madring piece by piece.
 *
 * Whose to close: the file and its agents stay the program's. madring neither closes an adopted
 * file nor unregisters an adopted agent, and when the port is closed no read of madring's is left
 * on the file. What madring registers there itself (madring_agent_open) it unregisters.
 *
 * While a file is adopted, madring alone reads from it. The program may go on writing, and what
 * it is then answered, by whichever agent, is handed to it by a callback, as is all that comes for
 * agents that madring has not been told of.
 *
 * TIDs: of those that the program writes by an agent that is adopted, the highest bit of the lower
 * 32 (0x80000000) must be clear, as in those that libibmad makes. In madring's it is always set.
 */
#ifndef MADRING_ADOPT_H
#define MADRING_ADOPT_H

#include <stdint.h>

#include <madring/receive.h>

#ifdef __cplusplus
extern "C" {
#endif

struct madring;
struct madring_port;
struct madring_agent;
struct madring_agent_config;

struct madring_adopt_config {
	/* Of which port the file is, as umad_open_port(3) was told: NULL and 0 where it was left
	   open. */
	const char *ca_name;
	int portnum;
	/*
	 * Is called for all that is read from the file and is not for madring's agents; must be
	 * set. Such are the MADs for other agents of the program's, answers to what it wrote by an
	 * agent that is adopted, the kernel's notices (umad_status(3)) that there is none, and
	 * requests to an adopted agent without .receive. madring_received.agent is NULL; the umad
	 * header says which agent it is for.
	 */
	madring_receive_callback receive;
	void *receive_user;
	/* How many of them may have been read and not called back, as in madring_agent_config. */
	uint32_t receive_queue;
	/* Must be zero. */
	uint64_t reserved[4];
};

/*
 * Makes a umad file that the program has opened a port of the ring, with that one lane. It is made
 * non-blocking, and when the port is closed, what it was before.
 * @fd: of umad_open_port(3) or umad_get_fd(3), or of open(2); not to be read from, nor to be
 * closed, until the port is. @port: set on success.
 *
 * madring_port_close(), or madring_close(), ends what is under way by madring, waits until nothing
 * is, and calls back before it returns for all that was read, by this callback and those of adopted
 * agents. The port and its agents must not be closed from these. What the kernel has not handed
 * over stays in the file. Late answers to what madring sent by an adopted agent, and the kernel's
 * notices, may still come there: by their TIDs they can be told.
 * Returns 0, or
 *   -EBADF     @fd is not open, or not for both reading and writing
 *   -ENOTTY    it is no umad file
 *   -EBADFD    an agent was registered on it without a P_Key index in the umad header, which
 *              umad_open_port(3) turns on, or IB_USER_MAD_ENABLE_PKEY
 *   -EALREADY  the ring has it already
 *   -ENXIO     it is of another port, or as madring_port_open()
 *   -EINVAL    there is no .receive, or a field of @config is out of range
 *   -ENOSPC    the ring's lanes, or its agents (madring_config.agents), of which the file takes
 *              one, are used up
 *   -ENODEV, -EIO, -ENOSYS, -ENOMEM, -EMFILE, -ENFILE, -EREMOTE  as madring_port_open()
 */
int madring_port_adopt(struct madring *ring, int fd, const struct madring_adopt_config *config,
		       struct madring_port **port);

/*
 * Makes an agent that the program has registered on an adopted file one of madring's, to send and
 * receive by.
 * @agent_id: of umad_register(3) or umad_register2(3). @config: class, version, OUI, RMPP and the
 * methods must be as it was registered; nobody can be asked for them. Requests come to .receive, if
 * that is set. .flags has no effect. @agent: set on success; closed by madring_agent_close(), or
 * with its port. Requests that have been read are called back for before that returns.
 * Returns 0, or
 *   -ESRCH     no such agent is registered on the file
 *   -EALREADY  it is one of madring's already
 *   -EINVAL    the port was not adopted, or a field of @config is out of range
 *   -ENOSPC, -ENOMEM, -ENOBUFS, -ENODEV, -EREMOTE  as madring_agent_open()
 */
int madring_agent_adopt(struct madring_port *port, uint32_t agent_id,
			const struct madring_agent_config *config, struct madring_agent **agent);

#ifdef __cplusplus
}
#endif
#endif
