package textorder

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// encoded returns the bytes of a text.
func encoded(t *testing.T, c Collation, text string) []byte {
	resolved, err := c.Resolve()
	require.NoError(t, err)
	e := NewEncoder(resolved)
	defer e.Close()
	return e.Append(nil, []byte(text))
}

// TestOrders writes each order down: groups of texts that tie, in their order.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		collation Collation
		groups    []string
	}{
		{Bytes, []string{"", "A", "B", "a", "é"}},
		{FoldCase, []string{"", "a2|A2", "b|B", "ss|ß|SS|ẞ", "é|É", "σ|ς|Σ"}},
		{Natural, []string{"", "-", "0", "00", "1", "01", "1a", "2", "02", "10", "10.2", "10.02", "10.10", ":", "a",
			"a1b1", "a1b01", "a01b1", "a1b2", "a2", "a10", "a99999999999999999999", "a100000000000000000000", "b",
			"é1", "é2"}},
		{Numeric, []string{"-100000000000000000000", "-12", "-2|-2.0|-002 apples", "-1.51", "-1.5|-1.50", "-0.5|-.5",
			"0|-0|00|0.0|-.0 ", "0.05", ".5|0.5|0.50", "1|1.|1,000|1e9", "1.05", "1.5|  1.5|\t01.5x", "2|2 pears",
			"10", "100000000000000000000", "", " ", "+1", "-", "--1", ".", "a", "b1"}},
		{"und", []string{"", " ", "_", "-", ",", "!", "1", "12", "2", "a", "A", "á", "Á", "ab", "æ", "b", "z", "日"}},
		{"de", []string{"Apfel", "ar", "Ar", "är", "Äther", "az", "Öl", "Omen", "ss", "ß", "Z"}},
		{"sv", []string{"a", "az", "o", "z", "å", "ä", "ö"}},
		{"de-u-co-phonebk", []string{"ad", "ae", "ä", "af", "az"}},
		{"cs", []string{"c", "cz", "č", "d", "h", "ch", "i"}},
		{"fr-u-kb", []string{"cote", "côte", "coté", "côté"}},
		{"fr", []string{"cote", "coté", "côte", "côté"}},
		{"und-u-kn", []string{"a2", "a10", "b"}},
		{Locale("und", LocaleOptions{Numeric: true}), []string{"a2", "a10", "b"}},
		{Locale("und", LocaleOptions{Strength: Primary}), []string{"resume|Resume|résumé|RÉSUMÉ", "role|Role|rôle"}},
		{Locale("und", LocaleOptions{Strength: Secondary}), []string{"role|Role|ROLE", "rôle|Rôle"}},
		{Locale("und", LocaleOptions{Strength: Tertiary}), []string{"é|e\u0301", "É|E\u0301"}},
		{Locale("und", LocaleOptions{Strength: Identical}), []string{"e\u0301", "é", "role", "Role"}},
		{Locale("de", LocaleOptions{UpperFirst: true}), []string{"A", "a", "Ä", "ä", "AB", "Ab", "aB", "ab", "ac"}},
		{Locale("de", LocaleOptions{}), []string{"a", "A", "ä", "Ä", "ab", "aB", "Ab", "AB", "ac"}},
	} {
		var before []byte
		for i, group := range c.groups {
			var first []byte
			for k, text := range strings.Split(group, "|") {
				b := encoded(t, c.collation, text)
				if k == 0 {
					first = b
				}
				require.Equal(t, first, b, "%q: %q", c.collation, group)
			}
			if i > 0 {
				require.Negative(t, bytes.Compare(before, first), "%q: %q, %q", c.collation, c.groups[i-1], group)
			}
			before = first
		}
	}
}

