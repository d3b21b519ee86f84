"""Files, and the examples of the documents."""

import doctest
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import arrowsort
from arrowsort import _files, _sort


@pytest.fixture
def flights(tmp_path):
    path = tmp_path / "flights.parquet"
    pa.parquet.write_table(pa.table({"a": [3, None, 1, 2], "s": ["x", "y", "x", "z"]}), path)
    return path


def test_sort_file(flights, tmp_path):
    output = tmp_path / "sorted.parquet"
    report = arrowsort.sort_file(flights, output, [("s", "descending"), ("a", "at_start")], compression="zstd:3")
    assert (report["rows"], report["keys"]) == (4, ["s:desc", "a:nulls-first"])
    assert pa.parquet.read_table(output).to_pydict() == {"a": [2, None, 1, 3], "s": ["z", "y", "x", "x"]}
    assert arrowsort.check_file(output)["sorted"]
    assert not arrowsort.check_file(output, "a")["sorted"]
    assert arrowsort.check_file(output, "a")["first_bad_row"] == 2
    assert arrowsort.explain(output, "a")["strategy"]["in_memory"]


def test_positions_and_options(flights, tmp_path):
    output = tmp_path / "sorted.arrow"
    arrowsort.sort_file([flights], output, 0, descending=True, nulls_first=True, limit=3, select=["a"])
    with pa.OSFile(str(output)) as file:
        assert pa.ipc.open_file(file).read_all().to_pydict() == {"a": [None, 3, 2]}


def test_merge_files(flights, tmp_path):
    parts = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for part in parts:
        arrowsort.sort_file(flights, part, "a")
    arrowsort.merge_files(parts, tmp_path / "merged.parquet", "a")
    assert pa.parquet.read_table(tmp_path / "merged.parquet")["a"].to_pylist() == [1, 1, 2, 2, 3, 3, None, None]
    by_footers = tmp_path / "by_footers.parquet"
    assert arrowsort.merge_files(parts, by_footers)["keys"] == ["a"]
    assert pa.parquet.read_table(by_footers).equals(pa.parquet.read_table(tmp_path / "merged.parquet"))
    with pytest.raises(arrowsort.UnsortedError, match=re.escape("flights.parquet")):
        arrowsort.merge_files([parts[0], flights], tmp_path / "no.parquet", "a")
    assert not (tmp_path / "no.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (("missing.parquet", "o.parquet", "a"), {}, FileNotFoundError, "missing.parquet"),
        (("flights.parquet", "o.parquet", "b"), {}, KeyError, '"b"'),
        (("flights.parquet", "o.parquet", None), {}, ValueError, "key"),
        (("flights.parquet", "o.parquet", "#1"), {}, KeyError, "by its position"),
        (("flights.parquet", "o.parquet", "date:desc"), {}, KeyError, 'as in ("delay", "descending")'),
        (("flights.parquet", "o.parquet", ["s", "-a"]), {}, KeyError, 'as in ("delay", "descending")'),
        (("flights.parquet", "o.parquet", -1), {}, KeyError, "positions count from 0"),
        (("flights.parquet", "o.parquet", None), {"descending": True}, ValueError, "there are no keys"),
        (("flights.parquet", "o.parquet", "a"), {"sped": 1}, ValueError, "unknown option sped"),
        (("flights.parquet", "o.parquet", "a"), {"key": "a"}, ValueError, "`by`"),
        (("flights.parquet", "o.parquet", "a"), {"memory": object()}, ValueError, "memory is a object"),
        (("flights.parquet", "-", "a"), {}, ValueError, "standard output"),
        (([], "o.parquet", "a"), {}, ValueError, "inputs is empty"),
        (("flights.parquet", "o.parquet", None), {}, ValueError, "a column in `by`"),
        (("flights.parquet", "o.parquet", 7), {}, KeyError, "key 7: there are 2 columns"),
        (("flights.parquet", "o.parquet", "a"), {"curve": "hilbert"}, ValueError, "another column in `by`"),
        (("flights.parquet", "o.parquet", "a"), {"row_group_rows": -1}, ValueError, "row_group_rows -1: give"),
        (("flights.parquet", "text.parquet", "a"), {"partition_by": "s"}, ValueError, "output text.parquet is a file"),
        (("flights.parquet", "o.parquet", "x --memory y"), {}, KeyError, '"x --memory y"'),
        (("--memory", "o.parquet", "a"), {}, FileNotFoundError, "--memory: "),
        (("flights.parquet", "o.parquet", "a"), {"preview": 3}, ValueError, "'preview' is for the command"),
        (("flights.parquet", "o.parquet", "a"), {"limit": 0}, ValueError, "limit is 0"),
        (("flights.parquet", "o.parquet", "a"), {"memory": 0}, ValueError, "memory is 0"),
        (("flights.parquet", "no/o.parquet", "a"), {}, FileNotFoundError, "there is no folder no"),
        ((pa.table({"a": [1]}), "o.parquet", "a"), {}, arrowsort.ArgumentTypeError, "arrowsort.sort"),
        ((["flights.parquet", 3], "o.parquet", "a"), {}, TypeError, "the path of a file"),
        (("flights.parquet", None, "a"), {}, TypeError, "output is"),
        (("flights.parquet", "o\udce9.parquet", "a"), {}, ValueError, "is not UTF-8"),
        (("flights.parquet\0", "o.parquet", "a"), {}, ValueError, "zero byte"),
        (("text.parquet", "o.parquet", "a"), {}, arrowsort.CorruptError, "text.parquet"),
    ],
)
def test_errors(flights, tmp_path, monkeypatch, arguments, options, error, words):
    monkeypatch.chdir(tmp_path)
    Path("text.parquet").write_text("no Parquet")
    with pytest.raises(error) as raised:
        arrowsort.sort_file(*arguments, **options)
    assert isinstance(raised.value, arrowsort.Error)
    assert words in str(raised.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flights.parquet", "text.parquet"]


@pytest.mark.parametrize("module", [arrowsort, _files, _sort])
def test_docstrings(module):
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 2


def test_readme(tmp_path, monkeypatch):
    """The examples of README.md, in order, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    readme = Path(__file__).parent.parent / "README.md"
    result = doctest.testfile(str(readme), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0 and result.attempted > 10
