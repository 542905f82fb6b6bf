/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/plural.h"
#include "json/json_write.h"
#include "json/utf8.h"

/* A longer text is cut. */
#define TEXT_BYTES 8192

#define WIDTH 100 /* of a line with advice */

static char *format_text(const char *format, va_list arguments)
{
	char text[TEXT_BYTES];

	vsnprintf(text, sizeof(text), format, arguments);
	utf8_make_printable(text);
	return strdup(text);
}

void finding_add(struct findings *findings, const char *name, const char *format, ...)
{
	struct finding *finding;
	va_list arguments;

	if (findings->count == findings->room) {
		findings->room = findings->room ? 2 * findings->room : 16;
		findings->list = memory_grow(findings->list, findings->room, sizeof(*finding));
	}
	finding = &findings->list[findings->count++];
	*finding = (struct finding){ .name = strdup(name) };
	utf8_make_printable(finding->name);
	va_start(arguments, format);
	finding->value = format_text(format, arguments);
	va_end(arguments);
}

void finding_advise(struct findings *findings, const char *format, ...)
{
	struct finding *finding = &findings->list[findings->count - 1];
	char *before = finding->advice, *added;
	va_list arguments;
	size_t bytes;

	va_start(arguments, format);
	added = format_text(format, arguments);
	va_end(arguments);
	if (!before) {
		finding->advice = added;
		return;
	}
	bytes = strlen(before) + 1 + strlen(added) + 1;
	finding->advice = memory_get(1, bytes);
	snprintf(finding->advice, bytes, "%s %s", before, added);
	free(before);
	free(added);
}

size_t findings_count_problems(const struct findings *findings)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->list[i].advice != NULL;
	return count;
}

/* Writes words from column @indent on, to which further lines are indented, too. */
static void print_wrapped(FILE *out, const char *text, int indent)
{
	int column = indent;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > indent && column + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", length, text);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

void findings_print(FILE *out, const struct findings *findings)
{
	size_t problems = findings_count_problems(findings);
	int width = 0;

	for (size_t i = 0; i < findings->count; i++)
		if ((int)strlen(findings->list[i].name) > width)
			width = (int)strlen(findings->list[i].name);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		fprintf(out, "%c %-*s  ", finding->advice ? '!' : ' ', width, finding->name);
		print_wrapped(out, finding->value, width + 4);
		if (!finding->advice)
			continue;
		fprintf(out, "%*s", width + 4, "");
		print_wrapped(out, finding->advice, width + 4);
	}
	if (problems)
		fprintf(out, "\n%zu problem%s\n", problems, plural(problems));
	else
		fprintf(out, "\nno problems\n");
}

void findings_print_json(FILE *out, const struct findings *findings)
{
	struct json_writer writer;

	json_write_start(&writer, out, JSON_INDENTED);
	json_write_open(&writer, NULL, '[');
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		json_write_open(&writer, NULL, '{');
		json_write_text(&writer, "name", finding->name);
		json_write_text(&writer, "value", finding->value);
		json_write_flag(&writer, "problem", finding->advice);
		json_write_text(&writer, "advice", finding->advice);
		json_write_close(&writer, '}');
	}
	json_write_close(&writer, ']');
	json_write_end(&writer);
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		free(findings->list[i].name);
		free(findings->list[i].value);
		free(findings->list[i].advice);
	}
	free(findings->list);
	*findings = (struct findings){ 0 };
}
