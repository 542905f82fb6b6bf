/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends queries, and checks their answers. */
#include "sa/sa_state.h"
#include "sized/sized.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring/names.h>

#define RECORD_BYTES   (MADRING_MAD_BYTES - MADRING_SA_DATA)
#define MASK_OFFSET    48u     /* of the ComponentMask in a MAD (IBA 15.2.1.1) */
#define ERR_NO_RECORDS 0x0300u /* IBA 15.2.1.1 */

/* Tells the outcome of a completion without a valid answer in words. */
static const char *words_of(int status)
{
	switch (status) {
	case 0:
		return "success";
	case -ENOENT:
		return "the SA has no such record";
	case -ETIMEDOUT:
		return "the SA has not answered";
	case -EBADMSG:
		return "the answer of the SA is malformed";
	default:
		return madring_error_text(status);
	}
}

static bool is_table(uint8_t method)
{
	return method == MADRING_GET_TABLE || method == MADRING_GET_TRACE_TABLE ||
	       method == MADRING_GET_MULTI;
}

/*
 * Returns whether @response is a method that answers a query (IBA 15.2.2): GetTraceTable has no
 * response of its own.
 */
static bool is_answered_by(uint8_t method, uint8_t response)
{
	if (method == MADRING_SET)
		return response == MADRING_GET_RESP;
	return response == (method | MADRING_RESPONSE_BIT) ||
	       (method == MADRING_GET_TRACE_TABLE && response == MADRING_GET_TABLE_RESP);
}

/* Reads the status and the records of a reply. */
static void read_reply(struct madring_sa_answer *answer, uint8_t method)
{
	const struct madring_mad_hdr *header = madring_mad_header(answer->mad);
	int count;

	answer->mad_status = madring_mad_status(answer->mad);
	if (answer->mad_status == ERR_NO_RECORDS) {
		answer->status = is_table(method) ? 0 : -ENOENT;
		return;
	}
	if (answer->mad_status) {
		answer->status = -EREMOTEIO;
		answer->text = madring_status_text(header->mgmt_class, answer->mad_status);
		return;
	}
	/* The method says whether there is one record, or a table. */
	if (!is_answered_by(method, header->method)) {
		answer->status = -EBADMSG;
		return;
	}
	count = madring_records_begin(&answer->records, answer->mad, answer->length);
	if (count < 0)
		answer->status = -EBADMSG;
	else
		answer->count = (size_t)count;
}

/* Ignores the outcome of a query whose caller is gone. */
static void on_late_answer(struct madring_sa_answer *answer)
{
	(void)answer;
}

static void unlink_query(struct sa_query *query)
{
	*query->link = query->next;
	if (query->next)
		query->next->link = query->link;
}

static void link_query(struct madring_sa *sa, struct sa_query *query)
{
	query->sa = sa;
	query->next = sa->queries;
	query->link = &sa->queries;
	if (query->next)
		query->next->link = &query->next;
	sa->queries = query;
}

void sa_answer_read(struct madring_sa_answer *answer, const struct madring_completion *completion,
		    uint8_t method)
{
	*answer = (struct madring_sa_answer){
		.status = completion->status,
		.mad = completion->mad,
		.length = completion->length,
	};
	if (!answer->status && !answer->mad)
		answer->status = -EBADMSG;
	if (!answer->status)
		read_reply(answer, method);
	if (!answer->text)
		answer->text = words_of(answer->status);
}

static void on_completion(const struct madring_completion *completion)
{
	struct sa_query *query = completion->user;
	struct madring_sa_answer answer;

	sa_answer_read(&answer, completion, query->method);
	answer.user = query->user;
	if (query->sa)
		unlink_query(query);
	query->callback(&answer);
	free(query);
}

/* Writes a component of the caller's. Returns 0 or -errno. */
static int write_component(struct madring_mad *mad, const void *theirs, size_t size)
{
	struct madring_sa_component component;
	int error = sized_take(&component, sizeof(component), theirs, size);

	if (error)
		return error;
	if (component.bytes)
		return madring_sa_set_bytes(mad, component.name, component.bytes, component.size);
	return madring_sa_set(mad, component.name, component.value);
}

/* Writes the record and the component mask of a query. Returns 0 or -errno. */
static int write_record(struct madring_mad *mad, const struct madring_sa_request *query,
			size_t component_size)
{
	uint8_t *data = madring_mad_data(mad);
	uint64_t mask = htobe64(query->component_mask);
	int error = 0;

	if (query->record_bytes > RECORD_BYTES)
		return -EINVAL;
	if (query->record)
		memcpy(data + MADRING_SA_DATA, query->record, query->record_bytes);
	memcpy(data + MASK_OFFSET, &mask, sizeof(mask));
	for (size_t i = 0; i < query->component_count && !error; i++)
		error = write_component(mad,
					(const uint8_t *)query->components + i * component_size,
					component_size);
	return error == -ENOSPC ? -EINVAL : error;
}

