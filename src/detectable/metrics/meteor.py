"""METEOR 1.5 as additive statistics, aligned by its own Java program."""

import contextlib
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, ClassVar, cast

import numpy as np

from detectable.core.errors import (
    DataError,
    InputError,
    MissingExtraError,
    SuspiciousDataWarning,
)
from detectable.core.types import FloatArray, Progress, silent
from detectable.core.wording import count
from detectable.data.texts.corpus import Corpus
from detectable.metrics.base import TextMetric

SEPARATOR = "|||"  # between the fields of a request; there is no way to escape it
DOWNLOAD = "https://www.cs.cmu.edu/~alavie/METEOR/"

_PATIENCE = 600.0  # seconds for one answer; loading the English tables takes about ten
_GOODBYE = 2.0  # seconds for the program to leave after its input was closed
_LAST_LINES = 5  # of the program's complaints, quoted in an error
_STACK = re.compile(r"\s*at [\w.$]+\(")  # where in the jar; of no use to our reader
_LINE_BREAK = re.compile(r"\r\n|[\r\n]")
_LONG_BARS = re.compile(r"\|{3,}")


def find_jar(path: str | None) -> Path:
    """Return the jar at `path`, or the one that the package pycocoevalcap carries."""
    if path is not None:
        jar = Path(path)
        if not jar.is_file():
            raise InputError(
                f"`jar` must be the path of meteor-1.5.jar; got {path!r}, no file."
            )
        return jar
    package = find_spec("pycocoevalcap")
    for folder in (package and package.submodule_search_locations) or ():
        jar = Path(folder) / "meteor" / "meteor-1.5.jar"
        if jar.is_file():
            return jar
    raise MissingExtraError(
        "METEOR needs meteor-1.5.jar, which is not installed. "
        'Run `pip install "detectable[meteor]"`, or give the path of the jar as `jar`.'
    )


def find_java(java: str) -> str:
    """Return the path of the Java program."""
    found = shutil.which(java)
    if found is None:
        raise MissingExtraError(
            f"METEOR runs in Java, and there is no program {java!r} here. Install a Java "
            "runtime (Debian, Ubuntu: `apt install default-jre-headless`), or give its path "
            "as `java`."
        )
    return found


def find_paraphrases(jar: Path, name: str) -> Path:
    """Return the paraphrase table of the language that the jar calls `name`."""
    table = jar.parent / "data" / f"paraphrase-{name}.gz"
    if not table.is_file():
        raise MissingExtraError(
            f"METEOR needs the paraphrase table {table}, which is not there; the package "
            f"pycocoevalcap has the English one only. Unpack METEOR 1.5 from {DOWNLOAD} "
            "and give the path of its meteor-1.5.jar as `jar`."
        )
    return table


def score_request(references: Iterable[str], output: str) -> str:
    """Return the request for the statistics of one segment.

    A line break becomes a space, and three or more bars become two: the protocol knows no
    other way to carry them. The words around them and the number of words stay the same.
    """
    fields = [_one_field(text) for text in (*references, output)]
    # The spaces are needed: the jar drops empty fields at the end of a line, and would take
    # the last reference for the output of a system that printed nothing.
    return f" {SEPARATOR} ".join(["SCORE", *fields])


def _one_field(text: str) -> str:
    return _LONG_BARS.sub("||", _LINE_BREAK.sub(" ", text))


class MeteorProcess:
    """A running METEOR program; made by `meteor_process`, which also ends it."""

    def __init__(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> None:
        self._process = process
        self._complaints = complaints
        self._input = cast("IO[bytes]", process.stdin)
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # A thread reads, because only a queue can be waited for with a time limit everywhere:
        # Windows has no such thing for pipes.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, request: str) -> str:
        """Send one request and return the one line of its answer."""
        self.send(request)
        return self.receive()

    def send(self, request: str) -> None:
        """Send one request."""
        try:
            line = request.encode()
        except UnicodeEncodeError as error:
            raise DataError(f"text for METEOR must be valid Unicode: {error}.") from error
        try:
            self._input.write(line + b"\n")
            self._input.flush()
        except OSError as error:
            raise self._stopped() from error

    def receive(self) -> str:
        """Return the next line of the program."""
        try:
            line = self._answers.get(timeout=_PATIENCE)
        except queue.Empty:
            self._process.kill()
            self._process.wait()
            raise DataError(
                f"METEOR gave no answer for {_PATIENCE:g} seconds and was stopped. "
                f"{self._last_words()}"
            ) from None
        if line is None:
            raise self._stopped()
        return line.decode(errors="replace").strip()

    def close(self) -> None:
        """End the program, politely at first."""
        with contextlib.suppress(OSError):  # what is left in the buffer has no reader any more
            self._input.close()
        try:
            self._process.wait(_GOODBYE)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join()

    def _read(self) -> None:
        for line in cast("IO[bytes]", self._process.stdout):
            self._answers.put(line)
        self._answers.put(None)

    def _stopped(self) -> DataError:
        self._process.kill()
        code = self._process.wait()
        return DataError(f"METEOR stopped with exit code {code}. {self._last_words()}")

    def _last_words(self) -> str:
        # Only after the program has ended: it shares the position in this file with us.
        self._complaints.seek(0)
        text = self._complaints.read().decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if not _STACK.match(line)]
        lines = [line for line in lines if line][-_LAST_LINES:]
        said = f"It said: {' / '.join(lines)}" if lines else "It said nothing."
        if "OutOfMemoryError" in text:
            said += " Give it more memory with `memory`."
        return said


