"""Print the seeded numbers of seeded_numbers.toml: ``python -m tests.golden.make_seeded_numbers``.

They hold what the streams of random numbers are, not what is right: a change of the blocks, of
the order of draws or of the generator changes them all, and with them every published seed.
"""

from tests.test_seeded import SEEDED

if __name__ == "__main__":
    for name, made in SEEDED.items():
        print(f'[[case]]\nname = "{name}"\nnumbers = {made()}\n')
