/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench-echo COMMAND...: under madring-sim, runs a command against a responder that only turns
 * requests into replies. It stands in for the simulator's server, which does much more for each
 * MAD and would hide what the clients cost; the simulated fabric still provides sysfs.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <madring/mad.h>

#include "server/protocol.h"

#define BATCH	      64u
#define MESSAGE_BYTES (sizeof(struct ib_user_mad) + MADRING_MAD_BYTES)
#define SOCKET_BUFFER (64 << 20)
#define EVENTS	      32
#define TREE	      SIM_TREE "0" /* of the node that the command runs on */

struct echo {
	char folder[PATH_MAX];
	int listener, epoll, signals;
	uint32_t agents;
	pid_t child;
	struct mmsghdr message[BATCH];
	struct iovec part[BATCH];
	uint8_t buffer[BATCH][MESSAGE_BYTES] __attribute__((aligned(64)));
};

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "bench-echo: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void watch_file(const struct echo *echo, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(echo->epoll, EPOLL_CTL_ADD, fd, &event))
		die("epoll");
}

static void path_in(const struct echo *echo, const char *name, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s/%s", echo->folder, name) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		die(echo->folder);
	}
}

/* A folder as the simulator's, whose tree is the simulator's. */
static void make_folder(struct echo *echo)
{
	const char *simulator = getenv(SIM_ENVIRONMENT);
	char target[PATH_MAX], link[PATH_MAX];

	if (!simulator) {
		fprintf(stderr, "bench-echo: run it by madring-sim\n");
		exit(2);
	}
	snprintf(echo->folder, sizeof(echo->folder), "/tmp/bench-echo-XXXXXX");
	if (!mkdtemp(echo->folder))
		die(echo->folder);
	path_in(echo, TREE, link);
	if (snprintf(target, sizeof(target), "%s/" TREE, simulator) >= PATH_MAX)
		errno = ENAMETOOLONG;
	else if (!symlink(target, link))
		return;
	die(link);
}

static void remove_folder(const struct echo *echo)
{
	char path[PATH_MAX];

	path_in(echo, TREE, path);
	unlink(path);
	path_in(echo, SIM_SOCKET, path);
	unlink(path);
	rmdir(echo->folder);
}

static void listen_there(struct echo *echo)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/" SIM_SOCKET, echo->folder);
	echo->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (echo->listener < 0 ||
	    bind(echo->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(echo->listener, 64))
		die(address.sun_path);
	echo->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (echo->epoll < 0)
		die("epoll");
	watch_file(echo, echo->listener);
}

static void start_child(struct echo *echo, char **command)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	echo->signals = signalfd(-1, &signals, SFD_CLOEXEC);
	if (echo->signals < 0)
		die("signalfd");
	watch_file(echo, echo->signals);
	echo->child = fork();
	if (echo->child < 0)
		die("fork");
	if (echo->child)
		return;
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	setenv(SIM_ENVIRONMENT, echo->folder, 1);
	execvp(command[0], command);
	fprintf(stderr, "bench-echo: %s: %s\n", command[0], strerror(errno));
	_exit(127);
}

/* Answers the request that begins every connection; only those of umad files stay open. */
static bool answer_request(struct echo *echo, int fd)
{
	struct sim_reply reply = { .magic = SIM_MAGIC };
	struct sim_request request;

	if (recv(fd, &request, sizeof(request), 0) != sizeof(request) || request.magic != SIM_MAGIC)
		return false;
	if (request.kind == SIM_REGISTER_AGENT || request.kind == SIM_REGISTER_AGENT2)
		reply.agent_id = echo->agents++;
	return send(fd, &reply, sizeof(reply), MSG_NOSIGNAL) == sizeof(reply) &&
	       request.kind == SIM_OPEN_UMAD;
}

static void accept_one(struct echo *echo)
{
	int fd = accept4(echo->listener, NULL, NULL, SOCK_CLOEXEC);
	int bytes = SOCKET_BUFFER;

	if (fd < 0)
		return;
	if (!answer_request(echo, fd)) {
		close(fd);
		return;
	}
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	watch_file(echo, fd);
}

static void make_reply(uint8_t *message)
{
	struct madring_mad_hdr *header;

	header = (struct madring_mad_hdr *)((struct ib_user_mad *)message)->data;
	header->method |= MADRING_RESPONSE_BIT;
}

/* Sends replies. Blocks when the client does not read, so that it sees a full socket itself. */
static bool send_all(struct echo *echo, int fd, unsigned int count)
{
	unsigned int sent = 0;
	int ret;

	while (sent < count) {
		ret = sendmmsg(fd, echo->message + sent, count - sent, MSG_NOSIGNAL);
		if (ret < 0 && errno != EINTR)
			return false;
		if (ret > 0)
			sent += (unsigned int)ret;
	}
	return true;
}

static bool echo_messages(struct echo *echo, int fd)
{
	int count;

	for (unsigned int i = 0; i < BATCH; i++)
		echo->part[i].iov_len = MESSAGE_BYTES;
	count = recvmmsg(fd, echo->message, BATCH, MSG_DONTWAIT, NULL);
	if (count < 0)
		return errno == EAGAIN || errno == EINTR;
	for (int i = 0; i < count; i++) {
		if (!echo->message[i].msg_len)
			return false;
		echo->part[i].iov_len = echo->message[i].msg_len;
		make_reply(echo->buffer[i]);
	}
	return count && send_all(echo, fd, (unsigned int)count);
}

/* The command's end is the end. A signal that is to end the program ends the command first. */
static bool has_ended(const struct echo *echo)
{
	struct signalfd_siginfo signal;

	if (read(echo->signals, &signal, sizeof(signal)) != sizeof(signal))
		die("signalfd");
	if (signal.ssi_signo == SIGCHLD)
		return true;
	kill(echo->child, SIGTERM);
	return false;
}

static void serve_requests(struct echo *echo)
{
	struct epoll_event events[EVENTS];
	bool ended = false;
	int count;

	while (!ended) {
		count = epoll_wait(echo->epoll, events, EVENTS, -1);
		for (int i = 0; i < count; i++) {
			int fd = events[i].data.fd;

			if (fd == echo->signals)
				ended = has_ended(echo) || ended;
			else if (fd == echo->listener)
				accept_one(echo);
			else if (!echo_messages(echo, fd))
				close(fd);
		}
	}
}

int main(int argc, char **argv)
{
	static struct echo echo;
	int status;

	if (argc < 2) {
		fprintf(stderr, "usage: madring-sim ... -- bench-echo COMMAND...\n");
		return 2;
	}
	for (unsigned int i = 0; i < BATCH; i++) {
		echo.part[i].iov_base = echo.buffer[i];
		echo.message[i].msg_hdr =
			(struct msghdr){ .msg_iov = &echo.part[i], .msg_iovlen = 1 };
	}
	make_folder(&echo);
	listen_there(&echo);
	start_child(&echo, argv + 1);
	serve_requests(&echo);
	remove_folder(&echo);
	if (waitpid(echo.child, &status, 0) < 0)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
