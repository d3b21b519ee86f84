package textorder

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// CLDRVersion is the version of the Unicode Common Locale Data Repository that orders of locales follow.
const CLDRVersion = collate.CLDRVersion

// Locales returns the tags of the locales that the data name.
func Locales() (tags []string) {
	for _, tag := range collate.Supported() {
		tags = append(tags, tag.String())
	}
	return tags
}

// A locale is a language with the options of its order.
type locale struct {
	language   language.Tag // without extensions
	collation  string       // another order of the language, such as phonebk
	variant    string       // such as posix
	strength   Strength
	numeric    bool
	upperFirst bool
	backwards  bool // accents are compared from the end
}

// strengths are the values of the key ks of BCP 47.
var strengths = [...]string{Tertiary: "level3", Primary: "level1", Secondary: "level2", Identical: "identic"}

// parseLocale reads a tag of BCP 47 with the keys of its extension u that an order has: co, kb, kf, kn, ks and va.
func parseLocale(tag string) (l locale, err error) {
	full, err := language.Parse(tag)
	if err != nil {
		return l, unknownLocale(tag, errLocale)
	}
	if l.language, err = language.Raw.Compose(full.Raw()); err != nil {
		return l, unknownLocale(tag, err)
	}
	if variants := full.Variants(); len(variants) > 0 {
		return l, unknownLocale(tag, fmt.Errorf("no order has the variant %s; leave it out", variants[0]))
	}
	for _, extension := range full.Extensions() {
		if err := l.parse(extension); err != nil {
			return l, unknownLocale(tag, err)
		}
	}
	return l, l.check(tag)
}

// parse reads an extension.
func (l *locale) parse(extension language.Extension) error {
	tokens := extension.Tokens()
	if extension.Type() != 'u' {
		return fmt.Errorf("no order has the extension %s; leave it out", extension)
	}
	for at := 1; at < len(tokens); {
		key, end := tokens[at], at+1
		for end < len(tokens) && len(tokens[end]) > 2 {
			end++
		}
		if err := l.set(key, strings.Join(tokens[at+1:end], "-")); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// set reads a key of the extension u and its value.
func (l *locale) set(key, value string) error {
	yes := value == "" || value == "true"
	ok := yes || value == "false"
	switch key {
	case "co":
		l.collation, ok = value, value != ""
	case "va":
		l.variant, ok = value, value != ""
	case "kn":
		l.numeric = yes
	case "kb":
		l.backwards = yes
	case "kf":
		l.upperFirst, ok = value == "upper", value == "upper" || value == "lower" || value == "false"
	case "ks":
		at := slices.Index(strengths[:], value)
		l.strength, ok = Strength(max(at, 0)), at >= 0
	default:
		return fmt.Errorf("no order has the option %s; use co, kb, kf, kn, ks or va", key)
	}
	if !ok {
		return fmt.Errorf("the option %s has no value %q", key, value)
	}
	return nil
}

// check returns an error for another order than that of the language if there is none.
func (l *locale) check(tag string) error {
	if l.collation == "" && l.variant == "" {
		return nil
	}
	base, _, _ := l.language.Raw()
	var there []string
	found := l.collation == "standard" && l.variant == ""
	for _, t := range collate.Supported() {
		if of, _, _ := t.Raw(); of != base {
			continue
		}
		co, va := t.TypeForKey("co"), t.TypeForKey("va")
		found = found || co == l.collation && va == l.variant
		for _, key := range [][2]string{{"co", co}, {"va", va}} {
			if key[1] != "" {
				there = append(there, key[0]+"-"+key[1])
			}
		}
	}
	switch {
	case found:
		return nil
	case there == nil:
		return unknownLocale(tag, fmt.Errorf("%s has one order only", base))
	}
	return unknownLocale(tag, fmt.Errorf("%s has %s", base, strings.Join(there, ", ")))
}

// String returns the tag, with the options that are set.
func (l *locale) String() string {
	options := ""
	add := func(set bool, text string) {
		if set {
			options += "-" + text
		}
	}
	add(l.collation != "", "co-"+l.collation)
	add(l.backwards, "kb")
	add(l.upperFirst, "kf-upper")
	add(l.numeric, "kn")
	if l.strength != Tertiary {
		name := "none" // of a number that is no Strength, which Resolve reports
		if int(l.strength) < len(strengths) {
			name = strengths[l.strength]
		}
		add(true, "ks-"+name)
	}
	add(l.variant != "", "va-"+l.variant)
	if options != "" {
		options = "-u" + options
	}
	return l.language.String() + options
}

// sharedOrders are the languages in a script to which CLDR gives the order of another one, where package collate has
// that of the root.
var sharedOrders = map[string]language.Tag{"nb-Latn": nynorsk, "no-Latn": nynorsk,
	"bs-Latn": language.Croatian, "sr-Latn": language.Croatian}

var nynorsk = language.MustParse("nn")

// table returns the language whose table has the order. A tag without a script has the likely one: that of sr-ME is
// Latn, that of sr is Cyrl.
func (l *locale) table() language.Tag {
	base, _ := l.language.Base()
	script, _ := l.language.Script()
	if shared, ok := sharedOrders[base.String()+"-"+script.String()]; ok {
		return shared
	}
	return l.language
}

// collator returns a collator of all levels but that of bytes.
func (l *locale) collator() *collate.Collator {
	tag := l.table()
	for _, option := range []struct {
		set        bool
		key, value string
	}{{l.collation != "", "co", l.collation}, {l.variant != "", "va", l.variant}, {l.backwards, "kb", "true"},
		{l.numeric, "kn", "true"}} {
		if option.set {
			with, err := tag.SetTypeForKey(option.key, option.value)
			if err != nil {
				panic(err) // they were read from a tag
			}
			tag = with
		}
	}
	return collate.New(tag)
}
