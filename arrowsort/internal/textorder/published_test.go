package textorder

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An orderedList is texts in the order of a collation: each differs from the next, where < stands between them, or ties
// with it, where = does.
type orderedList struct {
	collation Collation
	texts     string
}

// published are orders that ICU and CLDR publish: in ICU's collation tests (collationtest.txt and those of languages in
// intltest), and in the rules of CLDR for a language.
var published = []orderedList{
	// The root: levels, strengths, accents from the end, punctuation, numbers.
	{"und", "a < b < B"},
	{"und", "a < ä < Ä < b"},
	{"und-u-ks-level1", "a < b = B"},
	{"und-u-ks-level2", "a < b = B"},
	{"und-u-ks-identic", "a < b < B"},
	{"und", "cote < coté < côte < côté"},
	{"und-u-kb", "cote < côte < coté < côté"},
	{"fr-CA-u-kb", "cote < côte < coté < côté"},
	{"und", "a b < A b < a \u0301b < A \u0301b < a \u0300b < A \u0300b < a_b < A_b < a_\u0301b < A_\u0301b < " +
		"a_\u0300b < A_\u0300b < a\u0301b < A\u0301b < a\u0300b < A\u0300b"},
	{"und", "Å = A\u030a = \u212b"},
	{"und", "? < + < 5 < a < α < 丂"},
	{"und", "a < a\u0308 = ä < b < か < か\u3099 = が"},
	{"und", "\u1100\u1161 = 가 < \u1100\u1161\u11a8 = 각 < 갂"},
	{"und", "abz < a一z < a𠀀z"},
	{"und-u-kn", "11b < 101a"},
	{"und-u-kf-upper-kn-ks-identic", "100 a < 101"},
	{"und-u-kf-upper", "A < a < Ä < ä < B"},
	{"und", "张 < 张一踿"},

	// Upper case first, also of letters that a language has.
	{"da-u-kf-upper", "AA < Aa < aa"},
	{"nn-u-kf-upper", "Æ < æ < Ä < ä < Ø < ø"},
	{"pl-u-kf-upper", "A < a < Ą < ą < B"},
	{"tr-u-kf-upper", "I < ı < İ < i"},
	{"hu-u-kf-upper", "CS < Cs < cs"},
	{"lt-u-kf-upper", "Č < č < Y < y"},
	{"es-u-kf-upper", "Ñ < ñ"},
	{"und-u-kf-upper", "Æ < æ < Đ < đ < ẞ < ß"},
	{"und-u-kf-upper", "ᾼ = Α\u0345 < ᾳ = α\u0345"},

	// A character that has the weights of several letters has their cases.
	{"und-u-kf-upper", "fi < ﬁ < fiA < fia < ﬁa"},
	{"und-u-kf-upper", "IJ < Ĳ < ij < ĳ"},
	{"und-u-kf-upper", "DŽ < Ǆ < ǅ < dž < ǆ"},
	{"und-u-kf-upper", "aB < ªB < ªb"},
	{"und-u-kf-upper", "kgA < ㎏A < ㎏a"},
	{"und-u-kf-upper", "kgA < kga < ㎏a"},
	{"und-u-kf-upper", "ʼnA < ŉA < ŉa"},

	// German: umlauts are accents of letters, and two letters in phone books.
	{"de", "a < ä < ae < æ"},
	{"de-u-co-phonebk", "a < ae < ä"},
	{"de", "Größe < Grossist"},
	{"de", "Tod < Tofu < Ton < Töne"},
	{"de", "abc < a\u0308bc = äbc < A\u0308bc < aebc"},
	{"de", "Strasse < Straße"},
	{"de-u-ks-level1", "abc = a\u0308bc = A\u0308bc < aebc"},
	{"de-u-ks-level1", "Strasse = Straße"},

	// Spanish.
	{"es", "nz < ñ < Ñ < ña < o"},
	{"es-u-ks-level1", "Hello = hellO"},
	{"es", "alias < allias < Elliot < Emiot < hellO < Hello"},

	// Finnish.
	{"fi", "vat < wat < way"},
	{"fi", "axbeck < aübeck"},
	{"fi", "Låvi < Läwe"},

	// Turkish.
	{"tr", "s\u0327 < u\u0308"},
	{"tr", "vät < vbt"},
	{"tr", "old < Öay"},
	{"tr", "üoid < void"},
	{"tr", "halt < hĞalt"},
	{"tr", "stresŞ < ŞtreŞs"},
	{"tr", "voıd < void"},
	{"tr", "Idea < idea"},
	{"tr-u-ks-level1", "voıd < void"},
	{"tr-u-ks-level1", "Idea < idea"},
	{"tr", "c < ç < Ç < d < g < ğ < Ğ < h < ı < I < i < İ < j < o < ö < Ö < p < s < ş < Ş < t < u < ü < " +
		"Ü < v"},

	// Danish: aa as å at the end, ü as y.
	{"da-u-ks-level1", "Lybeck = Lübeck"},
	{"da-u-ks-level1", "Lvi < Lwi"},
	{"da-u-ks-level1", "Lävi < Löwi"},
	{"da", "Luc < luck < lybeck < Lübeck < Lävi < Löwe"},
	{"da", "Löww < mast"},
	{"da-u-kf-upper", "A/S < ANDRE < ANDRÉ < ANDREAS < AS < CA < ÇA < CB < ÇC < D.S.B. < DA < ÐA < DB < ÐC < " +
		"DSB < DSC < EKSTRA_ARBEJDE < EKSTRABUD0 < HØST < HAAG < HÅNDBOG < HAANDVÆRKSBANKEN < Karl < karl < " +
		"NIELS JØRGEN < NIELS-JØRGEN < NIELSEN < RÉE, A < REE, B < RÉE, L < REE, V < SCHYTT, B < SCHYTT, H < " +
		"SCHÜTT, H < SCHYTT, L < SCHÜTT, M < SS < ß < SSA < STORE VILDMOSE < STOREKÆR0 < STORM PETERSEN < " +
		"STORMLY < THORVALD < THORVARDUR < þORVARÐUR < THYGESEN < VESTERGÅRD, A < VESTERGAARD, A < " +
		"VESTERGÅRD, B < ÆBLE < ÄBLE < ØBERG < ÖBERG"},
	{"da-u-kf-upper", "andere < chaque < chemin < cote < coté < côte < côté < čučēt < Czech < hiša < " +
		"irdisch < lie < lire < llama < lõug < lòza < luč < luck < Lübeck < lye < lävi < Löwen < màšta < " +
		"mîr < myndig < Männer < möchten < piña < pint < pylon < šàran < savoir < Šerbūra < Sietla < " +
		"ślub < subtle < symbol < sämtlich < verkehrt < vox < väga < waffle < wood < yen < yuan < yucca < " +
		"žal < žena < Ženēva < zoo0 < Zviedrija < Zürich < zysk0 < ändere"},

	// Baltic languages.
	{"lt", "cz < č < d < iz < j < sz < š < t < zz < ž"},
	{"lt", "i < y < Y < j"},
	{"lv", "cz < č < d < gz < ģ < h < iz < j < kz < ķ < l < lz < ļ < m < nz < ņ < o < rz < ŗ < s < sz < š < " +
		"t < zz < ž"},
	{"et", "sy < š < šy < z < zy < ž < v < õ < õy < ä < äy < ö < öy < ü < üy < x"},

	// Languages whose letters are of several characters, or have marks.
	{"sq", "cz < ç < d < dz < dh < e < ez < ë < f < gz < gj < h < lz < ll < m < nz < nj < o < rz < rr < s < " +
		"sz < sh < t < tz < th < u < xz < xh < y < zz < zh"},
	{"cs", "c < cz < č < Č < d < h < hz < ch < cH < Ch < CH < i < r < rz < ř < Ř < s < sz < š < Š < t < z < " +
		"zz < ž < Ž"},
	{"sk", "a < az < ä < Ä < b < c < č < Č < d < h < hz < ch < cH < Ch < CH < i < o < oz < ô < Ô < p < s < " +
		"š < Š < t < z < ž < Ž"},
	{"hu", "c < cz < cs < Cs < CS < d < dz < Dz < DZ < dzs < Dzs < DZS < e < g < gz < gy < h < l < lz < ly < " +
		"m < n < nz < ny < o < oz < ö < Ö < ő < Ő < p < s < st < sz < t < tz < ty < u < uz < ü < Ü < ű < Ű < " +
		"v < z < zz < zs"},
	{"hr", "c < č < ć < d < dž < Dž < DŽ < đ < e < l < lj < m < n < nj < o < s < š < t < z < ž"},
	{"bs", "č < ć < d < dž < đ < e < lz < lj < m < nz < nj < o < š < t < z < ž"},
	{"sr-Latn-RS", "č < ć < d < dž < đ < e < lz < lj < m < nz < nj < o < š < t < z < ž"},
	{"sh", "č < ć < d < dž < đ < e < lz < lj < m < nz < nj < o < š < t < z < ž"},
	{"sr-ME", "č < ć < d < dž < đ < e < lz < lj < m < nz < nj < o < š < t < z < ž"},
	{"sr", "ć < č < dz < dž < lj < lz"},
	{"bs-Cyrl", "ć < č < dz < dž < lj < lz"},
	{"nb-NO", "z < æ < Æ < ä < ø < Ø < ö < å < aa"},
	{"nb-Latn", "z < æ < Æ < ä < ø < Ø < ö < å < aa"},
	{"nb-Latn-NO", "z < æ < Æ < ä < ø < Ø < ö < å < aa"},
	{"no", "z < æ < Æ < ä < ø < Ø < ö < å < aa"},
	{"no-Latn", "z < æ < Æ < ä < ø < Ø < ö < å < aa"},
	{"nn", "z < æ < Æ < ä < ø < Ø < ö < å < aa"},
	{"pl", "a < ą < b < c < ć < d < e < ę < f < l < ł < m < n < ń < o < ó < p < s < ś < t < z < ź < ż"},
	{"pl", "las < łódź < mama < sam < świt < tata < zupa < źle < żar"},
	{"cy", "c < cz < ch < Ch < CH < d < dz < dd < e < f < ff < g < ng < h < l < ll < m < p < ph < r < rh < s < " +
		"t < th < u"},
	{"sv", "zl < ål < äl < öl"},
	{"sv", "d < đ < ð < e < y < ü < z < å < Å < ä < Ä < æ < Æ < ö < Ö < ø < Ø"},
	{"ro", "xAx < xă < xĂ < Xă < XĂ < xăx < xĂx < xâ < xÂ < Xâ < XÂ < xâx < xÂx < xb < xIx < xî < " +
		"xÎ < Xî < XÎ < xîx < xÎx < xj < xSx < xș = xş < xȘ = xŞ < Xș = Xş < XȘ = XŞ < xșx = xşx < " +
		"xȘx = xŞx < xT < xTx < xț = xţ < xȚ = xŢ < Xț = Xţ < XȚ = XŢ < xțx = xţx < xȚx = xŢx < xU"},

	// Other scripts.
	{"uk", "і < іа < ї"},
	{"zh-u-ks-level1", "lā = lĀ = Lā = LĀ < lān = lĀn < lē = lĒ = Lē = LĒ < lēn = lĒn"},
	{"th", "กกุธภัณฑ์ < กกุสันโธ"},
	{"th", "กงการ < กงโก้"},
	{"th", "กระเจียว < กระเจี๊ยว"},
	{"th", "กรรเชอ < กรรเช้า"},
	{"hi", "कॐ < कं < कँ < कः"},
}

