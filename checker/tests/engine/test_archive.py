"""The archive of finished sessions keeps what a dictionary keeps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lifespec.engine.monitor_archive import Archive

NAMES = st.text(max_size=3) | st.integers(0, 200).map(str)


@given(st.lists(st.tuples(NAMES, st.binary(min_size=1, max_size=300) | st.none()), max_size=400))
def test_it_keeps_what_a_dictionary_keeps(steps: list[tuple[str, bytes | None]]) -> None:
    archive, plain = Archive(), dict[str, bytes]()
    for name, kept in steps:
        assert archive.take(name) == plain.pop(name, None)
        if kept is not None:
            archive.put(name, kept)
            plain[name] = kept
        assert len(archive) == len(plain)
    assert list(archive) == list(plain)
    assert dict(archive) == plain
    assert list(archive.all_kept()) == list(plain.values())


def test_what_is_taken_out_leaves_no_room_behind() -> None:
    archive = Archive()
    for number in range(20_000):
        archive.put("the same", bytes([number % 256]) * 50)
        assert archive.take("the same") is not None
    assert len(archive._data) < 20_000
    assert len(archive._table) <= 256
