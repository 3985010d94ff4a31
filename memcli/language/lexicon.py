"""Closed word classes: function words and phatic words of several languages.

Only words that any speaker uses about anything belong here; nothing about particular people, topics or data sets. Sources:
the languages' closed classes (articles, pronouns, prepositions, conjunctions, auxiliaries) as grammars list them.
"""

from __future__ import annotations

import functools
import re
import unicodedata

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*(?:(?:\+\+|#)(?![^\W_]))?")
"""A word: letters and digits, with inner apostrophes; the sign of `C++` and `C#` belongs to it."""

RECENT_TEXTS = 1_024
"""Texts whose language is remembered: several rules ask for that of the same sentence, one after another."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Letters of scripts written without spaces."""


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as one string, white space between them."""
    return frozenset(text.split())


FUNCTION_EN = word_set(
    "a an the of to in on at for with and or but nor so yet is are was were be been being am do does did done doing have has had having"
    " i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself yourself himself herself"
    " itself ourselves themselves this that these those what which who whom whose when where why how would could should can will shall"
    " may might must as by from about into onto over under than then if because while although though not no there here s t d ll re ve m"
    " also any some all both each every either neither during ever just very too only own same such more most other another few many much"
    " up down out off again once before after above below between through until against per via without within along across around"
    " don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't wouldn't shouldn't haven't hasn't hadn't"
    " i'm i've i'd i'll you're you've you'd you'll he's she's it's we're we've we'd we'll they're they've they'd they'll"
    " that's there's here's what's who's where's how's let's ain't y'all gonna wanna gotta em"
)
FUNCTION_ES = word_set(
    "el la los las un una unos unas de del al a en con por para sin sobre y e o u que qué se su sus mi mis tu tus te me nos os lo le les"
    " es son era fue ser estar está están estoy hay ha he han muy más pero como cómo cuándo dónde quién cuál porque si no ya yo tú él ella"
    " ellos"
)
FUNCTION_DE = word_set(
    "der die das den dem des ein eine einen einem einer eines und oder aber in im ins an am auf aus bei beim mit nach von vom zu zum zur"
    " für über unter vor ist sind war waren sein bin bist hat habe haben hatte wird werden ich du er sie es wir ihr mich dich ihn uns euch"
    " mein dein unser nicht kein keine auch noch schon nur so wie was wer wann wo warum dass wenn weil als"
)
FUNCTION_FR = word_set(
    "le la les un une des de du d l au aux à en dans avec pour par sans sur et ou mais que qui quoi quand où comment pourquoi ce cette"
    " ces se son sa ses mon ma mes ton ta tes je tu il elle nous vous ils elles est sont était être ai as a avons avez ont ne pas plus y c"
    " j n s m t"
)
FUNCTION_ZH = word_set("的 了 是 在 我 你 他 她 它 们 我们 你们 他们 这 那 和 与 也 都 就 不 没 有 吗 呢 吧 啊 什么 怎么 谁 哪 哪里 几")
FUNCTION = FUNCTION_EN | FUNCTION_ES | FUNCTION_DE | FUNCTION_FR | FUNCTION_ZH

PHATIC = word_set(
    # English
    "yay yup woo hoo woohoo yippee ugh phew whew hi hey hello howdy yo hiya bye goodbye later cheers thanks thank thx ty welcome"
    " please sorry"
    " congrats congratulations wow woah whoa"
    " cool nice great awesome amazing fantastic wonderful lovely sweet super good fine perfect brilliant excellent terrific incredible neat"
    " ok okay yes yeah yep yup yea nope nah no sure absolutely definitely totally exactly indeed certainly course right true agreed really"
    " lol haha hahaha hehe omg aww aw oh ah hmm huh uh um well glad happy see hear know think mean say said tell let look guess feel sounds"
    " sound seems seem get got go going come thing things stuff lot bit way so much soon talk chat catch take care luck keep going best"
    " morning afternoon evening night day today everyone all guys buddy dude man mate pal friend dear anything something nothing"
    " new happening doing been long time hope you're that's it's i'm bet love like appreciate proud interesting impressive inspiring kind"
    " helpful makes sense sense clear understood noted gotcha question point idea"
    # Spanish, German, French, Chinese
    " hola buenas buenos días tardes noches gracias adiós vale claro sí bueno genial perdón jaja hasta luego"
    " hallo danke bitte tschüss guten morgen abend tag ja nein genau klar super gut schön okay bis dann"
    " bonjour salut merci oui non bien super d'accord bonsoir au revoir"
    " 你好 谢谢 好的 嗯 哈哈 再见 早 好"
)
"""Words that, with function words alone, carry no fact: a turn made of nothing else is phatic."""

_EMOTICON = re.compile(r"^(?:[:;=]['’]?-?[)(DPp/|]+|<3+|\^_?\^)$")

_UNSPACED_PHATIC = re.compile(
    "^(?:你好|您好|谢谢|谢谢你|好的|好|嗯+|哈+|再见|早上好|晚安|不客气|ありがとう|こんにちは|はい|うん)[!！。，~～]*$"
)


def words(text: str) -> list[str]:
    """The words of a text, casefolded, curly apostrophes straightened."""
    return [w.casefold().replace("’", "'") for w in WORD.findall(text)]


def count_words(text: str) -> int:
    """How many words a text has; in scripts without spaces two letters count as one."""
    return len(words(text)) + len(_UNSPACED.findall(text)) // 2


def content_words(text: str) -> list[str]:
    """Its words that are neither function words nor phatic, in order, with repeats."""
    return [w for w in words(text) if w not in FUNCTION and w not in PHATIC and w.removesuffix("'s") not in FUNCTION]


def is_sign(text: str) -> bool:
    """Whether a text is nothing but emoji or an emoticon: "👍", ":)"."""
    if _EMOTICON.match(text.strip()):
        return True
    return not WORD.search(text) and any(unicodedata.category(ch) == "So" for ch in text)


@functools.lru_cache(maxsize=RECENT_TEXTS)
def language_of(text: str) -> str | None:
    """The language a text is written in, as far as its function words tell: `en`, `es`, `de`, `fr`, or None.

    None for other scripts and where two languages tie; a text in plain ASCII without any function word counts as English.
    """
    found = words(text)
    if not found or (not text.isascii() and sum(ch.isascii() for ch in text) < 0.8 * len(text)):
        return None
    english = sum(w in FUNCTION_EN for w in found)
    others = {
        code: sum(w in table and w not in FUNCTION_EN for w in found)
        for code, table in (("es", FUNCTION_ES), ("de", FUNCTION_DE), ("fr", FUNCTION_FR))
    }
    best = max(others, key=lambda code: others[code])
    if english > others[best]:
        return "en"
    if others[best] > english:
        return best
    return "en" if english == 0 and text.isascii() else None


def is_english(text: str) -> bool:
    """Whether a text reads as English."""
    return language_of(text) == "en"


def is_phatic(text: str, names: frozenset[str] = frozenset()) -> bool:
    """Whether a text has nothing but greetings, thanks, cheers and function words; with them, whoever is addressed.

    Args:
        text: the text.
        names: casefolded words of the participants' names.
    """
    content = content_words(text)
    if _UNSPACED_PHATIC.match(text.strip()) or not content:
        return True
    return names.issuperset(content) and not PHATIC.isdisjoint(words(text))