int sa_query_write(const struct madring_sa *sa, const struct madring_sa_request *query,
		   size_t component_size, struct madring_mad *mad)
{
	if (!sa->state.sm_lid)
		return -ENETUNREACH;
	madring_sa_prepare(mad, sa->state.sm_lid, sa->state.sm_sl,
			   query->method ? query->method : MADRING_GET_TABLE, query->attr_id,
			   query->attr_mod, 0);
	madring_mad_set_pkey_index(mad, madring_subnet_pkey_index(sa->subnet));
	if (sa->config.smkey)
		madring_sa_set_smkey(mad, sa->config.smkey);
	return write_record(mad, query, component_size);
}

static int send_query(struct madring_sa *sa, const struct madring_sa_request *query,
		      size_t component_size, struct sa_query *state)
{
	const struct madring_send_options send = {
		.callback = on_completion,
		.user = state,
		.id = &state->id,
		.timeout_ms = query->timeout_ms,
		.retries = query->retries,
	};
	struct madring_mad *mad = madring_mad_alloc(sa->agent);
	int error;

	if (!mad)
		return errno == EREMOTE ? -EREMOTE : -ENOBUFS;
	error = sa_query_write(sa, query, component_size, mad);
	if (!error)
		error = madring_send(sa->agent, mad, &send);
	if (error)
		madring_mad_free(sa->ring, mad);
	return error;
}

int sa_query_start(struct madring_sa *sa, const struct madring_sa_request *query,
		   size_t component_size, madring_sa_callback callback, void *user,
		   struct sa_query **started)
{
	struct sa_query *state;
	int error;

	if (sa->is_closing)
		return -ESHUTDOWN;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->ring = sa->ring;
	state->is_own = started != NULL;
	state->callback = callback;
	state->user = user;
	state->method = query->method ? query->method : MADRING_GET_TABLE;
	error = send_query(sa, query, component_size, state);
	if (error) {
		free(state);
		return error;
	}
	link_query(sa, state);
	if (started)
		*started = state;
	return 0;
}

void sa_query_cancel(struct sa_query *query)
{
	madring_cancel(query->ring, query->id);
}

void sa_queries_forget(struct madring_sa *sa)
{
	while (sa->queries) {
		struct sa_query *query = sa->queries;

		unlink_query(query);
		query->sa = NULL;
		if (query->is_own)
			query->callback = on_late_answer;
	}
}

API int madring_sa_query_sized(struct madring_sa *sa, const struct madring_sa_request *query,
			       size_t query_size, size_t component_size,
			       madring_sa_callback callback, void *user)
{
	struct madring_sa_request filled;
	int error = sized_take(&filled, sizeof(filled), query, query_size);

	return error ? error : sa_query_start(sa, &filled, component_size, callback, user, NULL);
}

/* Holds a query that is waited for. */
struct call {
	struct madring_sa *sa;
	struct madring_sa_answer *answer;
	bool is_done;
};

static void on_answer(struct madring_sa_answer *answer)
{
	struct call *call = answer->user;

	*call->answer = *answer;
	call->sa->mad_status = answer->mad_status;
	call->answer->user = NULL;
	call->is_done = true;
	if (answer->mad)
		madring_mad_keep(call->sa->ring, answer->mad);
}

const char *sa_words_of_refusal(int error)
{
	switch (error) {
	case -ENETUNREACH:
		return "no subnet manager has been seen";
	case -ENOENT:
		return "the attribute has no component of that name";
	default:
		return madring_error_text(error);
	}
}

/* Does what madring_sa_call() does, with structs of the library's size. */
static int call_sa(struct madring_sa *sa, const struct madring_sa_request *query,
		   size_t component_size, struct madring_sa_answer *answer)
{
	struct call call = { .sa = sa, .answer = answer };
	struct sa_query *state;
	int error;

	*answer = (struct madring_sa_answer){ .text = "" };
	error = sa_check_caller(sa);
	if (!error)
		sa->mad_status = 0;
	if (!error)
		error = sa_query_start(sa, query, component_size, on_answer, &call, &state);
	if (error) {
		answer->status = error;
		answer->text = sa_words_of_refusal(error);
		return error;
	}
	while (!call.is_done) {
		int result = madring_run(sa->ring, -1);

		if (result >= 0 || call.is_done)
			continue;
		state->callback = on_late_answer;
		sa_query_cancel(state);
		madring_dispatch(sa->ring, 0);
		answer->status = result;
		answer->text = words_of(result);
		return result;
	}
	return answer->status;
}

API int madring_sa_call_sized(struct madring_sa *sa, const struct madring_sa_request *query,
			      size_t query_size, size_t component_size,
			      struct madring_sa_answer *answer, size_t answer_size)
{
	struct madring_sa_request filled;
	struct madring_sa_answer own = { 0 };
	int error = sized_take(&filled, sizeof(filled), query, query_size);

	if (error) {
		own.status = error;
		own.text = sa_words_of_refusal(error);
	} else {
		error = call_sa(sa, &filled, component_size, &own);
	}
	sized_give(answer, answer_size, &own, sizeof(own));
	return error;
}

API uint16_t madring_sa_mad_status(const struct madring_sa *sa)
{
	return sa->mad_status;
}

API void madring_sa_answer_release(struct madring_sa *sa, struct madring_sa_answer *answer)
{
	madring_mad_free(sa->ring, answer->mad);
	answer->mad = NULL;
	answer->records = (struct madring_records){ 0 };
	answer->count = 0;
}
