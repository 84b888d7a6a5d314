"""Figures published in 001 and 004, to stand beside ours. They are of other data: only their order can be compared."""

from __future__ import annotations

# 004, tables 11 and 13: k, discernibility (DM), whether k-anonymity was met. 3,146 respondents of an online survey.
MONDRIAN_STRICT = (
    (2, 120476, False),
    (5, 101178, False),
    (10, 96948, False),
    (15, 111930, False),
    (20, 111930, False),
)
MONDRIAN_RELAXED = ((2, 35106, True), (5, 102962, True), (10, 287330, True), (15, 359592, True), (20, 359592, True))

# 004, table 12.
SUMMARY = {"N": 3146.0, "n_cells": 2688.0, "p0": 76.04, "p1": 20.47}

# 004, tables 14-18: by ε (None: no noise), priorn -> replicated uniques (% of records), the same as % of the original
# uniques, standardised pMSE; means of 15 syntheses.
IPF: dict[float | None, dict[float, tuple[float, float, float]]] = {
    None: {0.0: (2.45, 11.98, 0.90), 0.1: (2.41, 11.75, 1.03), 0.5: (2.41, 11.75, 0.94), 1.0: (2.39, 11.66, 1.13)},
    0.2: {0.0: (0.0, 0.00, 177.64), 0.1: (0.0, 0.00, 175.18), 0.5: (0.0, 0.01, 167.76), 1.0: (0.0, 0.01, 163.58)},
    0.5: {0.0: (0.06, 0.31, 86.61), 0.1: (0.05, 0.23, 88.83), 0.5: (0.05, 0.26, 103.83), 1.0: (0.04, 0.22, 82.31)},
    1.0: {0.0: (0.37, 1.80, 70.50), 0.1: (0.36, 1.77, 51.60), 0.5: (0.27, 1.34, 68.47), 1.0: (0.25, 1.23, 83.72)},
    2.0: {0.0: (0.86, 4.18, 43.57), 0.1: (0.62, 3.02, 77.70), 0.5: (0.76, 3.72, 61.76), 1.0: (0.66, 3.23, 72.07)},
}
IPF_TABLE: dict[float | None, int] = {None: 14, 0.2: 15, 0.5: 16, 1.0: 17, 2.0: 18}

# 004, tables 19 and 23: original, Mondrian (relaxed, k=10), IPF (ε=1, priorn=0.1); seconds.
PREDICTION = {
    "Sensitivity": (0.43, 0.50, 0.65),
    "Specificity": (0.63, 0.66, 0.52),
    "Balanced Accuracy": (0.53, 0.58, 0.58),
}
SECONDS = {"Mondrian k-anonymization": 1.131, "IPF with Differential Privacy": 0.393}

# 001, tables 3 and 4: solver, mean G, E, D, seconds in all, share suppressed (below 0: added). None: not given.
ATG_SMALL = (
    ("ATG-Dual", 24.90, 1.18, 1.14, 23, 0.0999),
    ("ATG-Soft", 40.41, 1.76, 1.31, 9, 0.0324),
    ("oigh", 53.62, 1.34, 1.30, 56, 0.0987),
    ("glove-sk", 444.12, 1.10, 1.36, 358, 0.0999),
    ("glove", 18.70, 0.81, 0.84, 23203, 0.0998),
    ("mondrian", 27.39, 0.95, 1.02, 688, 0.0),
    ("suppression", None, 0.33, 1.34, None, 0.3946),
    ("laplace_noise", None, 2.88, 6.78, None, -1.7092),
)
ATG_BIG = (
    ("ATG-Dual", 19.85, 0.72, 0.78, 111, 0.0992),
    ("ATG-Soft", 65.39, 1.07, 1.09, 32, 0.0154),
    ("oigh", 29.68, 1.10, 1.15, 985, 0.0979),
    ("glove-sk", 1361.51, 1.04, 1.25, 3376, 0.1000),
    ("mondrian", 25.19, 0.76, 0.85, 11541, 0.0),
    ("suppression", None, 0.49, 1.02, None, 0.59),
    ("laplace_noise", None, 2.87, 3.33, None, -0.8698),
)

