package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
)

// Paragraphs of the commands' help.
const (
	keysHelp = `A key is COLUMN, COLUMN:desc, COLUMN:nulls-first or COLUMN:desc:nulls-first; :asc and :nulls-last are
the default. a.b is field b of the nested column a; '#2' is the second column, whatever its name. Text is in the order
of its bytes; with :nocase without regard to case, with :natural as in a2, a10, with :numeric by the number that it
begins with, with :collate=de by the rules of a language. In place of COLUMN there may be a function of it: lower(a),
length(a), abs(a), year(a), 'a % 16', hash(a) or hash(a, SEED), which brings equal values together in an order that
looks random; random(SEED) shuffles the rows. A column of that name comes first.`

	curveHelp = `With --curve hilbert or zorder the rows follow a space-filling curve over 2 to 8 keys, none of which
leads: rows that are near each other in the file are near in every key, and readers skip row groups and pages by filters
on any of them. Keys are compared by their ranks in a sample. The footer names the curve for arrowsort check --curve,
and no order. --limit, --tail, --unique and --partition-by go with none.`

	compressionHelp = `--compression of Parquet is none, snappy, gzip, brotli, zstd or lz4, some with a level as in
zstd:3; the default is that of a Parquet input, else zstd. --compression of Arrow is none, zstd or lz4; the default is
none.`

	csvHelp = `CSV has a line of column names and is UTF-8, also compressed with gzip, zstd or bzip2. The type of a
column is the first of int64, uint64, float64, decimal, bool, date (2006-01-02), time (2006-01-02 15:04:05, with or
without a zone) and string that all its values have. An empty value is null, and so is an empty line of the only column.
--delimiter separates the values of input and output. With --no-header neither has a line of column names. --csv-type
gives the type of a column, and how its values are written: --csv-type 'date=date:%d/%m/%Y' reads 31/12/2026, with the
directives %Y %y %m %b %d %a %H %I %p %M %S %f %z of strftime, and --csv-type 'price=float64:1.234,5' reads 12.000,75.`

	exitHelp = `Exit codes: 0 done, 1 an error, 2 wrong usage, a column that is not there or a type or file that is not
supported, 130 after Ctrl-C.`
	exitCheckHelp = `Exit codes: 0 sorted, 1 not sorted, 2 an error or wrong usage, 130 after Ctrl-C.`
)

// oneInput accepts one argument, the input.
func oneInput(cmd *cobra.Command, args []string) error {
	if err := someInputs(cmd, args); err != nil {
		return err
	}
	if len(args) > 1 {
		return usagef("name one input file, these are %d: %s", len(args), strings.Join(args, ", "))
	}
	return nil
}

func someInputs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("name an input file, or - for standard input")
	}
	for _, path := range args {
		if word := strings.ToLower(path); cmd.Flags().Changed("key") && (word == "asc" || word == "desc") {
			if _, err := os.Lstat(path); err != nil {
				return usagef("there is no file %s; an order is a part of its key, as in -k delay:%s", path, word)
			}
		}
	}
	return nil
}

// noCommand returns the error for words where a command is expected.
func noCommand(root *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	meant := root.SuggestionsFor(words[0])
	if words[0] == "version" {
		meant = []string{"--version"}
	}
	if len(meant) == 0 {
		return usagef("unknown command %s; name a command first, such as sort", quoted(words[0]))
	}
	return usagef("unknown command %s; did you mean %s?", quoted(words[0]), strings.Join(meant, " or "))
}

// explainFlag says in plain words what is wrong with a flag, or with the command before it.
func explainFlag(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); !cmd.HasParent() && len(words) > 0 {
		return noCommand(cmd, words)
	}
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown)
	case errors.As(err, &missing) && missing.GetFlag().Name == "key":
		return usagef("-k needs a column, as in -k delay:desc")
	case errors.As(err, &missing) && missing.GetFlag().Name == "output":
		return usagef("-o needs a file, or - for standard output")
	case errors.As(err, &missing):
		return usagef("--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &invalid) && invalid.GetFlag().NoOptDefVal != "":
		return usagef("--%s takes no value", invalid.GetFlag().Name)
	case errors.As(err, &invalid):
		return usagef("--%s %s: %v", invalid.GetFlag().Name, cmp.Or(invalid.GetValue(), `""`), invalid.Unwrap())
	}
	return err
}

