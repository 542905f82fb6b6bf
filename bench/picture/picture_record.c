/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library to preload into a program that moves MADs by umad_send() and umad_recv(): it writes
 * each MAD, and when it was sent or received, to the file that MADRING_RECORD names. A record is
 * struct record, in this machine's byte order.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <infiniband/umad.h>

#define MAD_BYTES    256
#define NS_IN_SECOND 1000000000u

struct record {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t is_sent;
	uint8_t mad[MAD_BYTES];
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static FILE *record_file(void)
{
	static FILE *file;
	const char *path = getenv("MADRING_RECORD");

	if (!file) {
		file = fopen(path ? path : "", "wb");
		if (!file)
			die("MADRING_RECORD");
	}
	return file;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_IN_SECOND + (uint64_t)now.tv_nsec;
}

static void record_mad(uint64_t time_ns, bool is_sent, const void *mad, int length)
{
	struct record record = { .time_ns = time_ns, .is_sent = is_sent };

	memcpy(record.mad, mad, length < MAD_BYTES ? (size_t)length : MAD_BYTES);
	if (fwrite(&record, sizeof(record), 1, record_file()) != 1)
		die("MADRING_RECORD");
}

static void *next_function(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function) {
		fprintf(stderr, "%s: not found\n", name);
		exit(2);
	}
	return function;
}

__attribute__((visibility("default"))) int umad_send(int port, int agent, void *umad, int length,
						     int timeout_ms, int retries)
{
	static int (*send)(int, int, void *, int, int, int);
	uint64_t now = now_ns();
	int error;

	if (!send)
		send = (int (*)(int, int, void *, int, int, int))(uintptr_t)next_function(
			"umad_send");
	error = send(port, agent, umad, length, timeout_ms, retries);
	if (!error)
		record_mad(now, true, ((struct ib_user_mad *)umad)->data, length);
	return error;
}

__attribute__((visibility("default"))) int umad_recv(int port, void *umad, int *length,
						     int timeout_ms)
{
	static int (*receive)(int, void *, int *, int);
	int agent;

	if (!receive)
		receive = (int (*)(int, void *, int *, int))(uintptr_t)next_function("umad_recv");
	agent = receive(port, umad, length, timeout_ms);
	if (agent >= 0)
		record_mad(now_ns(), false, ((struct ib_user_mad *)umad)->data, *length);
	return agent;
}
