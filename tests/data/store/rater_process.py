"""A process that judges until nothing is left: ``rater_process ADDRESS RATER``.

It prints a line for every page that was acknowledged, after it was.
"""

import sys

from detectable.core.errors import DataError
from detectable.data.store.open_store import open_store
from detectable.data.store.records import Answer, Page
from tests.data.store.databases import plain


def main(address: str, rater: str) -> None:
    store = open_store(address)
    while True:
        try:
            page = store.next_page(rater, plain)
            if not isinstance(page, Page):
                break
            answers = [Answer(score=float(len(line.text))) for line in page.lines]
            said = store.save(rater, page.token, key=page.token, answers=answers)
        except DataError as error:  # the server of the database was killed
            sys.exit(str(error))
        sys.stdout.write(f"{page.token} {page.part} {page.system} {said}\n")
        sys.stdout.flush()
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
