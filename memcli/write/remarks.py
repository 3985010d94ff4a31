"""Remarks: English sentences without a first or second person, and whom they are about all the same.

In a talk of two people a remark on what the other told or showed ("That kiln's amazing!") is about the other, and so is what is said
to the other by name ("A hard job, Tobin").
"""

from __future__ import annotations

import re

from memcli.language.lexicon import WORD, words

CRY = (
    r"(?:(?:wow|woah|whoa|ooh+|aw+|oh|hey|yeah|yes|yep|omg|and|so|really|just|man|gosh|haha|ah|well|but|true|exactly|right"
    r"|(?-i:[A-Z])\w+(?=[,!]))\b[,!.]?\s+)"
)
"""A word or a name that only calls, before the sentence proper."""
VERY = r"(?:(?:so|really|very|just|super|such|pretty|truly|absolutely|totally|quite|always|incredibly|simply|too|a|an|all)\s+)*"
VALUE = (
    r"(?:amazing|awesome|beautiful|great|good|nice|cool|lovely|wonderful|fantastic|incredible|gorgeous|stunning|inspiring|impressive"
    r"|adorable|cute|sweet|perfect|excellent|brilliant|special|powerful|touching|moving|admirable|inspirational|breathtaking|delicious"
    r"|yummy|fun|hilarious|funny|tough|rough|awful|terrible|sad|scary|heartbreaking|heartwarming|exciting|interesting|fascinating|huge"
    r"|big|precious|magical|peaceful|relaxing|delightful|remarkable|unbelievable|unreal|crazy|wild|insane|rewarding|thoughtful"
    r"|neat|fab|fabulous|magnificent|superb|outstanding|tasty|epic|meaningful|encouraging|uplifting|vibrant|serene"
    r"|cozy|cosy|creative|the best|majestic|spectacular|brave|courageous|tempting|annoying|frustrating|stressful)\b"
)
"""What somebody thinks of a thing."""
_ADMIRED = re.compile(
    rf"^\W*{CRY}{{0,3}}(?:"
    r"(?:that|those)\s+[\w'’-]+(?:\s+[\w'’-]+){0,2}?\s+(?:looks?|sounds?|smells?|tastes?)\s(?!good\b|fine\b|like\b)"
    rf"|(?:that|those)(?:\s+[\w'’-]+){{0,3}}?(?:['’](?:s|re)|\s+(?:is|are|looks?|sounds?|seems?|must be))\s+{VERY}{VALUE}"
    rf"|(?:seeing|hearing|knowing|reading|watching|having)\s+(?:that|those|such|all that)\b[^,.;]*?(?:\s+is|\s+are|['’]s)\s+{VERY}{VALUE}"
    r"|\w{2,}ing\s[^,.;]*?\smust(?:['’]ve| have) been\b|\w{2,}ing\s[^,.;]*?\smust\s+be\b"
    rf"|such\s+(?:an?\s+)?(?:[\w'’-]+\s+){{1,4}}(?:is|are)\s+{VERY}{VALUE}"
    r")",
    re.IGNORECASE,
)
"""A demonstrative, or what somebody saw of it, and a word that values it."""
_HEAD = re.compile(r"\b(?:that|those)\s+([\w-]+)(?:['’](?:s|re)\b|\s+(?:is|are|looks?|sounds?|seems?|must)\b)", re.IGNORECASE)

