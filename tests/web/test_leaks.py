"""What goes wrong is logged, and what opens something is not."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from steelyard.domain.errors import SourceError

TOKEN = "M01-" + "x" * 32
PATHS = ["/w/{0}", "/join/{0}", "/m/{0}", "/m/{0}/report", "/m/{0}/report?link={0}", "/api/v1/campaign?m={0}"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", [SourceError, RuntimeError])
def test_no_token_is_logged_when_the_database_fails(
    site: Any,
    path: str,
    kind: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise SourceError("eval.db", ["it is gone."]) if kind is SourceError else RuntimeError("it is gone")

    monkeypatch.setattr("steelyard.flows.links.stored.door", fail)
    with caplog.at_level(logging.DEBUG):
        reply = site.client.get(path.format(TOKEN), headers={"Authorization": f"Bearer {TOKEN}"})

    assert reply.status_code in (500, 503)
    # The client of tests logs the addresses that it asks for; it is not the server.
    ours = [record for record in caplog.records if not record.name.startswith("http")]
    assert ours or kind is RuntimeError
    assert TOKEN not in "\n".join(logging.Formatter().format(record) for record in ours)
    assert TOKEN not in reply.text


def test_an_error_of_the_database_names_no_token(site: Any) -> None:
    with site.campaign.store.read() as connection, pytest.raises(OperationalError) as caught:
        connection.exec_driver_sql("SELECT ? FROM nowhere", (TOKEN,))

    assert TOKEN not in str(caught.value)
