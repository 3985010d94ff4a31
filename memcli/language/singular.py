"""The singular of a noun by its ending: English, Spanish, French. A word that may be singular already stays as it is.

German plurals cannot be told from singulars by their endings, and other languages are left alone.
"""

from __future__ import annotations

from functools import lru_cache

from memcli.language.lexicon import word_set

_IRREGULAR_EN = {
    "children": "child", "people": "people", "men": "man", "women": "woman", "feet": "foot", "teeth": "tooth", "geese": "goose",
    "mice": "mouse", "lives": "life", "wives": "wife", "knives": "knife", "leaves": "leaf", "loaves": "loaf", "halves": "half",
    "wolves": "wolf", "shelves": "shelf", "selves": "self", "calves": "calf", "scarves": "scarf", "thieves": "thief", "elves": "elf",
    "hooves": "hoof", "movies": "movie", "cookies": "cookie", "brownies": "brownie", "smoothies": "smoothie", "selfies": "selfie",
    "pies": "pie", "ties": "tie", "calories": "calorie", "zombies": "zombie", "hoodies": "hoodie", "rookies": "rookie",
    "veggies": "veggie", "birdies": "birdie", "genies": "genie", "prairies": "prairie", "dies": "die", "lies": "lie", "shoes": "shoe",
    "toes": "toe", "canoes": "canoe", "heroes": "hero", "potatoes": "potato", "tomatoes": "tomato", "echoes": "echo",
    "mosquitoes": "mosquito", "tornadoes": "tornado", "volcanoes": "volcano", "mangoes": "mango", "quizzes": "quiz", "analyses": "analysis",
    "theses": "thesis", "hypotheses": "hypothesis", "diagnoses": "diagnosis", "crises": "crisis", "oases": "oasis", "buses": "bus",
    "viruses": "virus", "statuses": "status", "campuses": "campus", "bonuses": "bonus", "choruses": "chorus", "gases": "gas",
    "aliases": "alias", "atlases": "atlas", "canvases": "canvas", "lenses": "lens", "axes": "axis", "indices": "index",
    "matrices": "matrix", "vertices": "vertex", "appendices": "appendix", "cacti": "cactus", "fungi": "fungus", "criteria": "criterion",
    "phenomena": "phenomenon", "headaches": "headache", "caches": "cache", "aches": "ache", "niches": "niche", "avalanches": "avalanche",
    "mustaches": "mustache", "oxen": "ox", "grandchildren": "grandchild", "housewives": "housewife",
}  # fmt: skip
_SAME_EN = word_set(
    "series species news mathematics physics athletics aerobics gymnastics economics politics ethics electronics acoustics analytics"
    " genetics statistics graphics logistics robotics ceramics linguistics mechanics dynamics semantics thanks lens gas bus yes plus"
    " alias atlas canvas bias christmas always perhaps pants jeans trousers shorts leggings tights glasses sunglasses scissors"
    " headquarters diabetes rabies measles tennis chess progress clothes goods mass pros cons means savings earnings surroundings"
    " outskirts remains congratulations arms-length texas paris dallas kansas arkansas athens netherlands philippines alps andes"
    " olympics james charles thomas lucas chris jess ross tess css js os dns https aws gps sms ios tls rss cors sass less kubernetes"
    " pandas pytest rails express postgres nexus campus virus bonus chorus cactus fungus status focus menu asbestos cosmos chaos kudos"
    " ethos pathos thermos barbados rhinoceros alas ceramics graphics diagnostics fries feces grits oats molasses overalls regards"
    " aesthetics classics comics"
)
_SAME_FR = word_set(
    "mois fois bois pays temps cours fils bras repas souris dos gris anglais français souvent plus moins corps poids choix prix voix"
    " noix paris os avis tapis ours mars progrès succès accès procès concours discours parcours univers jus bus campus virus"
)
_SAME_ES = word_set(
    "lunes martes miércoles jueves viernes crisis análisis tesis virus bus país mes gas dos tres seis más paraguas cumpleaños oasis"
    " dosis atlas autobús francés inglés interés estrés compás jamás"
)


@lru_cache(maxsize=50_000)
def singular(word: str, language: str | None) -> str:
    """The singular of a casefolded noun of `language` (`en`, `es`, `fr`); any other language's word as it is."""
    if language == "en":
        return _english(word)
    if language == "fr":
        return _french(word)
    return _spanish(word) if language == "es" else word


def _english(word: str) -> str:
    known = _IRREGULAR_EN.get(word)
    if known is not None:
        return known
    head, dash, last = word.rpartition("-")
    if dash:
        return f"{head}-{_english(last)}" if last.isalpha() else word
    if word in _SAME_EN or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s", ".js")):
        return word
    if not word.isascii():
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "xes", "zzes", "ches")):
        return word[:-2]
    return word[:-1]


def _spanish(word: str) -> str:
    if word in _SAME_ES or len(word) < 4 or not word.endswith("s") or word.endswith(("is", "us", "ss")):
        return word
    if word.endswith("ciones") or word.endswith("siones"):
        return f"{word[:-4]}ón"
    if word.endswith("ces"):
        return f"{word[:-3]}z"
    if word.endswith(("ades", "udes", "edes", "res", "les", "nes", "yes")) and len(word) > 5:
        stem = word[:-2]
        return word[:-1] if word.endswith(("bles", "bres", "tres", "dres", "gres", "cles", "ples")) else stem
    return word[:-1]


def _french(word: str) -> str:
    if word in _SAME_FR or len(word) < 4:
        return word
    if word.endswith(("eaux", "eux", "oux")):
        return word[:-1] if word.endswith("eaux") else word
    if word.endswith("aux"):
        return f"{word[:-3]}al"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is", "ès")) else word