_LEADS = (
    r"(?:(?:also|plus|and|but|yeah|yes|wow|woah|whoa|ooh+|oh|man|really|sure|definitely|exactly|totally|absolutely|yep|haha|aw+|cool|nice|great"
    r"|thanks|(?-i:[A-Z])\w+(?=[,!]))\b[,!]?\s+)"
)
_PICKS_UP = re.compile(
    rf"^\W*{_LEADS}{{0,3}}(?:"
    r"(?:it|this)(?:['’]s|\s+(?:is|looks|sounds|seems|feels))\s+"
    rf"(?:(?:like|gonna be|going to be|both)\s+)?{VERY}(?:{VALUE}(?! to\b)|like\b|worth\b)"
    r"|(?:it|this|that)\s+(?:(?:really|truly|also|just|definitely|certainly|totally|must)\s+)*(?:rocks|conveys|captures|shows|makes|gives"
    r"|brings|adds|takes|looks|sounds|seems|feels|reminds|suits|fits|deserves|can|feel|look|mean)\b"
    r"|that\s+[\w-]+(?:['’]s|\s+(?:has|looks|sounds|is|takes|must))\b"
    r")",
    re.IGNORECASE,
)
"""What picks up, in the present, something that has just been told or shown."""
_SUPPOSES = re.compile(
    rf"^\W*{_LEADS}{{0,3}}(?:must(?:['’]ve| have)?\s+(?:be|been|feel|felt|look|taste|smell|mean|take|taken|seem)"
    r"|bet (?:it|that|this|they) (?:is|was|are|were|feels?|felt|looks?|looked|must|tastes?|tasted)"
    r"|i (?:bet|can (?:(?:only|just|totally|definitely|really) )?imagine) (?:that )?"
    r"(?:it|that|this|the|those|these|all))\b",
    re.IGNORECASE,
)
_EXCLAIMS = re.compile(
    r"^\W*(?:(?:oh|wow|woah|whoa|ooh+|aw+|omg|yum|mm+)\b[,!]?\s+)+(?:an?\s+|such\s+|so\s+)?(?:[\w'’-]+\s+){0,3}[\w'’-]+!\W*$"
    r"|^\W*(?:oh|wow|woah|whoa|ooh+|aw+|omg)\b[,!]?\s+look at\b"
    rf"|^\W*{_LEADS}{{0,2}}(?:such an?\s+)?{VERY}{VALUE}\s+"
    r"(?!(?:times?|days?|news|weeks?|things?|stuff|catching|seeing|hearing|talking|chatting|meeting)\b)(?:[\w'’-]+\s+){0,1}[\w'’-]+!\W*$",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"^\W*(?:(?:wow|oh|and|also|yeah|aw+)[,!]?\s+){0,2}the\s+((?:[\w-]+\s+){1,3}?)(?:is|are|looks?|adds?|seems?|brings?|gives?|makes?|takes?|blends?|goes"
    r"|really|must)\b",
    re.IGNORECASE,
)
_BEFORE_NAME = re.compile(rf"\W*{_LEADS}{{0,2}}(?:the\s+)?", re.IGNORECASE)
_CRIES = re.compile(rf"^\W*(?:(?:oh|wow|woah|whoa|ooh+|aw+|omg)\b|{VERY}{VALUE}(?:,? (?-i:[A-Z])\w+)?\W*$)", re.IGNORECASE)
_POINTS = re.compile(
    r"^\W*(?:(?:just|and|so|here|hey|now|come)[,!]?\s+){0,2}(?:look at|check(?: out)?|take a look at|see)\s+(?:this|these)\b", re.IGNORECASE
)
_IS_SO = re.compile(r"[\"”»]?(?:['’]s)?(?:\s+[\w-]+){0,3}?(?:['’]s|\s+(?:is|are|sounds?|looks?|seems?|feels?|would be|can be))\b")
_TO_TALK = re.compile(r"\b(?:hear|talk|chat|catch|see|meet|been|back|here|today|outside|raining|late)\b", re.IGNORECASE)

_ANAPHOR = re.compile(
    r"^\W*(?:and |but |so |plus,? )?(?:it|they|those|these|that|this|he|she|his|her|their|its|it['’]s|that['’]s|they['’](?:re|ve)"
    r"|he['’]s|she['’]s)\b",
    re.IGNORECASE,
)
_WITH_THEM = re.compile(r"\b(?:them|their)\b", re.IGNORECASE)
_IT = re.compile(r"^\W*(?:(?:and|but|so|plus|also|yeah),?\s+)?it(?:['’](?:s|ll|d))?\b", re.IGNORECASE)
_THANKS = re.compile(
    r"\W*(?:(?:hey|oh|aw+|(?-i:[A-Z])\w+),?\s+)?(?:(?:many |so |really )?(?:thanks|thank you|thx|gracias|danke|merci|appreciate)\b"
    r"|no (?:problem|worries|prob)\b|you['’]re welcome)|谢谢",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"^\W*(?:wow|woah|whoa|ooh+|aww+|omg)[,!]?\s+(?:an?|such|so)\s[^.?]*!\W*$|"
    r"^\W*(?:(?:wow|woah|whoa|aww+|oh|yeah|cool|nice|great|awesome|congrats|congratulations|hey|omg|[A-Z]\w+)[,!]?\s+){0,3}"
    r"(?:that(?:['’]s|(?: \w+)? (?:is|was|sounds|must|looks)\b)|\w+(?: \w+)? must(?:['’]ve| have| be)\b|those|what an?|sounds?|takes|shows"
    r"|looks|must (?:be|have)|good for)\b"
    rf"|^\W*{CRY}{{0,3}}(?:they|he|she)(?:['’](?:re|s)|\s+(?:are|is|looks?|sounds?|seems?|must be))\s+{VERY}{VALUE}",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"^\W*(?:(?:wow|woah|whoa|oh|hey|yeah|yes|omg|and|so|really|just|[A-Z]\w+)[,!]?\s+){0,3}"
    r"(?:way to go|congrat\w*|kudos|hats off|props|well done|bravo|good (?:luck|for)|best of luck"
    r"|(?:nice|great|good|awesome|amazing|excellent|fantastic) (?:job|work|going)"
    r"|sorry (?:about|for|to (?:hear|see))|(?:glad|happy|great|good|nice|cool|awesome|thrilled) to hear)\b",
    re.IGNORECASE,
)

