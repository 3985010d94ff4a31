"""Verbs and adverbs of English as closed lists: which forms are past, which are bare, which may be nouns as well."""

from __future__ import annotations

import re

from memcli.language.lexicon import word_set

MODALS = word_set("can could will would shall should may might must ought")
ADVERBS = word_set(
    "also just really always never still usually often sometimes recently finally actually even only already probably definitely"
    " currently mostly rarely mainly once now then both honestly truly literally especially particularly generally kinda sorta almost"
    " seldom forever instead rather quite so too yet maybe perhaps indeed somehow therefore however not first ever again soon pretty"
    " very barely hardly long better"
)
_VERBS_LY = word_set("fly rely apply reply supply imply tally comply multiply ally bully rally dally sully outfly reapply")
VERBS_ED = word_set("need feed seed weed speed heed bleed breed proceed succeed exceed embed shed wed bed sled interbreed overfeed")
VERBS_EN = word_set(
    "listen open happen sharpen threaten strengthen lighten frighten tighten loosen widen shorten soften fasten weaken brighten hasten"
    " deepen flatten straighten darken sweeten moisten reopen lengthen"
)
SAME_IN_PAST = word_set("put set cut hit let hurt cost read shut burst cast quit split spread fit upset bet rid reset")
"""Verbs whose past looks like their base form; what "I read" means the rest of the sentence must tell."""
IRREGULAR_PAST = word_set(
    "was were had did went got made took came saw knew thought felt found gave told became left kept began brought bought built caught"
    " chose drew drank drove ate fell fought flew forgot grew heard held laid led learned learnt lent lost meant met paid ran rode rose"
    " said sang sat sent shook shot slept sold spent spoke stood stole stuck swam swore taught threw understood woke wore won wrote broke"
    " bent bit blew bled dug dealt dreamt fed fled froze hid hung lit lay mistook overcame overslept rang sank sewed sought spun"
    " sprang stung struck swept swung tore withdrew wound wove forgave forbade rebuilt rewrote redid outgrew undid retook overheard"
    " crept wept knelt leapt spelt spilt burnt bound clung flung slid slung strode strove thrust trod used didnt wasnt"
)
PARTICIPLES = word_set(
    "been seen done gone known grown shown flown thrown drawn sworn torn worn born begun swum sung drunk rung sunk won got gotten better"
)
SURE_VERBS = word_set(
    "go make take get have feel think know want need see say come give find tell become keep bring begin hear believe live mean hope"
    " buy teach learn eat write sit stand lose pay meet include continue follow understand sing remember choose enjoy prefer hate"
    " appreciate agree spend send build draw drive wear sell speak grow throw forget relax try carry bake sew knit explore listen"
    " watch become add create join volunteer attend adopt arrange discuss handle manage organise organize maintain teach write"
    " collect prepare share feed consider imagine suppose guess seem miss love"
)
"""Base forms that are verbs wherever "and" stands before them and a noun is not plainly meant."""
VERBS_OR_NOUNS = word_set(
    "run walk swim dive dance cook work play paint drink hike hope plan travel visit sleep talk practice train garden fish camp hunt"
    " ride surf ski skate stretch exercise rest study call help dream laugh cry smile code test review design ship use start end"
    " finish clean wash order snack jog climb sail row race paint sketch sculpt photograph read set put cut let hit lift worry care"
    " wonder wish struggle stay move look turn show ask leave fly reply rely apply like do be"
)
"""Base forms that may be nouns (or, as "read", pasts) as well."""
IMPERATIVES = (
    SURE_VERBS
    | VERBS_OR_NOUNS
    | word_set(
        "let please check count explain thank thanks remind give generate summarize summarise fix correct excuse forgive trust"
        " bless text email"
        " pass wait convert compare suggest recommend provide describe list rewrite translate improve update debug"
    )
) - word_set("love hope miss")

THIRD_PERSON = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "dont": "doesn't",
    "haven't": "hasn't",
    "havent": "hasn't",
    "go": "goes",
}
"""Verbs whose third person is no matter of endings."""
_SIBILANT = re.compile(r"(s|x|z|ch|sh|o)$")


def is_adverb(lower: str) -> bool:
    """Whether a casefolded word only qualifies: "really", "quietly"; not "rely"."""
    return lower in ADVERBS or (lower.endswith("ly") and lower not in _VERBS_LY)


def third_person_of(verb: str) -> str:
    """The third person singular of a verb's bare form: "dive" -> "dives"."""
    lower = verb.lower()
    if lower in THIRD_PERSON:
        return THIRD_PERSON[lower]
    if lower == "be":
        return verb
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if _SIBILANT.search(lower) else "s")
