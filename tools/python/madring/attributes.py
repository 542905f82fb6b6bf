# SPDX-License-Identifier: BSD-2-Clause
"""The fields of attributes, by the names that the IBA gives them."""
import functools
import ipaddress
from typing import Any, Dict, Mapping, Tuple, Union

from madring._native import ffi, lib
from madring import _arguments
from madring.errors import check, error_of

#: A class, an attribute or a method, by name or number.
Name = Union[int, str]

SMP = 0x01
SMP_DIRECTED = 0x81
SA = 0x03
PMA = 0x04

#: The classes of vendors, whose MADs have the OUI of the vendor (IBA 16.5.1).
OUI_CLASSES = range(0x30, 0x50)

# Where the attribute begins in a MAD of a class; 64 in all others.
_DATA_OFFSETS = {SA: 56, 0x07: 24, **dict.fromkeys(OUI_CLASSES, 40)}
_MAD_BYTES = 256


@functools.lru_cache(maxsize=None)
def data_offset(mgmt_class: int) -> int:
    """Returns where the attribute begins in a MAD, in bytes."""
    return _DATA_OFFSETS.get(mgmt_class, 64)


@functools.lru_cache(maxsize=None)
def data_bytes(mgmt_class: int) -> int:
    """Returns how many bytes of attribute a MAD has."""
    if mgmt_class in (SMP, SMP_DIRECTED):
        return 64
    return _MAD_BYTES - data_offset(mgmt_class)


@functools.lru_cache(maxsize=None)
def class_number(name: Name) -> int:
    """Returns the number of a management class: class_number("PMA") is 4. Raises KeyError."""
    if not isinstance(name, str):
        return _arguments.unsigned("a management class, by name or number,", name, 8)
    number = lib.madring_class_number(name.encode())
    if number < 0:
        names = (lib.madring_class_name(each) for each in range(256))
        raise _arguments.unknown("there is no management class", name,
                                 [ffi.string(each).decode() for each in names if each])
    return int(number)


@functools.lru_cache(maxsize=None)
def attribute_number(mgmt_class: Name, name: Name) -> int:
    """Returns the number of an attribute: attribute_number("PMA", "PortCounters") is 18. Raises
    KeyError."""
    mgmt_class = class_number(mgmt_class)
    if not isinstance(name, str):
        return _arguments.unsigned("an attribute, by name or number,", name, 16)
    number = lib.madring_attribute_number(mgmt_class, name.encode())
    if number < 0:
        names = (lib.madring_attribute_name(mgmt_class, each) for each in range(1 << 16))
        raise _arguments.unknown(f"{class_name(mgmt_class)} has no attribute", name,
                                 [ffi.string(each).decode() for each in names if each])
    return int(number)


def class_name(mgmt_class: int) -> str:
    """Returns the name of a management class, or its number as text if it has none."""
    name = lib.madring_class_name(mgmt_class)
    return str(ffi.string(name).decode() if name else f"class 0x{mgmt_class:02x}")


def method_number(name: Name, methods: Mapping[str, int]) -> int:
    """Returns the number of a method, which is one of @methods or a number."""
    if isinstance(name, int):
        return name
    if name not in methods:
        raise ValueError(f"there is no method {name!r}: use a number, or one of "
                         f"{', '.join(methods)}")
    return methods[name]


def attribute_name(mgmt_class: Name, attribute: int) -> str:
    """Returns the name of an attribute, or its number as text if it has none."""
    mgmt_class = class_number(mgmt_class)
    attribute = _arguments.unsigned("the number of an attribute", attribute, 16)
    name = lib.madring_attribute_name(mgmt_class, attribute)
    return str(ffi.string(name).decode() if name else f"0x{attribute:04x}")


