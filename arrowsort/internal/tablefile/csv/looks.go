package csv

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// looks are types that all values of a column of text fit: the user may give one of them to the column.
type looks struct {
	example string  // the first value
	guesses []guess // each reads all values; none after the first value: the column is text
	uneven  bool    // values have several lengths
}

// A guess is a type that values look like.
type guess struct {
	*Type
	date             string // the layout of times without the time of the day
	thousands, point string // of numbers
}

// differs reports whether values that two guesses read may mean something else by each: another day, or another number
// as what separates thousands in one form is the decimal point of the other.
func (g guess) differs(o guess) bool {
	return g.date != o.date || g.thousands != "" && g.thousands == o.point ||
		o.thousands != "" && o.thousands == g.point
}

// begin adds the first value of text, which numbers precede or nothing does.
func (l *looks) begin(value string, numbers bool) {
	if l.guesses = guessNumber(value); !numbers {
		l.guesses = append(l.guesses, guessTime(value)...)
	}
	if len(l.guesses) > 0 {
		l.example = strings.Clone(value)
	}
}

func (l *looks) add(value string) {
	if len(l.guesses) > 0 {
		l.uneven = l.uneven || len(value) != len(l.example)
		l.guesses = slices.DeleteFunc(l.guesses, func(g guess) bool { return g.reads(value) != nil })
	}
}

// timeGuesses are layouts of dates, alone and with a time of the day.
var timeGuesses = sync.OnceValue(func() (all []guess) {
	dates := []string{"%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y-%m-%d", "%Y.%m.%d",
		"%b %d %Y", "%b %d, %Y", "%d %b %Y", "%d-%b-%Y", "%d/%b/%Y", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y", "%d-%b-%y",
		"%a %b %d %Y", "%a, %d %b %Y"}
	times := []string{" %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S", ", %H:%M:%S",
		":%H:%M:%S %z", " %H:%M:%S %z", " %H:%M:%S GMT"}
	for _, d := range dates {
		all = append(all, guess{Type: mustParse("date:" + d), date: d})
		for _, t := range times {
			all = append(all, guess{Type: mustParse("timestamp:" + d + t), date: d})
		}
	}
	return append(all, guess{Type: mustParse("timestamp:%a %b %d %H:%M:%S %Y")})
})

func mustParse(text string) *Type {
	t, err := ParseType(text)
	if err != nil {
		panic(err) // the texts are in this file
	}
	return t
}

func guessTime(value string) []guess {
	const most = 40 // bytes of a time
	if len(value) > most || !strings.ContainsAny(value, "0123456789") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(timeGuesses()), func(g guess) bool { return g.reads(value) != nil })
}

// numberGuesses are separators of thousands and decimal points.
var numberGuesses = [][2]string{{"", ""}, {"", "."}, {",", "."}, {"", ","}, {".", ","}, {" ", ","}, {" ", "."},
	{"'", "."}, {"’", "."}}

// guessNumber returns the forms of a number: of a currency, a percentage, or with separators. One with a leading zero
// is none.
func guessNumber(value string) (found []guess) {
	prefix, rest, suffix := aroundNumber(value)
	if rest == "" || len(rest) > 1 && rest[0] == '0' && '0' <= rest[1] && rest[1] <= '9' {
		return nil
	}
	if !isUnit(prefix) || !isUnit(suffix) {
		return nil
	}
	for _, g := range numberGuesses {
		integer := prefix + "1" + g[0] + "234" + suffix
		texts := []string{"int64:" + integer, "float64:" + prefix + "1" + g[0] + "234" + g[1] + "5" + suffix}
		switch {
		case g[1] == "" && integer == "1234":
			texts = []string{"int64", "float64"} // with a sign or an exponent
		case g[1] == "":
			texts = texts[:1]
		case g[0] == "":
			texts = texts[1:]
		}
		for _, text := range texts {
			if t := mustParse(text); t.reads(value) == nil {
				found = append(found, guess{Type: t, thousands: g[0], point: g[1]})
			}
		}
	}
	return found
}

// aroundNumber cuts what precedes the first digit of a number and what follows the last, without signs and parentheses.
func aroundNumber(value string) (prefix, number, suffix string) {
	value = strings.Trim(spaces.Replace(value), "()+-")
	first, last := strings.IndexAny(value, "0123456789"), strings.LastIndexAny(value, "0123456789")
	if first < 0 {
		return "", "", ""
	}
	if prefix = strings.TrimRight(value[:first], "+-"); !isUnit(prefix) {
		prefix = strings.TrimRight(prefix, "+-.") // the number starts with a point
	}
	return prefix, value[first : last+1], value[last+1:]
}

// currencies are codes that stand before or after numbers.
var currencies = []string{"EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "BRL", "SEK", "NOK", "DKK",
	"PLN", "CZK", "kr", "zł", "Fr.", "R$", "US$"}

// isUnit reports whether a text is nothing, a percent sign or a currency.
func isUnit(text string) bool {
	text = strings.TrimSpace(text)
	r, n := utf8.DecodeRuneInString(text)
	return text == "" || text == "%" || unicode.Is(unicode.Sc, r) && n == len(text) || slices.Contains(currencies, text)
}
