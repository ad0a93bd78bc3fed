"""`steelyard emulate`: a small stand-in for a crowd platform on this machine."""

from __future__ import annotations

import click

from steelyard.cli.options import MoneyAmount, port_option, seed_option

_SHARE = click.FloatRange(0, 1)


@click.command()
@click.argument("platform", metavar="PLATFORM")
@port_option
@click.option("--currency", metavar="CODE", help="Currency of the account.  [default: the platform's]")
@click.option(
    "--balance", type=MoneyAmount(), default=10_000, show_default=True, help="Money in the account."
)
@click.option("--fee", type=_SHARE, help="Share that the platform takes on top.  [default: the platform's]")
@click.option("--throttle", type=_SHARE, default=0.0, help="Share of requests that are told to wait.")
@click.option(
    "--trouble", type=_SHARE, default=0.0, help="Share of requests that fail before anything is done."
)
@click.option("--lose", type=_SHARE, default=0.0, help="Share of replies that get lost after acting.")
@seed_option
def emulate(
    platform: str,
    port: int | None,
    currency: str | None,
    balance: float,
    seed: int,
    **shares: float | None,
) -> int:
    """Run a stand-in for a crowd platform, until you stop it with Ctrl-C.

    Every command talks to it instead of the platform if you set the variables that it prints. It forgets
    everything when it ends. Look at its page: the address with /emulator/ at its end. What it does, and where
    each behaviour is documented: docs/reference/emulators.md.
    """
    from steelyard.cli.listening import listening_at
    from steelyard.emulators import emulator_of
    from steelyard.emulators.faults import Faults
    from steelyard.emulators.offer import EmulatorSettings
    from steelyard.emulators.serving import serve_until_stopped

    offered = emulator_of(platform)
    fee = shares.pop("fee")
    faults = Faults()
    faults.change({name: value for name, value in shares.items() if value})
    settings = EmulatorSettings(
        balance=round(100 * balance), currency=currency, fee=fee, seed=seed, faults=faults
    )
    listening = listening_at("127.0.0.1", port)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    click.echo(f"A stand-in for {offered.title} is at {url}/emulator/")
    for name, value in offered.environment.items():
        click.echo(f"export {name}={value.format(url=url, token=settings.token)}")
    serve_until_stopped(offered.create_app(settings), listening)
    return 0
