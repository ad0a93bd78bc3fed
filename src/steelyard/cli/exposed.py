"""A warning where other users of the machine may read the secret of the links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from steelyard.flows.open import OpenCampaign


def warn_of_exposed_secrets(campaigns: Iterable[OpenCampaign]) -> None:
    """Name each file that holds a secret and that others may read."""
    from steelyard.flows.secrets import exposed_secret

    for file in dict.fromkeys(filter(None, map(exposed_secret, campaigns))):
        click.echo(
            f"Warning: other users of this machine may read {file}, and open every link with it. "
            f"Run `chmod 600 {file}`; if somebody did, end all links with `steelyard links DB --renew-all`.",
            err=True,
        )
