/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/memory.h"
#include "scrapes.h"

struct scrapes {
	pthread_mutex_t lock;
	int fd; /* an eventfd: set while somebody waits */
	bool on_demand;
	bool stopped;
	bool healthy;
	struct exposition *last; /* not on demand; NULL: none yet */
	uint64_t published;	 /* memory of all pages so far, in bytes */
	struct scrape *waiting;
};

int scrapes_open(struct scrapes **scrapes, bool on_demand)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	*scrapes = memory_get(1, sizeof(**scrapes));
	(*scrapes)->fd = fd;
	(*scrapes)->on_demand = on_demand;
	(*scrapes)->healthy = true;
	pthread_mutex_init(&(*scrapes)->lock, NULL);
	return 0;
}

void scrapes_close(struct scrapes *scrapes)
{
	exposition_release(scrapes->last);
	pthread_mutex_destroy(&scrapes->lock);
	close(scrapes->fd);
	free(scrapes);
}

static void hold_page(const struct scrapes *scrapes, struct scrape *scrape, struct exposition *page)
{
	scrape->page = page ? exposition_hold(page) : NULL;
	scrape->published = scrapes->published;
}

bool scrapes_join(struct scrapes *scrapes, struct scrape *scrape)
{
	bool at_once;

	pthread_mutex_lock(&scrapes->lock);
	at_once = scrapes->stopped || (scrapes->last && !scrapes->on_demand);
	if (at_once) {
		hold_page(scrapes, scrape, scrapes->stopped ? NULL : scrapes->last);
	} else {
		/* The scrape is suspended under the lock, because it might be resumed first. */
		scrape->suspend(scrape);
		scrape->next = scrapes->waiting;
		scrapes->waiting = scrape;
		eventfd_write(scrapes->fd, 1);
	}
	pthread_mutex_unlock(&scrapes->lock);
	return at_once;
}

bool scrapes_leave(struct scrapes *scrapes, struct scrape *scrape)
{
	struct scrape **at;
	eventfd_t count;
	bool waited;

	pthread_mutex_lock(&scrapes->lock);
	for (at = &scrapes->waiting; *at && *at != scrape; at = &(*at)->next)
		;
	waited = *at;
	if (waited)
		*at = scrape->next;
	if (!scrapes->waiting) /* nobody asks any more */
		eventfd_read(scrapes->fd, &count);
	pthread_mutex_unlock(&scrapes->lock);
	return waited;
}

bool scrapes_healthy(struct scrapes *scrapes)
{
	bool healthy;

	pthread_mutex_lock(&scrapes->lock);
	healthy = scrapes->healthy;
	pthread_mutex_unlock(&scrapes->lock);
	return healthy;
}

int scrapes_fd(const struct scrapes *scrapes)
{
	return scrapes->fd;
}

static void give_to_all(struct scrapes *scrapes, struct exposition *page)
{
	struct scrape *scrape = scrapes->waiting, *next;
	eventfd_t count;

	scrapes->waiting = NULL;
	eventfd_read(scrapes->fd, &count);
	for (; scrape; scrape = next) {
		next = scrape->next;
		hold_page(scrapes, scrape, page);
		scrape->resume(scrape);
	}
}

void scrapes_publish(struct scrapes *scrapes, struct exposition *page, bool healthy)
{
	pthread_mutex_lock(&scrapes->lock);
	scrapes->healthy = healthy;
	scrapes->published += exposition_memory(page);
	give_to_all(scrapes, page);
	if (scrapes->on_demand) {
		exposition_release(page);
	} else {
		exposition_release(scrapes->last);
		scrapes->last = page;
	}
	pthread_mutex_unlock(&scrapes->lock);
}

void scrapes_stop(struct scrapes *scrapes)
{
	pthread_mutex_lock(&scrapes->lock);
	scrapes->stopped = true;
	give_to_all(scrapes, NULL);
	pthread_mutex_unlock(&scrapes->lock);
}
