"""Experiments: declared grids of runs, run over the cores, as tidy tables."""

from odk.experiment.grid import Grid, Run, Segment, paper_grid, segments_of, target_protection
from odk.experiment.runner import Result, run_grid

__all__ = ["Grid", "Result", "Run", "Segment", "paper_grid", "run_grid", "segments_of", "target_protection"]
