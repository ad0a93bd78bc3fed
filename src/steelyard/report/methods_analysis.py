"""How judgements were checked and analysed, in sentences of a paper."""

from __future__ import annotations

import re

from steelyard.aggregation import methods
from steelyard.domain.judgement import FrameName
from steelyard.domain.publication import CollectionFacts
from steelyard.domain.result import NO_CHECK, Analysis
from steelyard.domain.span_weights import WEIGHTS
from steelyard.domain.wording import counted, joined
from steelyard.exhibits.agreement import AGREEMENT_OF
from steelyard.exhibits.workers import excluded_hits
from steelyard.qc import checks
from steelyard.report.cited_text import Cite, Code, Paragraph, Sentence
from steelyard.report.methods_collection import as_words, collection_paragraph
from steelyard.report.text import spoken_agreements
from steelyard.version import __version__

# How two systems were compared, and what that rests on. Names of tests as in `MethodSettings`.
_TESTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "clustered": (
        "a test on ranked ratings, weighed by worker, whose errors are clustered by worker and document",
        ("Cameron2011", "Bell2002"),
    ),
    "clustered-means": (
        "the difference of their scores, whose error is clustered by worker and document",
        ("Cameron2011", "Bell2002"),
    ),
    "rank-sum": ("the rank-sum test on their segment scores", ("Mann1947",)),
    "rank-sum-common": ("the rank-sum test on the scores of the segments that both have", ("Mann1947",)),
    "signed-rank": ("the signed-rank test on the segments that both have", ("Wilcoxon1945",)),
    "permutation": ("a paired permutation test on the segments that both have", ("Phipson2010",)),
    "segment-t": ("a paired t-test on the segments that both have", ()),
    "either-t": (
        "a paired t-test on the segments that both have or an unpaired one on all, whichever gives the "
        "smaller p-value",
        ("Welch1947",),
    ),
    "domain-signed-rank": (
        "the signed-rank test on the segments that both have, for each domain, combined",
        ("Wilcoxon1945",),
    ),
    "errors": (
        "the difference of their scores, whose error is clustered by worker and document",
        ("Cameron2011",),
    ),
    "draws": ("the share of the method's own draws in which one of them is ahead", ()),
}
_CLUSTERS = {
    "strict": (
        "Clusters are separated where every system above is significantly better than every system below."
    ),
    "wmt21": (
        "A cluster ends after a system that is significantly better than as many systems as rank below it."
    ),
    "neighbours": "Clusters are separated where a system is significantly better than the next one below.",
}


def methods_paragraphs(facts: CollectionFacts, analysis: Analysis) -> list[Paragraph]:
    """The whole section on methods: collection, quality control, analysis."""
    return [collection_paragraph(facts, analysis), quality_paragraph(analysis), _analysis(facts, analysis)]


def quality_paragraph(analysis: Analysis) -> Paragraph:
    """Who was checked how, and what was left out."""
    settings, counts = analysis.settings, analysis.counts
    sentences: list[Sentence] = [*_check(analysis), *_by_people(analysis)]
    n_hits = len(excluded_hits(analysis))
    if n_hits:
        why = "because they were rejected or their controls were treated far worse than the worker's others"
        sentences.append(
            (f"In addition, {counted(n_hits, 'single HIT')} of other workers were left out, {why}.",)
        )
    if settings.regular_only:
        sentences.append(("Only regular items count: neither controls nor items that fill up HITs.",))
    kept = f"{counts.kept_judgements:,} of {counts.judgements:,}"
    sentences.append((f"We kept {kept} judgements, those of {counted(counts.kept_workers, 'worker')}.",))
    return Paragraph("Quality control", tuple(sentences))


def _check(analysis: Analysis) -> list[Sentence]:
    settings = analysis.settings
    if settings.check == NO_CHECK:
        return [("Workers were not checked: everybody's judgements count.",)]
    check = checks()[settings.check]
    limit = f"p {'≤' if settings.threshold_included else '<'} {settings.threshold:g}"
    verdicts = dict(analysis.workers["verdict"].drop_nulls().value_counts().iter_rows())
    said = (
        ("pass", "passed"),
        ("fail", "failed"),
        ("insufficient", f"had fewer than the {settings.least_pairs} control pairs that a verdict needs"),
    )
    found = joined([f"{verdicts[name]:,} {words}" for name, words in said if verdicts.get(name)])
    n_workers = analysis.counts.workers
    all_passed = verdicts.get("pass") == n_workers > 1
    of = (
        f", by their ratings of {joined(settings.check_attributes)} alone,"
        if settings.check_attributes
        else ""
    )
    consistent = (
        " In addition, they had to rate repeats as they had rated the items at first."
        if settings.require_consistency
        else ""
    )
    fate = (
        "All judgements count nevertheless, since the method weighs workers itself."
        if settings.keep_everyone and methods()[settings.method].weighs_workers
        else "All judgements count nevertheless."
        if settings.keep_everyone
        else "Judgements of workers who did not pass were left out."
    )
    return [
        (
            f"Workers were checked by {_named(check.title)}",
            Cite(check.cite),
            f"{of} and passed at {limit}.{consistent}",
        ),
        (f"All {n_workers:,} passed." if all_passed else f"Of {counted(n_workers, 'worker')}, {found}.",),
        *([] if all_passed else [(fate,)]),
    ]


def _named(title: str) -> str:
    """A test as a sentence names it: that of a person has no article."""
    words = as_words(title)
    return words if words.split()[0].endswith("'s") else f"a {words}"


def _by_people(analysis: Analysis) -> list[Sentence]:
    counts = analysis.counts
    if not counts.excluded_judgements:
        return []
    if analysis.settings.exclusions == "ignore":
        return [
            (
                f"The {counted(counts.excluded_judgements, 'judgement')} that we had excluded by hand "
                "count here.",
            )
        ]
    return [(f"We excluded {counted(counts.excluded_judgements, 'judgement')} by hand before scoring.",)]


