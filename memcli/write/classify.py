"""What sort of sentence a span is: its kind, modality and polarity, and whether it asks or only offers help.

Closed patterns of several languages, tried in a fixed order; none of them knows a topic.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memcli.atoms import ClaimKind, Modality, Polarity, TimeCue
from memcli.language.lexicon import word_set, words
from memcli.write.orders import is_imperative

_QUESTION_END = re.compile(r"[?？](?:[\"'”’)\]\s]|[^\w\s])*$")
_OFFER = re.compile(
    r"^(?:feel free to|let me know|i hope (?:this|that)|if you (?:have|need|want|would like)|would you like"
    r"|do you (?:want|need) (?:me|help|more)|happy (?:coding|designing|learning|to help)|good luck|you're welcome"
    r"|here(?:'s| is| are) (?:a|an|the|some|how|your)\b[^.]*:$"
    r"|(?:sure|certainly|absolutely|of course|great)\b[^.]*[!:]$|let's (?:dive|get started|break|go through)|is there anything)",
    re.IGNORECASE,
)
_PRAISED = r"(?:good|great|amazing|awesome|excellent|fantastic|wonderful|nice|solid|super|helpful|lovely|hard|brilliant)"
_CHEER = (
    rf"(?:keep (?:(?:up )?(?:the|that|your) {_PRAISED} work(?: up)?|it up|up|(?:on )?(?:it )?(?:going|pushing|shining"
    rf"|smiling|dreaming|believing"
    r"|fighting|striving|growing|rocking)|at it|being (?:you|yourself|awesome|amazing)|your (?:head|chin|spirits) up)"
    r"|(?:always )?believe in yourself|(?:you(?:['’]ve)? )?got this|you can do (?:it|this)|hang in there|stay (?:strong|positive|safe)"
    r"|(?:do not|don['’]?t|never)(?: ever)? (?:give up(?: on (?:yourself|your dreams))?|lose hope|stop (?:believing|dreaming))"
    r"|no (?:prob(?:s|lems?)?|worries|biggie)(?: at all)?"
    rf"|(?:(?:that['’]s|that is|such) )?(?:really |so |some )?{_PRAISED} (?:advice|tips?|suggestions?|job|work|choice|news)"
    r"|(?:i['’]?m |i am )?(?:so |really |very )?sorry to hear (?:that|this|it)"
    r"|(?:i['’]?m |we['’]re )?(?:rooting|cheering) for you|way to go|well done|go for it|follow your (?:heart|dreams?))"
)
_CHEERS = re.compile(
    r"^\W*(?:(?:well|so|and|just|wow|whoa|oof|ouch|aw+|oh|hey|ya+y|yea+h?|yes|ok|okay|man|thanks|please|always|remember"
    r"|haha)\b[\s,.!–-]*){0,3}"
    rf"{_CHEER}(?:[\s,!–-]+(?:and |but )?{_CHEER})*(?:,? (?P<called>[^\W\d_]+))?\W*$",
    re.IGNORECASE,
)
"""Encouragement and reactions that anybody might give to anything."""
_NOT_NEGATIVE = re.compile(
    r"\bnot (?:only|just|to mention|bad|alone)\b|\bno (?:doubt|wonder|prob(?:s|lems?)?|worries|matter)\b"
    r"|\bcan['’]?t (?:(?:even |just )?wait|help but"
    r"|believe|thank)\b"
    r"|\bcannot (?:wait|help but|believe)\b|\bcouldn['’]?t (?:be (?:happier|prouder|better)|agree more|believe|wait)\b|\bwhy not\b"
    r"|\bwhether or not\b|\b(?:do(?:es)?n['’]?t|do not|didn['’]?t|won['’]?t|never|not) (?:ever )?forget\b"
    r"|\b(?:of|for|about|by|in) (?:not|never) \w+ing\b|\bnever (?:ceases?|ceased|fails?|failed) to\b"
    r"|\bnothing (?:but|beats|compares|like|can beat|better than)\b"
    r"|\bif not\b|\bnever mind\b|\bno\. ?\d|\bnicht nur\b|\bno solo\b|\bno sólo\b|\bpas seulement\b|\bpas mal\b"
    r"|\b(?:isn|aren|wasn|weren|don|doesn|didn|haven|hasn|won|can|couldn)['’]?t (?:it|he|she|they|you|we|i)\s*[?!]"
    r"|不(?:错|但|仅|过|断|同|久|只|少|管|好意思|客气|得不)|差不多|对不起|没(?:错|关系|问题|事)|[是要能会好对有想]不[是要能会好对有想]|有没有",
    re.IGNORECASE,
)
"""What looks like a negation and denies nothing."""
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|none|nobody|nothing|neither|nor|cannot|\w+n['’]t|dont|didnt|cant|wont|isnt|wasnt|doesnt|havent"
    r"|no|nope|nah|nunca|jamás|tampoco|nadie|nicht|nichts|nein|kein\w*|nie|niemals|niemand|pas|jamais|plus jamais"
    r"|non(?!-)|rien)\b|[不没别無无]",
    re.IGNORECASE,
)
_SIDE_CLAUSE = re.compile(
    r",\s+but\b|[,;]?\s+\b(?:because|although|even though|though|unless|until|which|who|whose|if|when|whenever|while|where|wherever"
    r"|whether|in case|especially since|that (?=(?:(?:do|did|is|are|was|were|can|could|will|would|has|have|does)(?:n['’]t| not)|never"
    r"|cannot|no longer)\b)|(?:reminder|proof|sign"
    r"|shows?) that|so that"
    r"|weil|obwohl|dass|porque|aunque|parce que|bien que)\b",
    re.IGNORECASE,
)
"""Where a clause begins that does not decide what the sentence says or denies."""
_FIRST_CLAUSE = re.compile(
    r"^\W*(?:(?:and|but|so)\s+)?(?:if|when|whenever|while|although|though|even though|because|since|unless|until|where|in case"
    r"|wenn|weil|obwohl|falls|si|cuando|porque|aunque|quand|lorsque)\b[^,.;!?]*,\s*(?=\w)",
    re.IGNORECASE,
)
"""Such a clause at a sentence's beginning."""
_ITEM_NAME = re.compile(r"^\W*[^:.!?\n]{1,50}:\W*\s(?=\w)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_OF_A_THING = re.compile(
    r"(?<=\w )(?:(?:does|is|are|has|have|do|will|can|could|would|should|must)(?:n['’]t| not)|cannot|can['’]?t)\b", re.IGNORECASE
)
"""What an order says something shall not do: "Check that it does not leak"."""
_REASON = re.compile(r"(?<=\w)[,;]?\s+(?:because|although|even though|weil|obwohl|porque|aunque|parce que)\b", re.IGNORECASE)
_PLAN = re.compile(
    r"\b(?:will|(?<!was )(?<!were )(?<!been )going to|gonna|plan(?:s|ning)? (?:to|on|for|a|an|my|our)|about to|scheduled"
    r"|next (?:week|month|year|weekend)"
    r"|tomorrow|intend(?:s)? to|(?:i|we|you|they|he|she|it)['’]ll)\b"
    r"|\b(?:voy a|vamos a|va a|van a|(?<!la )(?<!esta )(?<!una )(?<!cada )mañana|werde|wirst|wird|plane|planen"
    r"|(?<!guten )(?<!am )(?<!jeden )(?<!heute )(?<!gestern )(?<!der )(?<!den )(?<!diesen )(?<!einen )(?<!dieser )morgen"
    r"|je vais|on va|nous allons|demain|prévois)\b|明天|打算|准备|计划|将|下(?:周|个月)",
    re.IGNORECASE,
)
_NOT_PLANNED = re.compile(
    r"\b(?:will|shall) (?:not|never|no longer)\b|\b(?:not|never) (?:going|planning|gonna)\b|n['’]t (?:plan|planning|intend|going"
    r"|gonna)\b|\bno plans\b"
    r"|\bno voy a\b|\b(?:werde|wird|werden)\b[^,.]*\b(?:nicht|kein\w*|nie)\b|\b(?:ne|n['’])\s?(?:vais|va|allons)[^,.]*\bpas\b"
    r"|不(?:打算|准备|会)",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:wish|hope(?= (?:to|that|you|it|we|i|they|this|he|she|for|so|my|your|the|all|everything)\b)|hoping"
    r"|would (?:you )?(?:really )?love|['’]d (?:really )?love|would (?:you )?(?:really )?like"
    r"|['’]d (?:really )?like|(?<!may )(?<!might )(?<!if you )want(?:s)? to|wanna|dream of|dreaming of"
    r"|thinking (?:of|about) (?:\w+ing|a|an|the)|considering)\b"
    r"|\b(?:quiero|quisiera|ojalá|espero|me gustaría|möchte\w*|hoffe\w*|würde gern\w*|will gern\w*|je voudrais|j['’]aimerais"
    r"|j['’]espère|je veux)\b|希望|想要|想去|想学",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"^(?:please\s+)?(?:(?:always|never)(?! (?:here|there|happy|glad|been|a|an|the|wanted|good|nice|fun|had|seen|gone|mind|ever"
    r"|thought|ceases?|give up|forget)\b)|from now on|remember to|make sure|don['’]t ever|do not ever|when(?:ever)? i (?:ask|say|send"
    r"|request))\b"
    r"|\b(?:always|from now on)\b.*\bwhen i ask\b"
    r"|^(?:bitte\s+)?(?:antworte|antworten sie)\b|^(?:por favor,?\s+)?(?:responde|contesta)\b|^(?:siempre|nunca|immer|niemals"
    r"|toujours|ne jamais|ab jetzt|de ahora en adelante|désormais)\b"
    r"|^(?:以后|请总是|总是|请一直)",
    re.IGNORECASE,
)
_LIKING = re.compile(r"\b(?:love|like|mag|adore)\b", re.IGNORECASE)
_NOUN_BEFORE = word_set(
    "of much and with in show spread your my their our his her the give some support for by more true pure a feel feels felt feeling look"
    " looks looked looking sound sounds sounded seem seems seemed taste tastes smell smells act acts is was be are been were just it's"
    " that's he's she's something anything nothing things thing stuff people places more way would 'd i'd we'd you'd they'd he'd she'd"
    " something's unlike what's"
)
"""Words after which "love" is a noun and "like" compares."""
_ADVERB_BETWEEN = word_set("really also just always truly so absolutely still both all totally")
_PREFERENCE = re.compile(
    r"\b(?:loves|likes|enjoy|enjoys|prefer|prefers|favou?rites?|fave|hate|hates|fan of|can['’]?t stand|obsessed with|dislike|dislikes"
    r"|(?:am|is|are|i['’]m|he['’]s|she['’]s|we['’]re|they['’]re|really|super|so|very|getting|been|always) into)\b"
    r"|\b(?:me (?:gustan?|encantan?)|le (?:gustan?|encantan?)|prefiero|odio|liebe|liebt|lieber|lieblings\w*|hasse|bevorzuge"
    r"|j['’]aime|j['’]adore"
    r"|je préfère|je déteste|préférée?s?)\b|喜欢|最爱|讨厌|偏爱",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\b(?:must(?! have| be\b)|have to|has to|need to|needs to|can['’]?t(?! wait| believe| help| stand)|cannot(?! wait| believe"
    r"| help)|allergic|deadline|budget"
    r"|at most|at least|no more than|require[sd]?)\b"
    r"|\b(?:muss|müssen|darf nicht|darf kein\w*|allergisch|tengo que|debo|no puedo|alérgic[oa]|je dois|il faut|je ne peux pas"
    r"|allergique)\b|必须|不能|过敏",
    re.IGNORECASE,
)
_KIN = (
    r"(?:mom|mum|mother|dad|father|parents|brother|sister|son|daughter|wife|husband|partner|boyfriend|girlfriend|fiancée?|friend"
    r"|boss|colleague|coworker"
    r"|cousin|aunt|uncle|grandma|grandpa|grandmother|grandfather|dog|cat|roommate|neighbou?r|teacher|mentor|kids|children)"
)
_RELATION = re.compile(
    rf"\bmy (?:\w+ )?{_KIN}s?\b"
    r"|\b(?:mi|mis) (?:madre|padre|hermano|hermana|hijo|hija|esposa|esposo|marido|novio|novia|amigo|amiga|jefe|jefa|prim[oa]|tí[oa]"
    r"|abuel[oa]|perro|gato)s?\b"
    r"|\bmeine? (?:mutter|vater|eltern|bruder|schwester|sohn|tochter|frau|mann|freund|freundin|chef|chefin|onkel|tante|oma|opa|hund"
    r"|katze)\b"
    r"|\b(?:mon|ma|mes) (?:mère|père|frère|sœur|soeur|fils|fille|femme|mari|ami|amie|chef|cousin|cousine|oncle|tante|chien|chat)s?\b"
    r"|我的?(?:妈妈|爸爸|哥哥|姐姐|弟弟|妹妹|儿子|女儿|妻子|丈夫|老婆|老公|朋友|老板|同事|奶奶|爷爷|狗|猫)",
    re.IGNORECASE,
)
_BEING = re.compile(
    r"\b(?:am|is|are|be|being|feel|feels|look|looks|seem|seems|get|gets|['’](?:m|s|re))(?: (?:so|very|really|super|pretty|quite|too"
    r"|all|not|just|still|a|bit|more)){0,2} \w{3,}ed\b",
    re.IGNORECASE,
)
"""A state told with a participle: "I'm tired", "it is named"."""
_PAST = re.compile(
    r"\b(?!(?:need|indeed|hundred|speed|breed|bleed|proceed|succeed|exceed|embed|naked|sacred|wicked)\b)\w{3,}ed\b|\bused to\b"
    r"|\b(?:went|did|made|got|took|came|saw|found|gave|bought|built|met|won|lost|left|began|wrote|had|was|were|ran|ate|drove|flew|swam|sang"
    r"|sold|told|said|taught|caught|became|broke|fell|felt|grew|held|heard|kept|knew|paid|rode|sent|slept|spent|spoke|stood|thought"
    r"|woke|wore"
    r"|died|quit|hurt|been|gone|seen|done)\b"
    r"|\b(?:fui|fue|fuimos|fueron|estuve|estuvo|tuve|hice|hizo|compré|vendí|vi|\w{3,}(?:é|ó|aron|ieron|amos ayer)|he \w+(?:ado|ido)"
    r"|ha \w+(?:ado|ido))\b"
    r"|\b(?:war|waren|wurde|wurden|ging|gingen|kam|kamen|hatte|hatten|(?:habe|hast|habt|hat|haben|bin|bist|ist"
    r"|sind)\b[^,.]*\b(?:ge\w+(?:t|en)|\w+ge\w+(?:t|en)|(?:ver|be|er|ent)\w+(?:t|en)|\w+iert))\b"
    r"|\b(?:étais|était|étaient|avait|suis (?:all|ven|part|arriv|né|rest|tomb|sort|entr)\w*|est (?:all|ven|part|arriv|né|rest"
    r"|mort)\w*|(?:ai|a|avons|ont) (?:pas |jamais |plus |déjà )?\w+(?:é|i|u|is|it|ée|és))\b"
    r"|[了过](?!年|节)",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:am|is|are|i['’]?m|he['’]s|she['’]s|we['’]re|they['’]re|feel|feels|feeling|live|lives|work|works|have|has|own|owns)\b"
    r"|\b(?:soy|es|son|estoy|está|están|vivo|vive|trabajo|trabaja|tengo|tiene|bin|ist|sind|wohne|wohnt|lebe|lebt|arbeite|arbeitet|habe|hat"
    r"|suis|est|sont|habite|vis|vit|travaille|ai)\b|\bj['’](?:ai|habite)\b|住|有(?!没)|是|在",
    re.IGNORECASE,
)
_VERBLESS = re.compile(r"\b(?:i|we|he|she|it|they|you|i['’]\w+|we['’]\w+|it['’]s|he['’]s|she['’]s|they['’]\w+)\b", re.IGNORECASE)
_NO = word_set("no nope nah nein non 不 不是 没有 没 不会 不能 👎")
_SAYS_NO = re.compile("[👎❌🙅🚫]")


def is_question(text: str) -> bool:
    """Whether a span asks something."""
    return _QUESTION_END.search(text.rstrip()) is not None


def is_offer(text: str) -> bool:
    """Whether a sentence is what an assistant says around an answer (offers, hopes, announcements), with no fact in it."""
    return _OFFER.match(text) is not None


def is_cheer(text: str, names: frozenset[str] = frozenset()) -> bool:
    """Whether a sentence only encourages or reacts: "Keep up the good work, Tobin!", "No prob", "Awesome advice".

    Args:
        text: the sentence.
        names: casefolded words by which participants may be called at its end.
    """
    found = _CHEERS.match(text)
    return found is not None and (found["called"] is None or found["called"].casefold() in names)


def polarity(text: str) -> Polarity:
    """Whether a text says that something is so, or that it is not; its main clause decides."""
    return "negative" if _denies(text) else "positive"


def _denies(text: str) -> bool:
    if not _NEGATION.search(text):
        return False
    text = _FIRST_CLAUSE.sub("", text)
    side = _SIDE_CLAUSE.search(text, 1)
    main = text[: side.start()] if side and words(text[: side.start()]) else text
    first, *others = _SENTENCE_END.split(_ITEM_NAME.sub("", main), maxsplit=1)
    if is_imperative(first) and " of " not in first[:20]:
        main = " ".join([_OF_A_THING.sub(" ", first), *others])
    return _NEGATION.search(_NOT_NEGATIVE.sub(" ", main)) is not None


def modality(text: str) -> Modality:
    """Whether a text tells what is or was, what is planned or wished for, or what is denied; never `asks`, see `is_question`."""
    if _PLAN.search(text):
        return "denies" if _NOT_PLANNED.search(_NOT_NEGATIVE.sub(" ", text)) else "plans"
    if _WISH.search(text):
        return "wishes"
    return "denies" if _denies(text) else "did"


def claim_kind(text: str, time: TimeCue | None, role: str) -> ClaimKind:
    """What a text states.

    Args:
        text: the words of the claim's supporting spans.
        time: the claim's time; a resolved one makes an event of what no pattern claims first.
        role: the speaker's; only a user gives instructions.
    """
    if role == "user" and _INSTRUCTION.search(text):
        return "instruction"
    if _prefers(text):
        return "preference"
    if _CONSTRAINT.search(text):
        return "constraint"
    happened = _PAST.search(_BEING.sub(" ", text)) is not None or (time is not None and time.resolved)
    if not happened and _RELATION.search(text):
        return "relation"
    if happened:
        return "event"
    return "state" if _STATE.search(text) else "fact"


def _prefers(text: str) -> bool:
    """Whether a text says what somebody likes: a verb of liking, not "in love", "looks like" or "would like"."""
    text = _REASON.split(text, maxsplit=1)[0]
    if _PREFERENCE.search(text):
        return True
    for match in _LIKING.finditer(text):
        before = words(text[: match.start()])
        while before and before[-1] in _ADVERB_BETWEEN:
            before.pop()
        lower = match.group().lower()
        if before and (before[-1] in _NOUN_BEFORE or "would" in before[-2:]):
            continue
        if not before and lower in ("like", "mag"):
            continue
        if text[: match.start()].rstrip().endswith((",", "-", "–", "(")) and lower == "like":
            continue
        return True
    return False


@dataclass(frozen=True, slots=True)
class Sort:
    """What sort of claim a text makes."""

    kind: ClaimKind
    modality: Modality
    polarity: Polarity


def says_no(answer: str) -> bool:
    """Whether an answer begins with a word or sign for no."""
    found = words(answer)
    return (bool(found) and found[0] in _NO) or (not found and _SAYS_NO.search(answer) is not None)


def answer_sort(question: str, answer: str, *, bare: bool, time: TimeCue | None, role: str) -> Sort:
    """What sort of claim a short answer makes together with its question.

    The answer decides. One without a subject and verb of its own ("In May.", "Yes.") takes the kind from the question, and
    from it whether it is about plans or wishes; that the question itself is put in the negative says nothing.

    Args:
        question: the question.
        answer: the answer.
        bare: whether the answer only says yes or no, in words or signs.
        time: the answer's time.
        role: the role of who answers.
    """
    negative = says_no(answer) or _denies(answer)
    fragment = bare or _VERBLESS.search(answer) is None
    told = question if fragment else answer
    kind = claim_kind(told.rstrip("?？ "), time, role)
    if kind == "instruction" and fragment:
        kind = "fact"
    if negative:
        return Sort(kind, "denies", "negative")
    meant = modality(told)
    if fragment and meant == "denies":
        meant = "did"
    return Sort(kind, meant, "positive")
