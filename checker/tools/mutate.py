"""How much the agreement checks see: breaks the monitor in small ways and asks whether they notice.

    python checker/tools/mutate.py --count 300 --seed 1 --jobs 2

A mutant is the source of one file of the fast engine with one change, made by an operator over its syntax tree and
drawn by a seeded sample. It is loaded in memory, in a process of its own, and judges the cases of
`tests/engine/agreement.py` until its answer is not that of the reference engine, or it fails. A mutant that works far
longer than the engine needs counts as killed. Survivors are printed with their difference. Run by hand; nothing of it
runs in CI.
"""

from __future__ import annotations

import argparse
import ast
import copy
import difflib
import importlib.abc
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

CHECKER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKER))

ENGINE = CHECKER / "lifespec" / "engine"
PACKAGE = "lifespec.engine"
NAMES = (
    "tables",
    "table_machine",
    "table_rule",
    "table_expression",
    "table_value",
    "monitor",
    "monitor_moves",
    "monitor_rules",
    "monitor_clock",
    "monitor_book",
    "monitor_state",
    "monitor_witness",
    "monitor_lane",
    "lane_kind",
    "lane_shape",
    "monitor_archive",
    "monitor_tombstone",
    "table_field",
)
ORDER = Path(__file__).with_name("mutate_order.json")  # names of the cases that kill most, first
FEWEST = 8  # mutants of a file
CPU_S = 40  # of a mutant that is not killed before; the engine itself needs less than half of it
MEMORY = 2 << 30

_COMPARE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_BINARY: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.Mod: (ast.Mult,),
}

_AGAIN = (f"{PACKAGE}.monitor", f"{PACKAGE}.table", "lifespec.check")  # modules to be loaded again
_OF_TYPES = (ast.BinOp, ast.BitOr, ast.Name, ast.Load, ast.Subscript, ast.Tuple)
_SYMMETRICAL = {"max", "min", "equals"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file: `number` is the place of a node in `_nodes`, `variant` that of a change in `_changes`."""

    name: str
    number: int
    variant: int
    line: int
    what: str


# --- making mutants --------------------------------------------------------------------------------------


def _nodes(tree: ast.Module) -> list[tuple[ast.AST, str, int | None, ast.AST]]:
    """Every node that may be changed, with where it hangs: parent, field and place in a list."""
    found: list[tuple[ast.AST, str, int | None, ast.AST]] = []

    def visit(node: ast.AST, in_function: bool) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "type_params", "decorator_list"):
                continue
            for place, child in enumerate(value) if isinstance(value, list) else ((None, value),):
                if not isinstance(child, ast.AST) or _is_left_alone(child, in_function):
                    continue
                found.append((node, name, place, child))
                visit(child, in_function or isinstance(child, ast.FunctionDef))

    visit(tree, False)
    return found


def _is_left_alone(node: ast.AST, in_function: bool) -> bool:
    """What says nothing of the behaviour: imports, assertions, documentation, slots, names of types."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert | ast.Raise):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Assign) and not in_function:
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        if names & {"__slots__", "__all__"}:
            return True
        return isinstance(node.value, ast.Subscript) or (
            isinstance(node.value, ast.BinOp) and all(isinstance(e, _OF_TYPES) for e in ast.walk(node.value))
        )
    return isinstance(node, ast.FunctionDef) and node.name == "__repr__"


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What the node may be changed into."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for op in _COMPARE.get(type(node.ops[0]), ()):
            yield "compares otherwise", ast.Compare(node.left, [op()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield "and or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        if len(node.values) > 1:
            yield "a part less", ast.BoolOp(node.op, node.values[:-1]) if len(node.values) > 2 else node.values[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert | ast.USub):
        yield "sign dropped", node.operand
    elif isinstance(node, ast.BinOp):
        for other in _BINARY.get(type(node.op), ()):
            yield "reckons otherwise", ast.BinOp(node.left, other(), node.right)
    elif isinstance(node, ast.AugAssign):
        for other in _BINARY.get(type(node.op), ()):
            yield "reckons otherwise", ast.AugAssign(node.target, other(), node.value)
        yield "statement removed", ast.Pass()
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.If | ast.While):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        yield "condition negated", changed
    elif isinstance(node, ast.IfExp):
        yield "branches swapped", ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Assign | ast.Delete | ast.Continue | ast.Break | ast.Expr):
        yield "statement removed", ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "returns nothing", ast.Return(ast.Constant(None))
    elif isinstance(node, ast.FunctionDef):
        whole = copy.copy(node)
        whole.body = [ast.Return(ast.Constant(None)), *node.body]
        yield "returns at once", whole
    elif isinstance(node, ast.Call):
        symmetrical = isinstance(node.func, ast.Name) and node.func.id in _SYMMETRICAL
        if len(node.args) >= 2 and not symmetrical and not any(isinstance(arg, ast.Starred) for arg in node.args[:2]):
            yield "arguments swapped", ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    elif isinstance(node, ast.List | ast.Tuple) and node.elts and isinstance(node.ctx, ast.Load):
        yield "a member less", type(node)(node.elts[:-1], ast.Load())
    elif isinstance(node, ast.ListComp):
        yield "empty", ast.List([], ast.Load())
    elif isinstance(node, ast.DictComp):
        yield "empty", ast.Dict([], [])
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield "condition dropped", ast.comprehension(node.target, node.iter, node.ifs[:-1], node.is_async)


def _constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int):
        yield "constant", ast.Constant(value + 1)
        yield "constant", ast.Constant(value - 1)
    elif isinstance(value, str) and value:
        yield "constant", ast.Constant(value + "-")


