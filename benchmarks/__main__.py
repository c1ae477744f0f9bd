"""Run all benchmarks, and show what they found as one table: ``make bench``."""

from benchmarks import (
    bench_anytime,
    bench_arena,
    bench_audit,
    bench_campaign,
    bench_commands,
    bench_compare,
    bench_gate,
    bench_judgments,
    bench_many_systems,
    bench_memory,
    bench_meta,
    bench_mixed,
    bench_power,
    bench_power_human,
    bench_procedures,
    bench_reliability,
    bench_resampling,
    bench_scaling,
    bench_sequential_design,
    bench_serve,
    bench_startup,
    bench_variance,
)
from benchmarks.timing import table

for module in (
    bench_startup,
    bench_commands,
    bench_gate,
    bench_resampling,
    bench_compare,
    bench_many_systems,
    bench_reliability,
    bench_power,
    bench_power_human,
    bench_judgments,
    bench_audit,
    bench_variance,
    bench_sequential_design,
    bench_procedures,
    bench_anytime,
    bench_memory,
    bench_scaling,
    bench_meta,
    bench_mixed,
    bench_arena,
    bench_serve,
    bench_campaign,
):
    module.main()
print(f"\n{table()}")
