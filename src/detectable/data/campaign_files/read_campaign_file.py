"""The texts of a campaign that another tool, or ours, has written down."""

from collections.abc import Sequence

from detectable.core.errors import DataError
from detectable.data.campaign_files.campaign_texts import CampaignTexts
from detectable.data.campaign_files.read_appraise_batches import (
    is_appraise_batches,
    read_appraise_batches,
)
from detectable.data.campaign_files.read_pearmut_campaign import (
    is_pearmut_campaign,
    read_pearmut_campaign,
)
from detectable.data.campaign_files.read_task_table import is_task_table, read_task_table
from detectable.data.files.content import FileContent
from detectable.data.files.place import FilePath

_READERS = (
    (is_pearmut_campaign, read_pearmut_campaign),
    (is_appraise_batches, read_appraise_batches),
    (is_task_table, read_task_table),
)


def read_campaign_file(
    path: FilePath, *, systems: Sequence[str] | None = None
) -> CampaignTexts:
    """Read a campaign of Pearmut, batches of Appraise or the table of ``detectable tasks``.

    Parameters
    ----------
    path : path
        The file; what it holds tells its format.
    systems : sequence of str, optional
        Which systems to take. Default: all.
    """
    content = FileContent.of(path)
    for recognise, read in _READERS:
        if recognise(content):
            return read(content, systems=systems)
    raise DataError(
        f"{path}: this is no campaign that can be read. Known are campaigns of Pearmut (JSON with "
        "data), batches of Appraise (JSON with items and task) and tasks.csv of detectable tasks."
    )
