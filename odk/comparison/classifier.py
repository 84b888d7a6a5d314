"""Utility as 004 (section 3.2) measures it: can the sensitive column still be guessed from the others?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.errors import InputError
from odk.ipf import categories

FOLDS = 10
_PENALTY = 1e4  # hardly any: without it, the coefficient of a category with few records runs away


@dataclass(frozen=True)
class Prediction:
    """How well a logistic regression guesses, over all folds."""

    sensitivity: float
    """Of those who have the sensitive value, the share found."""
    specificity: float
    """Of those who have not, the share found."""

    @property
    def balanced_accuracy(self) -> float:
        """The mean of both; 0.5 is guessing."""
        return (self.sensitivity + self.specificity) / 2


def cross_validate(
    table: pd.DataFrame, target: str, positive: str, *, test: pd.DataFrame | None = None, seed: int = 0
) -> Prediction:
    """Ten-fold logistic regression of `target` on dummies of all other columns.

    With `test`, records of the same columns: trained on all of `table`, tried on all of `test`.
    """
    from sklearn.linear_model import LogisticRegression  # here, because it takes a second that no other part needs
    from sklearn.model_selection import StratifiedKFold

    x, y = _dummies(table, target, test), _target(table, target, positive)
    if test is not None:
        model = LogisticRegression(C=_PENALTY, max_iter=1000).fit(x[: len(table)], y)
        return _score(_target(test, target, positive), model.predict(x[len(table) :]))
    least = int(min(y.sum(), (~y).sum()))
    if least < FOLDS:
        raise InputError(f"{target} must have both values at least {FOLDS} times; one has {least}")
    guess = np.zeros(len(y), dtype=bool)
    for train, held in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(x, y):
        guess[held] = LogisticRegression(C=_PENALTY, max_iter=1000).fit(x[train], y[train]).predict(x[held])
    return _score(y, guess)


def _target(table: pd.DataFrame, target: str, positive: str) -> npt.NDArray[np.bool_]:
    return (table[target].astype(str) == positive).to_numpy(dtype=bool)


def _dummies(table: pd.DataFrame, target: str, test: pd.DataFrame | None) -> npt.NDArray[np.float64]:
    """One column for every category but the first, of every column but the target."""
    both = table if test is None else pd.concat([table.astype(str), test[table.columns].astype(str)])
    parts = []
    for name in both.columns:
        if name != target:
            codes, names = categories(both[name])
            parts.append(codes[:, None] == np.arange(1, len(names)))
    return np.concatenate(parts, axis=1).astype(np.float64)


def _score(truth: npt.NDArray[np.bool_], guess: npt.NDArray[np.bool_]) -> Prediction:
    return Prediction(float(guess[truth].mean()), float((~guess[~truth]).mean()))
