/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/complain.h"
#include "listen.h"

#define DEFAULT_ADDRESS "127.0.0.1"

/* The place to listen: a name of RFC 1035, or an address; and a port. */
struct place {
	char address[256];
	char port[6];
};

static bool copy_text(char *to, size_t room, const char *from, size_t length)
{
	if (!length || length >= room)
		return false;
	memcpy(to, from, length);
	to[length] = '\0';
	return true;
}

/*
 * Tells whether a text is a port. getaddrinfo() takes any number, and drops the bits that are too
 * many.
 */
static bool is_port(const char *port)
{
	return strspn(port, "0123456789") == strlen(port) && strtoul(port, NULL, 10) <= UINT16_MAX;
}

static bool split_place(struct place *place, const char *where)
{
	const char *colon = strrchr(where, ':');
	const char *address = where;
	size_t length = colon ? (size_t)(colon - where) : 0;

	if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
		address++;
		length -= 2;
	} else if (memchr(address, ':', length) || memchr(address, '[', length)) {
		return false;
	}
	if (!length && address == where) {
		address = DEFAULT_ADDRESS;
		length = strlen(address);
	}
	where = colon ? colon + 1 : where;
	return copy_text(place->address, sizeof(place->address), address, length) &&
	       copy_text(place->port, sizeof(place->port), where, strlen(where)) &&
	       is_port(place->port);
}

/* Listens on the first address of @at; the others do not count. */
static int listen_at(const char *where, const struct addrinfo *at)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;

	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) &&
	    !bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	complain("--listen %s: %s", where, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int listen_on(const char *where)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	struct place place;
	int fd, error;

	if (!split_place(&place, where)) {
		complain("--listen %s: not an ADDRESS:PORT; an IPv6 address stands in brackets",
			 where);
		return -1;
	}
	error = getaddrinfo(place.address, place.port, &hints, &found);
	if (error) {
		complain("--listen %s: %s", where,
			 error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
		return -1;
	}
	fd = listen_at(where, found);
	freeaddrinfo(found);
	return fd;
}

void listen_text(int fd, char *text, size_t room)
{
	struct sockaddr_storage address = { 0 };
	socklen_t length = sizeof(address);
	char host[256], port[32];

	if (getsockname(fd, (struct sockaddr *)&address, &length) ||
	    getnameinfo((struct sockaddr *)&address, length, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV)) {
		snprintf(text, room, "?");
		return;
	}
	snprintf(text, room, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}
