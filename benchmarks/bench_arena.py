"""A million battles of a hundred systems, against arena-rank, choix and evalica: the same votes, one run.

Every peer, and ours beside it, runs in a warm process: what is imported is imported before the clock
starts, and each is timed three times, the fastest counting. A peer that pip cannot install here is
named as not measured.
"""

import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.installed import peer, program
from benchmarks.timing import HEADER, absent, cpu, line, measured
from detectable.core.types import FloatArray, IntArray
from detectable.data.battles.battles import Battles
from detectable.data.factor import Factor
from detectable.inference.battle_votes import cells_of, plain_votes
from detectable.inference.bradley_terry import fit_strengths
from detectable.study.arena.arena import arena

SYSTEMS = 100
BATTLES = 1_000_000
PROMPTS = 100_000
LIMIT = 5.0  # seconds of CPU

PEERS = r"""
import json, sys, time
import numpy as np
d = np.load(sys.argv[1]); a, b, y, k = d["a"], d["b"], d["y"], int(d["k"])
def by_choix():
    import choix
    def work():
        decided = y != 0.5
        won, lost = np.where(y == 1, a, b)[decided], np.where(y == 1, b, a)[decided]
        counts = np.zeros((k, k)); np.add.at(counts, (won, lost), 1.0)
        return choix.ilsr_pairwise_dense(counts)
    return work
def by_evalica():
    import evalica
    names = [f"s{i:03d}" for i in range(k)]
    first, second = [names[i] for i in a], [names[i] for i in b]
    told = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    winners = [told[one] for one in y.tolist()]
    def work():
        scores = evalica.bradley_terry(first, second, winners).scores
        return np.log(scores.reindex(names).to_numpy())
    return work
def by_arena_rank():
    import pandas as pd
    from arena_rank.utils.data_utils import PairDataset
    from arena_rank.models.bradley_terry import BradleyTerry
    names = np.array([f"s{i:03d}" for i in range(k)])
    winner = np.where(y == 1, "model_a", np.where(y == 0, "model_b", "tie"))
    frame = pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner})
    def work():
        data = PairDataset.from_pandas(frame)
        model = BradleyTerry(n_competitors=len(data.competitors))
        result = model.compute_ratings_and_cis(data, significance_level=0.05)
        ratings = dict(zip(result["competitors"], np.asarray(result["ratings"])))
        return [ratings[name] for name in names]
    return work
work = {"choix": by_choix, "evalica": by_evalica, "arena-rank": by_arena_rank}[sys.argv[3]]()
spent = []
for _ in range(3):
    start = time.process_time()
    found = work()
    spent.append(time.process_time() - start)
json.dump([min(spent), list(map(float, found))], open(sys.argv[2], "w"))
"""


