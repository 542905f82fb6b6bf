/* SPDX-License-Identifier: BSD-2-Clause */
#include "exporter/exporter.h"
#include "monitor.h"

static struct exposition *collect_page(void *context, bool *made)
{
	return exporter_collect(context, made);
}

static void reload(void *context)
{
	exporter_reload(context);
}

int monitor(const struct options *options)
{
	struct exporter exporter;
	struct serve_source source = { &exporter, collect_page, reload };
	int status = EXIT_UNABLE;

	if (!exporter_start(&exporter, options) && !serve(&options->serve, &source))
		status = EXIT_COMPLETE;
	exporter_end(&exporter);
	return status;
}
