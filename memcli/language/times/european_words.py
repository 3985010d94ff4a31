"""German, Spanish, French, Portuguese and Italian words of time, as data for the rules in `european`."""

from __future__ import annotations

from dataclasses import dataclass, field

from memcli.language.times.intervals import Unit


@dataclass(frozen=True, slots=True)
class Language:
    """One language's words. In templates `{q}` is a counted unit and `{w}` a unit, weekday or month."""

    days: dict[str, int]
    """Day words and their distance from today."""
    units: dict[str, Unit]
    months: dict[str, int]
    weekdays: dict[str, int]
    numbers: dict[str, int]
    ago: tuple[str, ...]
    ahead: tuple[str, ...]
    last: tuple[str, ...]
    this: tuple[str, ...]
    next: tuple[str, ...]
    in_year: str
    """Words that may stand before a year, as a pattern."""
    in_month: str
    of: str
    """What may stand between day, month and year, as an optional pattern."""
    day_mark: str = ""
    years: dict[str, int] = field(default_factory=dict)
    """Single words for a year, and their distance from this one."""


def _months(names: str) -> dict[str, int]:
    return {name: n for n, entry in enumerate(names.split(), 1) for name in entry.split("/")}


def _weekdays(names: str) -> dict[str, int]:
    return {name: n for n, entry in enumerate(names.split(), 0) for name in entry.split("/")}


def _numbers(names: str) -> dict[str, int]:
    return {name: n for n, entry in enumerate(names.split(), 1) for name in entry.split("/")}


GERMAN = Language(
    days={"vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2, "gestern abend": -1, "heute abend": 0, "heute morgen": 0,
          "morgen früh": 1, "morgen abend": 1, "gestern morgen": -1},
    units={"tag": "day", "tage": "day", "tagen": "day", "woche": "week", "wochen": "week", "monat": "month", "monate": "month",
           "monaten": "month", "jahr": "year", "jahre": "year", "jahren": "year", "stunde": "hour", "stunden": "hour",
           "wochenende": "weekend"},
    months=_months("januar/jänner februar märz april mai juni juli august september oktober november dezember"),
    weekdays=_weekdays("montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag"),
    numbers=_numbers("ein/einem/einer/eine/einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"),
    ago=("vor {q}",),
    ahead=("in {q}",),
    last=("letzte[nrs]? {w}", "vorige[nrs]? {w}", "vergangene[nrs]? {w}"),
    this=("diese[nrsm]? {w}",),
    next=("nächste[nrs]? {w}", "kommende[nrs]? {w}"),
    in_year="im jahre?|seit|ab|bis",
    in_month="im|seit|ab|bis",
    of="",
    day_mark=r"\.",
)  # fmt: skip

SPANISH = Language(
    days={"anteayer": -2, "antier": -2, "ayer": -1, "anoche": -1, "hoy": 0, "esta noche": 0, "esta mañana": 0, "pasado mañana": 2,
          "mañana por la mañana": 1, "mañana por la tarde": 1, "mañana por la noche": 1},
    units={"día": "day", "días": "day", "dia": "day", "dias": "day", "semana": "week", "semanas": "week", "mes": "month",
           "meses": "month", "año": "year", "años": "year", "hora": "hour", "horas": "hour", "fin de semana": "weekend"},
    months=_months("enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre"),
    weekdays=_weekdays("lunes martes miércoles/miercoles jueves viernes sábado/sabado domingo"),
    numbers=_numbers("un/una/uno dos tres cuatro cinco seis siete ocho nueve diez once doce"),
    ago=("hace {q}", "{q} atrás"),
    ahead=("dentro de {q}",),
    last=("(?:la |el )?{w} pasad[oa]", "(?:la |el )?pasad[oa] {w}", "(?:la |el )?últim[oa] {w}"),
    this=("est[ea] {w}",),
    next=("(?:la |el )?próxim[oa] {w}", "(?:la |el )?{w} que viene", "(?:la |el )?{w} próxim[oa]"),
    in_year="en|desde|hasta|en el año|del año|del",
    in_month="en|desde|hasta",
    of=r"(?:del? )?",
)  # fmt: skip

FRENCH = Language(
    days={"avant-hier": -2, "hier soir": -1, "hier matin": -1, "aujourd'hui": 0, "aujourd’hui": 0, "ce soir": 0, "ce matin": 0,
          "cet après-midi": 0, "demain": 1, "demain matin": 1, "demain soir": 1, "après-demain": 2},
    units={"jour": "day", "jours": "day", "semaine": "week", "semaines": "week", "mois": "month", "an": "year", "ans": "year",
           "année": "year", "années": "year", "heure": "hour", "heures": "hour", "week-end": "weekend"},
    months=_months("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    weekdays=_weekdays("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    numbers=_numbers("un/une deux trois quatre cinq six sept huit neuf dix onze douze"),
    ago=("il y a {q}",),
    ahead=("dans {q}",),
    last=("(?:la |le |l['’])?{w} derni(?:er|ère)", "(?:la |le |l['’])?{w} passée?"),
    this=("cette {w}", "cet? {w}"),
    next=("(?:la |le |l['’])?{w} prochaine?",),
    in_year="en|depuis|jusqu['’]en|l['’]an|d['’]ici",
    in_month="en|depuis|jusqu['’]en",
    of="",
    day_mark="er",
)  # fmt: skip

PORTUGUESE = Language(
    days={"anteontem": -2, "ontem": -1, "ontem à noite": -1, "hoje": 0, "amanhã": 1, "depois de amanhã": 2},
    units={"dia": "day", "dias": "day", "semana": "week", "semanas": "week", "mês": "month", "meses": "month",
           "ano": "year", "anos": "year"},
    months=_months("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
    weekdays=_weekdays("segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo"),
    numbers=_numbers("um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze"),
    ago=("há {q}(?: atrás)?", "{q} atrás"),
    ahead=("daqui a {q}",),
    last=("{w} passad[oa]", "passad[oa] {w}"),
    this=("(?:n?est[ea]) {w}",),
    next=("próxim[oa] {w}", "{w} que vem"),
    in_year="em|desde|até",
    in_month="em|desde|até",
    of=r"(?:de )?",
)  # fmt: skip

ITALIAN = Language(
    days={"l'altro ieri": -2, "ieri": -1, "ieri sera": -1, "oggi": 0, "stasera": 0, "stamattina": 0, "domani": 1, "dopodomani": 2},
    units={"giorno": "day", "giorni": "day", "settimana": "week", "settimane": "week", "mese": "month", "mesi": "month", "anno": "year",
           "anni": "year"},
    months=_months("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
    weekdays=_weekdays("lunedì martedì mercoledì giovedì venerdì sabato domenica"),
    numbers=_numbers("un/uno/una due tre quattro cinque sei sette otto nove dieci undici dodici"),
    ago=("{q} fa",),
    ahead=("tra {q}", "fra {q}"),
    last=("(?:la |il |l['’])?{w} scors[oa]", "(?:la |lo |l['’])?scors[oa] {w}"),
    this=("quest[oa] {w}",),
    next=("(?:la |il |l['’])?{w} prossim[oa]", "(?:la |il )?prossim[oa] {w}"),
    in_year="nel|dal|fino al",
    in_month="a|in|da",
    of="",
)  # fmt: skip

LANGUAGES = (GERMAN, SPANISH, FRENCH, PORTUGUESE, ITALIAN)
