"""Lists of participants: their ids on a platform, one a line or in a table."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.participants import Participant
from steelyard.domain.spreadsheet import from_cell
from steelyard.formats.people_file import people_csv
from steelyard.formats.table_file import read_table
from steelyard.formats.text_file import read_text

# How tables name the column, ours and those that platforms write.
COLUMNS = ("participant_id", "participant id", "participantid", "prolific_pid", "id")
TABLES = (".csv", ".tsv")
WRITTEN = (
    *("participant_id", "worker_id", "platform", "study_id", "session_id"),
    *("joined_at", "hits", "judged", "is_blocked", "agreed_at", "consent_version", "withdrew_at"),
)


def read_participant_ids(path: Path) -> list[str]:
    """The ids in a table with a column for them, or in a plain list of one a line; each once.

    SourceError if there is no such column, or nobody in it.
    """
    if path.suffix.lower() in TABLES:
        table = read_table(path)
        names = {name.strip().casefold(): name for name in table.columns}
        column = next((names[name] for name in COLUMNS if name in names), None)
        if column is None:
            problem = 'there is no column "participant_id"; the first line names the columns.'
            raise SourceError(str(path), [problem])
        cells = [from_cell(cell or "") for cell in table.columns[column]]
    else:
        cells = read_text(path).splitlines()
    found = list(dict.fromkeys(cell.strip() for cell in cells if cell.strip()))
    if not found:
        raise SourceError(str(path), ["there is no id in it; write one a line."])
    strange = next((each for each in found if any(sign.isspace() or sign in ",;" for sign in each)), None)
    if strange is not None:
        problem = f"{strange[:60]!r} is no id: write one a line, or name the file .csv if it is a table."
        raise SourceError(str(path), [problem])
    return found


def participants_csv(participants: Iterable[Participant]) -> str:
    """Participants as a table with a row for each session of theirs on the platform, or one without."""
    rows = [
        {
            "participant_id": each.participant_id or "",
            "worker_id": each.worker_id,
            "platform": each.platform,
            "study_id": session.study_id if session else "",
            "session_id": session.session_id if session else "",
            "joined_at": _moment(each.joined_at),
            "hits": str(each.hits),
            "judged": str(each.judged),
            "is_blocked": str(each.is_blocked).lower(),
            "agreed_at": _moment(each.agreed_at),
            "consent_version": each.consent_version or "",
            "withdrew_at": _moment(each.withdrew_at),
        }
        for each in participants
        for session in each.sessions or (None,)
    ]
    return people_csv(rows, WRITTEN)


def _moment(time: datetime | None) -> str:
    return "" if time is None else time.isoformat(timespec="seconds")