// letters are characters that rules are about: accents, cases, ligatures, Hangul, kana, emoji, combining marks in any
// order, ignored characters, digits of several scripts, characters beyond the basic plane, and what is not UTF-8.
var letters = strings.Split("a A b c ch C h z Z é è É ê e\u0301 e\u0323\u0301 e\u0301\u0323 "+
	"ö Ö o\u0308 å ß ẞ ss æ Æ "+
	"ﬁ fi ﬃ Ĳ ij œ ñ n\u0303 ll lj Ǆ ǆ ı i I İ σ ς Σ ά б Б ё "+
	"한 하 \u1112\u1161\u11ab あ ア ぁ ｱ ァ 日 本 㐀 𠀀 😀 👩‍👧 "+
	"\u200d \u00ad \u0301 \u0345 0 1 2 9 10 007 ٣ ３ ² ½ \x00 \t - _ ' ’ . , ／ \u00a0 \U0001d400 "+
	"\ufffd \xff \xe2\x82 \xc3", " ")

// randomText joins some of the letters.
func randomText(r *rand.Rand) []byte {
	var text []byte
	for range r.IntN(8) {
		text = append(text, letters[r.IntN(len(letters))]...)
		if r.IntN(8) == 0 {
			text = append(text, ' ')
		}
	}
	return text
}

// valid replaces what is not UTF-8, as orders of locales do.
func valid(text []byte) []byte { return bytes.ToValidUTF8(text, []byte("\ufffd")) }

// TestRandomTexts compares the bytes of all pairs of random texts with the order of the model.
func TestRandomTexts(t *testing.T) {
	seed := testrun.Seed()
	collations := []Collation{FoldCase, Natural, Numeric, "fr-u-kb-true", "de-u-co-phonebk", "en-u-kn-true",
		"und-u-ks-level1", "und-u-ks-level2", "en-US-u-va-posix", "nb-Latn-NO", "no-u-ks-level1", "bs-u-kn-true",
		"sr-ME", "sr"}
	for i, tag := range collate.Supported() {
		if testrun.Share(4, i, tag) {
			collations = append(collations, Collation(tag.String()))
		}
	}
	for i, c := range collations {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		texts := make([][]byte, 150)
		for k := range texts {
			texts[k] = randomText(r)
		}
		order := model.TextOrder(string(c))
		resolved, err := c.Resolve()
		require.NoError(t, err)
		e := NewEncoder(resolved)
		keys := make([][]byte, len(texts))
		for k, text := range texts {
			keys[k] = e.Append(nil, text)
		}
		e.Close()
		for k, x := range texts {
			for l, y := range texts {
				want := order(x, y)
				if i >= 3 { // locales
					want = order(valid(x), valid(y))
				}
				require.Equal(t, want, bytes.Compare(keys[k], keys[l]), "seed %d, %q: %q, %q", seed, c, x, y)
			}
		}
	}
}

// TestIdentical orders texts that tie by all rules by their bytes, as the option Force of package collate does.
func TestIdentical(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 1))
	c := collate.New(language.German, collate.Force)
	by := Locale("de", LocaleOptions{Strength: Identical})
	for range 3000 {
		x := valid(randomText(r))
		y := valid(randomText(r))
		if r.IntN(2) == 0 {
			y = norm.NFD.Bytes(x)
		}
		require.Equal(t, c.Compare(x, y), bytes.Compare(encoded(t, by, string(x)), encoded(t, by, string(y))),
			"%q, %q", x, y)
	}
}

// variant returns a text with the letters of another one in other cases and forms.
func variant(r *rand.Rand, text []byte) []byte {
	forms := []func([]byte) []byte{bytes.Clone, bytes.ToUpper, bytes.ToLower, norm.NFKD.Bytes}
	var other []byte
	for len(text) > 0 {
		_, size := utf8.DecodeRune(text)
		other = append(other, forms[r.IntN(len(forms))](text[:size])...)
		text = text[size:]
	}
	return other
}

