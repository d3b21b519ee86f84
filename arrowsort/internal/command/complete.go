package command

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// Directives for the shell: offer no files; add no space after a completed word.
const (
	noFiles = cobra.ShellCompDirectiveNoFileComp
	stay    = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
)

// flagValues are the values of flags with a fixed list of values.
var flagValues = map[string][]string{
	"format": {"parquet", "arrow", "arrows", "csv"}, "output-format": {"parquet", "arrow", "arrows", "csv"},
	"curve":  {"hilbert", "zorder"},
	"engine": {"auto", "cpu", "gpu"}, "gpus": {"all"}, "delimiter": {"tab"}, "spill-compression": {"lz4", "zstd"},
	"encoding": {"auto", "compatible"}, "page-version": {"1", "2"},
}

// inLibrary is set where commands are called by a program: these are not completed.
var inLibrary atomic.Bool

// completes registers the completion of the values of a flag, for good: cobra forgets none.
func completes(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if !inLibrary.Load() {
		_ = cmd.RegisterFlagCompletionFunc(flag, complete) // fails for an unknown flag, or one that has a function
	}
}

// completeFlags registers the completion of flag values: fixed lists, folders, and nothing for numbers, sizes and text.
// It leaves out the flags that take a file, and flags that have a completion already.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "output", "against", "html", "svg":
		case "spill-dir":
			_ = cmd.MarkFlagDirname(flag.Name) // fails for an unknown flag only
		default:
			completes(cmd, flag.Name, cobra.FixedCompletions(flagValues[flag.Name], noFiles))
		}
	})
}

// completeCompression completes the codecs of the output's format.
func completeCompression(path *string, out *parquetsort.Output) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		opts := tablefile.WriteOptions{}
		opts.Format, _ = tablefile.ParseFormat(string(out.Format)) // its flag has checked it
		var codecs []string
		for _, codec := range []string{"none", "snappy", "gzip", "brotli", "zstd", "lz4"} {
			opts.Compression.Codec = codec
			err := tablefile.CheckWrite(*path, opts)
			if err == nil || errors.Is(err, tablefile.ErrFormat) { // no format yet
				codecs = append(codecs, codec)
			}
		}
		return codecs, stay // a level may follow
	}
}

// completeKey completes keys from the schema of the inputs on the line: columns, nested fields, functions of these, and
// modifiers after a colon.
func completeKey(in *parquetsort.Input) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		offered := keysFor(schemaOf(args, in), typed)
		if cmd.Name() == mergeName || cmd.Name() == checkName { // rows that are shuffled have no order
			offered = slices.DeleteFunc(offered, func(key string) bool { return key == shuffle })
		}
		return offered, stay
	}
}

// keysFor returns the keys that begin with what was typed; a nil schema has no columns.
func keysFor(schema *arrow.Schema, typed string) (offered []string) {
	var columns []arrow.Field
	if schema != nil {
		columns = leaves(schema)
		for _, c := range columns {
			offered = append(offered, c.Name)
		}
		offered = appendFunctions(offered, columns, typed)
	}
	head, tail, found := flagtext.CutModifier(typed)
	if !found {
		return offered
	}
	offered = slices.DeleteFunc(offered, func(name string) bool { return !strings.HasPrefix(name, typed) })
	if function, _, open := strings.Cut(head, "("); open && !strings.Contains(head, ")") && isFunction(function) {
		return offered // the colon is one of a column's name
	}
	given := strings.Split(head, ":")[1:]
	for kind, words := range flagtext.ModifierKinds {
		isKind := func(word string) bool { return flagtext.KindOf(word) == flagtext.ModifierKind(kind) }
		isText := isKind(string(arrowsort.FoldCase))
		if slices.ContainsFunc(given, isKind) || isText && !mayBeText(schema, columns, head) {
			continue
		}
		if isText && strings.HasPrefix(tail, flagtext.Collate) {
			words = flagtext.Locales()
		}
		for _, word := range words {
			offered = append(offered, head+":"+word)
		}
	}
	return offered
}

