"""Words that a full stop follows without ending a sentence, and words that begin one."""

from __future__ import annotations


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What they stand for always goes on: a full stop after them never ends a sentence.
NEVER_LAST = _words("e.g i.e eg ie cf vs viz z.b z d.h p.ej т.е напр")

# They end a sentence only where the next word is one that typically begins a sentence.
# All other abbreviations ("etc.", "Inc.") need no list: a small letter after them says
# that the sentence goes on, a capital that it does not.
ABBREVIATIONS = _words(
    # English
    "mr mrs ms dr prof rev hon gen col capt lt sgt sen rep gov st mt messrs univ dept "
    # German
    "fr frl str ca bzw evtl ggf inkl zzgl geb hrsg "
    # Spanish
    "sr sra srta dra ud uds ee avda "
    # Russian
    "г ул им проф акад тов гр стр пер наб просп обл "
    # Hindi
    "डॉ श्री प्रो "
)

# They go on where a number follows: "No. 5", but "He said no. Then he left."
NUMBERED = _words(
    "no nos nr fig figs eq eqs sec ch vol vols art p pp pág págs núm abb abs kap s tel ext "
    "rel ver v approx № рис табл п"
)

# German ordinals before them are dates: "am 3. Oktober".
MONTHS = _words(
    "januar jänner februar märz april mai juni juli august september oktober november dezember"
)

STARTERS = _words(
    # English
    "the a an this that these those it its he she they we you i there here in on at for from "
    "by but and so if when while after before however then what how why who where is are do "
    "does as to with "
    # German
    "der die das ein eine es er sie wir ich im aber und "
    # Spanish
    "el la los las un una en pero y "
    # Russian
    "он она оно они это мы я в на и но"
)
