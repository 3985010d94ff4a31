"""Measurements too long for the test suite. `python -m benchmarks` prints every table; `python -m benchmarks NAME` prints one."""
