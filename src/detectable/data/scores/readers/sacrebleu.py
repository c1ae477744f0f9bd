"""What sacreBLEU prints."""

from detectable.data.files.content import FileContent
from detectable.data.scores.peek import first_lines
from detectable.data.scores.read_sacrebleu import SENTENCE, read_sacrebleu
from detectable.data.scores.score_reader import ScoreReader


def recognise(content: FileContent) -> bool:
    """Tell by «metric|signature = score»; its JSON, which has no segments, is refused later."""
    lines = first_lines(content)
    if lines:
        return all(SENTENCE.fullmatch(line) for line in lines)
    entry = content.first_object
    listed = content.first_line.startswith("[")
    return "signature" in entry or (listed and "system" in entry and "score" not in entry)


READER = ScoreReader(
    name="sacrebleu",
    about="what sacrebleu --sentence-level prints, one file per system",
    recognise=recognise,
    read=read_sacrebleu,
    order=60,
)
