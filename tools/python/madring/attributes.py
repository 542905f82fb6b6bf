# SPDX-License-Identifier: BSD-2-Clause
"""The fields of attributes, by the names that the IBA gives them."""
import functools
import ipaddress
from typing import Any, Dict, Mapping, Tuple, Union

from madring._native import ffi, lib
from madring.errors import check

#: A class, an attribute or a method, by name or number.
Name = Union[int, str]

SMP = 0x01
SMP_DIRECTED = 0x81
SA = 0x03
PMA = 0x04

# Where the attribute begins in a MAD of a class; 64 in all others.
_DATA_OFFSETS = {SA: 56, 0x07: 24, **dict.fromkeys(range(0x30, 0x50), 40)}
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
    """Returns the number of a management class: class_number("PMA") is 4."""
    if isinstance(name, int):
        return name
    return check(lib.madring_class_number(name.encode()), f"management class {name}")


@functools.lru_cache(maxsize=None)
def attribute_number(mgmt_class: int, name: Name) -> int:
    """Returns the number of an attribute: attribute_number(4, "PortCounters") is 18."""
    if isinstance(name, int):
        return name
    return check(lib.madring_attribute_number(mgmt_class, name.encode()), f"attribute {name}")


def attribute_name(mgmt_class: int, attribute: int) -> str:
    """Returns the name of an attribute, or its number as text if it has none."""
    name = lib.madring_attribute_name(mgmt_class, attribute)
    return ffi.string(name).decode() if name else f"0x{attribute:04x}"


class Field:
    """A field of an attribute."""

    __slots__ = ("name", "offset", "bits", "kind", "pointer")

    def __init__(self, pointer: Any):
        self.pointer = pointer
        self.name: str = ffi.string(lib.madring_field_name(pointer)).decode()
        self.offset: int = lib.madring_field_offset(pointer)
        self.bits: int = lib.madring_field_bits(pointer)
        self.kind: int = lib.madring_field_kind(pointer)

    def __repr__(self) -> str:
        return f"<madring.Field {self.name}: {self.bits} bits at {self.offset}>"

    @property
    def is_number(self) -> bool:
        """Whether the value is an int."""
        return self.bits <= 64 and self.kind in (lib.MADRING_FIELD_NUMBER, lib.MADRING_FIELD_GUID)

    def get(self, attribute: bytes) -> Any:
        """Reads the field: an int, an IPv6Address (a GID), a str (a text), or bytes."""
        if (self.offset + self.bits + 7) // 8 > len(attribute):
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
        if (self.offset + self.bits + 7) // 8 > len(attribute):
            raise ValueError(f"{self.name}: the attribute has {len(attribute)} bytes only")
        place = ffi.from_buffer(attribute)
        if isinstance(value, int):
            check(lib.madring_field_set(self.pointer, place, value), self.name)
            return
        if self.kind == lib.MADRING_FIELD_GID:
            value = ipaddress.IPv6Address(value).packed
        elif isinstance(value, str):
            value = value.encode()
        check(lib.madring_field_set_bytes(self.pointer, place, value, len(value)), self.name)


@functools.lru_cache(maxsize=None)
def fields(mgmt_class: int, attribute: int) -> Tuple[Field, ...]:
    """Returns the fields of an attribute; none if the attribute is not known."""
    found = []
    field = lib.madring_field_each(mgmt_class, attribute, ffi.NULL)
    while field:
        found.append(Field(field))
        field = lib.madring_field_each(mgmt_class, attribute, field)
    return tuple(found)


@functools.lru_cache(maxsize=None)
def field(mgmt_class: int, attribute: int, name: str) -> Field:
    """Returns a field by its name; upper and lower case are the same."""
    found = lib.madring_field_find(mgmt_class, attribute, name.encode())
    if not found:
        raise KeyError(f"{attribute_name(mgmt_class, attribute)} has no field {name}")
    return Field(found)


def pack(mgmt_class: int, attribute: int, values: Mapping[str, Any]) -> bytes:
    """Returns an attribute with the given fields, and zeros in all others."""
    data = bytearray(data_bytes(mgmt_class))
    for name, value in values.items():
        field(mgmt_class, attribute, name).set(data, value)
    return bytes(data)


def unpack(mgmt_class: int, attribute: int, data: bytes) -> Dict[str, Any]:
    """Returns all fields of an attribute by their names."""
    return {each.name: each.get(data) for each in fields(mgmt_class, attribute)}
