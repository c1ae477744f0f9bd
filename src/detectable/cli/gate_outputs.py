"""What a gate leaves behind for a pipeline: summary, JUnit, annotations, outputs of the step."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from detectable.cli.command import Output, refuse_existing
from detectable.cli.typed_words import as_typed
from detectable.core.errors import DataError, DetectableError

if TYPE_CHECKING:
    from detectable.study.gate.result import Gate

_CANNOT_RUN = 1  # the exit code of every command whose data cannot be used


@dataclass(frozen=True, slots=True)
class GateOutputs:
    """Where the outcome goes besides the terminal.

    Attributes
    ----------
    summary : str or None
        A file to append Markdown to, such as ``$GITHUB_STEP_SUMMARY``.
    junit : str or None
        A file for JUnit XML.
    github : bool or None
        Whether to write annotations and outputs; None: if GitHub Actions runs this.
    """

    summary: str | None
    junit: str | None
    github: bool | None
    output: Output

    @contextmanager
    def told(self) -> Iterator[None]:
        """Refuse files that exist; and if the gate cannot be run, say so in all of them."""
        if self.junit is not None:
            refuse_existing([Path(self.junit)], force=self.output.force)
        try:
            yield
        except DetectableError as error:
            self._write_error(as_typed(str(error)))
            raise

    def write(self, gate: "Gate") -> None:
        """Write the outcome wherever it was asked for."""
        from detectable.report.gate.annotations import gate_annotations, step_outputs

        if self.junit is not None:
            self.output.put(self.junit, gate.to_junit())
        if self.summary is not None:
            _append(self.summary, gate.to_markdown())
        if self._in_actions:
            self._annotate(gate_annotations(gate), step_outputs(gate.outcome, gate.exit_code))

    def _write_error(self, message: str) -> None:
        from detectable.report.gate.annotations import annotation, step_outputs
        from detectable.report.gate.junit import error_junit
        from detectable.report.render.markdown import escape

        if self.junit is not None:
            self.output.put(self.junit, error_junit(message))
        if self.summary is not None:
            _append(self.summary, f"### detectable gate: could not run\n{escape(message)}\n")
        if self._in_actions:
            self._annotate([annotation("error", message)], step_outputs("error", _CANNOT_RUN))

    @property
    def _in_actions(self) -> bool:
        return (
            os.environ.get("GITHUB_ACTIONS") == "true" if self.github is None else self.github
        )

    def _annotate(self, lines: list[str], outputs: str) -> None:
        for line in lines:
            click.echo(line, err=True)  # the runner reads both streams; JSON stays whole
        path = os.environ.get("GITHUB_OUTPUT")
        if path:
            _append(path, outputs)


def _append(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}.") from error
