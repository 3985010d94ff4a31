"""Which words of Spanish, French, German and others can be nouns: closed lists and endings, no model."""

from __future__ import annotations

import re

from memcli.language.lexicon import word_set

FUNCTION_MORE = word_set(
    # Spanish
    "este esta esto estos estas ese esa eso esos esas aquel aquella nuestro nuestra nuestros nuestras vuestro suyo todo toda todos"
    " todas cada otro otra otros otras mucho mucha muchos muchas poco poca pocos pocas algo alguien alguna alguno algunos algunas nada"
    " nadie ningún ninguna también tampoco siempre nunca ahora luego después antes ayer hoy mañana anoche aquí allí ahí entonces desde"
    " hasta hacia entre cuando donde mientras aunque quien cual cuyo tan tanto tanta así además casi sólo solo mismo misma mejor peor"
    " mayor menor gran grande nuevo nueva bueno buena tiene tienen tengo tenemos había era eran fue fueron ser sido hace hacer hizo"
    " puede puedo poder quiero quiere dos tres cuatro cinco fui fue fuimos voy vamos iba compré comí hice tuve estuve vi dije vivo vive"
    " trabajo azul azules vez veces cosa cosas nosotros ustedes usted año años día días semana semanas mes meses gusta gustan"
    # French
    "leur leurs notre nos votre vos cet tout toute tous toutes chaque autre autres même mêmes très trop peu beaucoup aussi alors puis"
    " donc ainsi encore déjà toujours jamais hier aujourd'hui demain ici là depuis pendant avant après chez vers entre sous contre comme"
    " lorsque parce fait faire peut veux veut dois doit ont avait étaient était été aller vais va suis serai rien quelque quelques"
    " plusieurs bien mal mieux moins bon bonne petit petite grand grande nouveau nouvelle jour jours an ans année années semaine mois"
    " fois chose choses deux trois quatre cinq dernier dernière derniers prochain prochaine premier première lui eux soi cela ça celui"
    " celle ceux quel quelle moi toi"
    # German
    "uns unsere unserer unseren meine meiner meinen meinem deine seine seiner seinen ihre ihrer ihren diese dieser dieses diesen jede"
    " jeder jedes alle alles viel viele sehr mehr immer wieder heute gestern morgen jetzt hier dort damals jahr jahre jahren tag tage"
    " tagen woche wochen monat monate monaten mal sie ihnen euch herr frau uhr"
)
"""Words that tell nothing apart, beyond the closest function words: pronouns, numbers, common adverbs and verbs, units of time."""

_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese, Khmer: no spaces between words, so that a "word" is a sentence, or what vowel signs leave of one."""

_VERB_ENDINGS = {
    "es": re.compile(
        r"(?:[aei]r(?:l[aeo]s?|me|te|se|nos)?|ando|iendo|yendo|aron|ieron|aba[ns]?|ábamos|[aei]mos|aste|iste|[óé]|ía[ns]?"
        r"|ado|ido|mente)$"
    ),
    "fr": re.compile(r"(?:ait|aient|ais|ons|ez|erai|era|eront|erais|issent|é|és|ée|ées|er|ir|ment)$"),
}
_SUBJECTS = {
    "es": word_set("yo tú él ella usted nosotros ellos ellas ustedes me te se nos lo le les no"),
    "fr": word_set("je tu il elle on nous vous ils elles me te se ne pas j'ai"),
}
_NOUNS_LIKE_VERBS = word_set(
    "lugar hogar mar mujer taller alquiler bar azúcar collar ser amanecer mercado helado pescado vestido partido apellido cuidado"
    " estado café bebé jersey paté comité pie abogado marido sonido sentido tejado grado lado prado soldado teclado significado"
    " resultado día tía energía librería panadería fotografía guía biología compañía tecnología geografía cafetería lotería poesía"
    " sinfonía economía bahía alegría mer hiver fer papier métier cahier atelier quartier pompier danger déjeuner dîner souper goûter"
    " plaisir avenir loisir désir cuir tir café thé marché musée lycée idée année journée soirée entrée santé beauté université bébé été"
    " clé société qualité liberté vérité blé nez riz chez gaz appartement vêtement bâtiment monument instrument document moment"
    " médicament changement logement aliment départ maison saison poisson leçon prison boisson chanson raisons maisons saisons poissons"
    " chansons boissons leçons ballons ballon salons escalier calendrier panier jardinier boulanger pâtissier verger foyer loyer clavier"
    " dossier courrier évier janvier premier dernier palais marais français anglais relais essais"
)


def is_probably_a_noun(word: str, previous: str, language: str | None) -> bool:
    """Whether a content word can be a noun.

    Args:
        word: casefolded, no function word.
        previous: the word before it, casefolded; after a subject a verb stands.
        language: `es`, `fr`, or another, of which no more is known.
    """
    if _NO_SPACES.search(word):
        return False
    if language not in _VERB_ENDINGS:
        return True
    return previous not in _SUBJECTS[language] and (word in _NOUNS_LIKE_VERBS or _VERB_ENDINGS[language].search(word) is None)
