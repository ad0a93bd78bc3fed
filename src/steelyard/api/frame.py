"""Data frames that the interface returns: Polars frames that become pandas frames without pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    import pandas as pd

# What people do with a frame before they hand it on; its result can become a pandas frame as well.
_GIVE_A_FRAME = (
    *("drop", "drop_nulls", "filter", "join", "rename", "select", "sort", "unique", "with_columns"),
)


class Frame(pl.DataFrame):
    """A Polars data frame whose `to_pandas` needs pandas and nothing else.

    >>> Frame({"system_id": ["x", "y"], "rank": [1, None]}).to_pandas()["rank"].tolist()
    [1.0, nan]
    """

    def to_pandas(self, *args: Any, use_pyarrow_extension_array: bool = False, **kwargs: Any) -> pd.DataFrame:
        """The same rows as a pandas frame: null is NaN in numbers, NaT in times and None elsewhere.

        >>> frame = Frame({"system_id": ["x", "y"], "score": [0.5, -0.5]})
        >>> frame.filter(pl.col("score") > 0).to_pandas().to_dict("records")
        [{'system_id': 'x', 'score': 0.5}]
        """
        if use_pyarrow_extension_array or args or kwargs:
            return super().to_pandas(*args, use_pyarrow_extension_array=use_pyarrow_extension_array, **kwargs)
        import pandas as pd

        return pd.DataFrame({column.name: _as_pandas(column) for column in self})


def _as_pandas(column: pl.Series) -> Any:
    """One column as pandas takes it."""
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pl.Datetime):
        times = pd.Series(column.dt.replace_time_zone(None).to_numpy())
        if kind.time_zone is None:
            return times
        in_utc = pd.Series(column.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy())
        return in_utc.dt.tz_localize("UTC").dt.tz_convert(kind.time_zone)
    if isinstance(kind, pl.Categorical | pl.Enum):
        return pd.Categorical(column.to_list())
    if kind.is_numeric() or kind == pl.Duration or (kind == pl.Boolean and not column.null_count()):
        return column.to_numpy()
    return pd.Series(column.to_list(), dtype=object)


def _kept(name: str) -> Callable[..., Frame]:
    """A method of Polars frames that gives one of ours."""
    method = getattr(pl.DataFrame, name)

    @wraps(method)
    def changed(self: Frame, *args: Any, **kwargs: Any) -> Frame:
        return Frame(method(self, *args, **kwargs))

    return changed


for _name in _GIVE_A_FRAME:
    setattr(Frame, _name, _kept(_name))


def framed(value: Any) -> Any:
    """A value as the interface returns it: data frames as `Frame`, all else as it is."""
    return Frame(value) if isinstance(value, pl.DataFrame) else value
