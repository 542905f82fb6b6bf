/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "processor.h"

/*
 * The kernel's file has three numbers: the time on processors and that of waiting for one, in ns,
 * and how often the thread got one.
 */
#define FILE_NAME "/proc/thread-self/schedstat"

/* An idle processor takes less than this to begin with a thread that has just been woken. */
#define LEAST_NS 50000u
#define PART	 8u

/* Returns the sum of the waits, or 0 if it cannot be read. */
static uint64_t read_waited(const struct processor *processor)
{
	char text[96], *end;
	ssize_t length;

	if (processor->file < 0)
		return 0;
	length = pread(processor->file, text, sizeof(text) - 1, 0);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	strtoull(text, &end, 10);
	return strtoull(end, NULL, 10);
}

void processor_open(struct processor *processor)
{
	processor->file = open(FILE_NAME, O_RDONLY | O_CLOEXEC);
	processor->waited_ns = processor->waited_before_ns = read_waited(processor);
	processor->is_read = true;
}

void processor_close(struct processor *processor)
{
	if (processor->file >= 0)
		close(processor->file);
	processor->file = -1;
}

void processor_may_sleep(struct processor *processor)
{
	processor->is_read = false;
}

uint64_t processor_waited(struct processor *processor)
{
	uint64_t waited;

	if (processor->is_read)
		return processor->waited_ns;
	waited = read_waited(processor);
	processor->is_read = true;
	processor->waited_before_ns = processor->waited_ns;
	if (waited > processor->waited_ns)
		processor->waited_ns = waited;
	return processor->waited_ns;
}

uint64_t processor_waited_before(struct processor *processor)
{
	processor_waited(processor);
	return processor->waited_before_ns;
}

bool processor_spoils(uint64_t waited_ns, uint64_t delay_ns)
{
	return waited_ns >= LEAST_NS && waited_ns >= delay_ns / PART;
}
