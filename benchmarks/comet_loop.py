"""The peer of `compare --scores`: paired bootstrap and t-tests of all pairs, split by split.

As `comet-compare` does it (draw segments, average, count who wins; one t-test for each pair), from
files with a score per line. Run by bench_commands with the installed Python, not imported.
"""

import itertools
import sys

import numpy as np
from scipy import stats

SPLITS = int(sys.argv[1])
scores = np.array([np.loadtxt(path) for path in sys.argv[2:]])
rng = np.random.default_rng(1)
n = scores.shape[1]
means = np.empty((SPLITS, len(scores)))
for split in range(SPLITS):
    means[split] = scores[:, rng.integers(0, n, n)].mean(axis=1)
for i, j in itertools.combinations(range(len(scores)), 2):
    wins = np.mean(means[:, i] > means[:, j])
    p = stats.ttest_rel(scores[i], scores[j]).pvalue
    print(i, j, wins, p)
