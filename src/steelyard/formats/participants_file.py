"""Lists of participants: their ids on a platform, one a line or in a table."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.spreadsheet import from_cell
from steelyard.formats.table_file import read_table
from steelyard.formats.text_file import read_text

# How tables name the column, ours and those that platforms write.
COLUMNS = ("participant_id", "participant id", "participantid", "prolific_pid", "id")
TABLES = (".csv", ".tsv")


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
