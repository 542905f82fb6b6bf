/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdbool.h>

#include "histogram_text.h"
#include "plot.h"

#define WIDTH  900.0
#define HEIGHT 500.0
#define LEFT   80.0
#define RIGHT  30.0
#define TOP    50.0
#define BOTTOM 60.0

struct plot {
	FILE *out;
	double nines;	  /* the width, in nines: 2 ends at 99 % */
	double low, high; /* the height, in powers of ten of ns */
	bool begun;
	double last_y;
};

static double x_of(const struct plot *plot, double nines)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * nines / plot->nines;
}

static double y_of(const struct plot *plot, double ns)
{
	double power = log10(ns < 1 ? 1 : ns);

	return HEIGHT - BOTTOM -
	       (HEIGHT - TOP - BOTTOM) * (power - plot->low) / (plot->high - plot->low);
}

static void put_text(FILE *out, const char *what)
{
	for (; *what; what++) {
		switch (*what) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(*what, out);
		}
	}
}

static void put_head(const struct plot *plot, const char *title)
{
	fprintf(plot->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<text x=\"%.0f\" y=\"28\" font-size=\"15\">",
		WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
	put_text(plot->out, title);
	fputs("</text>\n", plot->out);
}

static void put_line(const struct plot *plot, double x1, double y1, double x2, double y2)
{
	fprintf(plot->out,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/>\n", x1, y1,
		x2, y2);
}

static void put_percentile_axis(const struct plot *plot)
{
	for (int nines = 0; nines <= (int)plot->nines; nines++) {
		double x = x_of(plot, nines), percent = 100 - 100 / pow(10, nines);

		put_line(plot, x, TOP, x, HEIGHT - BOTTOM);
		fprintf(plot->out,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.*f %%</text>\n", x,
			HEIGHT - BOTTOM + 18, nines > 2 ? nines - 2 : 0, percent);
	}
	fprintf(plot->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">percentile</text>\n",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 18);
}

static void put_time_label(const struct plot *plot, double y, int power)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	int unit = power / 3 > 3 ? 3 : power / 3;

	fprintf(plot->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.0f %s</text>\n",
		LEFT - 8, y + 4, pow(10, power - 3 * unit), units[unit]);
}

static void put_time_axis(const struct plot *plot)
{
	for (int power = (int)plot->low; power <= (int)plot->high; power++) {
		double y = y_of(plot, pow(10, power));

		put_line(plot, LEFT, y, WIDTH - RIGHT, y);
		put_time_label(plot, y, power);
	}
}

/* Draws a step: to the right by @part, then up to the time. */
static void curve_point(void *context, uint64_t value, double part, uint64_t count)
{
	struct plot *plot = context;
	double nines = part < 1 ? -log10(1 - part) : plot->nines;
	double x = x_of(plot, nines < plot->nines ? nines : plot->nines);
	double y = y_of(plot, (double)value);

	(void)count;
	if (plot->begun)
		fprintf(plot->out, " %.1f,%.1f", x, plot->last_y);
	fprintf(plot->out, " %.1f,%.1f", x, y);
	plot->begun = true;
	plot->last_y = y;
}

static void put_curve(struct plot *plot, const struct histogram *histogram)
{
	fputs("<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"2\" points=\"", plot->out);
	histogram_points(histogram, curve_point, plot);
	fputs("\"/>\n", plot->out);
}

void plot_svg(FILE *out, const struct histogram *histogram, const char *title)
{
	struct plot plot = { .out = out, .nines = 1, .low = 3, .high = 4 };

	if (histogram->total) {
		plot.nines = ceil(log10((double)histogram->total));
		plot.low = floor(log10((double)(histogram->min ? histogram->min : 1)));
		plot.high = ceil(log10((double)(histogram->max ? histogram->max : 1)));
	}
	if (plot.nines < 1)
		plot.nines = 1;
	if (plot.high <= plot.low)
		plot.high = plot.low + 1;
	put_head(&plot, title);
	put_percentile_axis(&plot);
	put_time_axis(&plot);
	if (histogram->total)
		put_curve(&plot, histogram);
	fputs("</svg>\n", out);
}
