"""The generator of paths as its authors wrote it, in plain Python."""

_MASK = (1 << 64) - 1


class Xoshiro:
    """xoshiro256++ (Blackman and Vigna 2021)."""

    def __init__(self, state: list[int]) -> None:
        self.s = state

    def word(self) -> int:
        s = self.s
        total = (s[0] + s[3]) & _MASK
        word = (((total << 23) | (total >> 41)) + s[0]) & _MASK
        shifted = (s[1] << 17) & _MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & _MASK
        return word
