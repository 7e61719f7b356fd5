"""The field cases: exactly the expected findings in the faulty log, none in its twin."""

from __future__ import annotations

from functools import cache

import pytest
from exact_findings import ROOT, expected, found, load_clean

from lifespec.model.model import Model

FOLDER = ROOT / "conformance/field-cases"
CASES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


@cache
def model_of(case: str) -> Model:
    return load_clean(FOLDER / case / "spec.lifespec")


@pytest.mark.parametrize("case", CASES)
def test_exactly_the_expected_findings(case: str) -> None:
    assert found(model_of(case), FOLDER / case / "faulty.jsonl") == expected(FOLDER / case / "expected.json")


@pytest.mark.parametrize("case", CASES)
def test_nothing_in_the_twin(case: str) -> None:
    assert found(model_of(case), FOLDER / case / "ok.jsonl") == []


def test_the_page_lists_every_case() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    assert [case for case in CASES if f"| {case} |" not in page] == []