def _no_bodies(tree: ast.Module) -> None:
    """Documentation goes, so that differences show the change only."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1 and isinstance(body[0], ast.Expr):
            first = body[0].value
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                del body[0]


def parsed(name: str) -> ast.Module:
    tree = ast.parse((ENGINE / f"{name}.py").read_text("utf-8"))
    _no_bodies(tree)
    return tree


def all_mutants(name: str) -> list[Mutant]:
    found = []
    for number, (_, _, _, node) in enumerate(_nodes(parsed(name))):
        line = getattr(node, "lineno", 0)
        found += [Mutant(name, number, variant, line, what) for variant, (what, _) in enumerate(_changes(node))]
    return found


def mutated(mutant: Mutant) -> str:
    """The source of the file with the change."""
    tree = parsed(mutant.name)
    parent, field, place, node = _nodes(tree)[mutant.number]
    changed = list(_changes(node))[mutant.variant][1]
    if place is None:
        setattr(parent, field, changed)
    else:
        getattr(parent, field)[place] = changed
    return ast.unparse(ast.fix_missing_locations(tree))


def sample(count: int, seed: int, names: list[str]) -> list[Mutant]:
    """Mutants of all files, in proportion to how many each has."""
    dice = random.Random(seed)
    by_name = {name: all_mutants(name) for name in names}
    total = sum(map(len, by_name.values()))
    chosen: list[Mutant] = []
    for found in by_name.values():
        most = min(len(found), max(FEWEST, round(count * len(found) / total)))
        chosen += dice.sample(found, most)
    return chosen


def difference_of(mutant: Mutant) -> str:
    before, after = ast.unparse(parsed(mutant.name)).splitlines(), mutated(mutant).splitlines()
    lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
    return "\n".join(f"    {line}" for line in lines)


# --- judging mutants -------------------------------------------------------------------------------------


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads the changed file in place of the one on disk."""

    def __init__(self, name: str, source: str) -> None:
        self.name = f"{PACKAGE}.{name}"
        self.source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(fullname, self) if fullname == self.name else None

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.name, "exec"), module.__dict__)


