"""Tables of failing cells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from odk.auditing._result import FAILING


def failing_cells(
    cells: pd.DataFrame,
    bad: npt.NDArray[np.bool_],
    measure: str,
    value: npt.ArrayLike,
    threshold: npt.ArrayLike,
) -> pd.DataFrame:
    """The cells marked bad, worst first. `value` and `threshold` are per cell (or one for all), natural units."""
    which = np.flatnonzero(bad)
    values = np.broadcast_to(np.asarray(value, dtype=np.float64), len(cells))[which]
    wanted = np.broadcast_to(np.asarray(threshold, dtype=np.float64), len(cells))[which]
    table = pd.DataFrame(
        {
            "cell": which.astype(np.int64),
            "origin": cells["origin"].to_numpy()[which],
            "destination": cells["destination"].to_numpy()[which],
            "measure": pd.array([measure] * len(which), dtype="str"),
            "value": values,
            "threshold": wanted,
            "shortfall": np.round(np.abs(wanted - values), 6),
        }
    )[list(FAILING)]
    return table.sort_values(["shortfall", "cell"], ascending=[False, True]).reset_index(drop=True)


def failing_zones(
    cells: pd.DataFrame, end: str, zones: npt.NDArray[np.int64], measure: str, value: npt.ArrayLike, threshold: float
) -> pd.DataFrame:
    """Zones of one axis (codes) that fall short over all their flows: `cell` is -1 and the other end `all`."""
    first = cells.drop_duplicates(f"{end} zone").set_index(f"{end} zone")[end]
    names = {side: pd.Series(["all"] * len(zones), dtype="str") for side in ("origin", "destination")}
    names[end] = pd.Series(first.reindex(zones).to_numpy(), dtype="str")
    values = np.asarray(value, dtype=np.float64)
    table = pd.DataFrame(
        {
            "cell": np.full(len(zones), -1, dtype=np.int64),
            **names,
            "measure": pd.array([measure] * len(zones), dtype="str"),
            "value": values,
            "threshold": np.full(len(zones), float(threshold)),
            "shortfall": np.round(np.abs(threshold - values), 6),
        }
    )[list(FAILING)]
    return table.sort_values(["shortfall", end], ascending=[False, True]).reset_index(drop=True)
