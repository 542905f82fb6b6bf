/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol of the preloaded library and the server. Every connection is a SOCK_SEQPACKET socket
 * and starts with one request, which gets one reply. A connection that opened a umad file then
 * carries MADs in the umad format, both ways; one that opened an issm file is held open; any other
 * is done.
 *
 * A message to the server that is too long for a socket goes as umad_socket.h has it. From the
 * server, all that is longer than a MAD is fetched: on the file's socket comes its beginning,
 * SIM_MESSAGE_BEGINNING bytes of it, and nothing more until a connection of its own has asked for
 * the message. So a reader of the socket cannot lose any of it for want of room. The reply to that
 * request is followed by the message; with ENOSPC, by its beginning again.
 *
 * An ioctl names its umad file by the cookie of the socket that the file is (SO_COOKIE), so the
 * library keeps no table of file descriptors: dup, fork, exec and close need no care.
 */
#ifndef SIM_PROTOCOL_H
#define SIM_PROTOCOL_H

#include <stdint.h>

#include "loop/ctl_protocol.h" /* SIM_ENVIRONMENT, which names the folder */

#define SERVER_PORT_MAX 9 /* libibumad takes no port above */

#define SIM_SOCKET	      "server"
#define SIM_TREE	      "root." /* and a number: the folder with sys/ and dev/ of one node */
#define SIM_KERNEL_TREE	      0 /* the tree with the kernel's own files, whichever node asks */
#define SIM_HOST_NAMES	      "MADRING_SIM_HOST", "SIM_HOST" /* the variables that name the node */
#define SIM_HOST_BYTES	      128
#define SIM_MAGIC	      0x6d72736d
#define SIM_MESSAGE_MAX	      (16u << 20) /* the longest message, without the umad header */
#define SIM_MESSAGE_BEGINNING 320
#define SIM_SWITCH_PORT	      255

enum sim_request_kind {
	SIM_OPEN_UMAD = 1,
	SIM_OPEN_ISSM,
	SIM_ENABLE_PKEY,
	SIM_REGISTER_AGENT,
	SIM_REGISTER_AGENT2,
	SIM_UNREGISTER_AGENT,
	SIM_FIND_HOST, /* the tree of a node */
	SIM_FETCH,     /* the message that the umad file has the beginning of */
	SIM_FIND_AGENT,
};

struct sim_request {
	uint32_t magic;
	uint32_t kind;
	uint64_t cookie; /* the umad file; when opening, the one to be */
	uint64_t method_mask[2];
	uint32_t tree;	/* the node's; 0: the one that the command runs on */
	uint32_t index; /* the N of umadN or issmN */
	uint32_t agent_id;
	uint32_t qpn;
	uint32_t flags;
	uint32_t oui;
	uint32_t room; /* for the message, in bytes */
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t rmpp_version;
	char host[SIM_HOST_BYTES]; /* the name of a node, or its description */
};

struct sim_reply {
	uint32_t magic;
	uint32_t error; /* an errno; 0: done */
	uint32_t agent_id;
	uint32_t flags;
	uint32_t tree;
	uint32_t port; /* of an opened umad file; SIM_SWITCH_PORT: a switch's own */
};

#endif
