"""An analyst in a process of its own, so that a manager's analyses never slow down those who judge.

The process is started when it is first needed and opens the campaign, or the campaigns of the series, itself.
It ends with the process that started it, however that one ends: its end of the pipe closes then.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import logging.config
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from steelyard.domain.errors import EvaluationError, SourceError
from steelyard.web.analyst import AnalystError, Answer, Question
from steelyard.web.logs import LogStyle, log_settings

logger = logging.getLogger(__name__)

# Threads for each kind of question: files are large, analyses share what they read [our choices].
THREADS = {"look": 4, "analysis": 4, "file": 2}
# Questions that may wait for an answer at once [our choice].
MOST_WAITING = 200
# No analysis takes longer in a campaign of the field's size; a browser gives up after ten minutes.
LONGEST_SECONDS = 900.0
# After this long without a question the process ends, and its memory is free for others [our choice].
IDLE_SECONDS = 900.0
ENDING_SECONDS = 2.0
NICENESS = 10
# If memory runs out, this process goes first, not the one that serves workers (Linux: -1000 to 1000).
OOM_SCORE = "800"

BUSY = "Too many questions are waiting for an answer. Try again in a minute."
ENDED = (
    "The analysis ended before it was done, perhaps because memory ran out. Judging goes on, and nothing was "
    "lost. Try again; if it happens again, run `steelyard analyse` on a machine with more memory."
)
TOO_LONG = "This takes too long for a page. Run `steelyard analyse` or `steelyard export` instead."


class _EndedError(Exception):
    """The process ended before it answered."""


class AnalystBeside:
    """Answers in one process beside this one, started when it is needed and again if it ends."""

    def __init__(self, address: str, *, log: LogStyle = "none") -> None:
        self._address = address
        self._log: LogStyle = log
        self._starting = threading.Lock()
        self._process: _Process | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The process that answers, if there is one now."""
        process = self._process
        return process.pid if process is not None and process.is_up else None

    def wake(self) -> None:
        """Start the process, without waiting for it."""
        if self.pid is None:
            threading.Thread(target=self._running, daemon=True).start()

    async def ask(self, question: Question) -> Answer:
        """The answer. If the process ends meanwhile, a new one is asked, once."""
        for _ in range(2):
            process = self._process
            if process is None or not process.is_up:
                process = await run_in_threadpool(self._running)
            try:
                asked = asyncio.wrap_future(process.put(question))
                return await asyncio.wait_for(asked, LONGEST_SECONDS)
            except _EndedError:
                continue
            except TimeoutError:
                raise AnalystError(TOO_LONG) from None
        raise AnalystError(ENDED)

    def close(self) -> None:
        """End the process and remove its files."""
        with self._starting:
            self._is_closed = True
            if self._process is not None:
                self._process.end()
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None

    def _running(self) -> _Process:
        with self._starting:
            if self._is_closed:
                raise AnalystError(ENDED)
            if self._process is None or not self._process.is_up:
                if self._folder is None:
                    self._folder = tempfile.TemporaryDirectory(prefix="steelyard-")
                self._process = _Process(self._address, Path(self._folder.name), self._log)
            return self._process


