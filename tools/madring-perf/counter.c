/* SPDX-License-Identifier: BSD-2-Clause */
#include "counter.h"

/* The place of a counter in the two attributes, and what a node needs to have it there. */
struct place {
	enum MAD_FIELDS counters, extended; /* IB_NO_FIELD: not in PortCounters */
	uint16_t counters_need;		    /* of CapabilityMask */
	uint16_t extended_need;		    /* of CapabilityMask, besides that of the attribute */
	bool additional;		    /* needs PMA_CAP2_ADDITIONAL_EXTENDED */
	bool error, words;
	uint32_t counters_select, extended_select; /* CounterSelect, CounterSelect2 << 16 */
};

/* The kinds of COUNTER_LIST. */
#define KIND_WORDS(field)   KIND_PACKETS(field), .words = true
#define KIND_PACKETS(field) .counters = IB_PC_##field##_F, .extended = IB_PC_EXT_##field##_F
#define KIND_ERROR(field)   KIND_PACKETS(field), .additional = true, .error = true
#define KIND_QP1(field)                                                                            \
	KIND_ERROR(field), .counters_need = PMA_CAP_QP1_DROPPED,                                   \
		.extended_need = PMA_CAP_QP1_DROPPED
#define KIND_WAIT(field) KIND_PACKETS(field), .additional = true, .counters_need = PMA_CAP_XMIT_WAIT
#define KIND_CASTS(field)                                                                          \
	.counters = IB_NO_FIELD, .extended = IB_PC_EXT_##field##_F,                                \
	.extended_need = PMA_CAP_EXTENDED

#define BIT(bit) (UINT32_C(1) << (bit))
#define NO_BIT	 0

#define PLACE(name, kind, field, counters_bit, extended_bit, ...)                                  \
	[COUNTER_##name] = { KIND_##kind(field), .counters_select = counters_bit,                  \
			     .extended_select = extended_bit },

static const struct place places[COUNTERS] = { COUNTER_LIST(PLACE) };

const char *counter_name(enum counter counter)
{
	return mad_field_name(places[counter].extended);
}

bool counter_is_error(enum counter counter)
{
	return places[counter].error;
}

bool counter_is_words(enum counter counter)
{
	return places[counter].words;
}

static bool is_extended(const struct place *place, const struct capabilities *capabilities)
{
	uint16_t extended = PMA_CAP_EXTENDED | PMA_CAP_EXTENDED_NOIETF;

	if (!(capabilities->mask & extended))
		return false;
	if (place->additional && !(capabilities->mask2 & PMA_CAP2_ADDITIONAL_EXTENDED))
		return false;
	return (capabilities->mask & place->extended_need) == place->extended_need;
}

bool counter_is_in(enum counter counter, enum pma_attribute attribute,
		   const struct capabilities *capabilities, enum MAD_FIELDS *field)
{
	const struct place *place = &places[counter];

	if (attribute == PMA_EXTENDED) {
		*field = place->extended;
		return is_extended(place, capabilities);
	}
	*field = place->counters;
	return attribute == PMA_COUNTERS && place->counters != IB_NO_FIELD &&
	       (capabilities->mask & place->counters_need) == place->counters_need;
}

uint32_t counter_select(enum counter counter, enum pma_attribute attribute,
			const struct capabilities *capabilities)
{
	const struct place *place = &places[counter];
	enum MAD_FIELDS field;

	if (!counter_is_in(counter, attribute, capabilities, &field) ||
	    (capabilities->mask & place->counters_need) != place->counters_need)
		return 0;
	return attribute == PMA_EXTENDED ? place->extended_select : place->counters_select;
}

static bool get_from(const struct port_counters *port, enum counter counter,
		     enum pma_attribute attribute, struct counter_value *value)
{
	const uint8_t *data = port_data(port, attribute);
	enum MAD_FIELDS field;

	if (!data || !counter_is_in(counter, attribute, &port->node->capabilities, &field))
		return false;
	*value = (struct counter_value){
		.value = pma_field(field, data),
		.attribute = attribute,
		.time_ns = port->reading[attribute]->time_ns,
	};
	value->saturated = attribute == PMA_COUNTERS && value->value == pma_field_limit(field);
	return true;
}

bool counter_get(const struct port_counters *port, enum counter counter,
		 struct counter_value *value)
{
	return get_from(port, counter, PMA_EXTENDED, value) ||
	       get_from(port, counter, PMA_COUNTERS, value);
}

enum counter_change counter_compare(const struct port_counters *before,
				    const struct port_counters *after, enum counter counter,
				    struct counter_delta *delta)
{
	struct counter_value old, new;
	bool fell;

	*delta = (struct counter_delta){ 0 };
	if (!counter_get(before, counter, &old) || !counter_get(after, counter, &new) ||
	    old.attribute != new.attribute)
		return CHANGE_UNKNOWN;
	fell = new.value < old.value;
	delta->delta = fell ? new.value : new.value - old.value;
	if (new.time_ns > old.time_ns) {
		delta->seconds = (new.time_ns - old.time_ns) / 1e9;
		delta->rate = delta->delta / delta->seconds;
	}
	if (fell)
		return CHANGE_RESET;
	return new.saturated ? CHANGE_SATURATED : CHANGE_COUNTED;
}
