"""Word lists that tell names from other capitalised words, and the words of staged things and of kinship.

Closed or everyday classes only: nothing about particular people, topics or data sets.
"""

from __future__ import annotations

from memcli.language.lexicon import FUNCTION, PHATIC, word_set

CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun january february march april"
    " may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec montag dienstag mittwoch"
    " donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember lunes martes miércoles jueves viernes sábado"
    " domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre christmas easter halloween thanksgiving xmas new-year"
    " valentine hanukkah ramadan diwali eid weihnachten ostern navidad noël janvier février mars avril juin juillet août septembre"
    " octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche noviembre diciembre spring summer autumn winter"
)
NATIONAL = word_set(
    "african american argentinian asian australian austrian belgian brazilian british bulgarian canadian catalan chilean chinese"
    " colombian"
    " croatian cuban czech danish dutch egyptian english estonian ethiopian european finnish french german greek hungarian icelandic"
    " indian"
    " indonesian iranian iraqi irish israeli italian jamaican japanese kenyan korean latin latino lebanese malaysian mexican moroccan"
    " nigerian norwegian pakistani persian peruvian polish portuguese romanian russian scottish serbian spanish swedish swiss thai"
    " tibetan"
    " turkish ukrainian vietnamese welsh midwestern western eastern northern southern christian catholic muslim jewish buddhist hindu"
)
"""Adjectives and languages, capitalised in English: they name no thing by themselves."""

ROLES = word_set("user assistant system tool human ai bot model chatgpt")
"""Speakers known by role only; as words of a sentence they are common nouns."""

COMMON = (
    FUNCTION
    | PHATIC
    | word_set(
        # what sentences, list items and headings begin with: verbs in the imperative, adverbs, discourse words
        "accept access add adjust allow analyze answer apply approach approximate arrange ask assess assign assume attend avoid balance"
        " begin bring browse build calculate call cancel capture celebrate change check choose clarify classify clean clear click close"
        " collaborate collect combine compare complete compute conduct confirm configure congruent connect consider construct contact"
        " continue convert copy count create cut debug decide declare define delete deploy describe design determine develop"
        " discuss display divide document double draft draw drop edit enable encourage engage enhance enjoy ensure enter establish"
        " estimate evaluate"
        " examine execute expand experiment explain explore export express extend extract factor fetch fill filter find finish fix focus"
        " follow format gather generate give grab handle have help highlight host identify implement import improve include increase"
        " initialize input insert inspect install integrate introduce invest invite involve iterate join keep label launch learn leave"
        " leverage limit link list load log look maintain make manage map mark measure meet mention merge minimize modify monitor move"
        " multiply name navigate note observe offer open optimize order organize outline pack pay pick place plan play please plot post"
        " practice prepare present press prevent print prioritize process provide publish pull push put qualify query read recall record"
        " reduce refactor refer reflect register remember remove rename render repeat replace report request require research reserve"
        " respond restart return review rewrite rotate run save scale schedule search secure select send separate serve set setup share"
        " show simplify sign solve sort specify split start state stay stop store structure study submit substitute subtract suggest"
        " summarize support switch take target teach test track train transform translate treat try turn type understand update upgrade"
        " upload use utilize validate verify view visit visualize wait walk watch work write"
        " actually additionally although alternatively anyway basically besides but clearly consequently currently despite either else"
        " especially even eventually finally first firstly fortunately further furthermore generally given hence honestly hopefully"
        " however"
        " initially instead lastly likewise maybe meanwhile moreover most mostly nevertheless next nonetheless normally obviously often"
        " okay ones originally otherwise overall perhaps possibly previously probably quick rather recently regarding second secondly"
        " seriously similarly simply since sometimes somewhere still suddenly therefore third though thus today together tomorrow tonight"
        " true typically unfortunately unless unlike usually whether whenever wherever yesterday yet"
        # everyday nouns and adjectives of headings and labels
        " account ace action activity address advice age analysis angle app application area array article aspect back background bad"
        " bar base basic benefit benefits best better big block board body bold bonus book books bottom box branch break breakdown"
        " budget bug business button case cases cause central challenge challenges chapter chart city class client code color column"
        " common"
        " company component conclusion condition congruence consistency console content context control cost country course criteria"
        " criterion current custom customer daily data database date deadline default detail detailed details device dice diagram"
        " difference direct dog door efficiency element email endpoint end energy equal error errors event events everybody everyone"
        " example examples exercise expected expense experience external false family favorite feature features feedback field figure"
        " file"
        " files final flexibility folder food form formula frequency friends front full function future game general global goal goals"
        " great group guide guidelines head header health hearts height high hint home house idea image impact important income index"
        " individual info inner internal issue issues item items job journey key language large last layout legal length less lesson"
        " level life light line lines links local long low main manager math mean member memory menu message method metric minimum"
        " missing"
        " mobile module money month monthly more motivation music my mysterious nobody none normal notes number numbers objective"
        " objectives old online option options outcome outcomes outer output overview own page paradox parameters part parts path"
        " pattern people"
        " performance person phase phone photo picture points policy practical price primary probability problem problems product"
        " production profile progress project projects proof properties property purpose quality question questions range rate ratio"
        " reason reference regular related relationship release requirements resource resources response result results right risk risks"
        " role root route router routine row rule rules sample schema school scope score screen script secondary section self server"
        " service"
        " session settings shape short side sides similar simple single site size skill skills small social software solution solutions"
        " someone something source space special specific square stage standard status step steps story strategy string student style"
        " sub success sum summary table tables task tasks team technical template text theme theorem theory timeline tip tips title token"
        " tool tools top topic total traditional transaction travel triangle unit unique url useful user users value values variable"
        " version video visual warm weather web website week weekly weekend word words workflow world year years young your beautiful"
        " birthday mom mum dad mother father grandma grandpa sister brother aunt uncle baby honey babe sweetie girl girls boy boys lord"
        " god gosh goodness jesus heck damn yay yikes ouch phew ugh woo woohoo whew yum hooray bravo blah psst meh duh gee hurrah kudos"
        " glad sorry hopefully crazy funny sad excited grateful thankful exciting awesome adorable gorgeous stunning delicious tough hard"
        " easy relatable agree rock hang love miss send tell nothing everything anyone anybody life's nature art dance robust initial"
        " central main love using invalid config proxy analytics maps cloud pages drive studio docs sheets search"
        " engine actions library framework plugin manager toolkit institute university college museum park street"
    )
)
"""Words that are no name where a capital may come from the sentence's start or a heading's style."""