// TestUpperFirst: where letters and accents tie, the first letter in another case decides, upper case first, and where
// there is none the order is that without the option.
func TestUpperFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 2))
	upper := Locale("und", LocaleOptions{UpperFirst: true})
	second, third := model.TextOrder("und-u-ks-level2"), model.TextOrder("und")
	cases := func(text []byte) (cases string) {
		for _, r := range norm.NFKD.String(string(text)) {
			if unicode.IsLower(r) {
				cases += "l"
			} else if unicode.IsUpper(r) {
				cases += "U"
			}
		}
		return cases
	}
	var decided [3]int
	for range 3000 {
		x := valid(randomText(r))
		y := valid(randomText(r))
		if r.IntN(2) == 0 {
			y = variant(r, x)
		}
		want, by := second(x, y), 0
		if want == 0 {
			want, by = cmp.Compare(cases(x), cases(y)), 1
		}
		if want == 0 {
			want, by = third(x, y), 2
		}
		got := bytes.Compare(encoded(t, upper, string(x)), encoded(t, upper, string(y)))
		require.Equal(t, want, got, "%q, %q", x, y)
		decided[by]++
	}
	for _, times := range decided {
		require.Greater(t, times, 100, "of the random texts")
	}
}

// TestRunsOfWeights writes levels of few weights, with runs of common ones of all lengths around those of a byte.
func TestRunsOfWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(), 3))
	weights := []uint16{0x01, 0x1f, commonSecondary, 0x21, 0x100, 0xfff}
	var levels [][]uint16
	for n := range 200 {
		levels = append(levels, slices.Repeat([]uint16{commonSecondary}, n))
		level := slices.Repeat([]uint16{commonSecondary}, r.IntN(140))
		for range r.IntN(4) {
			level = append(level, weights[r.IntN(len(weights))])
			level = append(level, slices.Repeat([]uint16{commonSecondary}, []int{0, 1, 62, 63, 64, 65}[r.IntN(6)])...)
		}
		levels = append(levels, level)
	}
	write := func(level []uint16) []byte {
		w := levelWriter{common: commonSecondary}
		for _, weight := range level {
			w.put(weight)
		}
		return append(w.end(), 0)
	}
	for _, a := range levels {
		for _, b := range levels {
			require.Equal(t, slices.Compare(a, b), bytes.Compare(write(a), write(b)), "%x, %x", a, b)
		}
	}
}

// TestCharacters compares the sort keys by the table with those without: for random texts in every language, and in a
// long run for all of three letters.
func TestCharacters(t *testing.T) {
	text := []rune(" -.'0129abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\t\x00" +
		"äöüÄÖÜßéèêåæøñçœıİłŁšžđ²½µŉſ")
	for _, tag := range append(collate.Supported(), language.MustParse("en-u-kn-true")) {
		if !testrun.Share(8, tag) && tag.String() != "und" && tag.String() != "en-u-kn-true" {
			continue
		}
		for _, c := range []string{"", "ks-level1", "ks-level2", "kf-upper", "ks-identic"} {
			name := tag.String()
			if c != "" && tag.String() != "und" {
				continue
			} else if c != "" {
				name += "-u-" + c
			}
			l, err := parseLocale(name)
			require.NoError(t, err)
			e := &localeEncoder{order: newLocaleOrder(l), collator: l.collator()}
			table := new(characterTable)
			check := func(x string) bool {
				got, ok := table.append(e, nil, []byte(x))
				require.True(t, !ok || bytes.Equal(e.append(nil, []byte(x)), got), "%s: %q", name, x)
				return ok
			}
			r := rand.New(rand.NewPCG(testrun.Seed(), 4))
			taken := 0
			for range testrun.Count(20_000, 3000) {
				x := make([]rune, r.IntN(20))
				for i := range x {
					x[i] = text[r.IntN(len(text))]
				}
				if check(string(x)) {
					taken++
				}
			}
			require.Positive(t, taken, name)
			require.True(t, check(strings.Repeat("q", 200)), name)
			require.False(t, check("ae\u0301"), name)
			require.False(t, check("a\xff"), name)
			require.Equal(t, name != "en-u-kn-true", check("1"), name)
			if testrun.Long() && c == "" {
				for i := range 52 * 52 * 52 {
					check(string([]rune{text[8+i%52], text[8+i/52%52], text[8+i/52/52]}))
				}
			}
		}
	}
}

