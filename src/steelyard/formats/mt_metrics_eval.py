"""Folders in the layout of mt-metrics-eval: a test set with the outputs of all systems, line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.languages import base_language
from steelyard.domain.text import Segment
from steelyard.domain.wording import listed
from steelyard.formats.text_file import read_lines
from steelyard.formats.texts import LanguagePair, Texts, absent_if_blank, choose_reference


def read_mt_metrics_eval(
    folder: Path, *, pair: LanguagePair, reference: str | None = None, incomplete: bool = False
) -> Texts:
    """The texts of one language pair in a test-set folder such as wmt23.

    `sources/en-de.txt`, `references/en-de.refA.txt`, `documents/en-de.docs` (optional) and
    `system-outputs/en-de/*.txt`, each also with .gz. `reference` chooses among several; the others
    are people's translations: those that stand beside the outputs take part, the rest if a campaign
    names them. With `incomplete` an empty line is a translation that does not exist, else one that is
    empty. SourceError lists all problems.
    """
    texts = _Folder(folder, _pair_name(folder, pair)).texts(reference)
    if not incomplete:
        return texts
    return replace(
        texts, translations={name: absent_if_blank(lines) for name, lines in texts.translations.items()}
    )


def _pair_name(folder: Path, pair: LanguagePair) -> str:
    """The name of the pair's files; codes with a region may stand for those without."""
    found = sorted({_stem(path) for path in (folder / "sources").glob("*")})
    wanted = [f"{pair.source}-{pair.target}", f"{base_language(pair.source)}-{base_language(pair.target)}"]
    for name in wanted:
        if name in found:
            return name
    if not found:
        problem = "is not a folder in the layout of mt-metrics-eval: it has no sources/SOURCE-TARGET.txt."
        raise SourceError(str(folder), [problem])
    raise SourceError(
        str(folder),
        [
            f"has no texts from {pair.source} to {pair.target}; it has: {listed(found)}. "
            "Set [campaign] source_language and target_language to one of them."
        ],
    )


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".txt").removesuffix(".docs")


class _Folder:
    """Reads the files of one language pair and notes what is wrong with them."""

    def __init__(self, folder: Path, pair_name: str) -> None:
        self.folder = folder
        self.pair_name = pair_name
        self.problems: list[str] = []
        self.source: list[str] = []
        self.source = self._lines(self._found("sources", f"{pair_name}.txt*")[pair_name])

    def texts(self, wanted: str | None) -> Texts:
        n_segments = len(self.source)
        files = self._found("references", f"{self.pair_name}.*.txt*")
        references = {name.removeprefix(f"{self.pair_name}."): path for name, path in files.items()}
        outputs = self._found(f"system-outputs/{self.pair_name}", "*.txt*")
        ours, problems = choose_reference(list(references), wanted)
        self.problems += problems
        if not outputs:
            self.problems.append(f"has no translations in system-outputs/{self.pair_name}.")
        reference = self._lines(references[ours]) if ours else [""] * n_segments
        documents = self._documents()
        others = {name: path for name, path in references.items() if name != ours}
        # References that take part are copied beside the outputs; the chosen one would judge itself.
        files = others | {name: path for name, path in outputs.items() if name != ours}
        translations = {name: self._lines(path) for name, path in sorted(files.items())}
        if self.problems:
            raise SourceError(str(self.folder), self.problems)
        segments = tuple(
            Segment(str(k), document or str(k), *texts)
            for k, (document, *texts) in enumerate(
                zip(documents, self.source, reference, strict=True), start=1
            )
        )
        return Texts(
            segments,
            translations,
            humans=frozenset(others),
            on_request=frozenset(others) - frozenset(outputs),
        )

    def _found(self, folder: str, pattern: str) -> dict[str, Path]:
        paths = sorted((self.folder / folder).glob(pattern))
        return {_stem(path): path for path in paths if path.suffix in (".txt", ".docs", ".gz")}

    def _documents(self) -> list[str]:
        """The document of each line; files have it after the domain."""
        found = self._found("documents", f"{self.pair_name}.docs*")
        if not found:
            return [""] * len(self.source)
        lines = self._lines(found[self.pair_name])
        return [line.split()[-1] if line.split() else "" for line in lines]

    def _lines(self, path: Path) -> list[str]:
        """The lines of a file, or none with the problem noted."""
        name = path.relative_to(self.folder)
        try:
            lines = read_lines(path)
        except SourceError as error:
            self.problems += [f"{name}: {problem}" for problem in error.problems]
            return []
        expected = len(self.source) if self.source else len(lines)
        if len(lines) != expected:
            self.problems.append(
                f"{name}: has {len(lines)} lines, but the source has {expected}; "
                "line k of every file must belong to segment k."
            )
        return lines