ORDINALS = word_set("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
"""The stage words that are ordinals, and so tell a stage without an article or possessor."""

NUMBERED = word_set("chapter episode season sprint game match round milestone phase volume book part level stage release version draft")
"""What comes in numbers: "Chapter 3"."""

COMMON_ENDINGS = (
    *("ing", "tion", "sion", "ment", "ness", "ity", "ly", "able", "ible", "ful", "less", "ance", "ence", "ism", "ous", "ized", "ive"),
    *("tions", "sions", "ments", "ings", "ities"),
)
"""Endings of common nouns, verbs and adverbs; of four letters of stem and more. Names are rarely built so."""

INITIALISMS = word_set(
    "AM PM ID OK FAQ DIY TV PC API APIs URL URLs UI UX HTML CSS JSON XML HTTP HTTPS SQL CPU GPU RAM PDF CSV CRUD MVP SDK IDE CLI GUI DOM"
    " SAS SSS ASA AAS SSA RHS HL AA CDN CDNs SEO CI CD OS IT HR PR QA AI ML NLP LLM SMS GPS USB VPN IP DNS SSL TLS TCP UDP JWT ORM REST"
    " GET POST PUT DELETE PATCH TODO NOTE WARNING INFO DEBUG ERROR FYI BTW ASAP LOL OMG IMO TBD ETA PS CEO CTO CFO CV VIP DM PTO RSVP"
    " ATM DJ LGBT LGBTQ LGBTQIA BBQ XP NULL TRUE FALSE AND OR NOT SELECT FROM WHERE CSRF XSS CORS UTC GMT BC AD EST PST HD DVD CD"
    " MB GB KB TB ROI KPI KPIs B2B SaaS TLDR AKA ETC"
)
"""Abbreviations of common nouns, in the case they are written in."""

SHORT_PLACES = word_set("UK US USA EU UN LA NY DC NYC UAE SF")
"""The abbreviations of two and three letters that do name a place or body."""

ERRNO = word_set(
    "ECONNREFUSED ECONNRESET ECONNABORTED ETIMEDOUT EADDRINUSE EADDRNOTAVAIL ENOENT EACCES EPERM EEXIST EPIPE ENOTFOUND EAGAIN EINVAL"
    " EMFILE ENFILE ENOMEM ENOSPC EISDIR ENOTDIR ENOTEMPTY EHOSTUNREACH ENETUNREACH ENOTCONN EROFS EBUSY EBADF ELOOP ENOTSUP ERESOLVE"
)
"""Error codes of operating systems and runtimes (errno.h, Node.js, npm)."""

STAGES = {
    **{word: word for word in word_set("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")},
    **{"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth", "5th": "fifth", "6th": "sixth", "7th": "seventh", "8th": "eighth"},
    **{word: word for word in word_set("first second new old next last latest previous final former current original other")},
    **{"primer": "first", "primera": "first", "segundo": "second", "segunda": "second", "tercer": "third", "tercera": "third"},
    **{"nuevo": "new", "nueva": "new", "erste": "first", "erstes": "first", "ersten": "first", "erster": "first"},
    **{"zweite": "second", "zweites": "second", "zweiten": "second", "zweiter": "second", "neue": "new", "neues": "new", "neuer": "new"},
    **{"neuen": "new", "premier": "first", "première": "first", "deuxième": "second", "nouveau": "new", "nouvelle": "new"},
}
"""The words that tell stages of works and possessions apart, each with the one it stands for."""

STAGED = word_set(
    # works
    "screenplay script novel book story poem song album painting drawing sketch sculpture draft chapter episode season series film"
    " movie documentary play musical article essay paper thesis dissertation proposal presentation portfolio blog podcast recipe"
    " collection exhibition show gig concert performance recital manuscript memoir game app website site prototype design logo quilt"
    " mural comic zine track demo mixtape"
    # contests, work and study
    " marathon race triathlon tournament match championship competition contest job role position internship interview exam course degree"
    " semester assignment project sprint milestone release version iteration build deployment company business startup studio store shop"
    " restaurant cafe bakery gallery client contract promotion boss manager coach trainer therapist teacher doctor team band club"
    # possessions, homes, animals, kin
    " house home apartment flat condo cabin room office garden car bike bicycle motorcycle truck van boat laptop computer phone"
    " tablet camera guitar piano violin drum keyboard console bed desk couch tattoo ring dress dog cat puppy kitten pet horse rabbit"
    " parrot"
    " turtle snake lizard hamster fish goat baby child kid son daughter wife husband boyfriend girlfriend partner roommate"
    " surgery trip tour wedding"
    # Spanish, German, French
    " guion novela libro canción cuadro trabajo casa coche empresa perro gato película maratón drehbuch roman buch lied bild arbeit haus"
    " auto firma hund katze wohnung scénario livre chanson tableau travail maison voiture entreprise chien appartement"
)
"""Nouns of works, contests, posts, possessions and companions, which people have a first, a second and a new one of."""

KIN = {
    **dict.fromkeys(word_set("mother mom mum mommy mummy mama mamma madre mamá mutter mutti mère maman 妈妈 母亲 妈"), "mother"),
    **dict.fromkeys(word_set("father dad daddy papa pop padre papá vater vati père 爸爸 父亲 爸"), "father"),
    **dict.fromkeys(word_set("sister sis hermana schwester sœur soeur 姐姐 妹妹"), "sister"),
    **dict.fromkeys(word_set("brother bro hermano bruder frère 哥哥 弟弟"), "brother"),
    **dict.fromkeys(word_set("grandmother grandma granny nana gran abuela oma großmutter grand-mère mamie 奶奶 外婆"), "grandmother"),
    **dict.fromkeys(word_set("grandfather grandpa granddad grandad abuelo opa großvater grand-père papi 爷爷 外公"), "grandfather"),
    **dict.fromkeys(word_set("wife esposa ehefrau femme 妻子 老婆"), "wife"),
    **dict.fromkeys(word_set("husband hubby esposo marido ehemann mari 丈夫 老公"), "husband"),
    **dict.fromkeys(word_set("son hijo sohn fils 儿子"), "son"),
    **dict.fromkeys(word_set("daughter hija tochter fille 女儿"), "daughter"),
    **dict.fromkeys(word_set("aunt auntie tía tante 阿姨 姑姑"), "aunt"),
    **dict.fromkeys(word_set("uncle tío onkel oncle 叔叔 舅舅"), "uncle"),
    **dict.fromkeys(word_set("cousin primo prima cousine 表哥 表妹"), "cousin"),
    **dict.fromkeys(word_set("boyfriend novio"), "boyfriend"),
    **dict.fromkeys(word_set("girlfriend novia"), "girlfriend"),
    **dict.fromkeys(word_set("fiancé fiancée fiance fiancee verlobte verlobter"), "fiance"),
    **{word: word for word in word_set("niece nephew stepmother stepfather stepmom stepdad stepson stepdaughter stepsister stepbrother")},
    **{f"{word}-in-law": f"{word}-in-law" for word in word_set("mother father sister brother son daughter")},
    **{"nichte": "niece", "neffe": "nephew", "sobrina": "niece", "sobrino": "nephew", "nièce": "niece", "neveu": "nephew"},
    **{word: word for word in word_set("partner spouse twin godmother godfather grandson granddaughter")},
}
"""Words of kinship that, with a possessor, name one person; each with the one it stands for."""

ACQUAINTANCE = word_set(
    "friend colleague coworker co-worker neighbor neighbour boss teacher coach roommate mentor student classmate therapist doctor dog cat"
    " puppy kitten manager client tutor amigo amiga colega jefe jefa freund freundin kollege kollegin nachbar nachbarin ami amie collègue"
    " voisin voisine"
)
"""Relations people have many of: they tell which bearer of a name is meant, but name nobody alone."""

TITLES = word_set("mr mrs ms miss mx dr prof professor herr frau señor señora monsieur madame aunt uncle auntie sir captain tante onkel")
"""What stands before a person's name."""

PERSON_VERBS = word_set(
    "said says told tells asked asks loves loved likes liked wants wanted went goes gave gives called texted emailed works worked lives"
    " lived plays played thinks thought recommended suggested mentioned invited helped taught visited moved came"
)
"""Verbs after a capitalised word that begins a sentence, where the word is most likely somebody's name."""