@contextlib.contextmanager
def meteor_process(
    jar: Path, *, java: str, memory: str, options: Sequence[str]
) -> Iterator[MeteorProcess]:
    """Start METEOR for requests on standard input, and end it in every case."""
    command = [
        java,
        f"-Xmx{memory}",
        "-XX:+UseSerialGC",  # one thread works; a parallel collector only took cores from it
        # Lower case and word lists must not depend on the locale of the machine.
        "-Dfile.encoding=UTF-8",
        "-Duser.language=en",
        "-jar",
        str(jar),
        *("-", "-", "-stdio"),
        *options,
    ]
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints
        ) as process,
    ):
        running = MeteorProcess(process, complaints)
        try:
            yield running
        finally:
            running.close()


# --- METEOR 1.5 as additive statistics, aligned by its own Java program ---

# The 23 columns of the jar: lengths and function words of output and reference; for each of
# four matchers the matched content words of output and reference, then the matched function
# words of both; the chunks; the matched words of both.
N_STATISTICS = 23
_OUTPUT_LENGTH, _REFERENCE_LENGTH, _OUTPUT_FUNCTION, _REFERENCE_FUNCTION = range(4)
_STAGES = slice(4, 20)
_CHUNKS, _OUTPUT_MATCHED, _REFERENCE_MATCHED = 20, 21, 22

_MEMORY = re.compile(r"[1-9][0-9]*[kKmMgG]")
_ATTACHED = re.compile(r"\w[.?!]\s*$")
_SENTENCE_END = re.compile(r"[.?!]\s*$")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The tuned constants of one language, and the paraphrase table it needs, if any."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: tuple[float, float, float, float]  # one per matcher, in the order of the jar
    task: str = "rank"
    paraphrases: str | None = None  # how the jar names the table of this language


_EXACT = Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.0, 0.0, 0.0), task="li")
_EXACT_AND_STEM = replace(_EXACT, weights=(1.0, 0.5, 0.0, 0.0))

# The defaults of the jar, read from its class MeteorConfiguration. A language that has fewer
# matchers than English (exact, stem, synonym, paraphrase) fills the first ones only, hence 0.
LANGUAGES: dict[str, Parameters] = {
    "en": Parameters(0.85, 0.2, 0.6, 0.75, (1.0, 0.6, 0.8, 0.6), paraphrases="en"),
    "cs": Parameters(0.95, 0.2, 0.6, 0.8, (1.0, 0.4, 0.0, 0.0), paraphrases="cz"),
    "de": Parameters(0.95, 1.0, 0.55, 0.55, (1.0, 0.8, 0.2, 0.0), paraphrases="de"),
    "es": Parameters(0.65, 1.3, 0.5, 0.8, (1.0, 0.8, 0.6, 0.0), paraphrases="es"),
    "fr": Parameters(0.9, 1.4, 0.6, 0.65, (1.0, 0.2, 0.4, 0.0), paraphrases="fr"),
    "ru": Parameters(0.75, 1.4, 0.7, 0.5, (1.0, 0.5, 0.5, 0.0), paraphrases="ru"),
    **dict.fromkeys(
        ("da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr"), _EXACT_AND_STEM
    ),
    "other": _EXACT,
}


