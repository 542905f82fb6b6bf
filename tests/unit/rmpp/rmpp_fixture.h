/* SPDX-License-Identifier: BSD-2-Clause */
/* One end of RMPP by hand: the tests check its reads and writes byte by byte. */
#ifndef TEST_RMPP_FIXTURE_H
#define TEST_RMPP_FIXTURE_H

#include "cmocka_all.h"

#include "rmpp/rmpp.h"

#define MS 1000000ull

/*
 * The numbers of IBA 13.6.2, written down once more so that the header's own constants are checked,
 * too.
 */
#define DATA  1
#define ACK   2
#define STOP  3
#define ABORT 4

#define FIRST 2
#define LAST  4

#define NO_RESOURCES	 1
#define TOO_LONG	 118
#define BAD_LENGTH	 119
#define BAD_FIRST	 120
#define BAD_TYPE	 121
#define WINDOW_TOO_SMALL 122
#define SEGMENT_TOO_BIG	 123
#define BAD_STATUS	 124
#define BAD_VERSION	 125
#define TOO_MANY_RETRIES 126
#define UNSPECIFIED	 127

#define SA_CLASS     0x03
#define DEVICE_CLASS 0x06
#define VENDOR_CLASS 0x32

#define GET_TABLE      0x12
#define GET_TABLE_RESP 0x92

#define SA_HEADER 56u
#define SA_DATA	  200u
#define PAYLOAD	  220u

#define PEER_LID 7
#define LANE	 3
#define AGENT_ID 5
#define TID	 UINT64_C(0x1122334455667788)

struct mad {
	struct ib_user_mad umad;
	uint8_t mad[256];
};

/* The RMPP header of a MAD. */
struct said {
	uint8_t version, type, flags, status;
	uint32_t segment;
	uint32_t length;
};

/* Memory for messages: exactly what is asked for, so that a sanitizer sees each byte beyond. */
struct memory {
	unsigned int takes;
	unsigned int held;
	unsigned int refuse_at; /* the how many-th; 0: none */
	size_t largest;
};

extern struct memory memory;

struct rmpp_config fixture_config(void);
struct rmpp *fixture_open(const struct rmpp_config *config);
/* Closes it, and finds that all memory has come back. */
void fixture_close(struct rmpp *rmpp);

/* Makes a MAD of a class to or from the peer, all else 0. */
void mad_prepare(struct mad *mad, uint8_t mgmt_class, uint8_t method);
void mad_say(struct mad *mad, const struct said *said);
struct said mad_said(const struct ib_user_mad *umad);
uint8_t mad_method(const struct ib_user_mad *umad);
uint64_t mad_tid(const struct ib_user_mad *umad);

/* Makes a segment of a GetTableResp; its data is a pattern of its own. */
void mad_segment(struct mad *mad, uint32_t segment, uint8_t flags, uint32_t length);
uint8_t pattern(uint32_t segment, uint32_t at);

/* Makes an ACK, as the peer writes it for a message with this method. */
void mad_ack(struct mad *mad, uint8_t message_method, uint32_t segment, uint32_t window);

enum rmpp_verdict input(struct rmpp *rmpp, const struct mad *mad, bool accept, uint64_t now);
/* Takes the next frame, and reports it as written; its content stays till the next. */
bool next_frame(struct rmpp *rmpp, uint64_t now, const struct ib_user_mad **umad);
/* Checks that there is a frame with this RMPP header, apart from the flags' active bit. */
const struct ib_user_mad *expect_frame(struct rmpp *rmpp, uint64_t now, uint8_t type, uint8_t flags,
				       uint8_t status, uint32_t segment, uint32_t length);
void expect_no_frame(struct rmpp *rmpp, uint64_t now);
void expect_no_outcome(struct rmpp *rmpp);
/* Checks that there is an outcome, and frees its message. */
struct rmpp_outcome expect_outcome(struct rmpp *rmpp, bool sent, int status, uint8_t rmpp_status);

/* Returns a message of @length bytes of MAD to the peer, filled with numbers, for free(). */
struct ib_user_mad *message_make(uint8_t mgmt_class, uint8_t method, size_t length);
uint64_t message_send(struct rmpp *rmpp, const struct ib_user_mad *message, size_t length,
		      uint32_t reply_ms, uint64_t now);

#endif
