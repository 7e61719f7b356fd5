"""Which session an id names (spec/bindings.md B35): ids that are joined, and runs that begin anew. Owns names only."""

from __future__ import annotations


class Sessions:
    """The names of the sessions of a log, as they are known so far."""

    def __init__(self) -> None:
        self._joined: dict[str, str] = {}  # an id -> the one that it goes with
        self._run: dict[str, int] = {}  # how often a session began
        self._used: set[str] = set()  # ids with a record that was not passed over

    def name_of(self, session: str) -> str:
        """The session that an id names now."""
        root = self._root(session)
        run = self._run.get(root, 1)
        return root if run == 1 else f"{root}#{run}"

    def use(self, session: str) -> None:
        """The id has a record of its own."""
        self._used.add(self._root(session))

    def join(self, session: str, other: str) -> bool:
        """From now on two ids name one session. False when both have records already: they stay apart."""
        mine, theirs = self._root(session), self._root(other)
        if mine == theirs:
            return True
        if mine in self._used and theirs in self._used:
            return False
        if theirs in self._used:
            mine, theirs = theirs, mine
        self._joined[theirs] = mine
        return True

    def begin(self, session: str) -> None:
        """A new run of the session begins, if it has a record already."""
        root = self._root(session)
        if root in self._used:
            self._run[root] = self._run.get(root, 1) + 1

    def _root(self, session: str) -> str:
        root = session
        while root in self._joined:
            root = self._joined[root]
        if root != session:
            while self._joined[session] != root:  # so that no chain is walked twice
                self._joined[session], session = root, self._joined[session]
        return root
