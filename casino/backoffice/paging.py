"""Pages of a list that may have millions of rows: never counts, and never skips, more than it says."""

from typing import TYPE_CHECKING, Any, Final

from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from casino.backoffice.opening import open_rows

if TYPE_CHECKING:
    Pages = Paginator[Any]
else:
    Pages = Paginator

MOST: Final = 10_000
"""Rows that a list counts and pages through; what is older is found by searching and filtering."""


class CappedPaginator(Pages):
    """Counts up to MOST rows and stops there."""

    template_name = "admin/casino/pagination.html"

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        if not isinstance(rows, QuerySet):
            return len(rows)
        return rows.order_by().values("pk")[: MOST + 1].count()

    @cached_property
    def count(self) -> int:
        """Return the number of rows that the pages reach, at most MOST."""
        return min(self._counted, MOST)

    @property
    def is_capped(self) -> bool:
        """Tell whether there are more rows than the pages reach."""
        return self._counted > MOST


class CountedList(ChangeList):
    """A list whose header does not offer a total that nobody counted."""

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page, open what is sealed on it, and take what was counted for all there is."""
        super().get_results(request)
        self.full_result_count = self.result_count
        open_rows(self.result_list)
