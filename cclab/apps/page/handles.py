"""What the cells of a notebook that follow a page make use of: its session, labels, table and selection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import pandas as pd

from cclab.session import Session
from cclab.widgets.model.desk import Desk


class Handles:
    """The handles of a page.

    Attributes
    ----------
    desk : Desk
    """

    desk: Desk

    @property
    def session(self) -> Session:
        """The session that is open on the page now."""
        return self.desk.session

    @property
    def labels(self) -> pd.Series:
        """The cluster of each row of the data, from 0, as `session.labels`; with the index of the table they came from.

        Examples
        --------
        >>> from cclab.apps import workbench
        >>> page = workbench(pd.DataFrame({"x": [0.0, 0.1, 9.0], "y": [0.0, 0.2, 9.1]}, index=["a", "b", "c"]))
        >>> page.labels.index.tolist()
        ['a', 'b', 'c']
        >>> page.close()
        """
        return pd.Series(self.session.labels, index=self._index, name="cluster")

    @property
    def frame(self) -> pd.DataFrame:
        """The original table with a column `cluster` and the degrees; see `Session.to_frame`."""
        return self.session.to_frame()

    @property
    def selection(self) -> pd.Index:
        """What is selected on the page now, by the index of the table: ``df.loc[page.selection]``.

        Data that came without a table (an array, a named set) are indexed by position.
        """
        return self._index[self.desk.selection]

    @property
    def _index(self) -> pd.Index:
        """The rows of the table that the samples came from."""
        return self.session.data.index

    def on_change(self, callback: Callable[[Self], object]) -> Callable[[], None]:
        """Call ``callback(page)`` whenever labels, statements or the selection have changed, or other data are open.

        Returns
        -------
        callable
            Call it to hear no more.
        """

        def safely(*_: object) -> None:
            try:
                callback(self)
            except Exception as error:  # someone else's mistake must not stop the page
                self.desk.view_failed(error)

        self.desk.changed.connect(safely)
        self.desk.selected.connect(safely)

        def stop() -> None:
            self.desk.changed.disconnect(safely, missing_ok=True)
            self.desk.selected.disconnect(safely, missing_ok=True)

        return stop
