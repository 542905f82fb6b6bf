/* SPDX-License-Identifier: BSD-2-Clause */
#include "counter.h"

/* Where a counter is; IB_NO_FIELD: not in PortCounters. What it takes to be there. */
struct place {
	enum MAD_FIELDS counters, extended;
	uint16_t counters_need; /* of CapabilityMask */
	uint16_t extended_need; /* of CapabilityMask, or else: */
	bool additional;	/* PMA_CAP2_ADDITIONAL_EXTENDED */
	bool error;
};

#define ERROR(field)                                                                               \
	{                                                                                          \
		IB_PC_##field##_F, IB_PC_EXT_##field##_F, 0, 0, true, true                         \
	}
#define DATA(field)                                                                                \
	{                                                                                          \
		IB_PC_##field##_F, IB_PC_EXT_##field##_F, 0, 0, false, false                       \
	}
#define CASTS(field)                                                                               \
	{                                                                                          \
		IB_NO_FIELD, IB_PC_EXT_##field##_F, 0, PMA_CAP_EXTENDED, false, false              \
	}

static const struct place places[COUNTERS] = {
	[COUNTER_SYMBOL_ERRORS] = ERROR(ERR_SYM),
	[COUNTER_LINK_ERROR_RECOVERIES] = ERROR(LINK_RECOVERS),
	[COUNTER_LINK_DOWNED] = ERROR(LINK_DOWNED),
	[COUNTER_RCV_ERRORS] = ERROR(ERR_RCV),
	[COUNTER_RCV_REMOTE_PHYSICAL_ERRORS] = ERROR(ERR_PHYSRCV),
	[COUNTER_RCV_SWITCH_RELAY_ERRORS] = ERROR(ERR_SWITCH_REL),
	[COUNTER_XMIT_DISCARDS] = ERROR(XMT_DISCARDS),
	[COUNTER_XMIT_CONSTRAINT_ERRORS] = ERROR(ERR_XMTCONSTR),
	[COUNTER_RCV_CONSTRAINT_ERRORS] = ERROR(ERR_RCVCONSTR),
	[COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = ERROR(ERR_LOCALINTEG),
	[COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = ERROR(ERR_EXCESS_OVR),
	[COUNTER_VL15_DROPPED] = ERROR(VL15_DROPPED),
	[COUNTER_QP1_DROPPED] = { IB_PC_QP1_DROP_F, IB_PC_EXT_QP1_DROP_F, PMA_CAP_QP1_DROPPED,
				  PMA_CAP_QP1_DROPPED, true, true },
	[COUNTER_XMIT_WAIT] = { IB_PC_XMT_WAIT_F, IB_PC_EXT_XMT_WAIT_F, PMA_CAP_XMIT_WAIT, 0, true,
				false },
	[COUNTER_XMIT_DATA] = DATA(XMT_BYTES),
	[COUNTER_RCV_DATA] = DATA(RCV_BYTES),
	[COUNTER_XMIT_PKTS] = DATA(XMT_PKTS),
	[COUNTER_RCV_PKTS] = DATA(RCV_PKTS),
	[COUNTER_UNICAST_XMIT_PKTS] = CASTS(XMT_UPKTS),
	[COUNTER_UNICAST_RCV_PKTS] = CASTS(RCV_UPKTS),
	[COUNTER_MULTICAST_XMIT_PKTS] = CASTS(XMT_MPKTS),
	[COUNTER_MULTICAST_RCV_PKTS] = CASTS(RCV_MPKTS),
};

const char *counter_name(enum counter counter)
{
	return mad_field_name(places[counter].extended);
}

bool counter_is_error(enum counter counter)
{
	return places[counter].error;
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

static bool get_from(const struct port_counters *port, enum counter counter,
		     enum pma_attribute attribute, struct counter_value *value)
{
	const uint8_t *data = port_data(port, attribute);
	enum MAD_FIELDS field;

	if (!data || !counter_is_in(counter, attribute, &port->node->capabilities, &field))
		return false;
	*value = (struct counter_value){
		.value = pma_field(attribute, field, data),
		.attribute = attribute,
		.time_ns = port->reading[attribute]->time_ns,
	};
	value->saturated =
		attribute == PMA_COUNTERS && value->value == pma_field_limit(attribute, field);
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
