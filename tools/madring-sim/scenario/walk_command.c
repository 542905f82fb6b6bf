/* SPDX-License-Identifier: BSD-2-Clause */
/* walk: whether every host reaches every host by LID. */
#include <errno.h>
#include <inttypes.h>

#include "fabric/walk.h"
#include "scenario/command.h"
#include "report/json_value.h"
#include "report/report.h"

static void put_failure(const struct walk_failure *failure, FILE *out)
{
	fprintf(out, "%s:%u to LID %u of %s:%u: %s at %s\n", failure->from->id, failure->from_port,
		failure->lid, failure->to->id, failure->to_port, walk_end_name(failure->end),
		failure->at->id);
}

static int put_text(const struct fabric_walk *walk, FILE *out)
{
	fprintf(out, "host ports: %" PRIu64 ", switches: %" PRIu64 ", left out: %" PRIu64 "\n",
		walk->host_ports, walk->switches, walk->left_out);
	fprintf(out, "host to host: %" PRIu64 " of %" PRIu64 " ways\n", walk->host_ways_reached,
		walk->host_ways);
	fprintf(out, "hosts and switches: %" PRIu64 " of %" PRIu64 " ways\n",
		walk->switch_ways_reached, walk->switch_ways);
	for (unsigned int i = 0; i < walk->failure_count; i++)
		put_failure(&walk->failure[i], out);
	return ferror(out) ? -ENOMEM : 0;
}

static struct json_object *failure_object(const struct walk_failure *failure)
{
	struct json_object *object = json_new_object();
	struct json_object *from = json_new_object(), *to = json_new_object(),
			   *at = json_new_object();

	json_add_node(from, failure->from);
	json_add_number(from, "port", failure->from_port);
	json_add_node(to, failure->to);
	json_add_number(to, "port", failure->to_port);
	json_add_node(at, failure->at);
	json_add(object, "from", from);
	json_add(object, "to", to);
	json_add(object, "at", at);
	json_add_number(object, "lid", failure->lid);
	json_add_text(object, "why", walk_end_name(failure->end));
	return object;
}

static int put_json(const struct fabric_walk *walk, FILE *out)
{
	struct json_object *object = json_new_object(), *failures = json_new_array();
	int error;

	json_add(object, "complete", json_new_flag(walk_is_complete(walk)));
	json_add_number(object, "host_ports", walk->host_ports);
	json_add_number(object, "switches", walk->switches);
	json_add_number(object, "left_out", walk->left_out);
	json_add_number(object, "host_ways", walk->host_ways);
	json_add_number(object, "host_ways_reached", walk->host_ways_reached);
	json_add_number(object, "switch_ways", walk->switch_ways);
	json_add_number(object, "switch_ways_reached", walk->switch_ways_reached);
	for (unsigned int i = 0; i < walk->failure_count; i++)
		json_append(failures, failure_object(&walk->failure[i]));
	json_add(object, "failures", failures);
	error = report_print(object, out);
	json_object_put(object);
	return error;
}

static int act_walk(struct scenario *scenario, struct command *command,
		    struct scenario_answer *answer)
{
	struct fabric_walk walk;
	int error = fabric_walk(scenario->config.fabric, &walk);

	(void)command;
	if (error)
		return error;
	answer->no = !walk_is_complete(&walk);
	return answer->json ? put_json(&walk, answer->out) : put_text(&walk, answer->out);
}

int parse_walk(struct parser *parser, struct command *command)
{
	if (!parser->answers)
		return refuse(parser->error, "walk: there is nobody to answer to");
	command->act = act_walk;
	return 0;
}
