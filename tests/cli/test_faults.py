"""Faults that happened: each is one sentence now, and exit code 1 or 2."""

import csv
import io
import json
import os
import socket
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from detectable.cli import main


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def refused(*words: object, code: int = 1) -> str:
    out = run(*words)
    assert out.exit_code == code, (out.output, out.exception)
    assert isinstance(out.exception, SystemExit)
    return out.stderr


def table(path: Path, systems: tuple[str, ...] = ("A", "B"), n: int = 12) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "item", "score"])
        writer.writerows(
            [s, f"i{i}", 50 + (7 * i + 11 * k) % 23]
            for i in range(n)
            for k, s in enumerate(systems)
        )
    return path


def test_a_name_gives_no_command_to_a_terminal(tmp_path: Path) -> None:
    evil = "A\x1b]0;owned\x07\u202eB\x9b2J"
    data = table(tmp_path / "d.csv", (evil, "B"))
    for options in ([], ["--json"], ["--markdown", "-"], ["--latex", "-"], ["--all"]):
        out = run("rank", data, "--seed", 1, *options)
        assert out.exit_code == 0, out.output
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(out.stdout + out.stderr), options
    found = json.loads(run("rank", data, "--seed", 1, "--json").stdout)
    assert evil in {row["system"] for row in found["systems"]}  # as JSON it is the name it is
    message = refused("compare", "--scores", data, "--baseline", evil + "x")
    assert "\x1b" not in message