_PRAISED_AT_LAST = re.compile(
    r"[,.!–—-]\s*(?:big |huge )?(?:congrats|congratulations|well done|way to go|bravo|kudos|good luck)\W*$", re.IGNORECASE
)
_OWN_NEWS = re.compile(
    r"^\W*(?:(?:yeah|yes|yep|yup|no|nope|nah|oh|wow|hey|hi|hello|well|and|but|so|just|really|super|pretty|totally|definitely|also|aw+|ok"
    r"|okay|same|haha|(?-i:[A-Z])\w+(?=[,!]))\b[,!.]?\s+){0,4}"
    r"(?:thanks|thank|thx|ty|cheers|appreciate\w*|can['’]?t|cannot|could(?:n['’]?t)?|ha(?:ve|s)n['’]?t|(?:it|that|this) means"
    r"|glad|excited|looking forward|gonna|gotta|hoping|hope"
    r"|stoked|psyched|thrilled|proud|happy to|sorry|been|never|had|got|went|still|trying|working on|wish|love|loved|will|would love"
    r"|of course|sure|absolutely|definitely|no (?:doubts?|problem|worries)|same here|it['’]?s been|it has been|it was|it took|took"
    r"|here(?:['’]?s)?|check|miss|feeling|feels?|doing|(?:good|great|nice) to (?:see|hear))\b",
    re.IGNORECASE,
)
"""What somebody tells of himself without saying "I", though it names who is told: "Can't wait, Tobin!"."""

