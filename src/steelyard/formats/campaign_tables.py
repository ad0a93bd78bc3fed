"""The tables and keys of a campaign file, each with its meaning, for reader, editors and reference."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from steelyard.domain.campaign import ItemOrder, LayoutName, Partition
from steelyard.domain.running import Rules
from steelyard.formats.campaign_entry_tables import ConsentTable, QuestionTable, TrainingTable
from steelyard.formats.campaign_entry_tables import TargetTable as TargetTable
from steelyard.formats.campaign_keys import Day, Finite, Name, Number, StrictKeys, Text, WebAddress
from steelyard.formats.campaign_platform import PlatformTable
from steelyard.formats.campaign_spans import SpansTable

# Of a system's name: more would not fit into any table of results.
MOST_LETTERS = 100
USUAL_RULES = Rules()
# More than anyone needs, and far less than a date or a database can take: a year; a million; a billion, which
# is much even where an hour costs a hundred thousand; a university behind one address [our choices].
LONGEST_LEASE = 365 * 24 * 60
MOST_HITS = 1_000_000
MOST_PAY = 1e9
MOST_OF_ADDRESS = 10_000

# What crowd platforms take for a code.
Code = Annotated[str, Field(pattern=r"^[!-~]{1,100}$")]

TextsFormat = Literal["table", "wmt-xml", "mt-metrics-eval", "appraise", "pearmut", "anthea"]


class CampaignTable(StrictKeys):
    """What is judged, in which languages."""

    name: Name = Field(
        description="Short name for files and the signature: letters, digits, dots, dashes, underscores."
    )
    title: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")] = Field(
        description="The heading workers see. Say here who should take part."
    )
    protocol: str = Field(description="How workers are asked; `steelyard protocols` lists the choices.")
    attribute: str = Field(description="What they judge, such as adequacy or fluency.")
    source_language: str = Field(description="Code of the source language, such as de, pt-BR or hsb.")
    target_language: str = Field(
        description="Code of the language of the translations and of the instructions."
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] = Field(default=7, description="Seed of everything random.")


class ColumnsTable(StrictKeys):
    """Which columns of a table hold what, where their names do not say so."""

    segment: Text | None = Field(default=None, description="Column with the name of the segment.")
    system: Text | None = Field(default=None, description="Column with the name of the system (long tables).")
    translation: Text | None = Field(default=None, description="Column with the translation (long tables).")
    document: Text | None = Field(default=None, description="Column with the name of the document.")
    source: Text | None = Field(default=None, description="Column with the source text.")
    reference: Text | None = Field(default=None, description="Column with the human reference.")


class TextsTable(StrictKeys):
    """Where the texts are: plain files of one segment per line, or one file or folder with everything."""

    source: Text | None = Field(
        default=None,
        description="File with the source text, one segment per line. Needed where workers see it.",
    )
    reference: Text | None = Field(
        default=None,
        description="File with the human reference, one segment per line; with `file`, the name of the "
        "reference to take where there are several, such as refA. Needed where workers see it and for "
        "controls of the kind reference.",
    )
    documents: Text | None = Field(
        default=None,
        description="File with the document each line belongs to. Without it every segment stands alone.",
    )
    file: Text | None = Field(
        default=None,
        description="One file or folder that holds the texts of all systems, in place of plain files.",
    )
    format: TextsFormat | None = Field(
        default=None, description="What `file` is. Usually clear from its ending and first lines."
    )
    columns: ColumnsTable = Field(
        default_factory=ColumnsTable, description="Columns of a table, by what they hold."
    )
    first: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Use only the first this many segments, for a trial or a pilot; `steelyard extend` adds "
        "others later.",
    )
    hits: Text | None = Field(
        default=None,
        description='HITs that are already laid out, in the upload layout of 2016; sets order = "given".',
    )
    media: Text | None = Field(
        default=None,
        description="Folder with the pictures, sound and films that sources show by name; needs "
        "[presentation] source_markup.",
    )
    incomplete: bool = Field(
        default=False,
        description="Systems may lack translations of some segments. An empty line, or an empty cell of a "
        "wide table, then means that there is no translation, not an empty one.",
    )


class SystemTable(StrictKeys):
    """One block per system. Workers never see the names."""

    name: Annotated[str, Field(min_length=1, max_length=MOST_LETTERS)] = Field(
        description="The system's name in results; with [texts] file, its name there."
    )
    translations: Text | None = Field(
        default=None, description="File with its translations, one segment per line (plain files only)."
    )
    is_human: bool = Field(default=False, description="A person made these translations.")
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        default=1.0,
        description="How much of it is judged, relative to the other systems: at 0.5, half as many of its "
        "translations in each round as at 1.",
    )


class QuotaTable(StrictKeys):
    """Items of each kind in a HIT, apart from regular ones. Kinds left out have none.

    In document order the numbers are proportions: control documents make up a quarter of a HIT.
    """

    degraded: Number = Field(
        default=0,
        description="Damaged copies of other items of the HIT: 5 or more; with none, no worker is tested.",
    )
    repeat: Number = Field(default=0, description="The same texts once more.")
    reference: Number = Field(
        default=0, description="The human reference in place of a system's translation."
    )
    calibration: Number = Field(
        default=0, description="Texts of known score, as [calibration] per_hit; one of the two is enough."
    )


class DesignTable(StrictKeys):
    """How texts become HITs."""

    hit_size: Annotated[int, Field(ge=1, le=10_000)] = Field(
        default=100, description="Items in one HIT, controls included."
    )
    ratings_per_item: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=1, description="How often each translation is judged, each time by a different worker."
    )
    layout: LayoutName = Field(
        default="2014",
        description="How far a control is from its base: always half a HIT (2014), or nearly so (2013).",
    )
    order: ItemOrder | None = Field(
        default=None,
        description="How items follow one another: shuffled within groups, so that controls stay far from "
        "their bases (grouped); shuffled throughout (free); whole documents of one system (documents); as a "
        "file has laid them out (given). Without it: given if there are such HITs, else grouped.",
    )
    translations_per_item: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="How many translations of a segment workers see at once, for protocols that leave the "
        'choice to you, such as esa-contrastive: from 3 on only with order = "documents". Without it: '
        "what is usual for the protocol.",
    )
    groups: Annotated[int, Field(ge=2)] | None = Field(
        default=None, description="Groups in a HIT, an even number that divides it. Without it: about ten."
    )
    partition: Partition = Field(
        default="new",
        description="Where second and later ratings of an item come from: new HITs in every round (new), or "
        "the same HITs given to several workers (fixed).",
    )
    degradation: Text | None = Field(
        default=None, description="How controls are damaged. Without it: what is usual for the attribute."
    )
    merge_duplicates: bool = Field(
        default=True,
        description="Identical translations of a segment are judged once and credited to all their systems.",
    )
    quota: QuotaTable | None = Field(
        default=None,
        description="Controls in a HIT. Without it: a tenth each degraded, repeat and reference.",
    )


class QualityTable(StrictKeys):
    """How workers are checked."""

    check: str | None = Field(
        default=None,
        description="How to tell careful workers from careless ones; `steelyard checks` lists the choices. "
        "Without it: paired-t, and preferred-original for pairwise.",
    )


class PresentationTable(StrictKeys):
    """How items are shown."""

    line_width_px: Annotated[int, Field(ge=400, le=1200)] | None = Field(
        default=None,
        description="Width of the line that workers mark, for protocols that have one. It affects ratings: "
        "keep it the same in campaigns you want to compare. Without it: the protocol's own.",
    )
    shows: list[Literal["source", "reference"]] | None = Field(
        default=None,
        description="Texts shown with the translations, for protocols that leave the choice to you, such as "
        "pairwise: source, reference, both, or none with []. Without it: what is usual for the attribute.",
    )
    texts_as_images: bool = Field(
        default=False,
        description="Draw texts as pictures, to hinder copying and robots. Screen readers cannot read them.",
    )
    source_markup: bool = Field(
        default=False,
        description="Sources are HTML, and may show pictures, sound and films. Elements that are not "
        "allowed, such as scripts, are refused. With false, a source is shown as it is written.",
    )
    instructions: Text | None = Field(
        default=None,
        description="Your own words for the workers' pages, for a language that is not bundled or in place "
        "of ours; `steelyard example PROTOCOL --instructions en` prints a file to translate.",
    )


class ExampleTable(StrictKeys):
    """One example for each answer, shown to workers: for protocols that ask for them, such as adequacy4."""

    rating: Finite = Field(description="The right rating for it.")
    text: Text = Field(description="The translation.")
    reference: Text = Field(description="Its human reference.")


class GoldTable(StrictKeys):
    """Translations that an expert has rated, shown at regular intervals to measure workers."""

    file: Text = Field(description="Table with the columns system, segment and rating.")
    every: Annotated[int, Field(ge=2)] = Field(
        default=6, description="Interval of gold items in a HIT: 6 makes every sixth item gold."
    )


class CalibrationTable(StrictKeys):
    """Texts whose score an earlier campaign found: they put new ratings on the old scale."""

    file: Text = Field(
        description="Table with the columns id, text, score, sd (0 if absent), and reference and source if "
        "workers see them; 20 texts or more."
    )
    per_hit: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many of them each HIT holds; [design.quota] calibration says the same."
    )


class RulesTable(StrictKeys):
    """How the campaign is run. `steelyard settings` changes these rules at any time."""

    lease_minutes: Annotated[float, Field(gt=0, le=LONGEST_LEASE, allow_inf_nan=False)] = Field(
        default=USUAL_RULES.lease_minutes,
        description="Minutes without an answer after which a HIT that was begun goes to somebody else. The "
        "judgements given so far stay.",
    )
    hits_per_worker: Annotated[int, Field(ge=1, le=MOST_HITS)] | None = Field(
        default=None, description="The most HITs that one worker may take. Without it: as many as there are."
    )
    open_link: bool = Field(
        default=USUAL_RULES.open_link,
        description="Anyone with the open link may join. With false: only those with a link of their own.",
    )
    joins_per_hour: Annotated[int, Field(ge=0, le=MOST_OF_ADDRESS)] = Field(
        default=USUAL_RULES.joins_per_hour,
        description="How many people may join by the open link from one address: this many at once, then "
        "this many an hour. A class behind one address may need more. 0: any number.",
    )
    unbegun_hits: Annotated[int, Field(ge=0, le=MOST_OF_ADDRESS)] = Field(
        default=USUAL_RULES.unbegun_hits,
        description="How many HITs the workers of one address may hold in which nothing is judged yet. "
        "Whoever comes next waits until one of them is begun or given back. 0: any number.",
    )
    completion_code: Code | None = Field(
        default=None,
        description="Code shown to workers who have finished a set, as crowd platforms ask for it. Without "
        "it: none is shown.",
    )
    completion_url: WebAddress | None = Field(
        default=None,
        description="Address that a button leads to once a set is finished, such as the completion page of "
        "a crowd platform. {code} in it stands for the code, {id} for the participant's id on the platform. "
        "Without it: the platform's own, if [platform] names one that has it.",
    )
    screened_code: Code | None = Field(
        default=None,
        description="Code shown to workers whose answers to [[questions]] are not those looked for, so that "
        "the platform can pay them for their visit. Without it: none is shown.",
    )
    blocked_code: Code | None = Field(
        default=None,
        description="Code shown to workers whom a manager blocked before they had finished a set, so that "
        "the platform lets you look at their work and pay it. No check of quality shows it. Without it: "
        "none is shown.",
    )
    retain_until: Day | None = Field(
        default=None,
        description="Day after which what points to workers should be erased, such as 2030-12-31; consent "
        "texts promise one. `steelyard progress` reminds you, and `steelyard erase --all` does it.",
    )


class PayTable(StrictKeys):
    """What workers are paid. Steelyard adds it up, and pays only on platforms that you connect."""

    wage: Annotated[float, Field(gt=0, le=MOST_PAY, allow_inf_nan=False)] | None = Field(
        default=None, description="Pay for an hour of work. Without it and `per_hit`, no money is counted."
    )
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = Field(
        default=USUAL_RULES.currency, description="Code of the currency: three letters, such as EUR."
    )
    per_hit: Annotated[float, Field(gt=0, le=MOST_PAY, allow_inf_nan=False)] | None = Field(
        default=None, description="Pay for a HIT, the same for everybody, in place of the hourly wage."
    )
    fee: Annotated[float, Field(ge=0, le=1)] = Field(
        default=USUAL_RULES.fee,
        description="What a crowd platform charges on top, as a share of the pay: 0.4 for 40 %.",
    )
    budget: Annotated[float, Field(gt=0, le=MOST_PAY, allow_inf_nan=False)] | None = Field(
        default=None,
        description="The most that may be spent through a crowd platform, its fees included. Nothing is "
        "published and no bonus is paid beyond it.",
    )
    after_days: Annotated[float, Field(ge=0, le=30)] = Field(
        default=USUAL_RULES.pay_after_days,
        description="Days after which work that nobody has decided on is paid, by `steelyard sync`.",
    )
    tell_workers: bool = Field(
        default=USUAL_RULES.tell_pay,
        description="Tell workers what a set pays and what they have earned.",
    )


class CampaignFile(StrictKeys):
    """A Steelyard campaign: what is judged, in which texts, and how."""

    campaign: CampaignTable = Field(description="What is judged, in which languages.")
    texts: TextsTable = Field(description="Where the texts are.")
    systems: list[SystemTable] = Field(
        default_factory=list,
        description="Who translated. With [texts] file it may be left out: then all systems of the file "
        "take part.",
    )
    design: DesignTable = Field(default_factory=DesignTable, description="How texts become HITs.")
    quality: QualityTable = Field(default_factory=QualityTable, description="How workers are checked.")
    presentation: PresentationTable = Field(
        default_factory=PresentationTable, description="How items are shown."
    )
    spans: SpansTable | None = Field(default=None, description="How errors are marked.")
    examples: list[ExampleTable] = Field(
        default_factory=list, description="Examples that workers see, one for each answer."
    )
    gold: GoldTable | None = Field(default=None, description="Translations that an expert has rated.")
    calibration: CalibrationTable | None = Field(
        default=None, description="Texts whose score an earlier campaign found."
    )
    consent: ConsentTable | None = Field(
        default=None, description="What workers agree to before anything else."
    )
    questions: list[QuestionTable] = Field(
        default_factory=list, description="Questions that workers answer once, before their first set."
    )
    training: list[TrainingTable] = Field(
        default_factory=list, description="Examples that workers try out before their first set."
    )
    rules: RulesTable = Field(default_factory=RulesTable, description="How the campaign is run.")
    pay: PayTable = Field(default_factory=PayTable, description="What workers are paid.")
    platform: PlatformTable = Field(default_factory=PlatformTable, description="Where workers come from.")