class _Process:
    """The process as seen from the one that started it."""

    def __init__(self, address: str, folder: Path, log: LogStyle) -> None:
        # Nothing is inherited but the pipe: neither open databases nor the socket the server listens at.
        spawn = multiprocessing.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        # Work in progress lies apart: it goes with the process.
        self._own = Path(tempfile.mkdtemp(dir=folder))
        self._waiting: dict[int, Future[Answer]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.is_up = True
        self._process = spawn.Process(
            target=_answer_all,
            args=(theirs, address, str(folder), str(self._own), log),
            daemon=True,
            name="steelyard analyst",
        )
        self._process.start()
        theirs.close()
        threading.Thread(target=self._receive, daemon=True, name="analyst answers").start()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def put(self, question: Question) -> Future[Answer]:
        """Ask without waiting."""
        with self._lock:
            if not self.is_up:
                raise _EndedError
            if len(self._waiting) >= MOST_WAITING:
                raise AnalystError(BUSY)
            number, future = next(self._numbers), Future[Answer]()
            self._waiting[number] = future
            try:
                self._pipe.send((number, question))
            except OSError:
                del self._waiting[number]
                raise _EndedError from None
        return future

    def end(self) -> None:
        """End the process; anyone still waiting gets an error."""
        with suppress(OSError):
            self._process.terminate()
        self._process.join(ENDING_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join(ENDING_SECONDS)

    def _receive(self) -> None:
        """Hand out answers until the process ends."""
        problem: Exception = _EndedError()
        while True:
            try:
                number, found = self._pipe.recv()
            except (EOFError, OSError):
                break
            if number == 0:
                # It could not even begin.
                problem = found
                break
            with self._lock:
                future = self._waiting.pop(number, None)
            _settle(future, found)
        with self._lock:
            self.is_up = False
            left, self._waiting = self._waiting, {}
            self._pipe.close()
        for future in left.values():
            _settle(future, problem)
        shutil.rmtree(self._own, ignore_errors=True)


def _settle(future: Future[Answer] | None, found: Answer | Exception) -> None:
    """Give an answer to who waits for it; one who has gone away leaves no file behind."""
    try:
        if future is None:
            raise InvalidStateError
        if isinstance(found, Exception):
            future.set_exception(found)
        else:
            future.set_result(found)
    except InvalidStateError:
        if isinstance(found, Answer):
            found.discard()


def _answer_all(pipe: Connection, address: str, folder: str, own: str, log: LogStyle) -> None:
    """What the process does: answer until nobody can ask any more."""
    style = log_settings(log)
    if style is not None:
        logging.config.dictConfig(style)
    # Ctrl-C reaches every process of a terminal; the one that started this says when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stand_back()
    tempfile.tempdir = own
    try:
        from steelyard.web.analyst_verbs import lane_of

        answering = _Answering(pipe, address, Path(folder), Path(own))
    except EvaluationError as error:
        pipe.send((0, error))
        return
    lanes = {lane: ThreadPoolExecutor(n, thread_name_prefix=lane) for lane, n in THREADS.items()}
    is_orphan = False
    while True:
        try:
            if not pipe.poll(IDLE_SECONDS):
                if answering.n_open:
                    continue
                break
            number, question = pipe.recv()
        except (EOFError, OSError):
            is_orphan = True
            break
        answering.begin()
        lanes[lane_of(question.verb)].submit(answering.answer, number, question)
    # At once: an analysis under way is of no use to anybody now.
    shutil.rmtree(folder if is_orphan else own, ignore_errors=True)
    os._exit(0)


class _Answering:
    """The campaigns as this process has opened them, and the way back."""

    def __init__(self, pipe: Connection, address: str, folder: Path, own: Path) -> None:
        from steelyard.flows.open import open_campaign
        from steelyard.flows.series import find_series, opened_campaigns
        from steelyard.web.watched import Watched

        series = find_series(address)
        if series is None:
            campaigns = {"": open_campaign(address)}
        else:
            opened = opened_campaigns(series)
            campaigns = {each.name: each.result for each in opened if each.result is not None}
        self._watched = {name: Watched.over(campaign) for name, campaign in campaigns.items()}
        self._pipe, self._folder, self._own = pipe, folder, own
        self._sending = threading.Lock()
        self.n_open = 0

    def begin(self) -> None:
        """A question has come."""
        with self._sending:
            self.n_open += 1

    def answer(self, number: int, question: Question) -> None:
        """Answer a question, with an error if need be."""
        from steelyard.web.analyst_verbs import answer_to

        found: Answer | Exception
        try:
            if question.campaign and question.campaign not in self._watched:
                raise SourceError(question.campaign, ["this campaign cannot be opened now."])
            found = self._handed_over(answer_to(self._watched, question, folder=self._own))
        except EvaluationError as error:
            found = error
        except Exception as error:
            logger.exception("A manager's question (%s) could not be answered", question.verb)
            found = RuntimeError(f"{question.verb}: {type(error).__name__}")
        with self._sending:
            self.n_open -= 1
            with suppress(OSError):
                self._pipe.send((number, found))

    def _handed_over(self, answer: Answer) -> Answer:
        """An answer whose file, if any, stays when this process ends: it is the receiver's now."""
        if answer.path is None:
            return answer
        return Answer(path=str(Path(answer.path).rename(self._folder / Path(answer.path).name)))


def _stand_back() -> None:
    """Let those who judge go first, with the processor and with memory."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE, "ascii")
