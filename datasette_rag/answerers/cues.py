"""What kind of thing a question asks for, and whether a sentence holds one."""

from __future__ import annotations

import re
from typing import Literal

Cue = Literal["number", "time", "name", "way"]

# The words of asking in English, German, French, Spanish and Russian; Chinese as well where
# one word decides. First match wins.
_ASKED: tuple[tuple[Cue, str], ...] = (
    (
        "number",
        r"\bhow (?:many|much|long|old|far|big|tall|high|fast|soon|often|deep|large|heavy)\b"
        r"|\b(?:percentage|price|cost|minimum|maximum|limit|fee|weight|height)\b"
        r"|\bwie ?(?:viele?|lange|oft|hoch|alt|weit|teuer|schwer|groß)\b|\bcombien\b"
        r"|\bcu[aá]nt[oa]s?\b|\bсколько\b|多少|几|كم|कितन",
    ),
    (
        "time",
        r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time|century|decade)\b|\bwann\b"
        r"|\bquand\b|\bcu[aá]ndo\b|\bкогда\b|什么时候|何时|哪一年|متى|\bकब\b",
    ),
    (
        "name",
        r"\b(?:who|whom|whose|where)\b|\b(?:which|what) (?:person|company|city|country|team)\b"
        r"|\bwe[rnm]\b|\bwo\b|\bqui\b|\boù\b|\bqui[eé]n(?:es)?\b|\bd[oó]nde\b|\bкто\b|\bгде\b",
    ),
    ("way", r"\bhow\b|\bwie\b|\bcomment\b|\bc[oó]mo\b|\bкак\b|怎么|如何|كيف|कैसे"),
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|thousand|million"
    r"|billion|half|quarter|third|twice|once|zwei|drei|vier|fünf|deux|trois|dos|tres)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b1\d{3}\b|\b20\d\d\b|\d{1,2}[:.]\d\d|\d{1,2}\.? ?(?:st|nd|rd|th)\b|\d世纪|\d年"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|day|week|month|year|hour|century"
    r"|januar|februar|märz|juni|juli|oktober|dezember|tage?|wochen?|jahre?)s?\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:#>*\n-] )(?<!^)\b[^\W\d_a-z][^\W\d_A-Z]+")


def asked_for(question: str) -> Cue | None:
    """What the question asks for, if its words tell."""
    for cue, pattern in _ASKED:
        if re.search(pattern, question, re.IGNORECASE):
            return cue
    return None


def holds(cue: Cue | None, text: str, question: str) -> bool:
    """Whether the text has something of that kind that the question does not name itself."""
    if cue == "number":
        return bool(_NUMBER.search(text))
    if cue == "time":
        return bool(_TIME.search(text))
    if cue == "name":
        return any(name not in question for name in _NAME.findall(text))
    return False