def votes(n: int, k: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return who met whom and what came of it; a sixth are ties."""
    rng = np.random.default_rng(99)
    strengths = np.linspace(1.0, -1.0, k)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    won = (rng.random(n) < 1 / (1 + np.exp(strengths[b] - strengths[a]))).astype(np.float64)
    won[rng.random(n) < 1 / 6] = 0.5
    return a, b, won


def battles(n: int = BATTLES, k: int = SYSTEMS) -> Battles:
    """Return battles with prompts and voters."""
    a, b, won = votes(n, k)
    rng = np.random.default_rng(98)
    names = tuple(f"s{i:03d}" for i in range(k))

    def column(role: str, size: int) -> Factor:
        drawn = np.unique(rng.integers(0, size, n), return_inverse=True)[1]
        return Factor(name=role, levels=tuple(map(str, range(drawn.max() + 1))), codes=drawn)

    return Battles.build(
        Factor(name="a", levels=names, codes=a),
        Factor(name="b", levels=names, codes=b),
        won,
        prompt=column("prompt", PROMPTS),
        voter=column("voter", PROMPTS // 2),
    )


def by_peer(name: str, n: int, k: int) -> tuple[float, FloatArray] | None:
    """Return CPU seconds and strengths of a peer; None where it is not to be had."""
    installed = peer(name)
    if installed is None:
        return None
    a, b, y = votes(n, k)
    with tempfile.TemporaryDirectory() as folder:
        data, told = Path(folder) / "votes.npz", Path(folder) / "told.json"
        np.savez(data, a=a, b=b, y=y, k=k)
        one = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
        }
        words = [str(installed / "python"), "-c", PEERS, str(data), str(told), name]
        if subprocess.run(words, check=False, env=one).returncode:  # it has said why
            return None
        seconds, strengths = json.loads(told.read_text())
    return seconds, np.array(strengths)


def whole_command(n: int, k: int) -> float:
    """Return the CPU seconds of the whole command on a CSV file, start and reading included."""
    a, b, y = votes(n, k)
    rng = np.random.default_rng(97)
    prompt = rng.integers(0, PROMPTS, n)
    words = np.where(y == 1, "model_a", np.where(y == 0, "model_b", "tie"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "battles.csv"
        with path.open("w") as out:
            out.write("prompt,model_a,model_b,winner\n")
            rows = zip(prompt.tolist(), a.tolist(), b.tolist(), words.tolist(), strict=True)
            out.writelines(f"p{p},s{i:03d},s{j:03d},{w}\n" for p, i, j, w in rows)
        words = [program("detectable"), "arena", str(path), "--seed", "1", "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)  # after what had to be installed
        subprocess.run(
            words,
            check=True,
            capture_output=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print CPU seconds in this process, of the whole command, and of the peers."""
    print(f"\nArena: {BATTLES:,} battles, {SYSTEMS} systems (CPU seconds)")
    print(HEADER)
    table = battles()
    cases = {
        "errors by prompt, ranks": {"cluster": "prompt", "side": "none"},
        "two-way errors, ranks": {"cluster": "two-way", "side": "none"},
        "two-way errors and side, ranks": {"cluster": "two-way"},
    }
    for name, options in cases.items():
        seconds, found = cpu(lambda options=options: arena(table, rng=1, **options))  # type: ignore[misc,arg-type]
        what = f"{BATTLES:,} battles, {name}"
        print(measured(what, f"{seconds:.2f} s", f"(asked: {LIMIT:g} s)"), flush=True)
    ours = {row.system: row.strength for row in found.systems}
    a, b, won = votes(BATTLES, SYSTEMS)

    def alone() -> FloatArray:
        return fit_strengths(cells_of(plain_votes(SYSTEMS, a, b, won))).strengths

    for name, note in (
        ("arena-rank", "with errors; theirs takes votes as independent"),
        ("choix", "strengths alone; theirs leaves out ties"),
        ("evalica", "strengths alone"),
    ):
        what = f"{BATTLES:,} battles, {SYSTEMS} systems"
        theirs = by_peer(name, BATTLES, SYSTEMS)
        if theirs is None:
            print(absent(what, name, "pip cannot install it here, or it fails"))
            continue
        # Ours once more beside it: both meet the same machine.
        work = alone
        if name == "arena-rank":
            work = lambda: arena(table, rng=1, cluster="prompt", side="none")  # type: ignore[assignment,return-value]  # noqa: E731
        seconds, _ = cpu(work, repeats=3)
        if name != "choix":
            apart = np.array([ours[f"s{i:03d}"] for i in range(SYSTEMS)])
            strengths = theirs[1] - theirs[1].mean()
            gap = np.abs(strengths - apart).max()
            scaled = np.abs(strengths * np.log(10) / 400 - apart).max()
            note = f"{note}; ratings {min(gap, scaled):.0e} apart"
        print(line(what, theirs[0], seconds, note=note, against=name), flush=True)
    spent = whole_command(BATTLES, SYSTEMS)
    what = f"arena, {BATTLES:,} battles from CSV"
    print(measured(what, f"{spent:.2f} s", "by prompt", kind="whole command"))


if __name__ == "__main__":
    main()
