"""Section 4: BLEU. The notebook's setting, and the parameters it prints."""

import detectable as dt

# Printed by the authors' notebook: n, Laplace scale b of the non-zero swap effects.
FITS = {"2019": (1997, 0.011932186794530624), "2018": (2998, 0.009877433535488785)}


def numbers() -> dict[str, float]:
    """Return every number of the section that can be had without the authors' outputs."""
    default = dt.scenarios.Bleu(p0=0.13, b0=25.8)
    answer = dt.power(default, n_items=2000, effect=1.0, drawn=0)
    drawn = dt.power(default, n_items=2000, effect=1.0, simulate=True, n_trials=4000, rng=1)
    found = {f"table 3, b0 of {year}": n * b for year, (n, b) in FITS.items()}
    return found | {
        "BLEU notebook, power": answer.power,
        "BLEU notebook, Type-M": answer.type_m,
        "BLEU notebook, power by simulation": drawn.power,
        "bleu, detectable with 2000 segments": dt.mde(default, n_items=2000, drawn=0).effect,
    }
