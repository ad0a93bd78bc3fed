"""What a protocol, method, check, exhibit, degradation or platform must offer to be found by the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.domain.crowd import ClientSettings, CrowdClient, Notice, NoticeParts
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Table
from steelyard.domain.judgement import Answer, FrameName, Said
from steelyard.domain.options import Option, own_options
from steelyard.domain.result import Analysis, CheckSettings, Fit, MethodSettings, Verdict
from steelyard.domain.scale import Scale
from steelyard.domain.work import ShownItem

if TYPE_CHECKING:
    import numpy as np
    import polars as pl


# What a protocol may show of an item.
TextRole = Literal["text", "reference", "source"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way of asking: what is shown, what may be answered, what an answer says.

    The protocol's `folder` holds `widget.js`, `widget.css`, `instructions/<language>.toml`,
    `example.toml` (a campaign file) and `README.md`.
    """

    name: str
    title: str
    cite: tuple[str, ...]
    attributes: tuple[str, ...]
    """What a campaign can ask for. Its ratings may have other attributes: `rows` names them."""
    scale: Scale | None
    """The scale of the ratings; None for a protocol that gives none."""
    presentation: Mapping[str, Any]
    """What moves ratings without being part of an answer, such as a line's width. Campaigns record it.

    `spans`: what a campaign's table of this name says where it is silent.
    """
    shows: Mapping[str, tuple[TextRole, ...]]
    """The texts a worker sees, by attribute."""
    seconds_per_item: Mapping[str, float]
    """How long one item takes a careful worker, by attribute: for estimates, plans and pay."""
    folder: Path
    answer_schema: Mapping[str, Any]
    """What an answer looks like, as JSON Schema (draft 7): an object."""
    check: Callable[[ShownItem, Answer], Answer]
    """The answer, cleaned: it fits the schema, then the item. Raises AnswerError naming the field."""
    rows: Callable[[ShownItem, Answer], Said]
    """What a checked answer says about the item's translations."""
    simulate: Callable[[ShownItem, Sequence[float], np.random.Generator], Answer]
    """(item; perceived quality of each translation as shown, 0 to 1; rng) -> a plausible answer."""
    gives: tuple[FrameName, ...] = ("ratings",)
    """The frames its rows belong to."""
    n_translations: int = 1
    """How many translations an item shows, where a campaign does not choose."""
    most_translations: int | None = None
    """The most that a campaign may choose to show at once, from one on; None: it cannot choose."""
    whole_documents: bool = False
    """In campaigns in document order the whole document is in view, what comes later included."""
    prefills: bool = False
    """A campaign brings errors that are already marked; the worker keeps, changes or removes each."""
    shuffles: bool = False
    """Whether each worker sees the translations of an item in a random order."""
    may_show: tuple[TextRole, ...] = ()
    """Texts that a campaign may choose to show with the translations, in place of those in `shows`."""
    degraded_as: Mapping[str, str] = field(default_factory=dict)
    """By attribute that no degradation names, one that suffers from the same damage, such as "overall"."""
    asks_agreement: bool = False
    """Workers say how far they agree with a statement, rather than how good something is."""
    examples_at: tuple[float, ...] = ()
    """Ratings for which a campaign must give an example each."""


def _fitting(
    cls: type[MethodSettings | CheckSettings], settings: MethodSettings | CheckSettings
) -> dict[str, Any]:
    """The values of settings that a class has fields for, those among `for_others` included."""
    known = {field.name for field in fields(cls)}
    given = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {name: value for name, value in (given | dict(settings.for_others)).items() if name in known}