@dataclass(frozen=True, slots=True)
class Meteor(TextMetric):
    r"""METEOR 1.5, in percent [1]_ [2]_.

    The program aligns an output with each reference (same word, same stem, synonym, paraphrase)
    and keeps the reference with the best score. With :math:`m_c, m_f` content and function
    words matched by matcher :math:`k` of weight :math:`w_k`, in the output (for the precision
    :math:`P`) or in the reference (for the recall :math:`R`), and lengths :math:`n_c, n_f`,

    .. math::

        P, R &= \frac{\sum_k w_k (\delta m_{ck} + (1 - \delta) m_{fk})}
                     {\delta n_c + (1 - \delta) n_f}, \qquad
        F = \frac{P R}{\alpha P + (1 - \alpha) R},

        \text{score} &= 100 \, F \, (1 - \gamma \, (\text{chunks} / \text{matches})^\beta),

    where matches is the mean of the matched words of output and reference. The corpus score
    takes the sums of all these counts. A segment that is matched in full and in one chunk
    adds no chunk: there is nothing fragmented in it.

    Parameters
    ----------
    language : str
        Language of the references, a two-letter code, or ``"other"`` for exact matches only.
        The package pycocoevalcap has the data of ``en`` and of the languages without
        paraphrases (da fi hu it nl no pt ro sv tr); cs de es fr ru need the full METEOR 1.5.
    normalize : bool
        Tokenise and lower-case first, by METEOR's own rules (en cs de es fr ru). Without it
        the text is split at spaces and compared as it stands: right for text that is
        tokenised and lower-cased already, as MultEval wants it.
    jar : str or None
        Path of another meteor-1.5.jar, with its folder ``data`` beside it.
    java : str
        The Java program.
    memory : str
        The most memory that Java may take, such as ``"2G"``.

    Notes
    -----
    ``|||`` separates the fields of a request and cannot be escaped, so three or more bars in
    a text are read as two. A warning says so.

    In every language the jar counts the English function words: setting its language changes
    the stemmer, the paraphrases and the parameters, but not that list. Published scores were
    made this way, so ours are too.

    References
    ----------
    .. [1] Denkowski and Lavie (2014), "Meteor Universal: Language Specific Translation
       Evaluation for Any Target Language", Proceedings of WMT, 376-380.
    .. [2] Denkowski and Lavie (2011), "Meteor 1.3: Automatic Metric for Reliable Optimization
       and Evaluation of Machine Translation Systems", Proceedings of WMT, 85-91.

    Examples
    --------
    >>> Meteor().signature()
    'lang:en|params:rank|norm:no|meteor:1.5'
    >>> five_of_six_words = [6, 6, 2, 2, 3, 3, 2, 2, *[0] * 12, 2, 5, 5]
    >>> float(Meteor().score(np.array(five_of_six_words, dtype=float)).round(2))
    39.32
    """

    name: ClassVar[str] = "meteor"
    printed: ClassVar[str] = "METEOR"
    higher_is_better: ClassVar[bool | None] = True

    language: str = "en"
    normalize: bool = False
    jar: str | None = None
    java: str = "java"
    memory: str = "2G"

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise InputError(
                f"`language` must be one of {', '.join(LANGUAGES)}; got {self.language!r}. "
                "METEOR 1.5 has no data for others; 'other' matches equal words only."
            )
        if self.normalize and LANGUAGES[self.language].paraphrases is None:
            raise InputError(
                f"`normalize` must be False where `language` is {self.language!r}; got True. "
                "METEOR has no tokeniser for it: tokenise and lower-case the text yourself."
            )
        if not _MEMORY.fullmatch(self.memory):
            raise InputError(
                f"`memory` must be a number with K, M or G, such as '2G'; got {self.memory!r}."
            )

    def statistics(self, corpus: Corpus, *, progress: Progress = silent) -> FloatArray:
        """Return the 23 numbers of every segment, in the order of the jar.

        The chunks of a segment that is matched in full and in one piece are set to zero here,
        as the program does when it adds segments up.
        """
        self._warn_of_odd_text(corpus)
        references = [
            [line for line in lines if line is not None]
            for lines in zip(*corpus.references, strict=True)
        ]
        requests = [
            score_request(references[row], line)
            for system, run in corpus.outputs
            for row, line in enumerate(corpus.output(system, run))
        ]
        # Runs of one system share many lines, and each is aligned once.
        rows = {request: row for row, request in enumerate(dict.fromkeys(requests))}
        known = without_whole_chunks(self._ask(list(rows), progress))
        table = known[[rows[request] for request in requests]]
        return table.reshape(len(corpus.outputs), corpus.n_segments, N_STATISTICS)

    def sizes(self, statistics: FloatArray) -> FloatArray:
        """Return the reference length."""
        return statistics[..., _REFERENCE_LENGTH]

    def score(self, sums: FloatArray) -> FloatArray:
        """Return METEOR in percent; nan where the references hold no word at all."""
        sums = np.ascontiguousarray(sums)  # one order of adding up, however they lie
        tuned = LANGUAGES[self.language]
        matched_output, matched_reference, output, reference = np.moveaxis(
            sums @ _weighting(tuned), -1, 0
        )
        some = (matched_output > 0) & (matched_reference > 0)
        precision = matched_output / np.where(output > 0, output, 1.0)
        recall = matched_reference / np.where(reference > 0, reference, 1.0)
        blend = tuned.alpha * precision + (1.0 - tuned.alpha) * recall
        f_mean = precision * recall / np.where(some, blend, 1.0)

        matches = (sums[..., _OUTPUT_MATCHED] + sums[..., _REFERENCE_MATCHED]) / 2.0
        fragmentation = sums[..., _CHUNKS] / np.where(matches > 0, matches, 1.0)
        # A derivative by differences may step below zero chunks.
        penalty = tuned.gamma * np.maximum(fragmentation, 0.0) ** tuned.beta
        percent = np.where(some, 100.0 * np.maximum(f_mean * (1.0 - penalty), 0.0), 0.0)
        scores: FloatArray = np.where(sums[..., _REFERENCE_LENGTH] > 0, percent, np.nan)
        return scores

    def signature(self) -> str:
        """Return the settings that decide the number."""
        norm = "yes" if self.normalize else "no"
        task = LANGUAGES[self.language].task
        return f"lang:{self.language}|params:{task}|norm:{norm}|meteor:1.5"

    def _ask(self, requests: Sequence[str], progress: Progress) -> FloatArray:
        jar, java = find_jar(self.jar), find_java(self.java)
        options = ["-l", self.language]
        table = LANGUAGES[self.language].paraphrases
        if table is not None:
            # Named, because the jar does not find its own folder where the path has a space.
            options += ["-a", str(find_paraphrases(jar, table))]
        if self.normalize:
            options.append("-norm")
        answers = np.empty((len(requests), N_STATISTICS))
        progress(self.name, 0, len(requests))
        with meteor_process(jar, java=java, memory=self.memory, options=options) as process:
            for row, request in enumerate(requests):
                answers[row] = _numbers(process, request)
                progress(self.name, row + 1, len(requests))
        return answers

    def _warn_of_odd_text(self, corpus: Corpus) -> None:
        outputs = [line for name, run in corpus.outputs for line in corpus.output(name, run)]
        references = [
            line for stream in corpus.references for line in stream if line is not None
        ]
        lines = outputs + references
        barred = sum(SEPARATOR in line for line in lines)
        if barred:
            warnings.warn(
                f"{count(barred, 'line')} with '|||', METEOR's own separator; read as '||'.",
                SuspiciousDataWarning,
                stacklevel=3,
            )
        ended = sum(bool(_SENTENCE_END.search(line)) for line in lines)
        attached = sum(bool(_ATTACHED.search(line)) for line in lines)
        if not self.normalize and attached > ended / 2:
            warnings.warn(
                "the text looks untokenised, and METEOR compares it as it stands: “end.” is "
                "not “end”. Set `normalize=True` unless this is meant.",
                SuspiciousDataWarning,
                stacklevel=3,
            )


