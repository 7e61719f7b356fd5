"""Bindings that nobody would write: each is compiled or refused, and what is compiled reads any record."""

from __future__ import annotations

import json

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from reading import SOCKET, read

from lifespec.model.resolve import resolve
from lifespec.source import Source
from lifespec.syntax.parser import parse
from lifespec.trace.binding import compile_binding
from lifespec.trace.library import library_units

WORDS = st.sampled_from(["a", "b", "opened", "closed", "clip", "connection", "record", "header", "file", "x", "'p.q'"])
STEPS = st.sampled_from([".a", ".'k.k'", "[0]", "[]", "[b]", ".name", ".path", ""])
TEXTS = st.sampled_from(['"x"', '"{a}"', '"{a.b}/{b}"', '"{a}:{x}"', '"{}"', '"{"', '"open"', '"{a}{b}"', '"(["', '""'])
UNITS = st.sampled_from(["ms", "s", "ns", "d", "(a)", '("us")'])
PATHS = st.builds(lambda word, steps: word + "".join(steps), WORDS, st.lists(STEPS, max_size=3))


def _more_values(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} else {})".format, inner, inner),
        st.builds("({} as number)".format, inner),
        st.builds("({} as json)".format, inner),
        st.builds("({} as iso8601)".format, inner),
        st.builds('({} as iso8601 zone "{}")'.format, inner, st.sampled_from(["UTC", "+02:00", "Nowhere"])),
        st.builds("({} as {})".format, inner, UNITS),
        st.builds(
            "({} as {} since {})".format, inner, UNITS, st.sampled_from(["epoch", "start", "previous", "b", "a as s"])
        ),
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/"]), inner),
        st.builds("(-{})".format, inner),
        st.builds("(not {})".format, inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(["==", "!=", "<", ">=", "and", "or", "contains"]), inner),
        st.builds("({} in a, {}, 3)".format, inner, TEXTS),
        st.builds("({} like {})".format, inner, TEXTS),
        st.builds("(has {})".format, PATHS),
        st.builds("(count(clip in {}))".format, WORDS),
    )


VALUES = st.recursive(
    PATHS | TEXTS | st.sampled_from(["3", "1.5", "500ms", "true", "previous"]), _more_values, max_leaves=5
)
NAMES = WORDS | TEXTS
EMITS = st.builds(
    "emit {}{}{}{}{}".format,
    NAMES,
    st.sampled_from(["", " of clip", " of x"]),
    st.just("") | st.builds(" from {}".format, VALUES),
    st.just("") | st.builds(" to {}".format, VALUES) | st.builds(" in {}".format, VALUES),
    st.just("") | st.builds(" by {}".format, VALUES) | st.builds(" with clip = {}".format, VALUES),
)
PARTS = st.sampled_from(["session", "time", "event", "machine", "from", "to", "owner", "n", "state"])
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, PARTS, VALUES),
    st.builds("{} = {} else previous".format, PARTS, VALUES),
    st.builds("let {} = {}".format, st.sampled_from(["l1", "l2", "a"]), VALUES | st.sampled_from(["l1", "l2"])),
    st.builds("fields from {}, {}".format, PATHS, PATHS),
    st.builds("rename {} {} -> {}".format, PARTS, NAMES | st.just("7"), NAMES | st.just("none")),
    st.builds("rename state of clip {} -> playing".format, NAMES),
    st.builds("on {} where {} {}".format, NAMES | st.just("any"), VALUES, EMITS),
    st.builds("on {} {} {}".format, NAMES, EMITS, st.sampled_from(["", "ends session", "emit opened"])),
    st.builds("on {} with n = {}".format, NAMES, VALUES),
    st.builds("ignore {} where {}".format, NAMES | st.sampled_from(["any", "any except a", "machines clip"]), VALUES),
    st.builds("ignore where {}".format, VALUES),
    st.sampled_from(["ignore any", "lacks events any", "lacks owners", "recording cut at start"]),
    st.sampled_from(["read json-lines rows [a, b?, ..., x]", "read json-lines header first"]),
    st.sampled_from(['read json-lines after "M"', 'allow near-name "w"']),
    st.builds("read {} each {} in {}".format, st.sampled_from(["json-lines", "json"]), WORDS, PATHS),
    st.builds("read json each k: a in {} each record in a{}".format, PATHS, STEPS),
    st.builds("read json-lines each record in {} rows named by {}".format, PATHS, PATHS),
    st.sampled_from(
        ["read csv", "read text", "read json-seq header first", 'read csv separated by "tab" rows [a, b?, x]']
    ),
    st.builds('match {} "{{a}}:{{m}}"'.format, PATHS),
    st.builds("on {} each y in {} match y.a {} emit opened with n = y".format, NAMES, PATHS, TEXTS),
    st.builds("on {} same session as {} begins session".format, NAMES, VALUES),
    st.builds(
        "order by {}".format, st.sampled_from(["a", "b from 0", "time within 5s", "time within 2 * 500ms", "time"])
    ),
    st.builds("clock per {}".format, VALUES),
    st.builds("unique by {}".format, st.sampled_from(["a", "record", '"{a}/{b}"', "x.a[]"])),
)
SCALARS = st.none() | st.booleans() | st.integers() | st.sampled_from([1.5, "x", "1", "opened", "2025-01-01T00:00:00Z"])
KEYS = st.sampled_from(["a", "b", "key", "value"])
INNER = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=4)
RECORDS = st.dictionaries(
    st.sampled_from(["a", "b", "x", "opened", "session", "time", "event", "to", "p.q"]), INNER, max_size=6
) | st.lists(INNER, max_size=5)


@settings(max_examples=100, deadline=None)
@given(st.lists(STATEMENTS, min_size=1, max_size=3), st.lists(RECORDS, max_size=3))
def test_any_binding_is_compiled_or_refused_and_reads_anything(statements: list[str], records: list[object]) -> None:
    source = Source("any.lifespec", f"{SOCKET}\nbinding any-one extends default {{\n" + "\n".join(statements) + "\n}\n")
    ast, syntax = parse(source)
    assume(not syntax)
    model, _ = resolve([(source, ast)], None, library_units())
    assume(model is not None)
    assert model is not None
    compiled, findings = compile_binding(model, model.bindings["any-one"])
    assert all(each.label is not None and each.message for each in findings)
    event("refused" if compiled is None else "compiled")
    if compiled is not None:
        read(compiled, "M\n" + "".join(json.dumps(record) + "\n" for record in records))
