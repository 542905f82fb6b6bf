/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "fabric/model.h"

const struct fabric_model fabric_ideal = { 0 };

const struct fabric_model fabric_modelled = {
	.hop = 600,
	.transit = 4000,
	.service = { [NODE_CA] = 12000, [NODE_SWITCH] = 18000, [NODE_ROUTER] = 12000 },
	.queue = 64,
	.local_service = 1500,
	.local_vl15 = 32768,
	.local_receive_buffers = 512,
	.reorder_delay = 50000,
	.training = 100000000,
};

const struct fabric_health_meaning fabric_health_meaning[FABRIC_HEALTHS] = {
	[FABRIC_WELL] = { "well", .answers = true, .forwards = true, .has_links = true },
	[FABRIC_HUNG] = { "hung", .answers = false, .forwards = true, .has_links = true },
	[FABRIC_DEAD] = { "dead", .answers = false, .forwards = false, .has_links = true },
	[FABRIC_OFF] = { "off", .answers = false, .forwards = false, .has_links = false },
};

static bool is_probability(double number)
{
	return number >= 0 && number <= 1;
}

bool model_is_valid(const struct fabric_model *model)
{
	return is_probability(model->loss) && is_probability(model->duplicate) &&
	       is_probability(model->reorder) && is_probability(model->corrupt);
}

#define NUMBER(text, what, field)                                                                  \
	{ .name = (text), .kind = (what), .offset = offsetof(struct fabric_model, field) }

const struct model_number model_numbers[MODEL_NUMBERS] = {
	NUMBER("hop", MODEL_DURATION, hop),
	NUMBER("transit", MODEL_DURATION, transit),
	NUMBER("service.ca", MODEL_DURATION, service[NODE_CA]),
	NUMBER("service.switch", MODEL_DURATION, service[NODE_SWITCH]),
	NUMBER("service.router", MODEL_DURATION, service[NODE_ROUTER]),
	NUMBER("queue", MODEL_COUNT, queue),
	NUMBER("local-service", MODEL_DURATION, local_service),
	NUMBER("local-vl15", MODEL_COUNT, local_vl15),
	NUMBER("local-receive-buffers", MODEL_COUNT, local_receive_buffers),
	NUMBER("loss", MODEL_PROBABILITY, loss),
	NUMBER("duplicate", MODEL_PROBABILITY, duplicate),
	NUMBER("reorder", MODEL_PROBABILITY, reorder),
	NUMBER("reorder-delay", MODEL_DURATION, reorder_delay),
	NUMBER("corrupt", MODEL_PROBABILITY, corrupt),
	NUMBER("training", MODEL_DURATION, training),
};

double model_get(const struct fabric_model *model, const struct model_number *number)
{
	const void *at = (const char *)model + number->offset;

	switch (number->kind) {
	case MODEL_DURATION:
		return (double)*(const uint64_t *)at;
	case MODEL_COUNT:
		return (double)*(const uint32_t *)at;
	default:
		return *(const double *)at;
	}
}

void model_set(struct fabric_model *model, const struct model_number *number, double value)
{
	void *at = (char *)model + number->offset;

	switch (number->kind) {
	case MODEL_DURATION:
		*(uint64_t *)at = (uint64_t)value;
		break;
	case MODEL_COUNT:
		*(uint32_t *)at = (uint32_t)value;
		break;
	case MODEL_PROBABILITY:
		*(double *)at = value;
		break;
	}
}

const struct model_number *model_number_find(const char *name)
{
	for (size_t i = 0; i < MODEL_NUMBERS; i++) {
		if (!strcmp(model_numbers[i].name, name))
			return &model_numbers[i];
	}
	return NULL;
}

const struct fabric_model *model_profile_find(const char *name)
{
	if (!strcmp(name, "ideal"))
		return &fabric_ideal;
	/* Version 0.1 called it "real". */
	return strcmp(name, "modelled") && strcmp(name, "real") ? NULL : &fabric_modelled;
}