def without_whole_chunks(statistics: FloatArray) -> FloatArray:
    """Return statistics without the chunk of segments matched in full and in one piece.

    Any matcher counts, and through paraphrases the lengths may differ, so this is more than
    equality with a reference: in the first baseline run of the MultEval example 18 of 34 such
    segments hold a stem, synonym or paraphrase match. It matters for the corpus score: 29.330
    there with this rule, 29.320 without.
    """
    stages = statistics[..., _STAGES].reshape(*statistics.shape[:-1], 8, 2)
    matched = stages.sum(axis=-2)
    lengths = statistics[..., [_OUTPUT_LENGTH, _REFERENCE_LENGTH]]
    whole = (matched == lengths).all(axis=-1) & (statistics[..., _CHUNKS] == 1.0)
    cleared = statistics.copy()
    cleared[..., _CHUNKS] = np.where(whole, 0.0, statistics[..., _CHUNKS])
    return cleared


def _weighting(tuned: Parameters) -> FloatArray:
    """Return the matrix from statistics to weighted matches and lengths, output first."""
    matrix = np.zeros((N_STATISTICS, 4))
    content, function = tuned.delta, 1.0 - tuned.delta
    for side, (length, functions) in enumerate(
        [(_OUTPUT_LENGTH, _OUTPUT_FUNCTION), (_REFERENCE_LENGTH, _REFERENCE_FUNCTION)]
    ):
        for stage, weight in enumerate(tuned.weights):
            first = _STAGES.start + 4 * stage + side
            matrix[[first, first + 2], side] = weight * content, weight * function
        matrix[[length, functions], 2 + side] = content, function - content
    return matrix


def _numbers(process: MeteorProcess, request: str) -> list[float]:
    answer = process.ask(request)
    try:
        numbers = [float(word) for word in answer.split()]
    except ValueError:
        numbers = []
    if len(numbers) != N_STATISTICS:
        raise DataError(
            f"METEOR must answer with {N_STATISTICS} numbers; got {answer!r} "
            f"for the request {request[:200]!r}."
        )
    return numbers