// A flagHint is the equivalent of another tool's flag: flags of this command, or a remark.
type flagHint struct {
	flags  []string // the first word of each is a flag, which a command may not have
	remark string
}

const (
	numbersHint = "the type of a column gives its order, numbers are never sorted as text"
	textHint    = "text is sorted by its bytes, or as a key says"
)

// flagsOfOtherTools are flags of other tools: GNU sort, head, SQL shells and sort functions.
var flagsOfOtherTools = map[string]flagHint{
	"r": {flags: []string{"-k COLUMN:desc"}}, "reverse": {flags: []string{"-k COLUMN:desc"}},
	"desc": {flags: []string{"-k COLUMN:desc"}}, "descending": {flags: []string{"-k COLUMN:desc"}},
	"by": {flags: []string{"-k COLUMN"}},
	"d": {[]string{"-k COLUMN:desc for descending order", "--delimiter"},
		textHint + ": -k COLUMN:collate=LOCALE"},
	"t":       {flags: []string{"--delimiter"}},
	"u":       {flags: []string{"--unique"}},
	"n":       {[]string{"--limit", "-k COLUMN:numeric for numbers in text"}, numbersHint},
	"head":    {flags: []string{"--limit"}},
	"columns": {flags: []string{"--select"}},
	"g":       {remark: numbersHint}, "V": {flags: []string{"-k COLUMN:natural"}}, "M": {remark: textHint},
	"f": {flags: []string{"-k COLUMN:nocase"}}, "i": {remark: textHint}, "b": {remark: textHint},
	"s": {remark: "rows that tie always keep their order"},
	"S": {flags: []string{"--memory"}}, "T": {flags: []string{"--spill-dir"}}, "p": {flags: []string{"--threads"}},
	"m": {remark: "the command merge merges sorted files"}, "c": {remark: "the command check checks the order"},
}

// has returns those flags of the hint that a command has, as alternatives.
func (h flagHint) has(cmd *cobra.Command) string {
	var there []string
	for _, text := range h.flags {
		name, _, _ := strings.Cut(strings.TrimLeft(text, "-"), " ")
		f := cmd.Flags().Lookup(name)
		if strings.HasPrefix(text, "-k") {
			f = cmd.Flags().Lookup("key")
		}
		if f != nil {
			there = append(there, text)
		}
	}
	return strings.Join(there, ", or ")
}

// unknownFlag returns the error for an unknown flag, with the most similar one.
func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name, dashes := unknown.GetSpecifiedName(), "--"
	if unknown.GetSpecifiedShortnames() != "" {
		dashes = "-"
	}
	if !cmd.HasParent() {
		return usagef("name a command before the flag %s%s, such as sort", dashes, name)
	}
	var names, letters []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if f.Shorthand != "" {
			letters = append(letters, "-"+f.Shorthand)
		}
	})
	hint := flagsOfOtherTools[name]
	meant, others := hint.has(cmd), commandsWith(cmd, name)
	if near := nearest.Name(names, name); meant == "" && near != "" && others == "" && dashes == "--" {
		meant = "--" + near
	}
	text := fmt.Sprintf("unknown flag %s%s", dashes, name)
	if meant == "" && others != "" && dashes == "--" {
		text += "; it is a flag of " + others
	}
	if meant != "" {
		text += "; did you mean " + meant + "?"
	}
	if hint.remark != "" {
		text += "; " + hint.remark
	}
	if dashes == "-" && meant == "" && hint.remark == "" {
		text += "; the flags of one letter are " + strings.Join(letters, ", ")
	}
	return usageError{text}
}

// commandsWith returns the other commands that have a flag.
func commandsWith(cmd *cobra.Command, flag string) string {
	var names []string
	for _, other := range cmd.Parent().Commands() {
		if other.Flags().Lookup(flag) != nil {
			names = append(names, other.Name())
		}
	}
	return strings.Join(names, ", ")
}

// checkDashes finds long flags typed with one dash: -output x would be -o utput.
func checkDashes(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return cmd, nil // running it fails with the reason
	}
	for _, arg := range rest {
		name, one := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case arg == "--":
			return cmd, nil
		case one && len(name) > 1 && cmd.Flags().Lookup(name) != nil:
			return cmd, usagef("unknown flag -%s; did you mean --%s?", name, name)
		}
	}
	return cmd, nil
}
