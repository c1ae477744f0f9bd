"""Print planning_numbers.toml: ``python -m tests.golden.make_planning_numbers``.

They hold what the scenarios say, so that a change is noticed; published values are elsewhere.
"""

from tests.planning.test_published import HELD

if __name__ == "__main__":
    for name, made in HELD.items():
        print(f'[[case]]\nname = "{name}"\nnumbers = {made()}\n')
