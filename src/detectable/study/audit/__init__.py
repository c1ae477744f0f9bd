"""What could past evaluations detect? Archives of comparisons, benchmarks, surveys of studies."""
