"""Letters of languages whose order is the same here and in ICU, and what is not, for collations.py."""

import unicodedata

AZ = "abcdefghijklmnopqrstuvwxyz"


def script(first, last, without=""):
    """The letters and signs of a block that Unicode has had for long, in data of every version."""
    old = unicodedata.ucd_3_2_0
    return "".join(c for c in map(chr, range(first, last + 1)) if old.category(c)[0] in "LM" and c not in without)


def cased(letters):
    return letters + letters.upper()


# The letters that these languages write in addition to a to z; without those of DIFFERENT. Signs of which a letter may
# have two are left out as well: DuckDB does not bring them into the order of Unicode's normal form, which ICU needs.
LATIN = {
    "af": "áâäéèêëîïôöûŉ", "az": "çəğıöşüİ", "bs": "čćđšž", "ca": "àçéèíïóòúü·",
    "cs": "áčďéěíňóřšťúůýž", "cy": "âêîôûŵŷ", "da-u-kf-upper": "æø", "de": "äöüß",
    "ee": "ɖɛƒɣŋɔʋ", "en": "", "eo": "ĉĝĥĵŝŭ", "es": "áéíñóúü", "et": "õäöüšž",
    "fi": "åäöšž", "fil": "ñ", "fo": "ðíóúýæø", "fr": "àâæçéèêëîïôœùûüÿ",
    "ha": "ɓɗƙƴ", "hr": "čćđšž", "hu": "áéíóöőúüű", "ig": "ịṅọụ",
    "is": "áðéíóúýþæö", "it": "àéèìóòù", "kl": "æøå", "ln": "áâéêɛíîóôɔú",
    "lt": "ąčęėįšųūž", "lv": "čģķļņšž", "mt-u-kf-upper": "ċġż", "nb": "æø", "nn": "æø",
    "no": "æø", "nso": "êôš", "om": "", "pl": "ąćęłńóśźż", "ro": "ăâîșşțţ",
    "se": "áčđŋšŧž", "sk": "áäčďéíĺľňóôŕšťúýž", "sl": "čšž", "sq": "çë", "ssy": "",
    "sv": "åäö", "tn": "êôš", "to": "ʻāēīōū", "tr": "çğıöşüİ",
    "vi": "ăâđêôơưàảãáạằẳẵắặ", "wae": "čš", "yo": "ẹọṣ",
}
WITHOUT = {"az": "w", "et": "w", "lv": "y"}
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
GREEK_AND_CYRILLIC = {
    "be": "абвгдеёжзійклмнопрстуўфхцчшыьэюя", "bg": CYRILLIC,
    "el": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊΐϋΰ", "hy": script(0x561, 0x586, "ւ"),
    "kk": CYRILLIC + "әғқңөұүһі", "mk": "абвгдѓежзѕијклљмнњопрстќуфхцчџш",
    "ru": CYRILLIC + "ё", "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
}
NUKTA = script(0x958, 0x95F)  # letters that are a letter and a sign in normal form, which DuckDB does not make
OTHERS = {
    "ar": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "as": script(0x985, 0x9FF),
    "bn": script(0x985, 0x9EF), "fa": "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنهوی",
    "gu": script(0xA84, 0xAEF), "he": script(0x5B0, 0x5EA), "hi": script(0x900, 0x963),
    "ja": script(0x3041, 0x3096) + "日本語東京大学漢字山川",
    "km": script(0x1780, 0x17D1, script(0x17A5, 0x17B3) + "៌"), "kn": script(0xC84, 0xCEF),
    "ko": "가각간개거게고교구그기까나다라마바사아자차카타파하漢字",
    "kok": script(0x900, 0x963, "ऽ" + NUKTA), "lo": script(0xE81, 0xEC7), "ml": script(0xD00, 0xD4F),
    "mr": script(0x900, 0x963, "ऽ" + NUKTA), "or": script(0xB04, 0xB6F), "pa": script(0xA00, 0xA6F, "੍"),
    "ps": "ابتثجحخدذرزسشصضطظعغفقلمنهوی", "si": script(0xD84, 0xDF3, "ඦ"),
    "ta": script(0xB84, 0xBEF, "்"), "te": script(0xC04, 0xC6F),
    "th": script(0xE01, 0xE2E) + "ะาเแโใไ",
    "ur": "ابپتٹثجچحخدڈذرڑزژسشصضطظعغفقکگلمنںوہھیے",
    "zh": "一丁七万丈三上下不与中国人大学生天地玄黄宇宙洪荒",
}
LETTERS = {**{tag: cased((AZ + more).replace(WITHOUT.get(tag, ""), "")) for tag, more in LATIN.items()},
           **{tag: cased(letters) for tag, letters in GREEK_AND_CYRILLIC.items()}, **OTHERS}

# Pairs of texts in the order here, which ICU, with a later CLDR, has the other way round. docs/ordering.md says why.
DIFFERENT = {
    "ar": "ءءء آ, ت ة", "as": "ক ং", "az": "w y", "bn": "ক ং", "da": "a A, aå aa", "dz": "ག འཁ",
    "et": "w va", "fo": "aá aa", "gu": "અ ં", "haw": "w b", "hy": "եւա և", "ja": "グ ぐ",
    "km": "ល ឫ, ស៌ រំ", "kn": "ಕ ಂ", "lv": "ā až, j y", "ml": "ൗ ൌ", "mr": "ऽ ळ", "mt": "a A",
    "mt-u-kf-upper": "gĦ għ", "my": "ဩ ဧာ", "nb": "aå aa", "nn": "aå aa", "or": "କ ଂ", "pa": "ਾ ੍",
    "ps": "ث ټ", "si": "ක ං", "ta": "க ஃ", "te": "క ం", "th": "ก็ ก์, -ข ก", "ur": "ة ئ",
    "vi": "ŏ õ", "wae": "ä aä",
}
