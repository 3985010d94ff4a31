"""What class a word of English most likely belongs to: closed lists and endings, no model.

Made for finding noun phrases, so what matters is which words cannot be in one (verbs, adverbs), which only lead one (adjectives),
and which say nothing as one of their own ("thing", "way"). Only words that any speaker uses about anything are listed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from memcli.language.lexicon import FUNCTION_EN, PHATIC, word_set

WordClass = Literal[
    "determiner", "preposition", "conjunction", "pronoun", "be", "stop", "adverb", "verb", "either", "adjective", "empty", "ing", "ed",
    "vague", "tail", "noun",
]  # fmt: skip
"""`pronoun`: also modals and "to", after which a verb stands. `be`: after it stands a participle or a complement. `either`: noun or
verb ("plan"). `empty`: an adjective that tells nothing apart ("great"). `vague`: a noun that needs a modifier ("photo"). `tail`: a
word of greetings that is a noun behind another one ("game night"). `ing`, `ed`: to be told by their neighbours."""

DETERMINERS = word_set(
    "a an the this that these those my your his her its our their some any all both each every either neither no another other such"
    " many much few several more most own same what which whose"
)
PREPOSITIONS = word_set(
    "of in on at for with by from about into onto over under between through against via per without within along across around near"
    " during before after above below until as than like including besides despite towards toward behind beside inside"
    " outside upon among"
)
_CONJUNCTIONS = word_set("and or but nor plus & because if while although though since unless whether when where then")
_PRONOUNS = word_set(
    "i you he she it we they who to not never can could will would shall should may might must do does did don't doesn't didn't can't"
    " couldn't won't wouldn't shouldn't haven't hasn't hadn't i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd"
    " they'd i've you've we've they've there've who've let's let please gonna wanna gotta cannot"
)
_BE = word_set(
    "is are was were be been being am isn't aren't wasn't weren't ain't i'm you're he's she's it's we're they're that's there's here's"
    " what's who's"
)
_STOP = word_set(
    "thing things something anything everything nothing way ways lot lots bit kind sort bunch couple ton tons plenty number amount rest"
    " one ones two three four five six seven eight nine ten eleven twelve hundred thousand million first second third once twice half"
    " dozen first-hand etc e.g i.e vs ok okay hi hey wow yeah yay oh haha lol btw omg thanks thank whatever whichever whoever anyway"
    " instead why how there here too also just very only else someday eh forever mmm"
    " meantime cuz fav cm mm km kg px ms pm am const var def async"
    " await elif boolean whenever wherever however random woohoo whoop woo yass phew yikes hooray hurray gotcha me him us them myself"
    " yourself himself herself itself ourselves themselves everyone everybody someone somebody anyone anybody nobody have has had having"
    " mr mrs ms dr com www http https html lately ago next last past previous following able unable due sure worth glad happy sad"
    " excited proud grateful thankful tired sorry afraid aware ready busy lucky interested let's fingers stuff y'all kudos welcome hello"
    " yes no again soon now today tonight tomorrow yesterday up down out off back away together apart ahead forward dear huh hmm ah aw"
    " aww ooh ugh yep nope congrats congratulations cheers damn gosh god man dude guys guy folks"
)
_ADVERBS = word_set(
    "so almost already always often sometimes usually never ever even still yet quite rather pretty maybe perhaps however therefore"
    " moreover furthermore otherwise thus hence meanwhile afterwards anymore somewhat somehow everywhere somewhere anywhere nowhere"
    " abroad outdoors indoors upstairs downstairs alone well better best far further right altogether likewise nonetheless nevertheless"
    " indeed especially really actually totally definitely super kinda besides overall later earlier long sooner straight online"
)
_ADJECTIVES = word_set(
    "old young long short high low hot cold warm cool dark light dry wet clean dirty full empty open free hard soft easy heavy deep"
    " wide narrow thick thin fast slow loud quiet rich poor cheap safe strong weak sick healthy fresh raw sweet sour bitter spicy red"
    " blue green yellow black white brown pink purple orange grey gray golden silver wooden local global public private single married"
    " main key basic simple complex common rare modern ancient foreign national human natural social physical mental medical digital"
    " virtual electric final early late daily weekly monthly annual yearly left busy fun mad angry lonely nervous scared anxious curious"
    " confident creative active vivid scary proficient passionate allergic passive current recent available responsive similar separate"
    " secure robust efficient dynamic static custom default specific general upcoming ongoing nearby favorite favourite vegan wild cozy"
    " cosy remote urban rural female male gay straight trans senior junior external internal initial potential individual additional"
    " optional manual automatic intense tough rough smooth sharp flat round close distant tall blind deaf dead alive clear bright pale"
    " broken lost stuck involved japanese chinese french german english spanish italian american british african asian european mexican"
    " indian irish russian korean latin relevant consistent important different concrete abstract domestic unique vital crucial"
    " essential necessary true false real fake wrong correct accurate exact proper valid invalid normal typical usual regular extra"
    " entire supportive vegetarian historic athletic artistic academic economic electronic organic plastic romantic classic domestic"
    " fantastic dramatic generic exotic asynchronous synchronous"
)
_EMPTY = word_set(
    "new good great nice amazing awesome wonderful fantastic incredible lovely beautiful gorgeous cute cool special fave big little"
    " small huge tiny large whole entire different various certain several particular perfect super interesting exciting fun favorite"
    " favourite best better bad worse worst great real actual main important similar other such own same able sweet brilliant excellent"
    " terrific neat impressive inspiring stunning magical powerful meaningful memorable unforgettable enjoyable delightful fabulous epic"
    " crazy insane next last first latest past few many much more most less least enough overall additional further above below"
    " appropriate relevant necessary essential crucial vital possible likely proper potential specific following given current old young"
    " ongoing upcoming recent extra tough rough hard easy quick fast simple detailed solid helpful useful ideal major minor common full"
    " actual true complete total rewarding challenging fulfilling relaxing refreshing comforting uplifting heartwarming thoughtful wild"
    " wrong right happy glad sad lucky proud cherished precious adorable yummy delicious tasty fine okay rad dope loving so-called"
    " existing"
)
_VERBS = (
    "accept accomplish achieve acquire adapt add address adjust admire admit adopt advise afford agree aim allow apologize appear apply"
    " appreciate argue arrange arrive ask assist assume assure attend avoid be become begin behave believe belong bring build buy call"
    " care carry catch cause celebrate check choose clarify collaborate combine come communicate compare complain complete concern"
    " conduct confirm connect consider consist contain continue contribute convert convince cover create deal decide define deliver"
    " demonstrate depend describe deserve destroy determine develop disappear discover discuss display do eat edit embrace emerge enable"
    " encounter encourage enhance enjoy ensure enter establish evaluate exist expand expect explain explore express extend face fail"
    " fall feel fetch figure fill find finish fit fix focus follow forget forgive fulfill gain gather generate get give go grab grow"
    " guess guide hang happen hate have hear help hide highlight hold hope identify ignore illustrate imagine implement imply improve"
    " include incorporate increase indicate inform initialize insert inspire install integrate introduce invest investigate invite"
    " involve join keep know laugh lead learn leave lend let lie listen live look lose love maintain make manage matter mean measure"
    " meet mention miss mitigate modify motivate move navigate need notice obtain occur offer optimize organize overcome overwhelm own"
    " participate pay perform persist pick possess prefer prepare present prevent proceed produce promote protect prove provide publish"
    " pull push put raise reach read realize receive recognize recommend reconnect reduce refer reflect refuse register relate relax"
    " rely remain remember remind remove replace represent require reside resolve respect respond retrieve reveal ride run save say see"
    " seek seem select send serve set share shine shoot show sing sit sleep solve sound speak specify spend stand start stay stop"
    " strengthen struggle submit succeed suggest suit suppose survive take talk teach tell tend thank think throw transform travel"
    " treasure treat try turn understand update use utilize validate vary verify visit volunteer wait wake walk want watch wear welcome"
    " win wish wonder work worry write leverage simulate adopt chat check appear bake crash strive empower foster ease unwind recharge"
    " reminisce bond hang wrap kick knock nail rock rely rid stick swap tackle thrive chill sanitize authenticate brighten cheer cherish"
    " confuse disappoint discourage excite frustrate fascinate hurt impress interest relieve rejoice resonate scare surprise upset"
    " overlap redirect trigger wanna ensure catch escape persuade pretend quit recall recover renew rent repair reply configure draw"
    " click calculate minify compress plot soak prove feature intersect allocate freeze donate recreate roast interact detach defer"
    " override reject lay pose wade perch gaze encourage mock parse render deploy compile return fail toggle invoke append wanna inspect"
    " iterate contain restart reset retry recheck double-check instantiate assign rescue retire return sell shut sign smile suffer"
    " support surround touch throw trust tweak upload walk"
)
_EITHER = word_set(
    "address aim attempt balance bake bond break brush call camp care cause challenge change chat check cheer climb comment compromise"
    " concern contact control cook cost cover craft crash dance deal debate debug decline delay deposit design display doubt dream dress"
    " drink drive ease edit end escape exchange exercise experience face fall fear feature feel fight figure film filter fish fit fix"
    " fly focus form garden gift guide guess hack handle help hike hope host hug influence interest iterate joke journey judge jump kick"
    " kiss knock lead lie lift limit link list load lock log look love matter measure meet match mess mix model move name need nail"
    " offer order outline pack paint pass pause pay pet phone pitch place plan plant play point position post practice practise praise"
    " present press price process produce program progress project promise push quiz race rain raise range rate reach record reflect"
    " release rent repair reply report request rescue research respect rest result return review reward ride ring risk rock role run"
    " sale sample save scale schedule score search sense serve set shape share shift shoot shop show sign skate ski smile snack sound"
    " spark stage stand start state stay step stick stop store stream stress stretch struggle study style suit supply support surprise"
    " surf survey talk target taste team test text thought touch tour track trade train transfer travel treasure treat trick trigger"
    " trip trust try turn tutor twist update upgrade upset use view visit volunteer vote wait walk wash waste watch wave wish witness"
    " wonder work workout worry wrap yield type"
)
_VERB_ONLY_IN_DOUBT = word_set(
    "need love use help let show set look feel hope guess try keep want wish mean wonder share make take get check stay start stop run"
    " call deal matter save lead meet miss push raise reach sound stand talk turn wait treat treasure surprise appreciate cheer fall"
    " figure fit fix handle hang kick nail offer pay reflect rock serve shoot worry upset involve concern edit face lie move update"
    " ensure manage work play watch visit support experience joke measure split practice practise label match click draw plot"
)
_IRREGULAR = word_set(
    "was were had did went gone got gotten made took taken came saw seen knew known thought felt found gave given told became left kept"
    " began begun brought bought built caught chose chosen drew drawn drank drove driven ate eaten fell fallen fought flew flown forgot"
    " forgotten grew grown heard held laid led learnt lent lost meant met paid ran rode risen rose said sang sat sent shook shaken shot"
    " slept sold spent spoke spoken stood stole stolen stuck swam swore taught threw thrown understood woke woken wore worn won wrote"
    " written broke broken hid hidden hung struck swept tore wound put let hurt hit shown done proven sought spun ended said says"
    " stepped"
)
_NOUNS_ING = word_set(
    "thing king ring spring string wing evening morning ceiling clothing feeling meaning building wedding painting meeting training"
    " drawing earring awning sibling pudding offspring sling swing engineering marketing parking savings housing lighting plumbing"
    " upbringing wellbeing well-being being outing gathering belonging ending handling beginning opening setting listing mapping routing"
    " logging caching testing styling encoding binding spacing heading padding timing rating ranking string hosting writing reading"
    " dancing hiking camping running swimming climbing skiing surfing cooking baking gardening knitting fishing sailing cycling biking"
    " gaming shopping yoga volunteering counseling counselling mentoring parenting therapy coding programming singing"
    " acting boxing skating snowboarding kayaking jogging crafting blogging vlogging streaming fundraising networking budgeting"
    " accounting funding pricing shipping branding debugging filing healing nursing tutoring coaching teaching lettering icing dressing"
    " stuffing seasoning"
)
_NOUNS_ED = word_set(
    "bed seed speed feed shed weed breed thread bread need creed deed reed greed sled moped newlywed biped steed hundred naked sacred"
)
_NOUNS_ER = word_set("leader reader customer former summer cleaner freezer lighter order other darner locker")
_NOUNS_LY = word_set(
    "family reply supply assembly butterfly ally belly jelly bully july anomaly fly rally lily monopoly italy firefly dragonfly gully"
    " doily ply tally folly dolly holly trolley poly"
)
_ADJECTIVES_LY = word_set(
    "friendly elderly early daily weekly monthly yearly only lonely lively ugly silly curly timely costly family-friendly eco-friendly"
    " likely"
)
_VAGUE = word_set(
    "photo picture pic image shot snap time year month week day hour minute second moment people person everyone group part place side"
    " end example case step issue problem reason fact point question answer idea word type form level set line area piece item option"
    " detail summary note tip conclusion section approach purpose result change difference experience journey story situation process"
    " use value name key need top front middle center background world life kid guy way chance opportunity sense thought feeling memory"
    " mind heart hand eye face head body look help support love work effort impact aspect matter instance manner range series variety"
    " list set max min class function return true false null id usage overview introduction requirement explanation"
    " interpretation benefit guideline method hope plan try deal treat turn call check stuff others other one anything weekend vibe"
    " blast bonus joy fun number order start while rest lot kind sort beginning middle meaning spot goal"
)
_TAIL = word_set("night day morning evening afternoon time friend question point idea luck kind sense")

_ADJECTIVE_ENDINGS = ("ful", "ous", "able", "ible", "less", "ical", "ional", "iest", "ish", "esque")
_ADJECTIVE_SECOND_PARTS = ("ed", "free", "based", "friendly", "term", "time", "level", "old")
_CLITICS = ("'ve", "'d", "'ll", "n't", "'re", "'m")
_ADJECTIVE_NOT = word_set(
    "table vegetable cable variable spoonful handful mouthful bible fish dish wish radish polish finish professional vocational original"
    " timetable musical hospital vegetables constable parish english spanish crucible collectible convertible deliverable nonprofessional"
    " valuables british syllable rational dish jellyfish goldfish shellfish starfish publish regional"
)
_IVE_NOUNS = word_set(
    "five hive dive drive olive archive alternative perspective objective initiative incentive motive narrative native detective executive"
    " representative relative adjective locomotive directive collective derivative live give directive preservative"
)


def _forms(lemma: str) -> tuple[str, ...]:
    """A verb's regular forms: base, third person, past, gerund."""
    if lemma.endswith(("ee", "oe", "ye")):
        return (lemma, f"{lemma}s", f"{lemma}d", f"{lemma}ing")
    if lemma.endswith("e"):
        return (lemma, f"{lemma}s", f"{lemma}d", f"{lemma[:-1]}ing")
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return (lemma, f"{lemma[:-1]}ies", f"{lemma[:-1]}ied", f"{lemma}ing")
    third = f"{lemma}es" if lemma.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{lemma}s"
    doubled = lemma + lemma[-1] if lemma[-1] in "bdgmnprt" and lemma[-2] in "aeiou" and lemma[-3:-2] not in tuple("aeiou") else lemma
    return (lemma, third, f"{lemma}ed", f"{lemma}ing", f"{doubled}ed", f"{doubled}ing")