def test_a_name_cannot_leave_a_comment_of_latex(tmp_path: Path) -> None:
    name = "A\n\\input{/etc/passwd}\r\u2028\\immediate\\write18{x}"
    data = tmp_path / "d.jsonl"
    rows = [
        {"system": s, "item": i, "score": 50 + (i * k) % 7}
        for i in range(12)
        for k, s in enumerate((name, "B"), start=2)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = run("rank", data, "--seed", 1, "--latex", "-")
    assert out.exit_code == 0, out.output
    for line in out.stdout.splitlines():
        before = line.split("%", 1)[0] if line.startswith("%") else line
        assert "\\input" not in before
        assert "\\immediate" not in before
    assert "\\input" in out.stdout.replace("\\textbackslash{}", "\\")  # it is shown, as text


def test_a_name_is_no_formula(tmp_path: Path) -> None:
    data = table(tmp_path / "d.csv", ('=HYPERLINK("http://x")', "-B"))
    target = tmp_path / "out.csv"
    assert run("rank", data, "--seed", 1, "--csv", f"pairs:{target}").exit_code == 0
    with target.open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert not any(cell.startswith(("=", "@")) for cell in cells)
    assert any(cell.startswith("-") and float(cell) < 0 for cell in cells)  # numbers stay


@pytest.mark.parametrize("value", ["1e308", "-1e308", "1e101"])
def test_scores_whose_squares_are_no_numbers(tmp_path: Path, value: str) -> None:
    data = table(tmp_path / "d.csv")
    data.write_text(data.read_text().replace(",50\n", f",{value}\n"))
    assert "d.csv, line" in refused("compare", "--scores", data)
    assert "within ±1e+100" in refused("rank", data, "--scale", "0:1e308")


def test_absurd_counts(tmp_path: Path) -> None:
    data = table(tmp_path / "d.csv")
    for count in ("1000000000000", "9" * 400):
        assert "--resamples must be at most" in refused("rank", data, "--resamples", count)
        assert "--resamples must be" in refused(
            "compare", "--scores", data, "--resamples", count
        )
        assert "--trials must be at most" in refused(
            *("power", "likert", "--raters", 5, "--items", 20, "--effect", 0.2),
            *("--preset", "card-high", "--trials", count),
        )


def test_too_many_pairs_of_systems(tmp_path: Path) -> None:
    data = table(tmp_path / "d.csv", tuple(f"S{number}" for number in range(448)))
    assert "448 systems make 100,128 pairs; at most 100,000" in refused("rank", data)
    assert "448 systems make 100,128 pairs; at most 100,000" in refused(
        "compare", "--scores", data
    )


def test_devices_are_not_read(tmp_path: Path) -> None:
    endless = tmp_path / "x.csv"
    endless.symlink_to("/dev/zero")
    for words in (("rank",), ("compare", "--scores"), ("compare", "--corpus"), ("import",)):
        more = [tmp_path / "out.csv"] * (words == ("import",))
        assert "this is a device" in refused(*words, endless, *more), words


def test_nothing_that_is_read_reaches_the_network(tmp_path: Path) -> None:
    """A server listens to which addresses as names of files, and in files, point."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        there = f"http://127.0.0.1:{server.getsockname()[1]}"
        for ending in ("csv", "parquet", "jsonl", "xlsx", "xml"):
            refused_or_typed_wrongly("rank", f"{there}/x.{ending}")
            refused_or_typed_wrongly("compare", "--scores", f"{there}/x.{ending}")
            refused_or_typed_wrongly("compare", "--corpus", f"{there}/x.{ending}")
        page = tmp_path / "x.xml"
        page.write_text(f'<!DOCTYPE dataset SYSTEM "{there}/x.dtd">\n<dataset id="a"/>\n')
        refused_or_typed_wrongly("compare", "--corpus", page)
        data = table(tmp_path / "d.csv", (f"{there}/a.png", f"{there}/b"))
        assert run("rank", data, "--html", tmp_path / "page.html", "--seed", 1).exit_code == 0
        with pytest.raises(BlockingIOError):
            server.accept()  # nobody came


def test_as_many_groups_as_rows(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("system,item,rater,score\nA,1,a,50\nB,1,b,60\n")
    message = refused("variance", data)
    assert message.startswith("Error: ")
    both = tmp_path / "e.csv"
    both.write_text("system,item,rater,score\nA,1,a,50\nA,1,a,60\nB,1,b,60\nB,1,b,70\n")
    assert refused("variance", both, "--repeated", "mark").startswith(("Error: ", "Note: "))


def refused_or_typed_wrongly(*words: object) -> None:
    out = run(*words)
    assert out.exit_code in (1, 2), (words, out.output)
    assert isinstance(out.exception, SystemExit), words


@pytest.mark.parametrize("name", ["a" * 300, "/dev/null/x", "/dev/null", "x\0y"])
def test_names_that_no_file_has(tmp_path: Path, name: str) -> None:
    for words in (
        ("rank", name),
        ("compare", "--scores", name),
        ("compare", "--corpus", name),
        ("compare", "--refs", name, "--system", f"A={name}"),
        ("import", name, tmp_path / "out.csv"),
        ("plan", "show", name),
        ("plan", "new", name, "--systems", "a,b", "--n-max", 10),
    ):
        refused_or_typed_wrongly(*words)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    data = table(tmp_path / "d.csv")
    for parent in ("/dev/null", str(data)):
        said = refused("rank", data, "--csv", f"{parent}/x.csv")
        assert f"{parent}/x.csv cannot be written: {parent} is no folder." in said


def test_a_word_that_is_no_utf_8() -> None:
    assert r"'A\udcff' is not UTF-8" in refused("rank", "A\udcff", code=2)


def test_a_whole_disk_is_no_data_set(tmp_path: Path) -> None:
    message = refused("import", "/", tmp_path / "out.csv")
    assert "files in this folder" in message or "cannot be read" in message


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    data = table(tmp_path / "d.csv").read_bytes()
    for words in (["rank", "{}", "--seed", 1], ["compare", "--scores", "{}", "--seed", 1]):
        read, write = os.pipe()
        os.write(write, data)
        os.close(write)
        out = run(*(str(word).format(f"/dev/fd/{read}") for word in words))
        os.close(read)
        assert out.exit_code == 0, out.output


def test_the_limit_of_a_file_is_an_option(tmp_path: Path) -> None:
    data = table(tmp_path / "d.csv")
    assert "more than 100 B once it is unpacked" in refused("--max-size", "100B", "rank", data)
    assert run("--max-size", "1MB", "rank", data, "--seed", 1).exit_code == 0
    assert run("rank", data, "--seed", 1).exit_code == 0  # it is gone with its command
    assert "such as 500MB" in refused("--max-size", "much", "rank", data, code=2)


def test_a_log_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 10_000_000)
    assert path.stat().st_size < 20_000
    words = ("--max-size", "1MB", "compare", "--scores", f"A={path}", "--scores", f"B={path}")
    assert "header.json: the file holds more than 1 MB" in refused(*words)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", '{"eval": {}}')
        for number in range(3):  # none is too large, all together are
            archive.writestr(f"samples/{number}_epoch_1.json", b" " * 400_000)
    assert "a.eval: the file holds more than 1 MB" in refused(*words)


def test_a_log_with_places_outside_itself(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("header.json", "{}")
    data = out.getvalue()
    path = tmp_path / "a.eval"
    path.write_bytes(data[:4] + data[54:])  # what the end says of places is too large now
    words = ("compare", "--scores", f"A={path}", "--scores", f"B={path}")
    assert "the log is damaged" in refused(*words)


@pytest.mark.parametrize("content", ['"A\\ud800"', "9" * 4301, "[" * 5000])
def test_json_that_nobody_can_use(tmp_path: Path, content: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(f'{{"system": {content}, "item": 1, "score": 2}}\n')
    for words in (("rank", path), ("compare", "--scores", path), ("compare", "--corpus", path)):
        assert refused(*words).startswith("Error: ")


def test_a_damaged_parquet_file(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "d.parquet"
    pl.DataFrame({"system": ["A"], "item": [1], "score": [1.5]}).write_parquet(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2 - 4) + b"PAR1"
    path.write_bytes(data)
    message = refused("rank", path)
    assert "the Parquet file cannot be read" in message
    assert message.count("\n") == 1  # without the trace of its reader


@pytest.mark.parametrize("what", ["pipe", "folder"])
def test_force_replaces_files_only(tmp_path: Path, what: str) -> None:
    data, target = table(tmp_path / "d.csv"), tmp_path / "target"
    if what == "pipe":
        os.mkfifo(target)
    else:
        target.mkdir()
    message = refused("rank", data, "--csv", target, "--force")
    assert "cannot be written: it is a" in message
    assert not target.is_file()


def test_ctrl_c_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("detectable.data.human.read_judgments.read_judgments", stop)
    data = table(tmp_path / "d.csv")
    message = refused("import", data, tmp_path / "out.csv")
    assert message.endswith("Error: interrupted. What was not finished was not written.\n")
    assert not (tmp_path / "out.csv").exists()


def test_no_memory_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("detectable.data.human.read_judgments.read_judgments", full)
    message = refused("import", table(tmp_path / "d.csv"), tmp_path / "out.csv")
    assert "there is not enough memory for this" in message
