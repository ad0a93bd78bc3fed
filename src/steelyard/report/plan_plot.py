"""A plan as a picture: what money buys, how sure that is, and where the plan lies."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from steelyard.planning.plan import Plan
from steelyard.report.plan import goal_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Blue and vermilion of Okabe and Ito, which colour-blind readers can tell apart and grey print too.
_CURVE_COLOUR, _PLAN_COLOUR, _INK, _FAINT = "#0072B2", "#D55E00", "#333333", "#777777"
_TITLE_WIDTH = 95
_Y_LABELS = {
    "difference": "Smallest difference found, in standard deviations",
    "reliability": "Reliability of segment scores",
}


def draw(plan: Plan, path: Path) -> None:
    """Write the plot to a .png or .svg file, 8 x 5 inches."""
    # Matplotlib comes with the extra `plots`; figures without pyplot leave no state behind.
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    # The strip at the bottom is for the note on pay.
    figure = Figure(figsize=(8, 5), layout=ConstrainedLayoutEngine(rect=(0, 0.035, 1, 0.965)))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _curve(axes, plan)
    _mark(axes, plan)
    _dress(axes, plan)
    figure.text(0.99, 0.005, _pay_note(plan), ha="right", va="bottom", fontsize=8.5, color=_pay_colour(plan))
    # The same plan gives the same file.
    with rc_context({"svg.hashsalt": "steelyard"}):
        svg = path.suffix.lower() == ".svg"
        figure.savefig(path, dpi=150, metadata={"Date": None} if svg else {"Software": None})


def _curve(axes: Axes, plan: Plan) -> None:
    """The measure over money, with the band that the unknown pass rate leaves."""
    money = [point.outlay.cost for point in plan.curve]
    fewer, more = (_known([getattr(point, end) for point in plan.curve]) for end in ("at_low", "at_high"))
    band = f"{_percent(plan.at_low.pass_rate)} to {_percent(plan.at_high.pass_rate)} kept"
    axes.fill_between(money, fewer, more, color=_CURVE_COLOUR, alpha=0.18, linewidth=0, label=band)
    axes.plot(
        money,
        _known([point.expected for point in plan.curve]),
        color=_CURVE_COLOUR,
        linewidth=2,
        label=f"{_percent(plan.expected.pass_rate)} of the ratings kept (expected)",
    )


def _mark(axes: Axes, plan: Plan) -> None:
    """The plan on the curve with its range: of money for a goal, of precision for a budget."""
    outlay, reached = plan.expected.outlay, getattr(plan.expected.precision, plan.measure)
    ends = (plan.at_low, plan.at_high)
    words = f"{outlay.hits:,} HITs, {outlay.hours:,.1f} h, {outlay.cost:,.2f}"
    rises = plan.measure == "reliability"
    if reached is None:
        # Too few ratings for any reliability: the money alone can be shown.
        axes.axvline(outlay.cost, color=_PLAN_COLOUR, linewidth=1.5)
        axes.annotate(
            words, (outlay.cost, 0.5), xytext=(8, 0), textcoords="offset points", color=_PLAN_COLOUR
        )
        return
    if plan.ratings_wanted is None:
        reach = _known([getattr(end.precision, plan.measure) for end in ends])
        axes.plot([outlay.cost, outlay.cost], reach, color=_PLAN_COLOUR, linewidth=2)
    else:
        axes.plot([end.outlay.cost for end in ends], [reached, reached], color=_PLAN_COLOUR, linewidth=2)
    axes.plot(
        [outlay.cost],
        [reached],
        "o-",
        color=_PLAN_COLOUR,
        markersize=9,
        zorder=5,
        label="the plan, with its range",
    )
    axes.annotate(
        f"{words}\n{plan.measure} {reached:.3f}",
        (outlay.cost, reached),
        xytext=(16, -18 if rises else 18),
        textcoords="offset points",
        va="top" if rises else "bottom",
        color=_PLAN_COLOUR,
        fontsize=10,
    )


def _dress(axes: Axes, plan: Plan) -> None:
    """Scales, labels and the legend; HITs along the top."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    per_hit = plan.setup.terms.cost_per_hit
    title = "\n".join(fill(line, _TITLE_WIDTH) for line in (plan.title, goal_words(plan)))
    axes.set_title(title, loc="left", color=_INK, fontsize=10.5, pad=10)
    axes.set_xlabel("Money, fee included")
    axes.set_ylabel(_Y_LABELS[plan.measure])
    axes.set_xlim(0, plan.curve[-1].outlay.cost)
    axes.set_ylim(bottom=0, top=1 if plan.measure == "reliability" else None)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines["right"].set_visible(False)

    def to_hits(cost: Any) -> Any:
        return cost / per_hit

    def to_money(hits: Any) -> Any:
        return hits * per_hit

    hits = axes.secondary_xaxis("top", functions=(to_hits, to_money))
    hits.set_xlabel("HITs")
    hits.xaxis.set_major_locator(MaxNLocator(integer=True))
    hits.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.legend(
        loc="lower right" if plan.measure == "reliability" else "upper right",
        frameon=False,
        labelcolor=_INK,
        fontsize=9.5,
    )


def _pay_note(plan: Plan) -> str:
    terms = plan.setup.terms
    note = f"Pay: {terms.pay_per_hit:,.2f} per HIT, {terms.hourly_pay:,.2f} an hour"
    if plan.pays_too_little:
        return f"{note}, BELOW the minimum of {plan.setup.minimum_wage:,.2f}"
    return f"{note} (minimum {plan.setup.minimum_wage:,.2f})"


def _pay_colour(plan: Plan) -> str:
    return _PLAN_COLOUR if plan.pays_too_little else _INK


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _known(values: list[float | None]) -> list[float]:
    return [float("nan") if value is None else value for value in values]
