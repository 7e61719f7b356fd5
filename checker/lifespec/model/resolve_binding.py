"""Bindings: `extends` worked in. Owns what replaces what, and what may be said only once.

What the statements mean is `trace.binding`'s to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from lifespec.diagnostics import Label
from lifespec.model import model as m
from lifespec.model.resolve_binding_name import BindingNames
from lifespec.model.resolve_constant import Constants
from lifespec.model.resolve_finding import quoted
from lifespec.model.resolve_scope import Scope, text_of
from lifespec.source import Span
from lifespec.syntax import ast

_Key = tuple[str, ...]
_MOST_EXTENDED = 30


class _Entry(Struct, frozen=True):
    """A binding, and whether it comes from the library (its own text is then not judged)."""

    decl: ast.BindingDecl
    is_library: bool


class Bindings:
    """All bindings of the texts and of the library."""

    def __init__(self, scope: Scope, constants: Constants, lifecycle: str | None, library: Sequence[ast.Ast]) -> None:
        self._scope = scope
        self._findings = scope.findings
        self._constants = constants
        self._lifecycle = lifecycle
        self._library: dict[str, _Entry] = {}
        for unit in library:
            for declaration in unit.declarations:
                if isinstance(declaration, ast.BindingDecl):
                    self._library.setdefault(declaration.name.text, _Entry(declaration, True))
        self._in_cycle: set[str] = set()
        self._own = {name: _Entry(decl, False) for name, decl in scope.bindings.items()}

    def resolve(self) -> dict[str, m.Binding]:
        """The bindings that can read a log of this lifecycle: those declared, then those of the library."""
        resolved: dict[str, m.Binding] = {}
        names = BindingNames(self._scope)
        library = {name: entry for name, entry in self._library.items() if name not in self._own}
        for name, entry in {**self._own, **library}.items():
            if not entry.is_library:
                self._check_once(entry.decl)
            elif not self._is_for_this(entry.decl):
                continue
            chain = self._chain(entry)
            if chain is None:
                continue
            statements: list[ast.Statement] = []
            for ancestor in reversed(chain):
                statements = merge(statements, ancestor.decl.statements)
            if not entry.is_library:
                names.check(entry.decl.statements, statements)
            resolved[name] = m.Binding(
                name, self._for(chain), text_of(entry.decl.doc), tuple(statements), entry.decl.span
            )
        return resolved

    def _for(self, chain: Sequence[_Entry]) -> str | None:
        return next((e.decl.lifecycle.text for e in chain if e.decl.lifecycle is not None), None)

    def _is_for_this(self, decl: ast.BindingDecl) -> bool:
        return decl.lifecycle is None or self._lifecycle is None or decl.lifecycle.text == self._lifecycle

    def _chain(self, entry: _Entry) -> list[_Entry] | None:
        """The binding and those it extends, itself first; None when that comes to no end, which is a finding of
        the binding in which it shows first."""
        chain = [entry]
        if not self._is_for_this(entry.decl):
            self._wrong_lifecycle(entry.decl)
            return None
        while chain[-1].decl.extends is not None:
            current = chain[-1]
            extends = current.decl.extends
            assert extends is not None
            base = self._base(current, extends.text)
            if base is None:
                if current is entry:
                    self._unknown(entry, extends)
                return None
            if any(base.decl is seen.decl for seen in chain):
                if base.decl is entry.decl and entry.decl.name.text not in self._in_cycle:
                    self._in_cycle.update(each.decl.name.text for each in chain)
                    self._cycle(entry, extends)
                return None
            if not self._is_for_this(base.decl):
                if current is entry and base.is_library:
                    self._wrong_lifecycle(base.decl, extends.span)
                return None
            if len(chain) == _MOST_EXTENDED:
                self._too_deep(entry)
                return None
            chain.append(base)
        return chain

    def _base(self, entry: _Entry, name: str) -> _Entry | None:
        """The binding called `name`; one that extends its own name means the one of the library."""
        if not entry.is_library and name == entry.decl.name.text and name in self._library:
            return self._library[name]
        return self._library.get(name) if entry.is_library else self._own.get(name) or self._library.get(name)

    def _unknown(self, entry: _Entry, extends: ast.Name) -> None:
        if self._findings.may_be_declared(extends.text):
            return
        known = [name for name in {**self._own, **self._library} if name != entry.decl.name.text]
        self._findings.add(
            "unknown-binding",
            f"no binding `{extends.text}`",
            extends.span,
            "not a declared binding",
            notes=[f"the other bindings are {quoted(known)}" if known else "there is no other binding"],
            help=[self._findings.did_you_mean(extends.text, known)],
        )

    def _cycle(self, entry: _Entry, last: ast.Name) -> None:
        extends = entry.decl.extends
        assert extends is not None
        self._findings.add(
            "cyclic-binding",
            f"binding `{entry.decl.name.text}` extends itself",
            extends.span,
            "comes back to itself",
            labels=[] if last is extends else [Label(last.span, "extends it in turn")],
            help=["extend a binding that stands on its own, or write the statements here"],
        )

    def _too_deep(self, entry: _Entry) -> None:
        extends = entry.decl.extends
        if entry.is_library or extends is None:
            return
        self._findings.add(
            "nested-too-deeply",
            f"binding `{entry.decl.name.text}` extends more than {_MOST_EXTENDED} others, one after the other",
            extends.span,
            "too many",
            help=["write the statements in one binding"],
        )

    def _wrong_lifecycle(self, decl: ast.BindingDecl, span: Span | None = None) -> None:
        assert decl.lifecycle is not None
        known = [self._lifecycle] if self._lifecycle is not None else []
        self._findings.add(
            "wrong-lifecycle",
            f"binding `{decl.name.text}` is for lifecycle `{decl.lifecycle.text}`, and this is `{self._lifecycle}`",
            span or decl.lifecycle.span,
            "another lifecycle",
            help=[
                self._findings.did_you_mean(decl.lifecycle.text, known) or "leave `for` out if it fits any lifecycle"
            ],
        )

    # --- what is said once ---

    def _check_once(self, decl: ast.BindingDecl) -> None:
        seen: dict[_Key, Span] = {}
        where = f" in binding `{decl.name.text}`"
        for statement in decl.statements:
            for key, span, what in _said(statement):
                if key in seen:
                    self._findings.add(
                        "duplicate-name",
                        f"{what} stands twice{where}",
                        span,
                        "the second time",
                        labels=[Label(seen[key], "said here first")],
                        notes=[f"it is said first in {self._findings.line(seen[key])}"],
                        help=["take one of them away"],
                    )
                seen.setdefault(key, span)
            if isinstance(statement, ast.Order) and statement.within is not None:
                self._constants.duration(statement.within, "within")


def _said(statement: ast.Statement) -> list[tuple[_Key, Span, str]]:
    """What a statement settles once and for all: a key, its place, and how it is called."""
    match statement:
        case ast.Assign(name=name):
            return [(("assign", name.text), name.span, f"`{name.text} =`")]
        case ast.Let(name=name):
            return [(("let", name.text), name.span, f"`let {name.text} =`")]
        case ast.Rename(part=part, machines=machines, pairs=pairs):
            of = tuple(sorted(machine.text for machine in machines))
            return [
                (
                    ("rename", part.text, *of, *rename_key(pair)),
                    pair.old.span,
                    f"`rename {part.text}` of `{_old(pair)}`",
                )
                for pair in pairs
            ]
        case _:
            word = _SINGLE.get(type(statement))
            return [] if word is None else [((word,), statement.span, f"`{word}`")]


_SINGLE: Mapping[type, str] = {
    ast.Read: "read",
    ast.Order: "order",
    ast.ClockPer: "clock",
    ast.UniqueBy: "unique",
    ast.Recording: "recording",
    ast.FieldsFrom: "fields from",
}


def _old(pair: ast.RenamePair) -> str:
    return pair.old.value if isinstance(pair.old, ast.Text) else pair.old.text


def rename_key(pair: ast.RenamePair) -> _Key:
    """What a pair of a `rename` replaces: a name, a number (written as it is) or a template."""
    return ("template" if isinstance(pair.old, ast.Text) and "{" in pair.old.value else "name", _old(pair))


def merge(base: Sequence[ast.Statement], own: Sequence[ast.Statement]) -> list[ast.Statement]:
    """The statements of a binding that extends one with the statements `base`.

    What is said once, replaces; pairs of `rename` replace per key; `on`, `ignore`, `lacks`, `allow` and
    `match` add.
    """
    said = {key for statement in own for key, _, _ in _said(statement)}
    merged: list[ast.Statement] = []
    for statement in base:
        if isinstance(statement, ast.Rename):
            kept = tuple(
                pair for pair, (key, _, _) in zip(statement.pairs, _said(statement), strict=True) if key not in said
            )
            if kept:
                merged.append(statement if len(kept) == len(statement.pairs) else replace(statement, pairs=kept))
        elif not any(key in said for key, _, _ in _said(statement)):
            merged.append(statement)
    return [*merged, *own]
