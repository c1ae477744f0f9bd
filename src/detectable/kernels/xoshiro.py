"""Random words in one fixed sequence, by xoshiro256++ (Blackman and Vigna 2021).

The compiled kernels of `paths` draw from it word by word. Without them whole arrays of the same
words come from here.
"""

import functools

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
State = Words  # the four words of the generator

_LONGEST = 10  # of a lane, as a power of two


def seed_words(rng: np.random.Generator) -> State:
    """Return the start of a path generator; never all zeros, which it could not leave."""
    words: State = rng.integers(1, 1 << 64, 4, np.uint64)
    return words


def random_words(state: State, n: int) -> Words:
    r"""Return the next `n` words; `state` is brought up to date.

    A word follows from the one before, which numpy cannot do in one sweep. But a step is linear
    over the bits of the state, :math:`s' = s T`, so lanes can start :math:`s T^k, s T^{2k}, \dots`
    further on and go ahead side by side.

    Examples
    --------
    >>> random_words(np.arange(1, 5, dtype=np.uint64), 3).tolist()
    [41943041, 58720359, 3588806011781223]
    """
    power = min(_LONGEST, n.bit_length() // 2)
    length = 1 << power
    lanes = _lanes(state, power, n // length + 1)
    words = np.empty((length, lanes.shape[1]), np.uint64)
    for i in range(length):
        if i == n % length:
            state[:] = lanes[:, -1]
        words[i] = _rotated(lanes[0] + lanes[3], 23) + lanes[0]
        _advance(lanes)
    return words.T.ravel()[:n]


def _rotated(word: Words, by: int) -> Words:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))


def _advance(lanes: Words) -> None:
    """Take one step of every lane; shape (4, lanes)."""
    shifted = lanes[1] << np.uint64(17)
    lanes[2] ^= lanes[0]
    lanes[3] ^= lanes[1]
    lanes[1] ^= lanes[2]
    lanes[0] ^= lanes[3]
    lanes[2] ^= shifted
    lanes[3] = _rotated(lanes[3], 45)


def _lanes(state: State, power: int, n: int) -> Words:
    """Return `n` states, 2**`power` steps from one to the next: shape (4, n)."""
    states = state[None]
    while len(states) < n:
        states = np.concatenate([states, _further(states, _leap(power))])
        power += 1
    return states[:n].T.copy()


def _further(states: Words, leap: Words) -> Words:
    """Return the states after a leap, the sum over bits of what becomes of each: shape (n, 4)."""
    bits = np.unpackbits(states.view(np.uint8), axis=1).astype(np.bool_)
    parts = np.where(bits.T[:, :, None], leap[:, None, :], np.uint64(0))
    further: Words = np.bitwise_xor.reduce(parts, axis=0)
    return further


@functools.cache
def _leap(power: int) -> Words:
    """Return what becomes of each single bit of a state in 2**`power` steps: shape (256, 4)."""
    if power:
        return _further(_leap(power - 1), _leap(power - 1))
    each = np.packbits(np.eye(256, dtype=np.uint8), axis=1).view(np.uint64)
    lanes = np.ascontiguousarray(each.T)
    _advance(lanes)
    return np.ascontiguousarray(lanes.T)
