"""Benchmarks of `handup bench`: ours beside a fair alternative in the same run."""
