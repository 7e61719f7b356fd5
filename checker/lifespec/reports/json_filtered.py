"""What was left out, as plain dicts and lists for the JSON report. Owns names and order of its keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifespec.reports.filtered import BaselineUse, Filtered, Kind, KnownKind


def filtered_value(filtered: Filtered) -> dict[str, Any]:
    """The value of the key `filtered` of a report."""
    value: dict[str, Any] = {
        "left_out": filtered.left_out,
        "select": list(filtered.select),
        "not_selected": _counted(filtered.not_selected),
        "ignore": list(filtered.ignore),
        "ignored": _counted(filtered.ignored),
        "severities": [
            {**_kind((name, prop)), "severity": severity, "count": count}
            for (name, prop, severity), count in filtered.severities.items()
        ],
    }
    if filtered.baseline is not None:
        value["baseline"] = _baseline(filtered.baseline)
    if filtered.sessions is not None:
        choice = filtered.sessions
        value["sessions"] = {
            "ids": list(choice.ids),
            **({"where": choice.where} if choice.where is not None else {}),
            "chosen": choice.chosen,
            "left_out": choice.left_out,
            "without_value": choice.without_value,
        }
    return value


def _baseline(use: BaselineUse) -> dict[str, Any]:
    return {
        "file": use.file,
        "known": use.known,
        "more": [_entry(each) for each in use.more],
        "expired": [_entry(each) for each in use.expired],
        "unused": [_entry(each) for each in use.unused],
        **({"today": use.today, "today_from": "option" if use.is_today_given else "clock"} if use.today else {}),
    }


def _entry(entry: KnownKind) -> dict[str, Any]:
    texts = {"owner": entry.owner, "reason": entry.reason, "expires": entry.expires}
    return {
        "fingerprint": entry.fingerprint,
        **_kind((entry.name, entry.property)),
        "known": entry.known,
        "found": entry.found,
        **{key: text for key, text in texts.items() if text},
    }


def _counted(counts: Mapping[Kind, int]) -> list[dict[str, Any]]:
    return [{**_kind(kind), "count": count} for kind, count in counts.items()]


def _kind(kind: Kind) -> dict[str, str]:
    name, prop = kind
    return {"name": name, **({"property": prop} if prop else {})}
