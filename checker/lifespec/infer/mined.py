"""All that was found out about logs, from which a draft is written. Owns the shape only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lifespec.infer.assign import Assigned
from lifespec.infer.clause import Clauses
from lifespec.infer.fields import Field
from lifespec.infer.flat import Seen
from lifespec.infer.machine import Machine
from lifespec.infer.role import Roles
from lifespec.infer.step import Read, Step


@dataclass(frozen=True, slots=True)
class ReadyMade:
    """The ready-made binding that read the logs. `lifecycle` is the one that it is for, if it is for one only;
    `findings` counts what reading met with, by the name of the finding."""

    binding: str
    lifecycle: str | None
    findings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class OtherReader:
    """A ready-made binding that makes events of `made` of the first `records` records of a log."""

    binding: str
    made: int
    records: int


@dataclass(slots=True)
class Mined:
    """`loose` are events that no machine takes. `binds_sources`: `from` can be believed. `unseen` are the names of
    events that no record is, which stand for the steps that no record tells of, by machine and target.
    `other_reader` is the ready-made binding that reads these logs as well."""

    seen: Seen
    roles: Roles
    read: Read
    fields: Sequence[Field]
    assigned: Assigned
    machines: Sequence[Machine]
    loose: Mapping[str, Sequence[Step]]
    clauses: Clauses
    binds_sources: bool
    ready_made: ReadyMade | None = None
    other_reader: OtherReader | None = None
    unseen: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken = {step.event for step in self.read.steps}
        for machine in self.machines:
            for _, target in machine.unseen:
                if (machine.name, target) not in self.unseen:
                    name = f"{target[:80]}-unreported"
                    while name in taken:
                        name += "-2"
                    taken.add(name)
                    self.unseen[machine.name, target] = name
