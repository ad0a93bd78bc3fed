"""Language codes: which exist, what they are called, which way they are written."""

from __future__ import annotations

import re
from difflib import get_close_matches

# ISO 639-1. Languages without a two-letter code are named by their three letters of ISO 639-3.
_TWO_LETTER_NAMES = """
aa Afar, ab Abkhazian, ae Avestan, af Afrikaans, ak Akan, am Amharic, an Aragonese, ar Arabic, as Assamese,
av Avaric, ay Aymara, az Azerbaijani, ba Bashkir, be Belarusian, bg Bulgarian, bi Bislama, bm Bambara,
bn Bengali, bo Tibetan, br Breton, bs Bosnian, ca Catalan, ce Chechen, ch Chamorro, co Corsican, cr Cree,
cs Czech, cu Church Slavonic, cv Chuvash, cy Welsh, da Danish, de German, dv Divehi, dz Dzongkha, ee Ewe,
el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, ff Fulah, fi Finnish,
fj Fijian, fo Faroese, fr French, fy Western Frisian, ga Irish, gd Scottish Gaelic, gl Galician, gn Guarani,
gu Gujarati, gv Manx, ha Hausa, he Hebrew, hi Hindi, ho Hiri Motu, hr Croatian, ht Haitian Creole,
hu Hungarian, hy Armenian, hz Herero, ia Interlingua, id Indonesian, ie Interlingue, ig Igbo,
ii Sichuan Yi, ik Inupiaq, io Ido, is Icelandic, it Italian, iu Inuktitut, ja Japanese, jv Javanese,
ka Georgian, kg Kongo, ki Kikuyu, kj Kuanyama, kk Kazakh, kl Kalaallisut, km Khmer, kn Kannada, ko Korean,
kr Kanuri, ks Kashmiri, ku Kurdish, kv Komi, kw Cornish, ky Kyrgyz, la Latin, lb Luxembourgish, lg Ganda,
li Limburgish, ln Lingala, lo Lao, lt Lithuanian, lu Luba-Katanga, lv Latvian, mg Malagasy, mh Marshallese,
mi Maori, mk Macedonian, ml Malayalam, mn Mongolian, mr Marathi, ms Malay, mt Maltese, my Burmese, na Nauru,
nb Norwegian Bokmål, nd North Ndebele, ne Nepali, ng Ndonga, nl Dutch, nn Norwegian Nynorsk, no Norwegian,
nr South Ndebele, nv Navajo, ny Chichewa, oc Occitan, oj Ojibwa, om Oromo, or Odia, os Ossetian, pa Punjabi,
pi Pali, pl Polish, ps Pashto, pt Portuguese, qu Quechua, rm Romansh, rn Rundi, ro Romanian, ru Russian,
rw Kinyarwanda, sa Sanskrit, sc Sardinian, sd Sindhi, se Northern Sami, sg Sango, si Sinhala, sk Slovak,
sl Slovenian, sm Samoan, sn Shona, so Somali, sq Albanian, sr Serbian, ss Swati, st Southern Sotho,
su Sundanese, sv Swedish, sw Swahili, ta Tamil, te Telugu, tg Tajik, th Thai, ti Tigrinya, tk Turkmen,
tl Tagalog, tn Tswana, to Tonga, tr Turkish, ts Tsonga, tt Tatar, tw Twi, ty Tahitian, ug Uyghur,
uk Ukrainian, ur Urdu, uz Uzbek, ve Venda, vi Vietnamese, vo Volapük, wa Walloon, wo Wolof, xh Xhosa,
yi Yiddish, yo Yoruba, za Zhuang, zh Chinese, zu Zulu
"""
NAMES: dict[str, str] = {
    entry[:2]: entry[3:] for entry in (part.strip() for part in _TWO_LETTER_NAMES.split(",")) if entry
}
# The script in which a language is written unless the code says otherwise, where several are in use.
_USUAL_SCRIPT = {"zh": "Hans", "sr": "Cyrl", "hi": "Deva"}
# Chinese in these regions is written in Traditional characters.
_TRADITIONAL = frozenset({"TW", "HK", "MO"})
_RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi", "ckb", "arc", "syr"})
_SHAPE = re.compile(r"(?P<language>[a-z]{2,3})(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?")


def base_language(code: str) -> str:
    """The language without script and region.

    >>> base_language("pt-BR")
    'pt'
    """
    return code.partition("-")[0]


def written_language(code: str) -> str:
    """The language without its region, but with its script where that is not the usual one.

    Who reads Traditional Chinese does not want Simplified.

    >>> written_language("pt-BR"), written_language("zh-Hans-CN"), written_language("zh-TW")
    ('pt', 'zh', 'zh-Hant')
    """
    base, *others = code.split("-")
    script = next((part for part in others if len(part) == 4), None)
    if base == "zh" and script is None and _TRADITIONAL & set(others):
        script = "Hant"
    return base if script in (None, _USUAL_SCRIPT.get(base, script)) else f"{base}-{script}"


def is_right_to_left(code: str) -> bool:
    """Whether the language is written from right to left (the script subtag is not looked at)."""
    return base_language(code) in _RIGHT_TO_LEFT


def problem_with(code: str) -> str | None:
    """What is wrong with a language code, as a sentence with the likely right one; None if it is fine.

    Two-letter codes must exist; three-letter codes are taken as they are, because there are
    nearly 8,000 of them and low-resource campaigns need them.

    >>> problem_with("cs"), problem_with("zh-Hant-TW"), problem_with("hsb")
    (None, None, None)
    >>> problem_with("english")
    '"english" is not a language code; did you mean "en"?'
    """
    match = _SHAPE.fullmatch(code)
    if match and (len(match["language"]) == 3 or match["language"] in NAMES):
        return None
    by_name = {name.lower(): two_letters for two_letters, name in NAMES.items()}
    close = get_close_matches(code.strip().lower(), by_name, n=1, cutoff=0.8)
    lowered = code.strip().replace("_", "-").partition("-")
    repaired = lowered[0].lower() + (lowered[1] + lowered[2].upper() if lowered[2] else "")
    if close:
        hint = f'did you mean "{by_name[close[0]]}"?'
    elif repaired != code and problem_with(repaired) is None:
        hint = f'did you mean "{repaired}"?'
    else:
        hint = 'use a code of two or three letters such as "en", "cs", "hsb" or "pt-BR".'
    return f'"{code}" is not a language code; {hint}'