_PAST = re.compile(r"\b(?:was|were|had|did|went|got|came|took)\b", re.IGNORECASE)
"""Forms in which people tell their own news rather than say what they think of another's."""
_SOON = r"(?:(?:really|just|also|still|definitely|truly|totally|absolutely|honestly|both|all|always|genuinely|only|does|do|sure)\s+)*"
_FRAME = re.compile(
    r"^\W*(?:(?:yeah|yes|yep|wow|oh|well|and|but|so|haha|aw+|(?-i:[A-Z])\w+(?=[,!]))\b[,!]?\s+){0,2}"
    rf"(?:i\s+{_SOON}(?:bet|guess|suppose|hope|think|believe|know)|i\s+can\s+{_SOON}imagine"
    rf"|i(?:['’]m| am|m)\s+(?:(?:so|pretty|quite)\s+)?{_SOON}(?:sure|certain|confident))\s+(?:that\s+(?!\w+\s+(?:is|was|must)\b))?(?="
    r"you(?:['’]\w+)?\s+(?!(?:and|for|from|at|in|on|too|all|guys|so|well)\b)\w|your\s"
    r"|(?:it|they|he|she)\s+(?!(?:all|and|or|for|on|in|with|so|well|too|that|when|at|to|as|but|by|from|inside|through|like|about)\b)\w"
    r"|(?:it|they|he|she|this|that|these|those|there|everything)"
    rf"(?:['’](?:s|re|ll|d|ve)\s|\s+{_SOON}(?:is|are|was|were|will|would|must|can|could|might|may"
    r"|has|have|had|does|do|did|should|\w+n['’]t|feels?|felt|looks?|looked|means?|meant|takes?|took|makes?|made|gives?|gave|brings?|brought"
    r"|goes|go|went|turn(?:s|ed)?|tastes?|tasted|sounds?|loved?|loves|enjoy(?:s|ed)?|help(?:s|ed)?|works?|worked|pays?|paid|comes?|came"
    r"|gets?|got|knew|misse?[sd]?|appreciate[sd]?|keeps?|kept|finds?|found)\b)"
    r"|(?:the|that|this|those|these|all|his|her|their)\s+(?!\w+n['’]t\b)\w[^,.;!?]*?\s"
    r"(?:is|are|was|were|will|would|must|can|could|has|have|had|looks?|feels?|felt)\b"
    r")",
    re.IGNORECASE,
)
"""What somebody puts before a clause to say how sure of it he is: "I bet ...", "I can imagine that ..."."""
_MEANS_TO_ME = re.compile(
    r"^\W*(?:(?:yeah|yes|wow|oh|well|and|but|so|haha|aw+|seriously|honestly|thanks|thank you|(?-i:[A-Z])\w+(?=[,!]))\b[,!]?\s+){0,2}"
    r"(?:it|that|this|those words|you|(?:your|having|hearing|knowing|seeing|feeling)\s+"
    r"(?:(?!\b(?:it|he|she|they|said|says|how|what)\b)[^.,?!;])*?)"
    rf"\s*\b{_SOON}"
    r"(?:mean(?:s|t)?\s+(?:(?:so|such|really|truly|absolutely|quite)\s+)*"
    r"(?:an?\s+(?:\w+\s+)?(?:lot|ton|deal|bunch)|much|the\s+(?:\w+\s+)?world|everything|loads)\b"
    r"(?!\s+to\s+(?:you|ya|him|her|them|your|his|their|everyone|people|the|so many)\b)"
    r"|(?:is|are|was|were)\s+(?:so |very |really |truly )*(?:important|everything|precious|valuable|invaluable|dear)\s+to\s+me\b)"
    r"(?![^?？]*[?？]\W*$)",
    re.IGNORECASE,
)
"""What the addressee's words or help are to who says so: "Your support means a lot"."""
_CHEERS_ON = re.compile(
    r"^\W*(?:(?:yeah|yes|wow|oh|well|and|but|so|just|please|always|thanks|(?-i:[A-Z])\w+(?=[,!]))\b[,!]?\s+){0,2}(?:"
    r"(?:keep (?:up\b|going|it up|at it|pushing|shining|fighting|smiling|moving|rocking|dreaming|believing|doing what|being|that|those|your"
    r"|(?:me|us) (?:posted|updated|in the loop))"
    r"|stay (?:strong|positive|safe|true|focused|motivated|healthy|calm|hopeful|curious|cool|well|warm|awesome)|hang in there"
    r"|(?:don['’]?t|never) (?:ever )?(?:give up|quit|stop|lose (?:hope|faith|heart)|be (?:afraid|scared|shy|too hard))|chin up|cheer up"
    r"|believe in yourself|go for it)\b"
    r"|(?:take (?:care|it easy)|enjoy (?:the|your)|have (?:fun|a (?:great|good|nice|lovely|wonderful|safe))|(?:good|best of) luck)\b"
    r"(?!.*\b(?:i|i['’]\w+)\b))",
    re.IGNORECASE | re.DOTALL,
)
"""What encourages the addressee, though it goes on with "we" or "let's": "Keep up the hard work and let's see"."""
_SIDE = re.compile(
    r"^\W*(?:\d+\.\s*)?(?:pros?|cons?|(?:dis)?advantages?|drawbacks?|benefits?|upsides?|downsides?)\b(?:\s+(?:of|to|for)\s[^:]*)?\W*(?::|$)",
    re.IGNORECASE,
)
"""How one side of a comparison begins."""
_OWN_CASE = re.compile(
    r"\byou(?:['’](?:ve|d)| (?:would|likely|already|currently|mentioned|said|had|have \w+ed|are \w+ing)"
    r"|(?: \w+ly)? (?!need\b)\w+ed)\b|\b(?:likely|probably) \w+ed you\b"
    r"|\b(?:given|since|considering|with) your\b|\byour (?:current|own|recent|previous|existing|upcoming)\b",
    re.IGNORECASE,
)
"""What is said of the addressee's own case."""


def points_back(text: str) -> bool:
    """Whether a sentence begins with a word that stands for what was said before: "it", "they", "that"..."""
    return _ANAPHOR.match(text) is not None


def tells_how_to(text: str) -> bool:
    """Whether an order is what anybody does with something that was named before: "Just feed them at noon"."""
    return _WITH_THEM.search(text) is not None


def goes_on(text: str) -> bool:
    """Whether a sentence begins with an "it" for what the sentence before it is about, and tells nothing past of it."""
    return _IT.match(text) is not None and not _PAST.search(text)


