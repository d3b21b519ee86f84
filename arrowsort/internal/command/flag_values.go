package command

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

// allGPUs is the number of GPUs of --gpus all.
const allGPUs = -1

// into returns a flag function that parses a value into a variable. Errors follow the flag's name and value.
func into[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(text string) (err error) {
		*to, err = parse(text)
		return err
	}
}

// asTyped returns the text of a value if it can be parsed.
func asTyped[S ~string, T any](parse func(string) (T, error)) func(string) (S, error) {
	return func(text string) (S, error) {
		_, err := parse(text)
		return S(text), err
	}
}

// oneOf returns the text of a value if it is in a list.
func oneOf[S ~string](values ...S) func(string) (S, error) {
	return func(text string) (S, error) {
		if slices.Contains(values, S(text)) {
			return S(text), nil
		}
		var texts []string
		for _, v := range values {
			texts = append(texts, string(v))
		}
		last := len(texts) - 1
		return "", fmt.Errorf("use %s or %s", strings.Join(texts[:last], ", "), texts[last])
	}
}

// wholeNumber reads a number of 0 or more.
func wholeNumber[T int | int64](text string) (T, error) {
	n, err := strconv.ParseInt(text, 10, 0)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("give a whole number from 0 to %d", math.MaxInt)
	}
	return T(n), nil
}

// sizeFrom returns the function that reads a number of bytes of at least a given one.
func sizeFrom(least int64) func(string) (int64, error) {
	return func(text string) (int64, error) { return flagtext.ParseSize(text, least) }
}

// parseDelimiter reads the delimiter of CSV; 0 is the default.
func parseDelimiter(text string) (rune, error) {
	switch text {
	case "":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	}
	r, n := utf8.DecodeRuneInString(text)
	if n != len(text) || r == utf8.RuneError || strings.ContainsRune("\"\r\n\x00", r) {
		return 0, errors.New("give one character, such as ';', or tab")
	}
	return r, nil
}

// addType adds the type of COLUMN=TYPE. The name of the column may contain equal signs.
func addType(o *parquetsort.Options, text string) error {
	column, typ, found := strings.Cut(text, "=")
	if !found || column == "" {
		return errors.New("give COLUMN=TYPE, such as date=date:%d/%m/%Y or price=float64:1.234,5")
	}
	_, err := csv.ParseType(typ)
	for at := len(column); err != nil; {
		next := strings.IndexByte(text[at+1:], '=')
		if next < 0 {
			return err
		}
		at += 1 + next
		if _, other := csv.ParseType(text[at+1:]); other == nil {
			column, typ, err = text[:at], text[at+1:], nil
		}
	}
	if o.Input.CSVTypes == nil {
		o.Input.CSVTypes = map[string]string{}
	}
	if _, twice := o.Input.CSVTypes[column]; twice {
		return fmt.Errorf("column %s has two types", quoted(column))
	}
	o.Input.CSVTypes[column] = typ
	return nil
}

// parsePageVersion reads the version of data pages.
func parsePageVersion(text string) (int, error) {
	if text != "1" && text != "2" {
		return 0, errors.New("use 1 or 2")
	}
	return int(text[0] - '0'), nil
}

// addEncoding adds the encoding of a column, whose name may contain equal signs, or sets how others are chosen.
func addEncoding(o *parquetsort.Output, text string) error {
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		encoding, err := oneOf(parquetsort.AutoEncoding, parquetsort.CompatibleEncoding)(text)
		if o.Encoding = encoding; err != nil {
			return fmt.Errorf("%w, or COLUMN=NAME, such as id=DELTA_BINARY_PACKED", err)
		}
		return nil
	}
	column, name := text[:at], text[at+1:]
	if _, err := tablefile.ParseEncoding(name); err != nil {
		return err
	}
	if o.Encodings == nil {
		o.Encodings = map[string]parquetsort.Encoding{}
	}
	if _, twice := o.Encodings[column]; twice {
		return fmt.Errorf("column %s has two encodings", quoted(column))
	}
	o.Encodings[column] = parquetsort.Encoding(name)
	return nil
}

// addBloomFilter adds the Bloom filter of COLUMN or COLUMN:FPP.
func addBloomFilter(o *parquetsort.Output, text string) error {
	f, err := tablefile.ParseBloomFilter(text)
	if err == nil {
		o.BloomFilters = append(o.BloomFilters, f)
	}
	return err
}

// parseFolder checks that a folder exists.
func parseFolder(path string) (string, error) {
	if info, err := os.Stat(path); path != "" && (err != nil || !info.IsDir()) {
		return "", errors.New("there is no such folder")
	}
	return path, nil
}

// parseGPUs reads a number of GPUs, or all.
func parseGPUs(text string) (int, error) {
	if text == "all" {
		return allGPUs, nil
	}
	n, err := wholeNumber[int](text)
	if err != nil || n == 0 {
		return 0, errors.New("give a whole number from 1 to the number of GPUs, or all")
	}
	return n, nil
}

// addCurve adds the flag of the commands that are about the order of rows.
func (f *commandFlags) addCurve(cmd *cobra.Command, help string) {
	cmd.Flags().Func("curve", help, into(&f.options.Curve, parseCurve))
}

// parseCurve reads the name of a space-filling curve.
func parseCurve(text string) (arrowsort.Curve, error) {
	name, err := oneOf(arrowsort.Hilbert.String(), arrowsort.ZOrder.String())(text)
	if name == arrowsort.ZOrder.String() {
		return arrowsort.ZOrder, err
	}
	return arrowsort.Hilbert, err
}

// checkCurve checks the keys of a curve, which check may find in footers, and that no flag asks for the first or last
// rows of their order.
func (f *commandFlags) checkCurve() error {
	curve, rows := f.options.Curve, f.options.Rows
	if curve == 0 || f.keysOptional && len(f.keys) == 0 {
		return nil
	}
	flag := ""
	switch {
	case rows.Limit > 0 && !f.keysOptional: // that of check is about the rows of the file
		flag = "--limit"
	case rows.Tail > 0:
		flag = "--tail"
	case rows.Unique:
		flag = "--unique"
	}
	switch n := len(f.keys); {
	case len(f.options.Output.PartitionBy) > 0:
		return usagef("--partition-by goes without --curve %v: leave one of them out, or sort the files of each "+
			"partition along a curve", curve)
	case flag != "":
		return usagef("%s is about the order of the keys, and --curve %v gives another: leave one of them out", flag,
			curve)
	case n < keyencode.MinCurveKeys:
		return usagef("--curve %v needs %d keys at least, and -k %s is the only one: give another -k COLUMN, or leave "+
			"out --curve", curve, keyencode.MinCurveKeys, f.keys[0].text)
	case n > keyencode.MaxCurveKeys:
		return usagef("--curve %v has %d keys at most, and these are %d: leave out -k %s", curve,
			keyencode.MaxCurveKeys, n, f.keys[n-1].text)
	}
	for i, k := range f.keys {
		same := func(before keyFlag) bool { return before.key.Path == k.key.Path && before.key.At == k.key.At }
		if slices.ContainsFunc(f.keys[:i], same) {
			return usagef("--curve %v: -k %s has the column of another key: leave one out", curve, k.text)
		}
	}
	return nil
}
