"""A process that judges until nothing is left: ``rater_process ADDRESS RATER [changes]``.

It prints a line for every page that was acknowledged, after it was. With ``changes`` every page has
drafts first, and is changed once after it was saved; both are told as well.
"""

import sys

from detectable.core.errors import DataError
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Answer, Page
from tests.data.store.databases import plain


def main(address: str, rater: str, changes: str = "") -> None:
    store = open_store(address)
    while True:
        try:
            page = store.next_page(rater, plain)
            if not isinstance(page, Page):
                break
            answers = [Answer(score=float(len(line.text))) for line in page.lines]
            if changes:
                for n in range(2):
                    store.keep_draft(rater, page.token, str(n))
                    tell("draft", page.token, str(n))
            said = store.save(rater, page.token, key=page.token, answers=answers)
        except DataError as error:  # the server of the database was killed
            sys.exit(str(error))
        tell(page.token, page.part, page.system, said)
        if changes:
            others = [Answer(score=-1.0) for _ in page.lines]
            key = f"{page.token}!"
            store.save(rater, page.token, key=key, answers=others, replaces=page.token)
            tell("changed", page.token)
    store.close()


def tell(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