def _analysis(facts: CollectionFacts, analysis: Analysis) -> Paragraph:
    sentences: list[Sentence] = [
        *_weights(facts),
        *score_sentences(facts.read, analysis),
        *_attributes(facts),
    ]
    if len(analysis.systems) > 1:
        sentences += [*comparison_sentences(analysis), (_CLUSTERS[analysis.settings.clusters],)]
    sentences += [*interval_sentences(analysis), *_agreement(analysis)]
    sentences.append(
        (
            f"All numbers were computed with Steelyard {__version__}",
            Cite(("Steelyard2026",)),
            " under the signature ",
            Code(analysis.signature),
            ".",
        )
    )
    return Paragraph("Analysis", tuple(sentences))


def _weights(facts: CollectionFacts) -> list[Sentence]:
    if facts.weights is None:
        return []
    title = as_words(WEIGHTS[facts.weights].title)
    return [(f"A translation's rating is minus the sum of the weights of its errors ({title}).",)]


def score_sentences(read: FrameName, analysis: Analysis) -> list[Sentence]:
    """How judgements became scores."""
    settings = analysis.settings
    method = methods()[settings.method]
    title = as_words(method.title)
    by = title.removeprefix("score of ") if title.startswith("score of ") else f"their {title}"
    sentences: list[Sentence] = [(f"Systems were scored by {by}", Cite(method.cite), ".")]
    if method.mean_of == "z" and read == "ratings":
        over = (
            "all their ratings"
            if settings.method_settings.standardise_over == "all"
            else ("their ratings of systems' translations")
        )
        each = " for each attribute" if settings.method_settings.standardise_per == "attribute" else ""
        without = settings.method_settings.standardise_without
        left = f", those of {joined(without)} left out" if without else ""
        sentences.append(
            (
                "Ratings were standardised by each worker's mean and standard deviation over "
                f"{over}{each}{left}.",
            )
        )
    if method.mean_of is not None:
        unit = "of its workers" if settings.method_settings.unit == "worker" else "of its judgements"
        unit = "" if settings.method_settings.unit == "flat" else unit
        domains = settings.method_settings.average == "domains"
        top = (
            "the mean over domains of the means of its segments"
            if domains
            else "the mean of its segments' scores"
        )
        below = f", and a segment's score the mean {unit}" if unit else ""
        sentences.append((f"A system's score is {top}{below}.",))
    return sentences


def _attributes(facts: CollectionFacts) -> list[Sentence]:
    if len(facts.attributes) < 2:
        return []
    return [(f"Workers rated {joined(facts.attributes)}; we report the attributes together and one by one.",)]


def comparison_sentences(analysis: Analysis) -> list[Sentence]:
    """How pairs of systems were compared, and what was taken as independent."""
    test, n_pairs = analysis.test, len(analysis.pairs) // 2
    words, cite = _TESTS[test.name]
    sides = "one-sided" if test.deciding == "p_value" else "two-sided"
    how = f"Pairs of systems were compared by {words}"
    level = f"differences count as significant at p < {test.level:g}"
    first: Sentence = (how, *([Cite(cite)] if cite else []), ".")
    pairs = counted(n_pairs, "pair")
    second: Sentence = (
        (
            f"p-values are {sides} and corrected for {pairs} by Holm's method",
            Cite(("Holm1979",)),
            f"; {level}.",
        )
        if test.correction == "holm"
        else (f"p-values are {sides} and not corrected for the {pairs}; {level}.",)
    )
    found = test.rests_on
    if found is None:
        unit = (
            "The unit of inference is the segment: judgements of one worker, or of one document, are "
            "taken as independent."
        )
        return [first, _capital(second), *([(unit,)] if test.name != "draws" else [])]
    thing = counted(found.documents, "document" if found.documents_known else "segment")
    unknown = "" if found.documents_known else ", since no documents are known"
    units = f"The units of inference are {counted(found.workers, 'worker')} and {thing}{unknown}."
    return [first, _capital(second), (units,)]


def _capital(sentence: Sentence) -> Sentence:
    """A sentence that begins with a p-value begins with a word instead."""
    first = str(sentence[0])
    return (f"The {first}", *sentence[1:])


def interval_sentences(analysis: Analysis) -> list[Sentence]:
    """Where intervals come from."""
    settings = analysis.settings.method_settings
    method = methods()[analysis.settings.method]
    if settings.draws == 0:
        return []
    level = f"{settings.level * 100:g}%"
    if analysis.draws is not None or method.own_test == "draws":
        return [(f"The intervals hold {level} of the method's own draws.",)]
    if method.draws_nothing:
        return [
            (f"The {level} intervals come from the errors of the scores, which allow for the same units.",)
        ]
    units = analysis.test.units
    segments = units is not None and not units.documents_known
    drawn = f"workers and {'segments' if segments else 'documents'}"
    said = f"The {level} intervals come from {settings.draws:,} bootstrap draws of {drawn}"
    return [(said, Cite(("Owen2007", "Cameron2011")), ".")]


def _agreement(analysis: Analysis) -> list[Sentence]:
    sentences: list[Sentence] = []
    for of, words in spoken_agreements(analysis).items():
        if words.startswith("unknown"):
            continue
        whose = AGREEMENT_OF[of]
        said = re.sub(r" of z, (\S+) of plain ratings", r" for standardised and \1 for plain ratings", words)
        cite = (Cite(("Krippendorff2011",)),) if "alpha" in words else ()
        sentences.append((f"For agreement {whose} we found {said}", *cite, "."))
    return sentences