def thanks(text: str) -> bool:
    """Whether a sentence thanks for what was said or done, or says that it was no trouble; what follows is often one's own."""
    return _THANKS.match(text) is not None


def reacts(text: str) -> bool:
    """Whether a sentence at the beginning of a turn reacts to what the other has just told: "Wow, that's great!", "What a view!"."""
    return _REACTION.match(text) is not None


def praises(text: str) -> bool:
    """Whether a sentence praises or pities whom it is said to: "Way to go!", "Congrats on the prize", "Sorry about the leak"."""
    return _PRAISE.match(text) is not None or _PRAISED_AT_LAST.search(text) is not None


def picks_up(text: str) -> bool:
    """Whether a sentence tells in the present of what was just told or shown: "It really glows", "That takes patience"."""
    return _PICKS_UP.match(text) is not None and not _TO_TALK.search(text) and not _PAST.search(text)


def supposes(text: str) -> bool:
    """Whether a sentence without a subject supposes how something is for the other: "Must feel great!"."""
    return _SUPPOSES.match(text) is not None


def exclaims(text: str) -> bool:
    """Whether a sentence is an exclamation without a verb at what was shown: "Wow, what a view!", "Oh wow, new oars!"."""
    return _EXCLAIMS.match(text) is not None


def cries(text: str) -> bool:
    """Whether a sentence is a cry at what was told or shown: "Wow, Tobin!", "Awesome!"."""
    return _CRIES.match(text) is not None


def points_to_own(text: str) -> bool:
    """Whether a sentence bids to look at what who says it shows: "Just look at this one!"."""
    return _POINTS.match(text) is not None


def shown(text: str) -> frozenset[str]:
    """The casefolded words of the thing with "the" before it that an English sentence describes in the present; empty for any other."""
    found = _SHOWN.match(text)
    return frozenset(words(found[1])) if found and not _PAST.search(text) else frozenset()


def begins(text: str, start: int) -> bool:
    """Whether what stands at `start` is what a sentence begins with, past interjections and "the"."""
    return _BEFORE_NAME.fullmatch(text[:start]) is not None


def tells_how(text: str, end: int) -> bool:
    """Whether a sentence says in the present how the thing is whose name ends at `end`: "Petrel is the fastest"."""
    return _IS_SO.match(text, end) is not None and not _PAST.search(text)


def admires(text: str) -> bool:
    """Whether a sentence values what the other has shown or told: "That kiln's amazing!", "Seeing such patience is inspiring"."""
    return _ADMIRED.match(text) is not None


def admired(text: str) -> str | None:
    """The noun behind the demonstrative of a sentence that `admires`, casefolded; None for a bare "that"."""
    head = _HEAD.search(text)
    return head[1].casefold() if head else None


def calls(text: str, called: frozenset[str]) -> bool:
    """Whether a sentence begins or ends with the name of whom it is said to, and tells nothing of who says it.

    Args:
        text: a sentence in which no first or second person stands.
        called: casefolded words by which the other may be called.
    """
    found = list(WORD.finditer(text))
    if len(found) < 3:
        return False
    lead = next((match for match in found[:3] if match.group().casefold() in called), None)
    last = found[-1]
    begins = lead is not None and text[lead.end() : lead.end() + 1] in (",", "!")
    ends = last.group().casefold() in called and text[: last.start()].rstrip()[-1:] in (",", "!", "-", "–", "—")
    return (begins or ends) and not _OWN_NEWS.match(text) and not _PAST.search(text)


def means_much(text: str) -> bool:
    """Whether an English sentence tells what the other's words or help are to who says it: "Your support means a lot"."""
    return _MEANS_TO_ME.match(text) is not None


def tells_of_the_case(text: str) -> bool:
    """Whether one side of a comparison is told of the addressee's own case, not of whoever chooses so: "You would earn less"."""
    return _OWN_CASE.search(text) is not None


def names_a_side(text: str) -> bool:
    """Whether an English sentence or heading begins one side of a comparison: "Pros:", "**Drawbacks of rafts:** ..."."""
    return _SIDE.match(text) is not None


def without_frame(text: str) -> str:
    """The clause of an English sentence that says how sure somebody is of it: "I bet they bring joy" -> "they bring joy".

    Any other sentence comes back as it is.
    """
    frame = _FRAME.match(text)
    return text[frame.end() :] if frame else text


def cheers_on(text: str) -> bool:
    """Whether a sentence encourages whom it is said to: "Stay strong", "Keep up the hard work and let's see"."""
    return _CHEERS_ON.match(text) is not None
