package csv

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// A layout is how dates or times are written, in the directives of strftime: each but %% is a field of the time, and
// what is between them is as it is written. A space is any number of spaces, at least one.
type layout struct {
	text  string
	steps []step
}

// A step reads a field or text, and returns what follows it; false: it is not there.
type step func(t *fields, text string) (rest string, ok bool)

// fields are what a text has of a time.
type fields struct {
	year, month, day, hour, minute, second, micro int
	offset                                        int  // of the zone in minutes
	half                                          byte // of the day: a, p; 0: there are 24 hours
}

// directives are the fields by the letter after %. Numbers may lack leading zeros, but for years.
var directives = map[byte]step{
	'Y': number4(func(t *fields) *int { return &t.year }),
	'm': number2(1, 12, func(t *fields) *int { return &t.month }),
	'd': number2(1, 31, func(t *fields) *int { return &t.day }),
	'e': number2(1, 31, func(t *fields) *int { return &t.day }),
	'H': number2(0, 23, func(t *fields) *int { return &t.hour }),
	'I': number2(1, 12, func(t *fields) *int { return &t.hour }),
	'M': number2(0, 59, func(t *fields) *int { return &t.minute }),
	'S': number2(0, 59, func(t *fields) *int { return &t.second }),
	'y': shortYear, 'b': monthName, 'B': monthName, 'h': monthName, 'a': weekdayName, 'A': weekdayName,
	'p': halfDay, 'f': microseconds, 'z': zoneOffset,
}

// shorthands are directives of several fields.
var shorthands = strings.NewReplacer("%%", "%%", "%F", "%Y-%m-%d", "%T", "%H:%M:%S", "%R", "%H:%M", "%D", "%m/%d/%y")

// clockFields are the directives of the time of the day.
const clockFields = "HIMSfpz"

// parseLayout checks a layout of a date, or of a time.
func parseLayout(text string, clock bool) (*layout, error) {
	l, has := &layout{text: text}, map[byte]bool{}
	for rest := shorthands.Replace(text); rest != ""; {
		_, n := utf8.DecodeRuneInString(rest)
		part := rest[:n]
		rest = rest[n:]
		switch {
		case part == " ":
			l.steps = append(l.steps, someSpaces)
		case part != "%":
			l.steps = append(l.steps, literal(part))
		case strings.HasPrefix(rest, "%"):
			l.steps, rest = append(l.steps, literal("%")), rest[1:]
		case rest == "" || directives[rest[0]] == nil:
			return nil, fmt.Errorf("layout %q: %%%.1s is not supported; use %%Y %%y %%m %%b %%d %%a %%H %%I %%p %%M "+
				"%%S %%f %%z %%F %%T", text, rest)
		case has[rest[0]]:
			return nil, fmt.Errorf("layout %q has %%%.1s twice", text, rest)
		default:
			l.steps, has[rest[0]] = append(l.steps, directives[rest[0]]), true
			rest = rest[1:]
		}
	}
	count := func(letters string) (n int) {
		for i := range len(letters) {
			if has[letters[i]] {
				n++
			}
		}
		return n
	}
	switch {
	case count("Yy") != 1 || count("mbBh") != 1 || count("de") != 1:
		return nil, fmt.Errorf("layout %q: name one year, month and day, as in %%d/%%m/%%Y", text)
	case !clock && count(clockFields) > 0:
		return nil, fmt.Errorf("layout %q has a time of the day: use timestamp:%s", text, text)
	case count("HI") > 1 || has['I'] != has['p']:
		return nil, fmt.Errorf("layout %q: an hour is %%H, or %%I together with %%p", text)
	}
	return l, nil
}

// zoned reports whether times have an offset of their zone.
func (l *layout) zoned() bool { return strings.Contains(strings.ReplaceAll(l.text, "%%", ""), "%z") }