def work(mutant: Mutant | None, suite: list[object], pipe: int) -> None:
    """In a process of its own: the name of the check that kills the mutant goes into the pipe, nothing if none does."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name in [name for name in sys.modules if name.startswith(_AGAIN)]:
        del sys.modules[name]
    checked = "loading"
    try:
        if mutant is not None:
            sys.meta_path.insert(0, _Finder(mutant.name, mutated(mutant)))
        import lifespec.engine.monitor as engine

        for check in suite:
            checked = check.name  # type: ignore[attr-defined]  # a Check
            said = check.run(engine)  # type: ignore[attr-defined]  # a Check
            if said is not None:
                os.write(pipe, f"{checked}\n{said[:300]}".encode())
                return
    except BaseException as error:
        os.write(pipe, f"{checked}\n{type(error).__name__}: {str(error)[:200]}".encode())


def run(
    mutants: list[Mutant | None], suite: list[object], jobs: int
) -> Iterator[tuple[Mutant | None, str | None, str]]:
    """Each mutant with the check that killed it (None: it survived) and what that said."""
    waiting = list(reversed(mutants))
    running: dict[int, tuple[Mutant | None, int]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            reader, writer = os.pipe()
            sys.stdout.flush()
            process = os.fork()
            if process == 0:
                os.close(reader)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(null, 2)
                try:
                    work(mutant, suite, writer)
                finally:
                    os._exit(0)
            os.close(writer)
            running[process] = mutant, reader
        process, status = os.wait()
        mutant, reader = running.pop(process)
        with os.fdopen(reader, "rb") as stream:
            said = stream.read().decode()
        if os.WIFSIGNALED(status):
            yield mutant, "bound on work", signal.Signals(os.WTERMSIG(status)).name
        elif said:
            check, _, why = said.partition("\n")
            yield mutant, check, why
        else:
            yield mutant, None, ""


def in_order(suite: list[object]) -> list[object]:
    """The checks that killed most in earlier runs first."""
    first = json.loads(ORDER.read_text("utf-8")) if ORDER.exists() else []
    ranks = {name: rank for rank, name in enumerate(first)}
    return sorted(suite, key=lambda check: ranks.get(check.name, len(ranks)))  # type: ignore[attr-defined]  # a Check


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--file", action="append", help="a file of the engine, without its ending; all by default")
    parser.add_argument("--list", action="store_true", help="only show the mutants")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of mutants of the sample, from 0")
    parser.add_argument("--save-order", action="store_true", help="keep which checks killed most")
    options = parser.parse_args()

    names = [name for name in options.file or NAMES if (ENGINE / f"{name}.py").exists()]
    mutants = sample(options.count, options.seed, names)
    numbers = {mutant: number for number, mutant in enumerate(mutants)}
    if options.only is not None:
        mutants = [mutants[number] for number in options.only]
    if options.list:
        for mutant in mutants:
            print(f"{numbers[mutant]}: {mutant.name}.py:{mutant.line} {mutant.what}\n{difference_of(mutant)}")
        return 0

    from tests.engine.agreement import checks
    from tests.engine.agreement_lane import lane_checks

    began = time.monotonic()
    suite = in_order([*checks(), *lane_checks()])
    for check in suite:
        for trial in check.trials:  # type: ignore[attr-defined]  # a Check
            trial.expected()
    print(f"{len(suite)} checks made in {time.monotonic() - began:.0f} s", flush=True)
    ((_, broken, why),) = run([None], suite, 1)
    if broken is not None:
        print(f"the engine itself fails {broken}: {why}")
        return 2

    killers: Counter[str] = Counter()
    by_file: Counter[tuple[str, bool]] = Counter()
    for each, check, why in run(list(mutants), suite, options.jobs):
        assert each is not None
        by_file[each.name, check is not None] += 1
        about = f"{numbers[each]}: {each.name}.py:{each.line} {each.what}"
        if check is None:
            print(f"SURVIVED {about}\n{difference_of(each)}", flush=True)
        else:
            killers[check] += 1
            print(f"killed {about} by {check} ({why.partition(chr(10))[0][:80]})", flush=True)
    killed = sum(times for (_, dead), times in by_file.items() if dead)
    for name in names:
        print(f"{name}: {by_file[name, True]} of {by_file[name, True] + by_file[name, False]}")
    share = 100 * killed / len(mutants)
    print(
        f"killed {killed} of {len(mutants)} ({share:.1f} %), seed {options.seed}, in {time.monotonic() - began:.0f} s"
    )
    if options.save_order:
        earlier = json.loads(ORDER.read_text("utf-8")) if ORDER.exists() else []
        order = [name for name, _ in killers.most_common()]
        ORDER.write_text(
            json.dumps([*order, *(name for name in earlier if name not in order)], indent=0) + "\n", "utf-8"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
