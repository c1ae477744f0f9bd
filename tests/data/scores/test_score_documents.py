"""Documents of scores that come one file per system."""

from pathlib import Path

from detectable.data.scores.score_folder import with_documents
from detectable.data.scores.scores import Scores
from tests.data.sample_files import fails, write


def test_lines_name_the_documents(tmp_path: Path) -> None:
    scores = Scores.build({"A": [1, 2, 3]})
    plain = write(tmp_path, "docs.txt", "d1\nd1\nd2\n")
    assert with_documents(scores, plain).documents == ("d1", "d1", "d2")
    tabbed = write(tmp_path, "t.docs", "news\td1\nnews\td1\nchat\td2\n")
    zero = Scores.build({"A": [1, 2, 3]}, items=["0", "1", "2"])
    assert with_documents(zero, tabbed).documents == ("d1", "d1", "d2")


def test_lines_that_do_not_fit(tmp_path: Path) -> None:
    path = write(tmp_path, "docs.txt", "d1\nd2\n")
    with fails("docs.txt: 2 lines for 3 items"):
        with_documents(Scores.build({"A": [1, 2, 3]}), path)
    with fails("docs.txt: the items of the scores have names (first: 'x')"):
        with_documents(Scores.build({"A": [1, 2]}, items=["x", "y"]), path)
    with fails("docs.txt: the scores name their documents already"):
        with_documents(Scores.build({"A": [1, 2]}, documents=["d", "e"]), path)