// TestTableChangesNothing encodes enough texts for a table to be made.
func TestTableChangesNothing(t *testing.T) {
	c, err := Locale("de-AT", LocaleOptions{UpperFirst: true}).Resolve()
	require.NoError(t, err)
	few, many := NewEncoder(c).(*localeEncoder), NewEncoder(c).(*localeEncoder)
	for range textsBeforeTable {
		many.Append(nil, []byte("Wien"))
	}
	require.Nil(t, few.table)
	require.NotNil(t, many.table)
	for _, text := range []string{"Straße, Strasse", "Strasse", "", "日本", "\xff"} {
		require.Equal(t, few.Append(nil, []byte(text)), many.Append(nil, []byte(text)))
	}
	few.Close()
	many.Close()
}

// TestAppendKeepsWhatIsThere encodes several texts into one buffer, as rows of several keys do.
func TestAppendKeepsWhatIsThere(t *testing.T) {
	for _, c := range []Collation{Bytes, FoldCase, Natural, Numeric, "de", "de-u-ks-level1"} {
		e := NewEncoder(c)
		for _, text := range []string{"", "-1.50", "a0100", "STRAẞE", strings.Repeat("É", 5000)} {
			alone := e.Append(nil, []byte(text))
			require.Equal(t, append([]byte("before"), alone...), e.Append([]byte("before"), []byte(text)), "%q", c)
			require.True(t, utf8.ValidString(text))
		}
		e.Close()
	}
}

// TestSortedBy sorts a list as a reader sees it.
func TestSortedBy(t *testing.T) {
	files := strings.Fields("file10 File2 file2 file1 file02 file")
	by := func(c Collation) []string {
		return slices.SortedStableFunc(slices.Values(files), func(a, b string) int {
			return cmp.Compare(string(encoded(t, c, a)), string(encoded(t, c, b)))
		})
	}
	require.Equal(t, strings.Fields("File2 file file1 file2 file02 file10"), by(Natural))
	require.Equal(t, strings.Fields("file file02 file1 file10 File2 file2"), by(FoldCase))
	require.Equal(t, strings.Fields("file file1 file2 file02 File2 file10"), by("en-u-kn"))
}

// FuzzOrders compares the bytes of two texts with the order of the model, with and without the table of characters.
func FuzzOrders(f *testing.F) {
	collations := []Collation{"nocase", "natural", "numeric", "de", "cs", "zh", "ja", "th", "en-u-kn-true",
		"fr-u-kb-true"}
	for i := range collations {
		f.Add(uint8(i), []byte("Straße 10"), []byte("strasse 9"))
	}
	f.Add(uint8(6), []byte("カﾞ"), []byte("\u0301\u0323\xff"))
	f.Add(uint8(7), []byte("เก"), []byte("กเ"))
	f.Fuzz(func(t *testing.T, number uint8, x, y []byte) {
		c := collations[int(number)%len(collations)]
		a, b := x, y
		if int(number)%len(collations) >= 3 { // locales
			a, b = valid(x), valid(y)
		}
		want := model.TextOrder(string(c))(a, b)
		resolved, err := c.Resolve()
		require.NoError(t, err)
		e := NewEncoder(resolved)
		defer e.Close()
		for _, enough := range []int{0, textsBeforeTable} {
			for range enough {
				e.Append(nil, []byte("a"))
			}
			require.Equal(t, want, bytes.Compare(e.Append(nil, x), e.Append(nil, y)), "%s: %q, %q", c, x, y)
		}
	})
}
