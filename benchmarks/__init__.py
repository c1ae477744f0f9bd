"""Benchmarks: us and the peer in the same run. Machines are noisy, so only ratios count."""