def _compared(adjective: str) -> tuple[str, ...]:
    """Its comparative and superlative, if they are regular."""
    stem = adjective.removesuffix("e")
    if adjective.endswith("y"):
        stem = f"{adjective[:-1]}i"
    elif len(adjective) < 5 and adjective[-1] in "bdgnt" and adjective[-2] in "aeiou" and adjective[-3:-2] not in tuple("aeiou"):
        stem = adjective + adjective[-1]
    return (f"{stem}er", f"{stem}est")


def _table() -> dict[str, WordClass]:
    table: dict[str, WordClass] = {}

    def put(words: frozenset[str], word_class: WordClass) -> None:
        for word in words:
            table.setdefault(word, word_class)

    put(_BE, "be")
    put(_PRONOUNS, "pronoun")
    put(DETERMINERS, "determiner")
    put(_CONJUNCTIONS, "conjunction")
    put(PREPOSITIONS, "preposition")
    put(_STOP, "stop")
    put(_ADVERBS, "adverb")
    put(_TAIL, "tail")
    put(_EMPTY, "empty")
    put(_ADJECTIVES | _ADJECTIVES_LY, "adjective")
    put(frozenset(form for word in _ADJECTIVES | _EMPTY if len(word) < 7 for form in _compared(word)) - _NOUNS_ER, "empty")
    put(_IRREGULAR, "verb")
    put(_NOUNS_ING | _NOUNS_ED | _NOUNS_LY, "noun")
    put(_VAGUE - _EITHER, "vague")
    for lemma in sorted(_EITHER):
        forms = _forms(lemma)
        put(frozenset(forms[:2]), "either")
        put(frozenset(f for f in forms[2:] if f.endswith("ed")), "ed")
        put(frozenset(f for f in forms[2:] if f.endswith("ing")), "verb" if lemma in _VERB_ONLY_IN_DOUBT else "ing")
    for lemma in _VERBS.split():
        put(frozenset(f for f in _forms(lemma) if not f.endswith("ed")), "verb")
        put(frozenset(f for f in _forms(lemma) if f.endswith("ed")), "ed")
    put(FUNCTION_EN | PHATIC, "stop")
    return table


