/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the forwarding tables of switches: the linear one, which has the port of each unicast LID,
 * and the multicast one, which has the ports of each multicast LID (IBA 14.2.5.9 and 14.2.5.11).
 * The blocks of many switches are in flight at once. These functions are in the library
 * madring-fabric; madring.h does not include this header.
 */
#ifndef MADRING_TABLES_H
#define MADRING_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/batch.h>
#include <madring/fabric.h>
#include <madring/sized.h>
#include <madring/subnet.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A forwarding table of a switch, as the switch sent it. It belongs to the program, which frees it
   with madring_table_free(). It refers to its node, and so to the fabric of that. */
struct madring_table;

enum madring_table_kind {
	MADRING_TABLE_LINEAR = 1,
	MADRING_TABLE_MULTICAST = 2,
};

/* The LIDs of a block of each kind, and the ports of a position of a multicast block. */
#define MADRING_LINEAR_BLOCK_LIDS    64
#define MADRING_MULTICAST_BLOCK_LIDS 32
#define MADRING_POSITION_PORTS	     16

/* The bytes of a mask of ports. The bit 1 << n % 8 of the byte n / 8 stands for port n. */
#define MADRING_PORT_MASK_BYTES 32

/* Frees a table. Accepts NULL. */
void madring_table_free(struct madring_table *table);

/* Returns the switch of a table. */
const struct madring_node *madring_table_node(const struct madring_table *table);

enum madring_table_kind madring_table_kind(const struct madring_table *table);

/*
 * Returns 0 if all of a table arrived, or else an error of a part that did not:
 *   -ETIMEDOUT   the switch did not answer in time
 *   -EREMOTEIO   it refused: the reply has an error status
 *   -ECANCELED   the reading was canceled, or reached its deadline
 *   -ENOMEM      there was no memory for the table
 *   other        why the request could not be sent: madring_completion.status
 * If the SwitchInfo of the switch did not arrive, the table has no block.
 */
int madring_table_error(const struct madring_table *table);

/*
 * Returns the highest LID that a table has an entry for, or 0 if it has none. Of a linear table,
 * that is LinearFDBTop, but less than LinearFDBCap and at most 0xbfff. Of a multicast one, it is
 * MulticastFDBTop, or all that MulticastFDBCap allows where that is not set or too large.
 */
uint16_t madring_table_last_lid(const struct madring_table *table);

/*
 * Returns the port by which a switch forwards packets to a LID, from 0 (the switch itself) on, or
 *   -ENOENT   the table has no entry for @lid, or the entry says that packets are dropped (255)
 *   -ENODATA  the block of @lid did not arrive
 *   -EBADMSG  the entry names a port that the switch does not have
 *   -EINVAL   the table is a multicast one
 */
int madring_table_port(const struct madring_table *table, uint16_t lid);

/*
 * Stores in @mask the ports by which a switch forwards packets to a multicast LID, without those
 * that the switch does not have. Returns 0, or
 *   -ENOENT   the table has no entry for @lid
 *   -ENODATA  a block of @lid did not arrive; @mask has the ports of those that did
 *   -EINVAL   the table is a linear one
 */
int madring_table_ports(const struct madring_table *table, uint16_t lid,
			uint8_t mask[MADRING_PORT_MASK_BYTES]);

/*
 * These functions tell which blocks of a table did not arrive. Its blocks are numbered from 0 on,
 * by LID, and its positions by port: a linear table has one. `madring_table_block_error` returns 0
 * if a block arrived, an error of madring_table_error() if it did not, or -ENOENT if there is none.
 */
unsigned int madring_table_block_count(const struct madring_table *table);
unsigned int madring_table_position_count(const struct madring_table *table);
int madring_table_block_error(const struct madring_table *table, unsigned int block,
			      unsigned int position);

/* A reading of tables: its requests, many of them in flight. */
struct madring_reading;

/* Takes a table of a switch. @user: that of the configuration. @table: the program's from now on.
 */
typedef void (*madring_table_done)(void *user, struct madring_table *table);

/* Describes which tables to read. Zeroed fields select the defaults, which the comments give after
   a colon. */
struct madring_ask_tables_config {
	enum madring_table_kind kind;
	int timeout_ms; /* as in struct madring_send_options */
	/* The switches to ask: all of the fabric. */
	const struct madring_node *const *nodes;
	size_t node_count;
	int retries;	 /* as in struct madring_send_options */
	int deadline_ms; /* as in struct madring_batch_config */
	/* Called once for each switch, when its table is as complete as it gets. Its rules are
	   those of a madring_batch_done. */
	madring_table_done done;
	void *user;	/* for .done */
	uint64_t m_key; /* for switches that have no .m_key in the fabric: 0 */
	uint32_t most;	/* the most requests in flight: what the ring has room for */
	/* Asks by directed routes: by LID, where the switch has one. */
	bool directed;
};

/*
 * Starts to read the tables of switches. Each switch is asked for SwitchInfo, which tells how long
 * its table is, and then for its blocks. The requests are sent when the ring runs.
 * @fabric: must be valid until madring_ask_tables_end(), and as long as a table. @config: copied,
 * but .nodes is not, and must be valid as long. @reading: set on success; ended before the subnet
 * is closed.
 * Returns 0, or
 *   -EINVAL  .kind is none, there is no .done, or a node of .nodes is NULL or no switch
 *   -ENOMEM  out of memory
 *   other    an error of madring_subnet_agent() or madring_batch_start()
 */
int madring_ask_tables_start_sized(struct madring_subnet *subnet,
				   const struct madring_fabric *fabric,
				   const struct madring_ask_tables_config *config,
				   size_t config_size, struct madring_reading **reading);
MADRING_SIZED int madring_ask_tables_start(struct madring_subnet *subnet,
					   const struct madring_fabric *fabric,
					   const struct madring_ask_tables_config *config,
					   struct madring_reading **reading)
{
	return madring_ask_tables_start_sized(subnet, fabric, config, sizeof(*config), reading);
}

/* Returns the batch of the requests: to run it, to cancel it, and to see its state. When it is
   canceled or reaches its deadline, .done still gets a table for each switch. It is valid until
   madring_ask_tables_end(), which alone ends it. */
struct madring_batch *madring_ask_tables_requests(const struct madring_reading *reading);

/* Ends the reading, and frees it and the tables that .done did not get. It has the errors of
   madring_batch_end(). Accepts NULL. */
int madring_ask_tables_end(struct madring_reading *reading);

/*
 * Reads the tables of switches, and runs the ring until .done has received all of them. A signal
 * cancels it. Returns 0, or an error of madring_ask_tables_start() or madring_batch_run().
 */
int madring_ask_tables_sized(struct madring_subnet *subnet, const struct madring_fabric *fabric,
			     const struct madring_ask_tables_config *config, size_t config_size);
MADRING_SIZED int madring_ask_tables(struct madring_subnet *subnet,
				     const struct madring_fabric *fabric,
				     const struct madring_ask_tables_config *config)
{
	return madring_ask_tables_sized(subnet, fabric, config, sizeof(*config));
}

#ifdef __cplusplus
}
#endif
#endif