// columnFunctions are the functions of columns that are written with parentheses.
var columnFunctions = []arrowsort.Function{arrowsort.Lower, arrowsort.Length, arrowsort.Abs, arrowsort.Year,
	arrowsort.Hash(0)}

// shuffle begins a key by the numbers of rows.
const shuffle = "random("

func isFunction(name string) bool {
	return name+"(" == shuffle || slices.Contains(columnFunctions, arrowsort.Function(name))
}

// appendFunctions appends the functions that some of the columns have, and of one that is typed these columns.
func appendFunctions(offered []string, columns []arrow.Field, typed string) []string {
	for _, f := range columnFunctions {
		open := string(f) + "("
		for _, c := range columns {
			if _, err := keyfunction.Result(f, adapter.Plain(c.Type)); err != nil || !adapter.Sortable(c.Type) {
				continue
			}
			if !strings.HasPrefix(typed, open) {
				offered = append(offered, open)
				break
			}
			offered = append(offered, f.Of(c.Name))
		}
	}
	return append(offered, shuffle)
}

// mayBeText reports whether the values of a key may be text, which has further modifiers.
func mayBeText(schema *arrow.Schema, columns []arrow.Field, key string) bool {
	if schema == nil {
		return true
	}
	found, err := flagtext.KeyIn(key, schema)
	if err != nil || found.Function != "" && found.Function != arrowsort.Lower {
		return err != nil
	}
	isText := func(c arrow.Field) bool {
		return c.Name == found.Path && (c.Type.ID() == arrow.NULL || adapter.IsText(c.Type))
	}
	return slices.ContainsFunc(columns, isText) || slices.ContainsFunc(schema.Fields(), isText)
}

// completeColumns completes the name of a column, or of several the next one, which follows a comma.
func completeColumns(in *parquetsort.Input, several bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) (offered []string, _ cobra.ShellCompDirective) {
		schema, given := schemaOf(args, in), ""
		if schema == nil {
			return nil, stay
		}
		if several {
			given = typed[:strings.LastIndexByte(typed, ',')+1]
		}
		for _, field := range schema.Fields() {
			if isTyped(field.Name) && !slices.Contains(strings.Split(given, ","), field.Name) {
				offered = append(offered, given+field.Name)
			}
		}
		return offered, stay
	}
}

// restOfLine is the environment variable in which the scripts for bash and zsh pass the words after the cursor.
const restOfLine = "ARROWSORT_REST"

// schemaOf returns the schema of the first input on the line; nil if none can be read. Columns of CSV, whose types are
// found when all rows are read, have the null type, which goes with every function.
func schemaOf(args []string, in *parquetsort.Input) *arrow.Schema {
	if len(args) == 0 {
		args = filesOf(strings.Fields(os.Getenv(restOfLine)))
	}
	files, err := parquetsort.Expand(args)
	if err != nil || len(files) == 0 || files[0] == tablefile.Pipe {
		return nil
	}
	format, _ := tablefile.ParseFormat(string(in.Format)) // its flag has checked it
	s, err := tablefile.Scan(files[0], 0, tablefile.ReadOptions{Format: format, Delimiter: in.Delimiter,
		CSV: &csv.Schema{NoHeader: in.NoHeader}})
	if err != nil {
		return nil
	}
	defer s.Close()
	if s.Format != tablefile.CSV {
		return s.Schema
	}
	fields := slices.Clone(s.Schema.Fields())
	for i := range fields {
		fields[i].Type = arrow.Null
	}
	return arrow.NewSchema(fields, nil)
}

// filesOf returns the inputs among the words of a command line: patterns and existing paths, except the output.
func filesOf(words []string) (files []string) {
	for i, word := range words {
		word = strings.Trim(word, `'"`)
		if i > 0 && (words[i-1] == "-o" || words[i-1] == "--output") || strings.HasPrefix(word, "-") {
			continue
		}
		if _, err := os.Stat(word); err == nil || strings.ContainsAny(word, "*?[") {
			files = append(files, word)
		}
	}
	return files
}

