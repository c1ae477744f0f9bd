"""What a check of a kept result shows."""

from collections.abc import Iterator

from detectable.core.wording import count, listing
from detectable.report import blocks
from detectable.report.saved.receipt import Receipt

_STATUS: dict[str, blocks.Status] = {
    "same": "info",
    "different": "warning",
    "not repeated": "undecided",
}


def show_receipt(receipt: Receipt) -> Iterator[blocks.Block]:
    """Show the outcome, then what differs, the looks and the data."""
    yield blocks.Verdict(_STATUS[receipt.outcome], _headline(receipt), _details(receipt))
    if receipt.differences:
        yield _differences(receipt)
    if receipt.looks:
        yield _looks(receipt)
    if receipt.inputs:
        yield _inputs(receipt)
    yield from blocks.notes(receipt.notes)


def _differences(receipt: Receipt) -> blocks.Table:
    columns = (
        blocks.Column("where", "value", "name"),
        blocks.Column("kept", "in the file", "text"),
        blocks.Column("again", "computed again", "text"),
        blocks.Column(
            "relative",
            "relative",
            "text",
            of=lambda row: None if row.relative is None else f"{row.relative:.1e}",
            keep=3,
            help="How far apart they are. About 1e-16 is another machine's rounding.",
        ),
    )
    left = receipt.n_differences - len(receipt.differences)
    return blocks.table(
        "differences",
        "What differs",
        columns,
        receipt.differences,
        note=f"{left:,} more." if left else "",
    )


def _looks(receipt: Receipt) -> blocks.Table:
    columns = (
        blocks.Column("look", "look", "count"),
        blocks.Column("judgments", "judgments", "count"),
        blocks.Column("decision", "decision", "text"),
        blocks.Column("state", "computed again", "text"),
        blocks.Column(
            "differs", "what differs", "text", of=lambda row: ", ".join(row.differs), keep=3
        ),
        blocks.Column("time", "time", "text", keep=blocks.DATA_ONLY),
    )
    return blocks.table("looks", "Looks", columns, receipt.looks)


def _inputs(receipt: Receipt) -> blocks.Table:
    columns = (
        blocks.Column("path", "file", "name"),
        blocks.Column("state", "now", "text"),
        blocks.Column(
            "sha256", "SHA-256", "text", of=lambda row: f"{row.sha256[:12]}…", keep=3
        ),
    )
    return blocks.table("inputs", "Data", columns, receipt.inputs)


def say_receipt(receipt: Receipt) -> str:
    """Say the outcome, then the data it rests on."""
    return "\n".join([_headline(receipt), *_details(receipt)])


def _headline(receipt: Receipt) -> str:
    """Say the outcome in one sentence."""
    if receipt.outcome == "same":
        if receipt.looks:
            return f"The same: {count(len(receipt.looks), 'look')} computed again, to the bit."
        return f"The same: {count(receipt.n_values, 'value')} computed again, to the bit."
    if receipt.outcome == "different":
        return f"Not the same: {receipt.reason}"
    return f"Not repeated: {receipt.reason}"


def _details(receipt: Receipt) -> tuple[str, ...]:
    """Say what the file was made from."""
    made = f"{receipt.file}: {receipt.subject}"
    made += f" of {receipt.created}, detectable {receipt.version}." if receipt.created else "."
    said = [made, f"Typed: {receipt.command}"] if receipt.command else [made]
    if receipt.inputs:
        same = sum(file.state == "same" for file in receipt.inputs)
        said.append(f"{same} of {count(len(receipt.inputs), 'file')} of data as they were.")
    wrong = [f"{file.path} ({file.state})" for file in receipt.inputs if file.state != "same"]
    if wrong:
        said.append(f"Not as they were: {listing(wrong, most=10)}.")
    return tuple(said)