// parse reads a text of the layout.
func (l *layout) parse(text string) (time.Time, error) {
	t, rest, ok := fields{}, text, true
	for _, s := range l.steps {
		if rest, ok = s(&t, rest); !ok {
			break
		}
	}
	if !ok || rest != "" {
		return time.Time{}, fmt.Errorf("is not written as %s", l.text)
	}
	if t.half != 0 {
		t.hour %= 12 // 12 is the first hour of either half
	}
	if t.half == 'p' {
		t.hour += 12
	}
	at := time.Date(t.year, time.Month(t.month), t.day, t.hour, t.minute, t.second, t.micro*1000, time.UTC)
	if at.Day() != t.day {
		return time.Time{}, errors.New("is a day that the month does not have")
	}
	return at.Add(-time.Duration(t.offset) * time.Minute), nil
}

func literal(want string) step {
	return func(_ *fields, text string) (string, bool) { return strings.CutPrefix(text, want) }
}

func someSpaces(_ *fields, text string) (string, bool) {
	rest := strings.TrimLeft(text, " ")
	return rest, len(rest) < len(text)
}

// leadingDigits reads a number of at most some digits, and returns how many it has.
func leadingDigits(text string, most int) (value, digits int) {
	for digits < min(most, len(text)) && '0' <= text[digits] && text[digits] <= '9' {
		value = value*10 + int(text[digits]-'0')
		digits++
	}
	return value, digits
}

func number4(field func(*fields) *int) step {
	return func(t *fields, text string) (string, bool) {
		value, n := leadingDigits(text, 4)
		*field(t) = value
		return text[n:], n == 4
	}
}

func number2(least, most int, field func(*fields) *int) step {
	return func(t *fields, text string) (string, bool) {
		value, n := leadingDigits(text, 2)
		*field(t) = value
		return text[n:], n > 0 && least <= value && value <= most
	}
}

// shortYear returns a year of 1969 to 2068, as in POSIX.
func shortYear(t *fields, text string) (string, bool) {
	value, n := leadingDigits(text, 2)
	if t.year = 2000 + value; value > 68 {
		t.year -= 100
	}
	return text[n:], n == 2
}

// monthName returns an English name in full or its first three letters, in any case.
func monthName(t *fields, text string) (rest string, ok bool) {
	for m := time.January; m <= time.December && !ok; m++ {
		t.month = int(m)
		rest, ok = name(text, m.String())
	}
	return rest, ok
}

func weekdayName(_ *fields, text string) (rest string, ok bool) {
	for d := time.Sunday; d <= time.Saturday && !ok; d++ {
		rest, ok = name(text, d.String())
	}
	return rest, ok
}

func name(text, full string) (rest string, ok bool) {
	for _, n := range []int{len(full), 3} {
		if len(text) >= n && strings.EqualFold(text[:n], full[:n]) {
			return text[n:], true
		}
	}
	return text, false
}

// halfDay is AM or PM.
func halfDay(t *fields, text string) (string, bool) {
	if len(text) < 2 || !strings.EqualFold(text[:2], "am") && !strings.EqualFold(text[:2], "pm") {
		return text, false
	}
	t.half = text[0] | 0x20
	return text[2:], true
}

// microseconds returns one to six digits of a second.
func microseconds(t *fields, text string) (string, bool) {
	value, n := leadingDigits(text, 6)
	for range 6 - n {
		value *= 10
	}
	t.micro = value
	return text[n:], n > 0
}

// zoneOffset is Z, or an offset of hours, or hours and minutes: +02, +0200, +02:00.
func zoneOffset(t *fields, text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, "Z"); ok {
		return rest, true
	}
	if text == "" || text[0] != '+' && text[0] != '-' {
		return text, false
	}
	hours, n := leadingDigits(text[1:], 2)
	rest := text[1+n:]
	minutes, k := leadingDigits(strings.TrimPrefix(rest, ":"), 2)
	if k == 2 {
		rest = strings.TrimPrefix(rest, ":")[2:]
	}
	if t.offset = hours*60 + minutes; text[0] == '-' {
		t.offset = -t.offset
	}
	return rest, n == 2 && (k == 0 || k == 2) && hours < 24 && minutes < 60
}