# 001, table 6: data set, solver, seconds, G, E, "E (normalized)" (which the paper does not define), share suppressed.
ATG_DETAIL = (
    ("civ", "ATG-Dual", 5, 57.2, 1.72, 17.05, 0.100),
    ("civ", "ATG-Soft", 2, 74.4, 3.58, 18.10, 0.053),
    ("civ", "oigh", 11, 106.8, 1.79, 17.81, 0.099),
    ("civ", "glove", 394, 35.7, 1.01, 11.57, 0.100),
    ("civ", "glove-sk", 9, 542.9, 1.39, 16.81, 0.099),
    ("civ", "mondrian", 37, 52.0, 1.32, 13.40, 0.0),
    ("nyc", "ATG-Dual", 1, 4.7, 0.49, 4.75, 0.100),
    ("nyc", "ATG-Soft", 0, 9.1, 0.62, 6.38, 0.033),
    ("nyc", "oigh", 5, 7.0, 0.75, 7.05, 0.097),
    ("nyc", "glove", 282, 4.2, 0.52, 4.61, 0.100),
    ("nyc", "glove-sk", 9, 24.4, 0.70, 7.48, 0.100),
    ("nyc", "mondrian", 92, 7.5, 0.49, 6.26, 0.0),
    ("senegal", "ATG-Dual", 9, 17.4, 1.21, 12.00, 0.100),
    ("senegal", "ATG-Soft", 4, 43.5, 1.41, 14.28, 0.032),
    ("senegal", "oigh", 26, 26.2, 1.36, 13.48, 0.099),
    ("senegal", "glove", 15458, 16.0, 0.82, 8.66, 0.100),
    ("senegal", "glove-sk", 78, 667.6, 1.21, 15.10, 0.100),
    ("senegal", "mondrian", 333, 22.7, 0.96, 10.6, 0.0),
    ("senegal_big", "ATG-Dual", 15, 3.9, 0.17, 5.92, 0.098),
    ("senegal_big", "ATG-Soft", 5, 13.9, 0.53, 8.84, 0.011),
    ("senegal_big", "oigh", 54, 6.2, 0.79, 10.32, 0.095),
    ("senegal_big", "glove-sk", 340, 80.9, 0.68, 10.7, 0.100),
    ("senegal_big", "mondrian", 1979, 7.5, 0.41, 7.40, 0.0),
    ("senegal_crop", "ATG-Dual", 6, 13.6, 1.19, 11.95, 0.100),
    ("senegal_crop", "ATG-Soft", 1, 27.5, 1.31, 13.53, 0.030),
    ("senegal_crop", "oigh", 12, 32.7, 1.35, 13.67, 0.098),
    ("senegal_crop", "glove", 7067, 13.5, 0.82, 8.87, 0.100),
    ("senegal_crop", "glove-sk", 52, 508.0, 1.04, 15.10, 0.100),
    ("senegal_crop", "mondrian", 223, 20.4, 0.95, 10.63, 0.0),
    ("senegal_split", "ATG-Dual", 95, 16.0, 0.75, 9.76, 0.100),
    ("senegal_split", "ATG-Soft", 26, 83.5, 1.14, 13.5, 0.018),
    ("senegal_split", "oigh", 930, 19.7, 1.09, 12.68, 0.099),
    ("senegal_split", "glove-sk", 3023, 2304.5, 1.09, 14.41, 0.100),
    ("senegal_split", "mondrian", 9561, 20.2, 0.78, 9.66, 0.0),
)
PUBLISHED_NAME = {
    "atg-dual": "ATG-Dual",
    "atg-soft": "ATG-Soft",
    "oigh": "oigh",
    "glove": "glove",
    "glove-sk": "glove-sk",
    "mondrian": "mondrian",
    "suppression": "suppression",
    "laplace": "laplace_noise",
}
"""Our names of the solvers and theirs."""