@dataclass(frozen=True, slots=True)
class Method:
    """Turns ratings or preferences into scores.

    `reads`: the frames it can work from, the best first; `fit` gets the first one that a source has.
    `scale_free` claims that rescaling one worker changes nothing, few ratings aside. With fewer than
    `least_systems` `fit` raises NotEnoughData. `own_test`: differences between systems are tested by the
    method's own draws, or by the errors of its scores, which cluster by worker and document, whatever test
    the settings name. `draws_nothing`: nor are its intervals from draws. `weighs_workers`: it learns how far
    each worker can be trusted, so that nobody has to be left out. With both, the `sd` of its segments is
    their scores' uncertainty, and the weight of a worker is relative to the average one's. `settings`: the
    class of its settings, which declares the options that only this method and its kin have.
    """

    name: str
    title: str
    cite: tuple[str, ...]
    reads: tuple[FrameName, ...]
    scale_free: bool
    fit: Callable[[pl.DataFrame, Any, np.random.Generator], Fit]
    """(frame, settings of the method's class, rng) -> what it makes of the ratings."""
    settings: type[MethodSettings] = MethodSettings
    least_systems: int = 1
    own_test: Literal["draws", "errors"] | None = None
    weighs_workers: bool = False
    draws_nothing: bool = False
    in_points: bool = False
    """Its scores are points of the scale, as an expert's ratings are, rather than deviations."""
    mean_of: Literal["rating", "z"] | None = None
    """Its scores are plain means of this, for items as for systems."""
    drops: Literal["workers", "judgements"] | None = None
    """It scores from part of the judgements, leaving these out by what others or gold say."""
    votes: bool = False
    """Every worker has a vote of some weight in a score."""
    shifts: bool = False
    """It moves ratings off the points of the scale, so two no longer agree exactly."""
    links_items: bool = False
    """Its scores of single items can link campaigns: they rest neither on other items nor on known ones."""
    samples: bool = False
    """It samples: its scores have some random error whatever the ratings."""
    usual_for: FrameName | None = None
    """The frame for which it is the method used where none is asked for."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that not every method has."""
        return own_options(self.settings, MethodSettings)

    def test_name(self, settings: MethodSettings) -> str:
        """How it compares systems: the test asked for, or its own by "errors" of scores or by "draws"."""
        return self.own_test or settings.test

    def own_settings(self, settings: MethodSettings) -> MethodSettings:
        """Any settings as this method's own class: what it shares with theirs, and what was meant for it."""
        return (
            settings
            if isinstance(settings, self.settings)
            else self.settings(**_fitting(self.settings, settings))
        )


@dataclass(frozen=True, slots=True)
class Check:
    """One quality-control rule: a frame of ratings or preferences in, one verdict per worker out."""

    name: str
    title: str
    cite: tuple[str, ...]
    run: Callable[[pl.DataFrame, Any], list[Verdict]]
    """(frame, settings of the check's class) -> one verdict per worker of the frame, by worker_id."""
    reads: FrameName = "ratings"
    settings: type[CheckSettings] = CheckSettings
    """The class of its settings, which declares the options that only this check has."""
    is_usual: bool = False
    """It is the check used for the frame it reads where none is asked for."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options that not every check has."""
        return own_options(self.settings, CheckSettings)

    def own_settings(self, settings: CheckSettings) -> CheckSettings:
        """Any settings as this check's own class: what it shares with theirs, and what was meant for it."""
        return self.settings(**_fitting(self.settings, settings))