_CLASSES = _table()
SAYS_LITTLE = _VAGUE | _TAIL | word_set("stuff photograph")
"""Nouns that are no keyword alone, in the singular."""


_IN_DOUBT_FORMS = frozenset(form for lemma in _VERB_ONLY_IN_DOUBT for form in _forms(lemma)[:2])


@lru_cache(maxsize=50_000)
def word_class(word: str) -> WordClass:
    """The likeliest class of a casefolded English word."""
    known = _CLASSES.get(word)
    if known is not None:
        return known
    if word.endswith(_CLITICS):
        return "pronoun"
    if not word.isalpha():
        last = word.rsplit("-", 1)[-1]
        if any(ch.isdigit() for ch in word) and not any(ch.isalpha() for ch in word):
            return "stop"
        if last != word and last.endswith("ing"):
            return "ing"
        return "adjective" if last != word and last.endswith(_ADJECTIVE_SECOND_PARTS) else "noun"
    if word.endswith("ly") and len(word) > 4:
        return "adverb"
    if word.endswith("ing") and len(word) > 5:
        return "ing"
    if word.endswith("ed") and len(word) > 4:
        return "ed"
    if word not in _ADJECTIVE_NOT and word.endswith(_ADJECTIVE_ENDINGS) and len(word) > 5:
        return "adjective"
    if word.endswith("ive") and word not in _IVE_NOUNS:
        return "adjective"
    if word.endswith(("ize", "ise", "ify", "izes", "ifies")) and len(word) > 6 and not word.endswith(("cise", "tise", "rise")):
        return "verb"
    return "noun"


def in_doubt_a_verb(word: str) -> bool:
    """Whether a word of class `either` is a verb where its neighbours do not tell."""
    return word in _IN_DOUBT_FORMS
