/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * /dev/vhca: a virtual InfiniBand HCA whose MADs go to a fabric in user space.
 *
 * Reading and writing move whole records, as many as there is room for. A record begins with
 * its length, itself included, which is that of its type's structure. Numbers are in host
 * order; MADs, GRHs, GUIDs and prefixes are as on the wire.
 *
 * One open file is one HCA. The first record written is VHCA_CREATE, which registers it before
 * write() returns; VHCA_CREATED is then read. Closing the last descriptor of the file, or the end
 * of the process, removes the HCA.
 *
 * An HCA of planes has one port that consists of them, and two devices. One has the port, with QP1.
 * The other has a port for each plane, with QP0; its name is the first free of smi0, smi1 and so
 * on. VHCA_CREATED names the first device. Records have the number of the plane where others have
 * that of a port; MADs from and to QP1 go through plane 1, and the port's state is that of plane 1.
 *
 * write() takes the records in order and returns the length of those it took. It fails when it
 * took none:
 *   EINVAL    a record is malformed: bad length, type, port or field
 *   EPROTO    VHCA_CREATE is of another version
 *   EOPNOTSUPP VHCA_CREATE asks for planes, and the kernel is older than 6.11, where a device
 *             cannot be of the type SMI
 *   EEXIST    the file has its HCA already
 *   ENOTCONN  the file has no HCA yet (so does read())
 *   EAGAIN    O_NONBLOCK, and the stack has no buffer for the next VHCA_MAD: poll for POLLOUT.
 *             An answer to an upcall needs no buffer: it may be written at any time
 * Without O_NONBLOCK write() waits for a buffer. An upcall may hold buffers up, so a fabric that
 * waits in write() has to answer upcalls from another thread.
 *
 * read() needs room for a VHCA_MAD at least, or fails with EINVAL. poll() and epoll say POLLIN when
 * there is a record to read, and POLLOUT when VHCA_CREATE or a VHCA_MAD may be written. A file may
 * be waited for from the start: it is the same one before it has its HCA.
 *
 * A send is complete, for the stack, when it is queued for the fabric. While the queue is full,
 * sends wait in their QP; when the fabric has then read nothing for a while, they are discarded
 * as if sent, like packets at the head of a switch's queue.
 */
#ifndef VHCA_ABI_H
#define VHCA_ABI_H

#include <linux/types.h>

#define VHCA_ABI_VERSION 1

#define VHCA_MAX_PORTS	     2
#define VHCA_MAX_PLANES	     4
#define VHCA_PKEYS	     64
#define VHCA_MAD_BYTES	     256
#define VHCA_GRH_BYTES	     40
#define VHCA_NODE_DESC_BYTES 64
#define VHCA_NAME_BYTES	     64

enum vhca_record_type {
	/* Records to the kernel. */
	VHCA_CREATE = 1, /* struct vhca_create */
	VHCA_PORT = 2,	 /* struct vhca_port_record */
	VHCA_ANSWER = 3, /* struct vhca_answer */
	/* Records both ways. */
	VHCA_MAD = 16, /* struct vhca_mad */
	/* Records from the kernel. */
	VHCA_CREATED = 32,   /* struct vhca_created */
	VHCA_UPCALL = 33,    /* struct vhca_upcall_record */
	VHCA_PORT_CAPS = 34, /* struct vhca_port_caps */
	VHCA_NODE_DESC = 35, /* struct vhca_node_desc */
};

struct vhca_record {
	__u32 length;
	__u16 type;
	__u8 port; /* from 1; 0 where the record is the HCA's */
	__u8 reserved;
};

struct vhca_create {
	struct vhca_record head;
	__u32 version; /* VHCA_ABI_VERSION */
	__u8 ports;    /* 1 to VHCA_MAX_PORTS */
	__u8 planes;   /* 2 to VHCA_MAX_PLANES of the only port; 0: no port has planes */
	__u8 reserved[2];
	__be64 node_guid;
	__be64 system_image_guid;
	__u32 vendor_id;
	__u32 part_id;
	__u32 hw_version;
	__u32 reserved2;
	__u8 node_desc[VHCA_NODE_DESC_BYTES];
};

struct vhca_created {
	struct vhca_record head;
	char name[VHCA_NAME_BYTES]; /* the device's, such as vhca0; ends with 0 */
};

/* The state of a port. Until the first record it is down, with no GUID. */
struct vhca_port_record {
	struct vhca_record head;
	__be64 gid_prefix;
	__be64 guid;
	__u32 capability_mask; /* of PortInfo; IsSM is the kernel's own to add */
	__u16 lid;
	__u16 sm_lid;
	/* 1 SDR, 2 DDR, 4 QDR, 8 FDR10, 16 FDR, 32 EDR, 64 HDR, 128 NDR, 256 XDR */
	__u16 speed;
	__u8 width;	 /* 1: 1x, 2: 4x, 4: 8x, 8: 12x, 16: 2x */
	__u8 state;	 /* of PortInfo, 1 (down) to 4 (active) */
	__u8 phys_state; /* of PortInfo, 1 to 7 */
	__u8 lmc;
	__u8 sm_sl;
	__u8 reregister; /* not 0: clients are asked to register again */
	__u8 reserved[8];
	__u16 pkeys[VHCA_PKEYS];
};

#define VHCA_GRH_PRESENT 1

struct vhca_mad {
	struct vhca_record head; /* the local port: that it leaves or comes in by */
	__u16 slid;		 /* 0 from a port without a LID */
	__u16 dlid;
	__u32 sqp;
	__u32 dqp;
	__u32 qkey;
	__u16 pkey_index;
	__u8 sl;
	__u8 flags; /* VHCA_GRH_PRESENT */
	__u32 reserved;
	__u8 grh[VHCA_GRH_BYTES];
	__u8 mad[VHCA_MAD_BYTES];
};

/* The checks that the stack asks to be left out. */
#define VHCA_NO_MKEY_CHECK 1
#define VHCA_NO_BKEY_CHECK 2

/* A MAD for the HCA's own agents: SMA or PMA. */
struct vhca_upcall_record {
	struct vhca_record head;
	__u32 id;
	__u16 slid;  /* where it came from; 0 from this host */
	__u8 local;  /* 1: from this host */
	__u8 checks; /* those that are not wanted */
	__u8 mad[VHCA_MAD_BYTES];
};

enum vhca_result {
	VHCA_FAILED = 0,   /* nobody can answer it now */
	VHCA_REPLY = 1,	   /* the reply is in .mad */
	VHCA_CONSUMED = 2, /* dealt with, no reply */
	VHCA_PASS = 3,	   /* not for the agents: the stack's programs may have it */
};

struct vhca_answer {
	struct vhca_record head;
	__u32 id;
	__u32 result; /* enum vhca_result */
	__u8 mad[VHCA_MAD_BYTES];
};

/* The capability mask, as the stack's modify_port left it: IsSM comes and goes with issm. */
struct vhca_port_caps {
	struct vhca_record head;
	__u32 capability_mask;
	__u32 reserved;
};

struct vhca_node_desc {
	struct vhca_record head;
	__u8 node_desc[VHCA_NODE_DESC_BYTES];
};

#endif /* VHCA_ABI_H */
