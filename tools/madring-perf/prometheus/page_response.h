/* SPDX-License-Identifier: BSD-2-Clause */
/* The response that has a page. */
#ifndef PROMETHEUS_PAGE_RESPONSE_H
#define PROMETHEUS_PAGE_RESPONSE_H

#include "exposition.h"

struct MHD_Response;

/*
 * `page_response` makes the response of a page. It is for one request. The page is held until the
 * response has gone. Returns NULL when there is no memory.
 */
struct MHD_Response *page_response(struct exposition *page, enum exposition_format format);

#endif