// A shellScript is the completion script of a shell by cobra, with what it becomes: replacements are pairs of its text
// and the text in its place.
type shellScript struct {
	replacements []string
	generate     func(root *cobra.Command, to io.Writer, descriptions bool) error
}

// The scripts pass the words after the cursor, which cobra's scripts drop. That of bash escapes several completions,
// too, since the shell inserts their common start, as lower\(. It cuts them after the last break of the typed word:
// cobra's cuts name:collate= after the colon, and collate= is inserted twice.
var shellScripts = map[string]shellScript{
	"bash": {[]string{
		`words=("${words[@]:0:$cword+1}")`,
		`local -x ` + restOfLine + `="${words[*]:$cword+1}"` + "\n    " + `words=("${words[@]:0:$cword+1}")`,
		`if (( ${#COMPREPLY[@]} == 1 )); then
            COMPREPLY[0]=$(printf "%q" "${COMPREPLY[0]}")`,
		`if (( ${#COMPREPLY[@]} == 1 || ${#COMPREPLY[@]} && COMP_TYPE != 63 )); then # 63: they are listed
            IFS=$'\n' read -ra COMPREPLY -d '' < <(printf "%q\n" "${COMPREPLY[@]}")`,
		`__arrowsort_handle_special_char "$cur" :
    __arrowsort_handle_special_char "$cur" =`,
		`local breaks=${COMP_WORDBREAKS//[^:=]/}
    __arrowsort_handle_special_char "$cur" "[${breaks:-:}]"`,
	}, (*cobra.Command).GenBashCompletionV2},
	"zsh": {[]string{
		`words=("${=words[1,CURRENT]}")`,
		`local -x ` + restOfLine + `="${words[CURRENT+1,-1]}"` + "\n    " + `words=("${=words[1,CURRENT]}")`,
	}, func(root *cobra.Command, to io.Writer, descriptions bool) error {
		if descriptions {
			return root.GenZshCompletion(to)
		}
		return root.GenZshCompletionNoDesc(to)
	}},
}

// amendScripts makes the replacements in the scripts for bash and zsh.
func amendScripts(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	if cmd, _, err := root.Find([]string{"completion"}); err == nil {
		cmd.Args, cmd.RunE = noShell, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	for shell, script := range shellScripts {
		cmd, _, err := root.Find([]string{"completion", shell})
		if err != nil {
			continue // TestFilesAfterTheCursor fails
		}
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			without, err := cmd.Flags().GetBool("no-descriptions")
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := script.generate(root, &text, !without); err != nil {
				return err
			}
			_, err = strings.NewReplacer(script.replacements...).WriteString(cmd.OutOrStdout(), text.String())
			return err
		}
	}
}

// noShell returns an error for a shell that has no completion, which cobra answers with the help.
func noShell(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	var shells []string
	for _, shell := range cmd.Commands() {
		shells = append(shells, shell.Name())
	}
	return usagef("there is no completion for %s; name %s", quoted(words[0]), strings.Join(shells, ", "))
}

// leaves returns the columns of a schema, the nested fields of structs in place of these.
func leaves(schema *arrow.Schema) (columns []arrow.Field) {
	for _, field := range schema.Fields() {
		columns = appendPaths(columns, field.Name, field.Type)
	}
	return columns
}

// appendPaths appends a column, or its nested fields, with their paths as names.
func appendPaths(columns []arrow.Field, name string, typ arrow.DataType) []arrow.Field {
	if !isTyped(name) {
		return columns
	}
	if s, ok := typ.(*arrow.StructType); ok {
		for _, field := range s.Fields() {
			columns = appendPaths(columns, name+"."+field.Name, field.Type)
		}
		return columns
	}
	return append(columns, arrow.Field{Name: name, Type: typ})
}

// isTyped reports whether a name can be completed by shells.
func isTyped(name string) bool { return name != "" && !strings.ContainsAny(name, "\n\r\t") }
