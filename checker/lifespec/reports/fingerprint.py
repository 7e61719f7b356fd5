"""What makes two findings in logs the same one: a fingerprint that outlives the log, the session and the line.

Baselines and the services that follow findings over time know one by it (spec/formats.md, section 3). Takes only what
was masked, and hashes it.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from lifespec.explain import Explained
from lifespec.verdict import Violation

VERSION = 1
"""Of how fingerprints are made. Another one makes all findings new to whoever knows the old ones."""

_INDEX = re.compile(r"\[\d+\]")
_SAYS_A_NAME = frozenset({"unknown-event", "unknown-machine", "unknown-state", "near-name", "wrong-owner"})


def fingerprint(finding: Explained) -> str:
    """32 hexadecimal digits: the same for findings that say the same of a lifecycle.

    They do when they have in common: name, property, machine, the states before, the states that the record claims,
    event, field (whatever its place in a list), the part of the rule or the requirement as written, and the unknown
    name or the wrong owner. Lines, logs, sessions, keys, times and other values do not count.
    """
    return fingerprint_of(finding.violation)


def fingerprint_of(violation: Violation) -> str:
    """The same, of a violation without words. It has to be masked, as that of an Explained is."""
    prop = violation.property
    is_written = violation.name == "requirement-failed" or (prop is not None and prop.kind == "rule")
    return _hashed(
        violation.name,
        str(prop) if prop is not None else "",
        violation.machine or "",
        violation.states,
        violation.source or "",
        violation.target or "",
        violation.event or "",
        _INDEX.sub("[]", violation.field or ""),
        " ".join((violation.text or "").split()) if is_written else "",
        (violation.found or "") if violation.name in _SAYS_A_NAME else "",
    )


@lru_cache(maxsize=4096)
def _hashed(*parts: str | tuple[str, ...]) -> str:
    from hashlib import sha256  # not needed where nothing is found

    text = json.dumps([VERSION, *parts])  # all of it ASCII, so that half characters do no harm
    return sha256(text.encode("ascii")).hexdigest()[:32]
