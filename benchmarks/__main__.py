"""Run all benchmarks: ``make bench``."""

from benchmarks import (
    bench_compare,
    bench_memory,
    bench_mixed,
    bench_power,
    bench_power_human,
    bench_resampling,
    bench_startup,
)

for module in (
    bench_startup,
    bench_resampling,
    bench_compare,
    bench_power,
    bench_power_human,
    bench_memory,
    bench_mixed,
):
    module.main()
