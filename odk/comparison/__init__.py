"""The papers' comparisons of k-anonymity with its neighbours, on any data, beside the published figures."""

from odk.comparison.atg import Comparison, daily_matrices, solver_comparison, survey_comparison
from odk.comparison.classifier import Prediction, cross_validate
from odk.comparison.records import Generalised, mondrian_records
from odk.comparison.thesis import Thesis, thesis_comparison
from odk.comparison.tradeoff import in_words, misplaced, privacy_utility

__all__ = [
    "Comparison",
    "Generalised",
    "Prediction",
    "Thesis",
    "cross_validate",
    "daily_matrices",
    "in_words",
    "misplaced",
    "mondrian_records",
    "privacy_utility",
    "solver_comparison",
    "survey_comparison",
    "thesis_comparison",
]
