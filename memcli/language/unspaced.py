"""Terms of texts in scripts that put no spaces between words: Chinese and Japanese.

There is no dictionary here: what stands between function words, and is two to six characters long, is a term. Japanese writes what is
no noun mostly in hiragana, so its kanji and katakana runs are the terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.language.lexicon import word_set

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_HAN_RUN = re.compile(f"[{_HAN}]+")
_KANA = re.compile("[\u3041-\u309f]")
_JAPANESE_TERM = re.compile(f"[{_HAN}]{{2,6}}|[\u30a0-\u30ff]{{2,12}}")
_ANY = re.compile(f"[{_HAN}\u3041-\u30ff]")
_QUOTED = re.compile(r"[《「『“\"【]([^》」』”\"】\n]{2,20})[》」』”\"】]")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9+#.-]*[A-Za-z0-9+#](?: [A-Z][A-Za-z0-9+#.-]*)*")

_CUTS = re.compile(
    "(?:昨日|今日|明日|先週|来週|今週|先月|来月|去年|今年|来年|毎日|因为|所以|但是|可是|不过|虽然|如果|而且|或者|还是|然后|以后|之后|以前|之前|时候|什么|怎么|为什么|哪里|哪儿|这里|那里|这个|那个|这些|那些|这样|那样|我们|你们"
    "|他们|她们|它们|咱们|大家|自己|别人|今天|昨天|明天|前天|后天|今年|去年|明年|上周|下周|上个月|下个月|星期[一二三四五六日天]|周[一二三四五六末日]|早上|上午|中午|下午|晚上"
    "|现在|最近|刚才|刚刚|已经|正在|将要|可以|可能|应该|必须|需要|能够|想要|希望|打算|准备|计划|觉得|认为|知道|告诉|喜欢|讨厌|开始|继续|结束|完成|参加|学会|帮助|看到|听到|听说|见到|遇到|发现"
    "|成为|变成|搬到|搬家|来到|回到|去了|进行|使用|通过|非常|特别|十分|比较|真的|一直|总是|经常|有时|一起|一个|一些|一次|一下|一点|有点|很多|许多|几个|没有|不是|不会|不能|不要|就是|只是|都是"
    "|也是|还有|只有|关于|对于|由于|根据|谢谢|你好|您好|好的|再见|不客气|两个|三个|养了|买了|做了|看了|吃了|住在|出生于|毕业于|工作"
    "|[的了是在我你他她它您这那和与跟及或也都就不没吗呢吧啊呀哦嗯哈很太最更被把给从向对为让叫请说想看吃喝买卖做去来到过着又再还才只每某各哪谁几之而且但若则其]"
    "|有(?!限|机|效|关|趣)|会(?!议|员|计|话|所|场|展)|要(?!求|点|素)|能(?!力|源|量)|[零一二三四五六七八九十百千万亿两]+[个只条张本位次天年月日号岁周块元件家]?)"
)
_NOUNS = word_set(
    "机会 社会 晚会 聚会 音乐会 宴会 协会 委员会 学会 大会 展览会 对象 未来 和平 目的 来源 对话 看法 想法 做法 说明 说法 过去 过程 的士"
    " 去处 买卖"
)
"""Common nouns with a character in them that would cut them."""
_KEPT = re.compile("|".join(sorted(_NOUNS, key=lambda noun: (-len(noun), noun))))
_PROTECTED = re.compile("到达|原来|重要|主要|再生|还原|一定|为人|从事|吃饭")


def is_unspaced(text: str) -> bool:
    """Whether most letters of a text are Chinese or Japanese."""
    return not text.isascii() and _ANY.search(text) is not None and 3 * len(_ANY.findall(text)) > sum(ch.isalpha() for ch in text)


def unspaced_terms(text: str) -> Iterator[str]:
    """Its terms, quoted titles and names in Latin letters first; none is longer than a short phrase."""
    for match in _QUOTED.finditer(text):
        yield match[1].casefold()
    for match in _LATIN.finditer(text):
        yield match.group().casefold()
    if _KANA.search(text):
        yield from (term for term in _JAPANESE_TERM.findall(text) if not _CUTS.fullmatch(term))
        return
    for run in _HAN_RUN.findall(text):
        for piece in _CUTS.split(_PROTECTED.sub(" ", _KEPT.sub(" ", run))):
            yield from (part for part in piece.split() if 2 <= len(part) <= 6)
        yield from _KEPT.findall(run)
