"""A series: campaigns created together, found together, kept apart."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.errors import CampaignError, Conflict, EvaluationError, SourceError
from steelyard.flows.create import create
from steelyard.flows.create_series import create_series
from steelyard.flows.open import open_campaign
from steelyard.flows.series import find_series, for_each, open_series
from steelyard.formats.series_toml import SeriesSource, read_series

# That of the PostgreSQL server which tests use.
PASSWORD = "toy-secret"


@pytest.fixture
def files(tmp_path: Path, small_example: str) -> Path:
    """A folder with the campaign files of two campaigns, en-de and en-cs."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("en-de", "en-cs"):
        text = small_example.replace('name = "demo-de-en"', f'name = "{name}"')
        assert name in text
        (folder / f"{name}.toml").write_text(text, "utf-8")
    return folder


@pytest.fixture
def source(files: Path) -> SeriesSource:
    found = read_series(files)
    assert found is not None
    return found


@pytest.fixture(params=["folder", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a series can be created: a folder, and a PostgreSQL database."""
    if request.param == "folder":
        return str(tmp_path / "series")
    return str(request.getfixturevalue("postgres_address"))


def test_all_campaigns_of_a_folder_are_created(source: SeriesSource, target: str, noon: datetime) -> None:
    created = create_series(source, target, now=noon)
    series = find_series(target)
    assert series is not None
    assert [place.name for place in series.places] == ["en-cs", "en-de"]
    assert [one.settings.name for one in created] == ["en-cs", "en-de"]
    with open_series(series) as opened:
        assert [one.result.settings.name for one in opened if one.result] == ["en-cs", "en-de"]


def test_opening_a_series_as_one_campaign_names_one_of_them(
    source: SeriesSource, target: str, noon: datetime
) -> None:
    create_series(source, target, now=noon)
    with pytest.raises(SourceError, match=r"series of campaigns.*en-cs") as caught:
        open_campaign(target)
    assert PASSWORD not in str(caught.value)


def test_nothing_is_created_if_a_name_is_taken(source: SeriesSource, target: str, noon: datetime) -> None:
    create_series(SeriesSource(source.path, source.files[:1]), target, now=noon)
    with pytest.raises(Conflict, match=r"already there: en-cs(\.db)?\."):
        create_series(source, target, now=noon)
    series = find_series(target)
    assert series is not None
    assert [place.name for place in series.places] == ["en-cs"]


def test_a_series_grows_by_campaigns_of_other_names(
    source: SeriesSource, target: str, noon: datetime
) -> None:
    for file in source.files:
        create_series(SeriesSource(source.path, (file,)), target, now=noon)
    series = find_series(target)
    assert series is not None
    assert len(series.places) == 2


def test_nothing_is_left_if_one_campaign_cannot_be_written(
    source: SeriesSource, target: str, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from steelyard.flows import create_series as module

    real, n_calls = module.write, 0

    def fail_at_second(*args: object, **choices: object) -> object:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 2:
            raise SourceError("the disk", ["is full"])
        return real(*args, **choices)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "write", fail_at_second)
    with pytest.raises(SourceError, match="is full"):
        create_series(source, target, now=noon)
    assert find_series(target) is None
    if "://" not in target:
        assert not Path(target).exists()


def test_problems_of_all_files_are_listed_at_once(files: Path, tmp_path: Path, noon: datetime) -> None:
    for name, wrong in (("en-de", "nope"), ("en-cs", "never")):
        path = files / f"{name}.toml"
        path.write_text(path.read_text("utf-8").replace('protocol = "da"', f'protocol = "{wrong}"'), "utf-8")
    source = read_series(files)
    assert source is not None
    with pytest.raises(CampaignError) as caught:
        create_series(source, str(tmp_path / "series"), now=noon)
    listed = "\n".join(caught.value.problems)
    assert "en-de.toml" in listed
    assert '"nope"' in listed
    assert "en-cs.toml" in listed
    assert '"never"' in listed
    assert not (tmp_path / "series").exists()


def test_two_campaigns_may_not_have_one_name(files: Path, tmp_path: Path, noon: datetime) -> None:
    path = files / "en-cs.toml"
    path.write_text(path.read_text("utf-8").replace('"en-cs"', '"en-DE"'), "utf-8")
    source = read_series(files)
    assert source is not None
    with pytest.raises(CampaignError, match="is used 2 times"):
        create_series(source, str(tmp_path / "series"), now=noon)


def test_a_list_of_campaigns_shares_rules_and_a_campaigns_own_win(
    files: Path, tmp_path: Path, noon: datetime
) -> None:
    (files / "series.toml").write_text(
        '[[campaigns]]\nfile = "en-de.toml"\n[[campaigns]]\nfile = "en-cs.toml"\n'
        '[rules]\nlease_minutes = 33.0\nhits_per_worker = 2\n[pay]\nwage = 15.0\ncurrency = "EUR"\n',
        "utf-8",
    )
    for name, own in (("en-de", ""), ("en-cs", "[rules]\nlease_minutes = 44.0\n")):
        file = files / f"{name}.toml"
        without = file.read_text("utf-8").partition("\n[rules]")[0]
        file.write_text(f"{without}\n{own}", "utf-8")
    source = read_series(files)
    assert source is not None
    create_series(source, str(tmp_path / "series"), now=noon)
    rules = {}
    for name in ("en-de", "en-cs"):
        with open_campaign(str(tmp_path / "series" / f"{name}.db")) as campaign:
            rules[name] = campaign.settings.rules
    assert (rules["en-de"].lease_minutes, rules["en-cs"].lease_minutes) == (33.0, 44.0)
    assert {one.hits_per_worker for one in rules.values()} == {2}
    assert {one.currency for one in rules.values()} == {"EUR"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("campaigns = []\n", "lists no campaign"),
        ('[[campaigns]]\nname = "en-de"\n', "number 1: needs one key"),
        ('[[campaigns]]\nfile = "a.toml"\n[[campaigns]]\nfile = "a.toml"\n', "listed twice"),
        ('[[campaigns]]\nfile = "a.toml"\n[design]\nhit_size = 5\n', "does not know the table"),
        ('[[campaigns]]\nfile = "a.toml"\n[rules]\nlease_minutes = 0.0\n', "greater than 0"),
    ],
)
def test_what_is_wrong_with_a_list_of_campaigns_is_said(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "series.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(CampaignError, match=problem):
        read_series(path)


def test_the_file_of_one_campaign_is_no_series(campaign_file: Path) -> None:
    assert read_series(campaign_file) is None


def test_other_toml_files_of_a_folder_are_left_out(files: Path) -> None:
    (files / "words.toml").write_text('language = "de"\n', "utf-8")
    source = read_series(files)
    assert source is not None
    assert [file.name for file in source.left_out] == ["words.toml"]


def test_a_campaign_file_that_cannot_be_read_is_not_left_out(files: Path) -> None:
    (files / "en-uk.toml").write_text("[campaign\n", "utf-8")
    source = read_series(files)
    assert source is not None
    assert "en-uk.toml" in [file.name for file in source.files]


def test_a_folder_without_databases_is_no_series(files: Path) -> None:
    assert find_series(str(files)) is None


def test_a_database_that_cannot_be_read_is_named_and_the_others_open(
    source: SeriesSource, tmp_path: Path, noon: datetime
) -> None:
    folder = tmp_path / "series"
    create_series(source, str(folder), now=noon)
    (folder / "notes.txt").write_text("not a database", "utf-8")
    (folder / "broken.db").write_text("not a database either, though it is called so", "utf-8")
    series = find_series(str(folder))
    assert series is not None
    with open_series(series) as opened:
        assert {one.name: one.error is None for one in opened} == {
            "broken": False,
            "en-cs": True,
            "en-de": True,
        }
        assert "broken.db" in str(next(one.error for one in opened if one.name == "broken"))


def test_of_a_campaign_and_its_copy_only_one_is_opened(
    source: SeriesSource, tmp_path: Path, noon: datetime
) -> None:
    folder = tmp_path / "series"
    create_series(source, str(folder), now=noon)
    shutil.copy(folder / "en-de.db", folder / "a-copy.db")
    series = find_series(str(folder))
    assert series is not None
    with open_series(series) as opened:
        errors = {one.name: str(one.error) for one in opened if one.error}
    assert list(errors) == ["a-copy"]
    assert "as en-de does" in errors["a-copy"]


def test_the_links_of_a_folder_are_made_with_one_secret(
    source: SeriesSource, tmp_path: Path, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STEELYARD_SECRET", raising=False)
    folder = tmp_path / "series"
    create_series(source, str(folder), now=noon)
    assert [file.name for file in folder.glob("*secret*")] == ["steelyard.secret"]
    assert (folder / "steelyard.secret").stat().st_mode & 0o077 == 0
    assert not list(folder.glob(".*"))


def test_a_single_campaign_is_no_series(campaign_file: Path, address: str, noon: datetime) -> None:
    create(campaign_file, address, now=noon)
    assert find_series(address) is None


def test_one_campaign_that_fails_does_not_stop_the_others(
    source: SeriesSource, tmp_path: Path, noon: datetime
) -> None:
    create_series(source, str(tmp_path / "series"), now=noon)
    series = find_series(str(tmp_path / "series"))
    assert series is not None

    def act(place: object) -> str:
        if getattr(place, "name", "") == "en-cs":
            raise EvaluationError("too little")
        return "fine"

    assert [(one.result, str(one.error or "")) for one in for_each(series, act)] == [
        (None, "too little"),
        ("fine", ""),
    ]
