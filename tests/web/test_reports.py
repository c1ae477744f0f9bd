"""The report of a campaign for programs."""

import asyncio
import json
import math
from typing import Any

import pytest

pytest.importorskip("starlette")

from detectable.web import reports
from tests.report import results


def test_what_is_no_number_is_null_and_names_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = results.concluded(system="NaNo-7B", p_value=math.nan)
    conclusion = results.conclusion(pairs=(pair,))

    async def found(_: Any) -> Any:
        return {"name": "ship"}, conclusion

    monkeypatch.setattr(reports, "_report", found)
    answer = asyncio.run(reports.report_json(None))  # type: ignore[arg-type]
    told = json.loads(bytes(answer.body), parse_constant=pytest.fail)  # no NaN, no Infinity
    (said,) = told["conclusion"]["pairs"]
    assert (said["system"], said["p_value"]) == ("NaNo-7B", None)
    assert told["campaign"] == {"name": "ship"}
