"""People: who a worker is, as far as the manager wrote it down. Other workers and analyses never learn it."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

# Our choice: enough for any name and any address.
LONGEST = 200
# They print nothing themselves, but names in Persian or Hindi need them.
_JOINERS = str.maketrans("", "", "\u200c\u200d")
_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Person:
    """A name and an e-mail address; either may be empty."""

    name: str = ""
    email: str = ""

    def is_same(self, other: Person) -> bool:
        """Whether both are one person: by the e-mail address, or by the name where one has no address.

        >>> Person("Ana", "Ana@example.org").is_same(Person("A. Lopez", "ana@example.org"))
        True
        >>> Person("Ana").is_same(Person("Ana", "ana@example.org")), Person("Ana").is_same(Person("Bo"))
        (True, False)
        """
        if self.email and other.email:
            return self.email.casefold() == other.email.casefold()
        return bool(self.name) and self.name.casefold() == other.name.casefold()


def plain_address(email: str) -> str:
    """An e-mail address as it is compared where it opens a door: only A to Z and a to z are the same.

    Unicode takes more letters for one another, and those may be in the address of somebody else.

    >>> plain_address(" Ann@Example.org ")
    'ann@example.org'
    >>> plain_address("bo\u017fs@example.org") == plain_address("boss@example.org")
    False
    """
    return email.strip().translate(_SMALL)


def tidy(text: str) -> str:
    """A name or address as someone meant it: single spaces, which spreadsheets write in several ways.

    >>> tidy(" Ana\\u00a0 López ")
    'Ana López'
    """
    return " ".join(text.split())


def person_problems(person: Person) -> list[str]:
    """What is wrong with a name or an address, each with what to do."""
    problems = []
    for what, text in (("name", person.name), ("e-mail address", person.email)):
        if len(text) > LONGEST:
            problems.append(f"the {what} has more than {LONGEST} characters; shorten it.")
        if not text.translate(_JOINERS).isprintable():
            problems.append(f"the {what} has characters that cannot be printed; remove them.")
    before, at, after = person.email.rpartition("@")
    if person.email and (not (before and at and after) or any(map(str.isspace, person.email))):
        problems.append(f'"{person.email}" is not an e-mail address; correct it or leave it empty.')
    return problems