class Field:
    """A field of an attribute."""

    __slots__ = ("name", "offset", "bits", "kind", "pointer", "_of")

    def __init__(self, pointer: Any, mgmt_class: int, attribute: int):
        self.pointer = pointer
        self._of = mgmt_class, attribute
        self.name: str = ffi.string(lib.madring_field_name(pointer)).decode()
        self.offset: int = lib.madring_field_offset(pointer)
        self.bits: int = lib.madring_field_bits(pointer)
        self.kind: int = lib.madring_field_kind(pointer)

    def __repr__(self) -> str:
        return f"<madring.Field {self.name}: {self.bits} bits at {self.offset}>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return field, (*self._of, self.name)

    @property
    def end(self) -> int:
        """How many bytes the attribute has at least."""
        return (self.offset + self.bits + 7) // 8

    @property
    def is_number(self) -> bool:
        """Whether the value is an int."""
        return self.bits <= 64 and self.kind in (lib.MADRING_FIELD_NUMBER, lib.MADRING_FIELD_GUID)

    def get(self, attribute: bytes) -> Any:
        """Reads the field: an int, an IPv6Address (a GID), a str (a text), or bytes."""
        if self.end > len(attribute):
            raise ValueError(f"{self.name}: the attribute has {len(attribute)} bytes only")
        if self.is_number:
            return lib.madring_field_get(self.pointer, ffi.from_buffer(attribute))
        start = self.offset // 8
        raw = bytes(attribute[start : start + self.bits // 8])
        if self.kind == lib.MADRING_FIELD_GID:
            return ipaddress.IPv6Address(raw)
        if self.kind == lib.MADRING_FIELD_TEXT:
            return raw.split(b"\0", 1)[0].decode(errors="replace")
        return raw

    def set(self, attribute: bytearray, value: Any) -> None:
        """Writes the field; takes what get() returns, and for a GID also its text."""
        if self.end > len(attribute):
            raise ValueError(f"{self.name}: the attribute has {len(attribute)} bytes only")
        place = ffi.from_buffer(attribute)
        if self.is_number and not isinstance(value, (bytes, bytearray)):
            value = _arguments.unsigned(self.name, value, self.bits)
            check(lib.madring_field_set(self.pointer, place, value), self.name)
            return
        value = self._raw(value)
        error = lib.madring_field_set_bytes(self.pointer, place, value, len(value))
        if error:
            raise ValueError(f"{self.name} has {self.bits} bits, and {len(value)} bytes do not "
                             f"fit: {error_of(error).strerror}")

    def _raw(self, value: Any) -> bytes:
        """Returns the bytes of a field that is no number."""
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        if self.kind == lib.MADRING_FIELD_GID:
            try:
                return ipaddress.IPv6Address(value).packed
            except ValueError as error:
                raise ValueError(f"{self.name} has to be a GID: {error}") from None
        if isinstance(value, str) and self.kind == lib.MADRING_FIELD_TEXT:
            return value.encode()
        kind = "a str or bytes" if self.kind == lib.MADRING_FIELD_TEXT else "bytes"
        raise TypeError(f"{self.name} has to be {kind}, not {value!r}")


@functools.lru_cache(maxsize=None)
def fields(mgmt_class: Name, attribute: Name) -> Tuple[Field, ...]:
    """Returns the fields of an attribute; none if the attribute is not known."""
    mgmt_class, attribute = class_number(mgmt_class), attribute_number(mgmt_class, attribute)
    found = []
    field = lib.madring_field_each(mgmt_class, attribute, ffi.NULL)
    while field:
        found.append(Field(field, mgmt_class, attribute))
        field = lib.madring_field_each(mgmt_class, attribute, field)
    return tuple(found)


@functools.lru_cache(maxsize=None)
def field(mgmt_class: Name, attribute: Name, name: str) -> Field:
    """Returns a field by its name; upper and lower case are the same. Raises KeyError."""
    mgmt_class, attribute = class_number(mgmt_class), attribute_number(mgmt_class, attribute)
    _arguments.text("the name of a field", name)
    found = lib.madring_field_find(mgmt_class, attribute, name.encode())
    if not found:
        raise _arguments.unknown(f"{attribute_name(mgmt_class, attribute)} has no field", name,
                                 [each.name for each in fields(mgmt_class, attribute)])
    return Field(found, mgmt_class, attribute)


def pack(mgmt_class: Name, attribute: Name, values: Mapping[str, Any]) -> bytes:
    """Returns an attribute with the given fields, and zeros in all others. Raises KeyError for an
    unknown field, TypeError or ValueError for a value that a field cannot have."""
    mgmt_class, attribute = class_number(mgmt_class), attribute_number(mgmt_class, attribute)
    data = bytearray(data_bytes(mgmt_class))
    for name, value in values.items():
        field(mgmt_class, attribute, name).set(data, value)
    return bytes(data)


class _Layout:
    """The fields of an attribute, whose numbers are read by one call."""

    def __init__(self, mgmt_class: int, attribute: int):
        self.fields = fields(mgmt_class, attribute)
        numbers = [each for each in self.fields if each.is_number]
        self.names = [each.name for each in numbers]
        self.others = [each for each in self.fields if not each.is_number]
        self.count = len(numbers)
        self.bytes = max((each.end for each in self.fields), default=0)
        self.pointers = ffi.new("const struct madring_field *[]",
                                [each.pointer for each in numbers])
        # A dict keeps the order in which its keys were added.
        self.empty = dict.fromkeys(each.name for each in self.fields)

    def unpack(self, data: bytes) -> Dict[str, Any]:
        _arguments.instance("an attribute", data, (bytes, bytearray, memoryview), "bytes")
        if self.bytes > len(data):
            return {each.name: each.get(data) for each in self.fields}
        values: Dict[str, Any] = self.empty.copy()
        space = ffi.new("uint64_t[]", self.count)
        lib.collect_numbers(self.pointers, self.count, ffi.from_buffer(data), space)
        values.update(zip(self.names, ffi.unpack(space, self.count) if self.count else ()))
        for each in self.others:
            values[each.name] = each.get(data)
        return values


_layout = functools.lru_cache(maxsize=None)(_Layout)


def unpack(mgmt_class: Name, attribute: Name, data: bytes) -> Dict[str, Any]:
    """Returns all fields of an attribute by their names."""
    return _layout(class_number(mgmt_class), attribute_number(mgmt_class, attribute)).unpack(data)
