package command

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
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

// completeFlags registers the completion of flag values: fixed lists, folders, and nothing for numbers, sizes and text.
// It leaves out the flags that take a file, and flags that have a completion already.
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "output", "against", "html", "svg":
		case "spill-dir":
			_ = cmd.MarkFlagDirname(flag.Name) // fails for an unknown flag only
		default: // it fails for a flag that has a function already
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(flagValues[flag.Name], noFiles))
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

// completeKey completes keys from the schema of the inputs on the line: columns, nested fields, and modifiers after a
// colon.
func completeKey(in *parquetsort.Input) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return keysFor(schemaOf(args, in), typed), stay
	}
}

// keysFor returns the keys that begin with what was typed; a nil schema has no columns.
func keysFor(schema *arrow.Schema, typed string) (offered []string) {
	if schema != nil {
		for _, field := range schema.Fields() {
			offered = appendPaths(offered, field.Name, field.Type)
		}
	}
	head, _, found := flagtext.CutModifier(typed)
	if !found {
		return offered
	}
	offered = slices.DeleteFunc(offered, func(name string) bool { return !strings.HasPrefix(name, typed) })
	given := strings.Split(head, ":")[1:]
	for kind, words := range flagtext.ModifierKinds {
		isKind := func(word string) bool { return flagtext.KindOf(word) == flagtext.ModifierKind(kind) }
		if slices.ContainsFunc(given, isKind) || isKind(string(arrowsort.FoldCase)) && !hasText(schema, head) {
			continue
		}
		for _, word := range words {
			offered = append(offered, head+":"+word)
		}
	}
	return offered
}

// hasText reports whether the column of a key may be text, which has further modifiers.
func hasText(schema *arrow.Schema, key string) bool {
	if schema == nil {
		return true
	}
	found, err := flagtext.KeyIn(key, schema)
	fields, _ := schema.FieldsByName(found.Path)
	return err != nil || len(fields) != 1 || adapter.IsText(fields[0].Type)
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

// schemaOf returns the schema of the first input on the line; nil if none can be read.
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
	return s.Schema
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

// A shellScript says how a shell's completion script cuts the line at the cursor, and how it passes the rest.
type shellScript struct {
	cut, pass string
	generate  func(root *cobra.Command, to io.Writer, descriptions bool) error
}

var shellScripts = map[string]shellScript{
	"bash": {`words=("${words[@]:0:$cword+1}")`, `local -x ` + restOfLine + `="${words[*]:$cword+1}"`,
		(*cobra.Command).GenBashCompletionV2},
	"zsh": {`words=("${=words[1,CURRENT]}")`, `local -x ` + restOfLine + `="${words[CURRENT+1,-1]}"`,
		func(root *cobra.Command, to io.Writer, descriptions bool) error {
			if descriptions {
				return root.GenZshCompletion(to)
			}
			return root.GenZshCompletionNoDesc(to)
		}},
}

// passRestOfLine makes the scripts for bash and zsh pass the words after the cursor, which cobra's scripts drop.
func passRestOfLine(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
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
			_, err = io.WriteString(cmd.OutOrStdout(),
				strings.Replace(text.String(), script.cut, script.pass+"\n    "+script.cut, 1))
			return err
		}
	}
}

// appendPaths appends the path of a column and those of its nested fields.
func appendPaths(names []string, name string, typ arrow.DataType) []string {
	if !isTyped(name) {
		return names
	}
	if s, ok := typ.(*arrow.StructType); ok {
		for _, field := range s.Fields() {
			names = appendPaths(names, name+"."+field.Name, field.Type)
		}
		return names
	}
	return append(names, name)
}

// isTyped reports whether a name can be completed by shells.
func isTyped(name string) bool { return name != "" && !strings.ContainsAny(name, "\n\r\t") }