@dataclass(frozen=True, slots=True)
class ReportPlace:
    """Where the full report shows an exhibit: in which section, and in which order among all of them.

    `wanted`: whether an analysis has what it shows; where it has not, nobody misses it.
    """

    order: int
    section: str = "further"
    wanted: Callable[[Analysis], bool] = lambda _: True


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or a figure that people ask for by name.

    `several` says that it may be made from more than one source at once, one row or panel each.
    `of_everyone`: it looks at all ratings, whatever a check finds, so nobody has to pass.
    `runs_methods`: it runs methods beside that of the analysis, so their options matter to it.
    `of_spans`: it shows marked errors, and where nobody marked any, nobody misses it.
    `report`: its place in the full report, if it has one.
    `make` raises NotEnoughData, saying what is missing, where the sources cannot support it.
    """

    name: str
    title: str
    cite: tuple[str, ...]
    make: Callable[[Sequence[Evidence], ExhibitOptions], Table | Figure]
    several: bool = False
    of_everyone: bool = False
    runs_methods: bool = False
    of_spans: bool = False
    report: ReportPlace | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """Scores translations by comparing them with references; higher is better after `sign`.

    `segments(translations, references, target_language)` gives one score each, `corpus` one for all
    together, both as the metric's authors define them. `sign` is -1 for metrics that count errors.
    """

    name: str
    title: str
    cite: tuple[str, ...]
    segments: Callable[[Sequence[str], Sequence[str], str], list[float]]
    corpus: Callable[[Sequence[str], Sequence[str], str], float]
    signature: Callable[[str], str]
    """(target_language) -> one line from which a stranger can compute the same scores."""
    sign: int = 1


@dataclass(frozen=True, slots=True)
class Degradation:
    """A way of damaging a text so that quality drops for sure but not at a glance.

    Offered for an attribute by `attributes`; where several are, the one with `is_default` is taken
    unless the campaign names another.
    """

    name: str
    title: str
    cite: tuple[str, ...]
    attributes: tuple[str, ...]
    is_default: bool
    damage: Callable[[str], Damage]
    """How texts in this language (a code such as "en" or "zh-Hant") are damaged."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A degradation made ready for one language."""

    is_eligible: Callable[[str], bool]
    is_preferred: Callable[[str], bool]
    """Eligible without reserve; the merely eligible are taken only where nothing better is at hand."""
    degrade: Callable[[str, str, Sequence[str], np.random.Generator], str | None]
    """(text, its reference, texts of other documents to borrow from, rng) -> a damaged copy, or None if
    it will not go."""


@dataclass(frozen=True, slots=True)
class PostBack:
    """How a platform holds our pages in a frame of its own, and takes back a finished set.

    Origins are such as "https://www.example.org": scheme and host, without a path.
    """

    frame_origins: tuple[str, ...]
    """Whose pages may hold ours."""
    submit_origins: tuple[str, ...]
    """Where a finished set may be posted to."""
    submit_parameter: str
    """The parameter of the address that says to which of them."""
    submit_path: str
    session_field: str
    """The field of the form with the id of the session."""
    preview_session: str
    """The id of the session of those who only look."""


@dataclass(frozen=True, slots=True)
class Platform:
    """Where workers come from. `entry_url(base_url, token)` is the address one worker opens.

    A platform with `tells_ids` sends people to the open link and says in parameters of the address who comes,
    for which study and in which session. A campaign may name other parameters and ask for other ids.
    """

    name: str
    title: str
    entry_url: Callable[[str, str], str]
    tells_ids: bool = False
    id_parameter: str | None = None
    """The parameter with the participant's id; None: the campaign must name it."""
    study_parameter: str | None = None
    session_parameter: str | None = None
    id_pattern: str | None = None
    """What a whole id looks like, as a regular expression; None: letters, digits and a few signs."""
    placeholders: Mapping[str, str] = field(default_factory=dict)
    """By parameter, what the platform replaces in an address; it adds other parameters by itself."""
    client: Callable[[ClientSettings], CrowdClient] | None = None
    """Makes what talks to the platform; None: what is done there is done by hand."""
    refills_rejected: bool = True
    """The place of somebody who is rejected goes to others by itself."""
    finds_keys: bool = False
    """Its own library finds the keys, so none is given to `client`."""
    setting_problems: Callable[[Mapping[str, Any]], Sequence[str]] | None = None
    """What is wrong with a campaign's settings for this platform; None: it takes none."""
    least_message: int = 0
    """Letters that the reason for a rejection must have there."""
    rejection_categories: tuple[str, ...] = ()
    """By which of them a rejection is recorded there; empty: there are none."""
    notice_in: Callable[[NoticeParts], Notice] | None = None
    """What the platform tells us by itself, once its signature is found right; None: it never does.

    PlatformError for a signature that is wrong or too old.
    """
    posts_back: PostBack | None = None
    """How its pages hold ours in a frame, where a finished set is posted back to it; None: it is not."""
    completion_url: str | None = None
    """Where those go back to who have finished, with {code} for the code; None: the campaign must say."""
