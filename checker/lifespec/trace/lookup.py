"""One step into a value of a log: by name, by place, or to all elements. Owns the unwrapping of OTLP values (B7)."""

from __future__ import annotations

from lifespec.model.value import LogValue
from lifespec.trace.scope import Read, Unreadable

_DEEPEST = 128


def member(value: Read, name: str) -> LogValue:
    """What `value` has under `name`; None when it has nothing there.

    In a list of `{key, value}` objects it is the value of the first pair with that key.
    """
    if type(value) is dict:
        return value.get(name)
    if type(value) is list:
        for pair in value:
            if type(pair) is dict and pair.get("key") == name and "value" in pair:
                return unwrapped(pair["value"])
    return None


def element(value: Read, place: Read) -> LogValue:
    """The element of a list at `place`, counted from 0; None when there is none."""
    if type(value) is list and type(place) is int and 0 <= place < len(value):
        return value[place]
    return None


def elements(value: Read) -> list[LogValue]:
    """All elements of a list, all values of an object; of nothing, none."""
    if type(value) is list:
        return value
    if type(value) is dict:
        return list(value.values())
    return []


def unwrapped(value: LogValue, depth: int = 0) -> LogValue:
    """An OTLP AnyValue (`{"stringValue": "x"}`, ...) as the value it wraps; any other value as it is."""
    if type(value) is not dict or len(value) != 1 or depth > _DEEPEST:
        return value
    ((kind, inner),) = value.items()
    if kind in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        return inner
    if kind == "intValue":
        if type(inner) is str and 0 < len(inner) <= 20 and inner.lstrip("-").isascii() and inner.lstrip("-").isdigit():
            return int(inner)
        return inner
    if kind == "arrayValue" and type(inner) is dict:
        return [unwrapped(each, depth + 1) for each in elements(inner.get("values"))]
    if kind == "kvlistValue" and type(inner) is dict:
        return _pairs(elements(inner.get("values")), depth + 1)
    return value


def _pairs(pairs: list[LogValue], depth: int) -> dict[str, LogValue]:
    made: dict[str, LogValue] = {}
    for pair in pairs:
        if type(pair) is dict:
            key = pair.get("key")
            if type(key) is str:
                made.setdefault(key, unwrapped(pair.get("value"), depth))
    return made


def as_object(value: Read) -> dict[str, LogValue]:
    """The pairs of an object, or of a list of `{key, value}` objects; of anything else none."""
    if type(value) is dict:
        return value
    if type(value) is list:
        return _pairs(value, 0)
    return {}


def as_name(value: Read) -> str | Unreadable | None:
    """A value as a name (of a session, an event, a state): numbers and truths as written, blank is absent."""
    if type(value) is str:
        return value if value and not value.isspace() else None
    if value is None or isinstance(value, Unreadable):
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is list or type(value) is dict:
        return Unreadable(None, ("a name, rather than a list or an object",))
    ns = getattr(value, "ns", None)
    return str(value if ns is None else ns)
