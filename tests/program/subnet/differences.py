# SPDX-License-Identifier: BSD-2-Clause
"""The differences that commands may print under madring-sim and under ibsim, and why.

All that is not said here must be the same, line by line. A rule speaks of a field, what stands
before a colon or dots, of some commands, with the values that either may have.
"""
import difflib
import re

from fabrics import Failed, check

NUMBER = r"\d+"
ANY_WIDTHS = r"1X or 4X or 8X or 12X or 2X"


class Rule:
    """Fields of commands that may differ. A value of None: that side has no such line."""

    def __init__(self, commands, fields, ours, theirs, why):
        self.commands, self.fields, self.ours, self.theirs = commands, fields, ours, theirs
        self.why = why

    def allows(self, command, field, ours, theirs):
        def is_one(value, pattern):
            if value is None or pattern is None:
                return value is pattern
            return re.fullmatch(pattern, value)
        return (re.match(self.commands, command) and re.fullmatch(self.fields, field) and
                is_one(ours, self.ours) and is_one(theirs, self.theirs))


PORT_INFO = r"smpquery portinfo |saquery PIR|ibportstate"
COUNTERS = r"perfquery"

RULES = [
    Rule(r"ibnetdiscover", r"# Topology file", r"generated on .*", r"generated on .*",
         "the time"),

    # ibsim's PortInfo is a template, of which a Set changes the state and little more.
    Rule(PORT_INFO, r"MkeyLeasePeriod", "0", "4089", "ibsim's template"),
    Rule(PORT_INFO, r"SubnetTimeout", "18", "31",
         "opensm sets 18, and ibsim keeps its template"),
    Rule(PORT_INFO, r"RespTimeVal", "8", "0", "ibsim's template, for end ports"),
    Rule(PORT_INFO, r"VLStallCount", "0", "7",
         "opensm sets none at a host's port: 7 is ibsim's template"),
    Rule(PORT_INFO, r"HoqLife", "16", "0",
         "opensm sets none at a host's port, and what ours comes up with is 16"),
    Rule(PORT_INFO, r"LocalPhysErr|OverrunErr", "8", "0",
         "opensm sets 8, and ibsim keeps its template"),
    Rule(PORT_INFO, r"PartEnforceInb|PartEnforceOutb", "1", "0",
         "opensm sets 1 at a switch's ports to hosts, and ibsim keeps its template"),
    Rule(PORT_INFO, r"CapMask", "0x40c04[8a]", "0x50c04[8a]",
         "ibsim's HCAs have a vendor's class of MADs"),
    Rule(r"saquery -s", r"capability_mask", "0x40C04A", "0x50C04A", "the same, of the SM's port"),
    Rule(PORT_INFO, r"IsVendorClassSupported", None, "", "a bit of the CapMask above"),
    Rule(PORT_INFO, r"CapabilityMask2", "0x432", "0x4?30",
         "our ports can be NDR, which ibsim knows since 0.12, and have more attributes"),
    Rule(PORT_INFO, r"IsLinkSpeedNDRSupported|IsPortInfoExtendedSupported", "", None,
         "a bit of the CapabilityMask2 above"),
    Rule(PORT_INFO, r"LinkWidthEnabled", ANY_WIDTHS, "4X",
         "ours are enabled for all that they support, ibsim's for what they have"),
    Rule(PORT_INFO, r"LinkSpeedEnabled", "2.5 Gbps or 5.0 Gbps or 10.0 Gbps", "2.5 Gbps",
         "ours are enabled for all that they support, ibsim's for what they have"),
    Rule(PORT_INFO, r"NeighborMTU", "2048", "256", "ibsim's template of a switch's port 0"),
    Rule(PORT_INFO, r"MtuCap", "2048", "1024", "ibsim's template of a switch's port 0"),
    Rule(r"smpquery (portinfo|nodeinfo) ", r"LocalPort", NUMBER, "0",
         "the port that the SMP came to the switch by; ibsim gives it to port 0 itself"),
    Rule(r"smpquery switchinfo|saquery SWIR", r"LinearFdbCap|LinearFDBCap", "49152|0xC000",
         "30720|0x7800", "ours can hold all LIDs"),

    # Counters. ibsim counts the MADs, ours are what a scenario makes them.
    Rule(COUNTERS, r"Port(Xmit|Rcv)(Data|Pkts)", "0", NUMBER,
         "management is no traffic of ours; ibsim counts it"),
    Rule(COUNTERS, r"# Port extended counters", r".*CapMask2: 0x0000002\)",
         r".*CapMask2: 0x0000000\)", "our extended counters have errors too"),
    Rule(COUNTERS, r"CounterSelect2|SymbolErrorCounter|LinkErrorRecoveryCounter|LinkDownedCounter|"
         r"PortRcvErrors|PortRcvRemotePhysicalErrors|PortRcvSwitchRelayErrors|PortXmitDiscards|"
         r"PortXmitConstraintErrors|PortRcvConstraintErrors|LocalLinkIntegrityErrors|"
         r"ExcessiveBufferOverrunErrors|VL15Dropped|PortXmitWait|QP1Dropped", "0|0x00000000", None,
         "our extended counters have errors too, as the CapMask2 above says"),

    Rule(r"ibportstate", r"Lid|SMLid", "0", "4660",
         "ibportstate writes it to a switch's port, which has no LID; ibsim keeps it all the same"),
    Rule(r"ibportstate (disable|enable|reset)", r"LinkState", "Down|Initialize", "Active",
         "ibsim takes no link down"),
    Rule(r"ibportstate (enable|reset)", r"PhysLinkState", "LinkUp", "Polling",
         "ibsim trains no link"),
    Rule(r"saquery -[DLG]", r'\d+|\d+\s+".*"|0x[0-9a-f]{16}', "", None,
         "what ibsim's device has left out, see RECORD_BYTES"),

    Rule(r"saquery SMIR|sminfo", r"ActCount", NUMBER, NUMBER, "a clock of opensm's"),

    # opensm computes these from the values above.
    Rule(r"saquery (-p|PR|--src-to-dst)", "mtu", "0x84", "0x83",
         "ibsim's port 0 of a switch has an MTU of 1024, ours of 2048"),
]

