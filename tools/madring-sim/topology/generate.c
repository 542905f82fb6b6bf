/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/generate.h"
#include "topology/link.h"

#define DEFAULT_SPEED "EDR"

static const struct shape {
	const char *name;
	int (*generate)(struct generator *generator, char *spec);
} shapes[] = {
	{ "fat-tree", generate_fat_tree },
	{ "dragonfly", generate_dragonfly },
	{ "torus", generate_torus },
	{ "mesh", generate_mesh },
};

int spec_wrong(struct generator *generator, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(generator->error->text, sizeof(generator->error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int no_memory(struct generator *generator)
{
	spec_wrong(generator, "out of memory");
	return -ENOMEM;
}

/* read_number reads a decimal number that is the whole text. */
static bool read_number(const char *text, unsigned int *number)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end || errno || value > UINT32_MAX)
		return false;
	*number = (unsigned int)value;
	return true;
}

static int read_dimensions(struct generator *generator, char *text)
{
	char *size;

	while ((size = strsep(&text, "x"))) {
		if (generator->dimension_count == MAX_DIMENSIONS)
			return spec_wrong(generator, "more than %d dimensions", MAX_DIMENSIONS);
		if (!read_number(size, &generator->dimensions[generator->dimension_count++]))
			return spec_wrong(generator, "dimensions such as 4x4x4 expected");
	}
	return 0;
}

static int read_link(struct generator *generator, const char *name, const char *value)
{
	struct topology_port *port = &generator->builder.port;
	unsigned int lanes;

	if (!strcmp(name, "speed"))
		return link_set_speed(port, value)
			       ? 0
			       : spec_wrong(generator, "no speed \"%.32s\"", value);
	if (!strcmp(name, "width"))
		return read_number(value, &lanes) && link_set_width(port, lanes)
			       ? 0
			       : spec_wrong(generator, "no width \"%.32s\"", value);
	return spec_wrong(generator, "no key \"%.32s\" here", name);
}

static int read_key(struct generator *generator, const char *name, const char *value,
		    struct spec_key *keys, size_t key_count)
{
	struct spec_key *key = keys;

	while (key < keys + key_count && strcmp(key->name, name))
		key++;
	if (key == keys + key_count)
		return read_link(generator, name, value);
	if (key->given)
		return spec_wrong(generator, "\"%s\" is given twice", name);
	if (!read_number(value, key->value) || *key->value < key->min || *key->value > key->max)
		return spec_wrong(generator, "\"%s\" is a number from %u to %u", name, key->min,
				  key->max);
	key->given = true;
	return 0;
}

int spec_read(struct generator *generator, char *spec, struct spec_key *keys, size_t key_count,
	      bool dimensions)
{
	char *part;
	int error = 0;

	if (dimensions) {
		part = strsep(&spec, ",");
		error = read_dimensions(generator, part);
	}
	while (!error && (part = strsep(&spec, ","))) {
		char *value = strchr(part, '=');

		if (!value)
			return spec_wrong(generator, "key=value expected, not \"%.32s\"", part);
		*value++ = '\0';
		error = read_key(generator, part, value, keys, key_count);
	}
	return error;
}

uint64_t spec_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

int spec_fits(struct generator *generator, uint64_t nodes, uint64_t switch_ports)
{
	if (nodes > BUILDER_MAX_NODES)
		return spec_wrong(generator, "that is more than %d nodes", BUILDER_MAX_NODES);
	if (switch_ports < 1 || switch_ports > BUILDER_MAX_PORTS)
		return spec_wrong(generator, "a switch would have %llu ports, not 1 to %d",
				  (unsigned long long)switch_ports, BUILDER_MAX_PORTS);
	return 0;
}

int generate_node(struct generator *generator, enum node_type type, unsigned int ports,
		  const char *format, ...)
{
	char id[DESCRIPTION_BYTES + 1];
	struct topology_node *node;
	va_list arguments;
	int error;

	va_start(arguments, format);
	vsnprintf(id, sizeof(id), format, arguments);
	va_end(arguments);
	error = builder_add(&generator->builder, type, id, ports, &node);
	if (error == -ENOMEM)
		return no_memory(generator);
	return error ? spec_wrong(generator, "can't add the node %s", id) : 0;
}

int generate_cable(struct generator *generator, uint64_t a, unsigned int port_a, uint64_t b,
		   unsigned int port_b)
{
	struct topology_node **nodes = generator->builder.topology->nodes;

	if (builder_connect(nodes[a], port_a, nodes[b], port_b))
		return spec_wrong(generator, "can't cable port %u of %s to port %u of %s", port_a,
				  nodes[a]->id, port_b, nodes[b]->id);
	return 0;
}

static int generate_shape(struct generator *generator, char *spec)
{
	char *name = strsep(&spec, ":");

	if (!spec)
		return spec_wrong(generator, "a spec starts with \"fat-tree:\", \"dragonfly:\", "
					     "\"torus:\" or \"mesh:\"");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(name, shapes[i].name))
			return shapes[i].generate(generator, spec);
	return spec_wrong(generator,
			  "no shape \"%.32s\": there are fat-tree, dragonfly, torus and "
			  "mesh",
			  name);
}

int topology_generate(struct topology **topology, const char *spec, struct topology_error *error)
{
	struct generator generator = { .error = error };
	char *copy;
	int result;

	*error = (struct topology_error){ 0 };
	result = builder_open(&generator.builder);
	if (result)
		return no_memory(&generator);
	link_set_speed(&generator.builder.port, DEFAULT_SPEED);
	copy = strdup(spec);
	result = copy ? generate_shape(&generator, copy) : no_memory(&generator);
	free(copy);
	if (result) {
		builder_discard(&generator.builder);
		return result;
	}
	*topology = builder_take(&generator.builder);
	return 0;
}
