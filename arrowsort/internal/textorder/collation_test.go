package textorder

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestResolve has the canonical form of each collation.
func TestResolve(t *testing.T) {
	for given, want := range map[Collation]Collation{
		"": "", "nocase": "nocase", "natural": "natural", "numeric": "numeric",
		"de": "de", "DE": "de", "de-at": "de-AT", "de_AT": "de-AT", "und": "und", "iw": "he", "zh-Hant": "zh-Hant",
		"de-u-co-phonebk": "de-u-co-phonebk", "de-u-ks-level3": "de", "de-u-kf-lower-kn-false": "de",
		"de-u-kn": "de-u-kn", "de-u-kn-true": "de-u-kn", "fr-u-kb-ks-level1": "fr-u-kb-ks-level1",
		"de-u-ks-identic-kf-upper-kn-co-phonebk": "de-u-co-phonebk-kf-upper-kn-ks-identic",
		"en-US-u-va-posix":                       "en-US-u-va-posix", "sv-u-co-standard": "sv-u-co-standard",
	} {
		got, err := given.Resolve()
		require.NoError(t, err, given)
		require.Equal(t, want, got, given)
		again, err := got.Resolve()
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}

// TestLocale adds options to those of a tag.
func TestLocale(t *testing.T) {
	for _, c := range []struct {
		tag  string
		opts LocaleOptions
		want Collation
	}{
		{"de", LocaleOptions{}, "de"},
		{"DE-u-kn", LocaleOptions{Strength: Primary, UpperFirst: true}, "de-u-kf-upper-kn-ks-level1"},
		{"de-u-kf-upper", LocaleOptions{Strength: Secondary, Numeric: true}, "de-u-kf-upper-kn-ks-level2"},
		{"de-u-ks-level1", LocaleOptions{Strength: Identical}, "de-u-ks-identic"},
		{"de-u-ks-level1", LocaleOptions{}, "de-u-ks-level1"},
		{"sv-u-co-standard", LocaleOptions{Numeric: true}, "sv-u-co-standard-kn"},
	} {
		got, err := Locale(c.tag, c.opts).Resolve()
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%+v", c)
		require.Equal(t, got, Locale(string(got), LocaleOptions{}))
	}
}

// TestUnknownLocales are errors that say what there is.
func TestUnknownLocales(t *testing.T) {
	const give = "give the tag of a language, such as de or de-u-co-phonebk, or nocase, natural or numeric"
	for c, why := range map[Collation]string{
		"xx": give, "nocas": give, "de-XX-YY": give, "de.UTF-8": give, Locale("", LocaleOptions{}): give,
		Locale("natural", LocaleOptions{}):       give,
		Locale("de", LocaleOptions{Strength: 9}): `the option ks has no value "none"`,
		"de-u-co-stroke":                         "de has co-phonebk",
		"nl-u-co-phonebk":                        "nl has one order only",
		"de-u-ka-shifted":                        "no order has the option ka; use co, kb, kf, kn, ks or va",
		"de-u-ks-level4":                         `the option ks has no value "level4"`,
		"de-u-kn-maybe":                          `the option kn has no value "maybe"`,
		"de-t-en":                                "no order has the extension t-en; leave it out",
		"de-1996":                                "no order has the variant 1996; leave it out",
	} {
		_, err := c.Resolve()
		require.EqualError(t, err, fmt.Sprintf("unknown locale %q: %s", c.Tag(), why))
	}
}

func TestWords(t *testing.T) {
	for c, want := range map[Collation]string{Bytes: "by bytes", FoldCase: "without regard to case",
		Natural: "in natural order", Numeric: "by number", "de-u-kn": "by the rules of de-u-kn",
		Locale("xx", LocaleOptions{}): "by the rules of xx"} {
		require.Equal(t, want, c.Words())
	}
}

// TestLocales are orders under the tags that they are listed by.
func TestLocales(t *testing.T) {
	locales := Locales()
	require.Subset(t, locales, []string{"und", "de", "de-u-co-phonebk", "zh-Hant"})
	for _, tag := range locales {
		resolved, err := Collation(tag).Resolve()
		require.NoError(t, err)
		require.Equal(t, Collation(tag), resolved)
	}
}