# Commands that fail under ibsim: how they say so, and why.
IBSIM_CANNOT = [
    (r"smpquery by combined route", r"node info query failed",
     "ibsim knows no directed routes with LID-routed parts"),
    (r"smpquery portinfoextended", r"port info extended not supported",
     "ibsim does not have that attribute"),
    (r"perfquery -a .*'.*':[1-9]", r"perfquery: iberror: failed: perf(ext)?query",
     "ibsim answers for a host's one port, though the host says that it has more"),
    (r"ibportstate query", r"smp query nodeinfo failed",
     "the peer is asked by a combined route, see above"),
]

# Commands that fail under madring-sim: how they say so, of which nodes, and why.
MELLANOX = (0x2c9, 0x119f)
WE_REFUSE = [
    (r"smpquery mepi", r"Mellanox ext port info query failed",
     lambda vendor: vendor not in MELLANOX,
     "an attribute of Mellanox' that other devices do not have; ibsim gives it to all"),
]

# The messages on standard error of commands that succeed.
WARNINGS = [
    (r"perfquery -a .*'.*':[1-9]", r"ibwarn: .* Emulating AllPortSelect by iterating",
     "a host's ports have no AllPortSelect, under ibsim neither"),
    (r"saquery PIR", r"ibwarn: .* mad_dump_linkwidth: bad width 0",
     "opensm asks no down port for its PortInfo, and so has none"),
    (r"ibportstate query", r"ibwarn: .* validate_(extended_)?speed: Peer ports operating at active "
     r"(extended )?speed \d+ rather than",
     "opensm enables all speeds that ports support, but links are as fast as the topology says"),
]

# ibsim's device takes the first segment of a long answer, SEGMENT_BYTES, for all of it: so many
# records are whole, and what comes behind them is whatever was in memory.
SEGMENT_BYTES = 168
RECORD_BYTES = {
    "-N": 112, "-P": 112, "NR": 112, "-p": 64, "PR": 64, "-g": 56, "-m": 56, "MCMR": 56,
    "-I": 40, "IIR": 40, "-x": 8, "LR": 8, "-S": 176, "SR": 176, "PIR": 72, "SL2VL": 16,
    "VLAR": 72, "PKTR": 72, "LFTR": 72, "MFTR": 72, "GIR": 72, "SWIR": 24, "SMIR": 32,
}


