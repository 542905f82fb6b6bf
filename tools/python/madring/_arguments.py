# SPDX-License-Identifier: BSD-2-Clause
"""Checks of what the program passes: each error names the argument and what it has to be."""
import difflib
import operator
from typing import Any, Iterable, Mapping, Tuple, Type, TypeVar, Union

T = TypeVar("T")


def number(what: str, value: Any, least: int, most: int) -> int:
    """Returns an int between two bounds. Raises TypeError or ValueError."""
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} has to be an int, not {value!r}") from None
    if not least <= found <= most:
        raise ValueError(f"{what} has to be {least} to {most}, not {found}")
    return found


def unsigned(what: str, value: Any, bits: int) -> int:
    """Returns an int that has room in so many bits."""
    return number(what, value, 0, (1 << bits) - 1)


def text(what: str, value: Any) -> str:
    """Returns a str. Raises TypeError."""
    return instance(what, value, str, "a str")


def instance(what: str, value: Any, kind: Union[Type[T], Tuple[Type[T], ...]], described: str) -> T:
    """Returns an object of a class. Raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} has to be {described}, not {value!r}")
    checked: T = value
    return checked


def unknown(what: str, name: str, names: Iterable[str]) -> KeyError:
    """Returns the error for a name that is none of @names."""
    close = difflib.get_close_matches(name, list(names), 1, 0.5)
    return KeyError(f"{what} {name!r}" + (f": is it {close[0]!r}?" if close else ""))


def timing(timeout_ms: Any, retries: Any = 0) -> None:
    """Checks a timeout and a number of retries, as struct madring_send_options has them."""
    number("timeout_ms (-1: for ever; 0: the agent's)", timeout_ms, -1, (1 << 31) - 1)
    number("retries (-1: none; 0: the agent's)", retries, -1, 254)


def only(what: str, values: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raises TypeError for a keyword that is none of @names."""
    for each in values:
        if each not in names:
            raise TypeError(f"{what} has no argument {each!r}: it has {', '.join(names)}")
