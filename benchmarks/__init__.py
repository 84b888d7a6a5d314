"""What is measured, how, and the last results: `make bench` runs every bench_*.py here and writes results/NAME.md.

A benchmark is a file `bench_NAME.py` whose docstring says what is measured and how (it opens the results), with one
function `run() -> pandas.DataFrame`: a row a case, units in the column names. Add a file and it is run.
"""