def field_and_value(line):
    found = re.match(r"(\s*)([^:.]*[^:. ])(?::\.*\s?|\.{3,})(.*)$", line)
    return (found.group(2), found.group(3)) if found else (line.strip(), "")


def explained(command, field, ours, theirs):
    return any(rule.allows(command, field, ours, theirs) for rule in RULES)


def unexplained(command, ours, theirs):
    """Yields the lines of two outputs that differ without a rule for it."""
    ours, theirs = [[field_and_value(line) for line in text] for text in (ours, theirs)]
    matcher = difflib.SequenceMatcher(None, [field for field, _ in ours],
                                      [field for field, _ in theirs], autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            for (field, our), (_, their) in zip(ours[i:i_end], theirs[j:j_end]):
                if our != their and not explained(command, field, our, their):
                    yield f"{field}: {our}, under ibsim {their}"
            continue
        for field, value in ours[i:i_end]:
            if not explained(command, field, value, None):
                yield f"{field}: {value}, under ibsim nothing"
        for field, value in theirs[j:j_end]:
            if not explained(command, field, None, value):
                yield f"{field}: nothing, under ibsim {value}"


def records(output):
    """Returns an answer's records, each a list of lines."""
    parts = re.split(r"^(?=\S.* dump:$)", output, flags=re.M)
    return [part.splitlines() for part in parts if part]


def first_segment(query, output):
    """Returns the lines of the records that ibsim's device has brought whole."""
    whole = SEGMENT_BYTES // RECORD_BYTES[query]
    return [line for part in records(output)[:whole] for line in part]


def vendor_of(name, results):
    """Returns the vendor of the node that a command's name names, or 0."""
    port = re.search(r"'.*':\d+", name).group(0)
    nodeinfo = results[f"smpquery nodeinfo {port}"][2]
    return int(re.search(r"^VendorId:\.*(\w+)$", nodeinfo, re.M).group(1), 16)


def is_refusal(name, results):
    output, errors = results[name][2:]
    return any(re.match(command, name) and re.search(says, output + errors) and
               of_whom(vendor_of(name, results))
               for command, says, of_whom, _ in WE_REFUSE)


def is_warning(name, line):
    return any(re.match(command, name) and re.match(says, line) for command, says, _ in WARNINGS)


def failures(results):
    """Yields what did not succeed, and should."""
    for name, (command, status, output, errors) in results.items():
        if status and is_refusal(name, results):
            continue
        if status or not all(is_warning(name, line) for line in errors.splitlines()):
            yield f"{name}: {' '.join(command)}: exit status {status}: {output[-200:]} {errors}"


def ibsim_cannot(name, output, errors):
    return any(re.match(command, name) and re.search(says, output + errors)
               for command, says, _ in IBSIM_CANNOT)


def differences(name, our, their):
    _, our_status, our_output, _ = our
    _, their_status, their_output, their_errors = their
    if their_status:
        if not ibsim_cannot(name, their_output, their_errors):
            yield f"fails under ibsim: {their_output} {their_errors}"
        return
    if our_status:
        return
    query = name.partition("saquery ")[2]
    if query in RECORD_BYTES:
        ours, theirs = [first_segment(query, output) for output in (our_output, their_output)]
    else:
        ours, theirs = our_output.splitlines(), their_output.splitlines()
    yield from unexplained(name, ours, theirs)


def compare(topology, ours, theirs):
    """@ours, @theirs: by name, a command, its exit status, output and standard error."""
    check(ours.keys() == theirs.keys(), f"{topology}: other ports under ibsim")
    found = [f"{name}: {difference}" for name in ours
             for difference in differences(name, ours[name], theirs[name])]
    if found:
        raise Failed("\n".join([f"{topology}: not as under ibsim:", *found[:60]]))