// TestPublishedOrders compares orders with those that ICU and CLDR publish.
func TestPublishedOrders(t *testing.T) {
	for _, list := range published {
		requireOrder(t, list.collation, list.texts)
	}
}

// TestOrdersThatDiffer: docs/ordering.md names the published orders that CLDR 23 does not have, with the options that
// make them if there are any.
func TestOrdersThatDiffer(t *testing.T) {
	for _, c := range []struct {
		collation   Collation
		here, there string
		like        Collation // has the order that is published
	}{
		{"da", "karl < Karl", "Karl < karl", "da-u-kf-upper"},
		{"mt", "a < A", "A < a", "mt-u-kf-upper"},
		{"und-u-kf-upper", "ａA < aa", "aa < ａA", ""},
		{"und-u-kf-upper", "アA < あa", "あa < アA", ""},
		{"und-u-kf-upper", "ﬁA < fia", "fia < ﬁA", ""},
		{"da-u-kf-upper", "AAb < Åb", "Åb < AAb", ""},
		{"da", "aą < ab < z < aa", "ab < z < aa < aą", ""},
		{"nb", "aą < ab < z < aa", "ab < z < aa < aą", ""},
		{"nn", "aą < ab < z < aa", "ab < z < aa < aą", ""},
		{"lv", "i < j < x < y < z", "i < y < j < x < z", ""},
		{"az", "w < y < z", "y < z < w", ""},
		{"vi", "õ = ŏ", "õ < ŏ", ""},
		{"fr-CA", "coté < côte", "côte < coté", "fr-CA-u-kb"},
		{"de-u-co-phonebk", "ad < ae < æ < ä < af", "ad < ae < ä < æ < af", ""},
		{"de-u-co-phonebk", "od < oe < œ < ö < of", "od < oe < ö < œ < of", ""},
		{"ru", "z < а", "а < z", ""},
		{"uk", "z < а", "а < z", ""},
		{"ru", "і < іа < ї", "і < ї < іа", ""},
		{"et", "v < w < va", "v < va < w", ""},
		{"fi-u-co-standard", "v < w < va", "v < va < w", ""},
		{"sv-u-co-standard", "v < w < va", "v < va < w", ""},
		{"lv", "ā < až", "až < ā", ""},
		{"bn", "ক = ং", "ং < ক", ""},
		{"gu", "અ = ં", "ં < અ", ""},
		{"ta", "க = ஃ", "ஃ < க", ""},
		{"th", "-ข < ก", "ก < -ข", ""},
		{"ja", "グ = ぐ", "ぐ < グ", ""},
		{"haw", "w < b", "b < w", ""},
		{"fo", "aá < aa", "aa < aá", ""},
		{"und", "? < \ufffd < a < 一", "? < a < 一 < \ufffd", ""},
		{"und", "1 < z < ₿ < 🦀", "🦀 < ₿ < 1 < z", ""},
	} {
		requireOrder(t, c.collation, c.here)
		require.NotEmpty(t, mismatch(t, c.collation, c.there))
		if c.like != "" {
			requireOrder(t, c.like, c.there)
		}
	}
	_, err := Collation("es-u-co-trad").Resolve()
	require.ErrorContains(t, err, "es has one order only")
}

func requireOrder(t *testing.T, c Collation, texts string) {
	require.Empty(t, mismatch(t, c, texts), "%s: %s", c, texts)
}

// mismatch compares all neighbours of a list, by an encoder without a table of characters and then with one. It returns
// the first text that is not where the list has it.
func mismatch(t *testing.T, c Collation, texts string) string {
	l, err := parseLocale(string(c))
	require.NoError(t, err)
	e := &localeEncoder{order: newLocaleOrder(l), collator: l.collator(), encoded: textsBeforeTable}
	for _, encode := range []func(dst, text []byte) []byte{e.append, e.Append} {
		var before []byte
		for _, group := range strings.Split(texts, " < ") {
			tied := strings.Split(group, " = ")
			first := encode(nil, []byte(tied[0]))
			if bytes.Compare(before, first) >= 0 {
				return tied[0]
			}
			for _, text := range tied[1:] {
				if !bytes.Equal(first, encode(nil, []byte(text))) {
					return text
				}
			}
			before = first
		}
	}
	return ""
}
