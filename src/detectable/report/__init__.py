"""Layer report: results to text, tables and pages."""

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from detectable.report.several import Report


class _Layer(ModuleType):
    """The layer and the function of one name.

    Python binds a package to its name in the package above, so that ``detectable.report`` is this
    module as soon as anything of the layer is imported. Called, it does what people mean by it.
    """

    def __call__(
        self, *results: Any, title: str = "", names: Sequence[str] | None = None
    ) -> "Report":
        from detectable.report.several import report

        return report(*results, title=title, names=names)


sys.modules[__name__].__class__ = _Layer
