package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// jobFlags are the flags of all commands that read a table.
type jobFlags struct {
	keyTexts []string
	limit    int
	selected []string // --select
	threads  int
	engine   string // empty where nothing is sorted
	format   string
	delimit  string
	quiet    bool
	json     bool

	keysOptional bool // for files that name an order of their own
	claimed      bool // the keys are that order

	keys      []keyFlag
	inFormat  tablefile.Format
	delimiter rune
}

func (f *jobFlags) add(cmd *cobra.Command, limitHelp string) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.keyTexts, "key", "k", nil, keyHelp)
	_ = cmd.RegisterFlagCompletionFunc("key", f.completeKey) // it fails for flags that there are not
	flags.IntVar(&f.limit, "limit", 0, limitHelp)
	flags.IntVar(&f.threads, "threads", 0, "use at most `N` threads; 0 for all cores")
	flags.StringVar(&f.format, "format", "", "`format` of the input: parquet, arrow, arrows, csv (default: by name)")
	flags.StringVar(&f.delimit, "delimiter", "", "what separates the values of CSV: a `character`, or tab (default , and in .tsv a tab)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "say nothing but errors")
	flags.BoolVar(&f.json, "json", false, "print one JSON object about what was done")
}

// addEngine is for the commands that sort.
func (f *jobFlags) addEngine(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.engine, "engine", "auto", engineHelp)
}

// parse checks the flags; out are those of the output, nil where there is none.
func (f *jobFlags) parse(s streams, input string, out *outputFlags) (err error) {
	if !f.keysOptional || len(f.keyTexts) > 0 {
		if f.keys, err = parseKeys(f.keyTexts); err != nil {
			return err
		}
	}
	if f.limit < 0 {
		return usagef("--limit is %d, give 0 for all rows", f.limit)
	}
	if f.threads < 0 {
		return usagef("--threads is %d, give 0 for all cores", f.threads)
	}
	if f.inFormat, err = tablefile.ParseFormat(f.format); err != nil {
		return usagef("--format: %v", err)
	}
	if f.delimiter, err = parseDelimiter(f.delimit); err != nil {
		return err
	}
	if out != nil {
		if err := out.parse(s, f); err != nil {
			return err
		}
	}
	if f.delimiter != 0 && !isCSV(f.inFormat, input) && (out == nil || !isCSV(out.options.Format, out.path)) {
		return usagef("--delimiter is for CSV, which is neither read nor written here")
	}
	if f.engine == "" {
		return nil
	}
	return checkEngine(f.engine)
}

func isCSV(format tablefile.Format, path string) bool {
	format, err := format.Resolve(path)
	return err == nil && format == tablefile.CSV
}

// parseDelimiter reads what separates the values of CSV; 0 is the default.
func parseDelimiter(text string) (rune, error) {
	switch text {
	case "":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	}
	r, n := utf8.DecodeRuneInString(text)
	if n != len(text) || r == utf8.RuneError || strings.ContainsRune("\"\r\n\x00", r) {
		return 0, usagef("--delimiter %q: give one character, such as ';', or tab", text)
	}
	return r, nil
}

// outputFlags are the flags of the commands that write a table.
type outputFlags struct {
	path         string
	format       string
	rowGroupRows int
	pageRows     int
	compression  string
	preview      int

	options tablefile.WriteOptions
}

func (f *outputFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.path, "output", "o", "", "write to `FILE`, the input itself if you like; - for standard output")
	flags.StringVar(&f.format, "output-format", "", "`format` of the output: parquet, arrow, arrows, csv (default: by name)")
	flags.IntVar(&f.rowGroupRows, "row-group-rows", 0, fmt.Sprintf("write Parquet row groups of `N` rows (default %d)", tablefile.DefaultRowGroupRows))
	flags.IntVar(&f.pageRows, "page-rows", 0, fmt.Sprintf("write Parquet pages of `N` rows at most (default %d)", tablefile.DefaultPageRows))
	flags.StringVar(&f.compression, "compression", "", "`codec[:level]` of Parquet or Arrow: none, snappy, gzip, brotli, zstd, lz4")
	flags.IntVar(&f.preview, "preview", 0, "print the first `N` rows as a table")
}

// parse checks the flags.
func (f *outputFlags) parse(s streams, job *jobFlags) error {
	if f.path != "" {
		f.path = tablefile.OutputPath(f.path)
	}
	format, err := tablefile.ParseFormat(f.format)
	if err != nil {
		return usagef("--output-format: %v", err)
	}
	compression, err := tablefile.ParseCompression(f.compression)
	if err != nil {
		return usagef("--compression: %v", err)
	}
	f.options = tablefile.WriteOptions{Format: format, Compression: compression, RowGroupRows: f.rowGroupRows, PageRows: f.pageRows, Threads: job.threads, Stdout: s.out, Delimiter: job.delimiter}
	switch {
	case f.rowGroupRows < 0:
		return usagef("--row-group-rows is %d, give 0 for the default", f.rowGroupRows)
	case f.pageRows < 0:
		return usagef("--page-rows is %d, give 0 for the default", f.pageRows)
	case f.preview < 0:
		return usagef("--preview is %d, give the number of rows to print", f.preview)
	case f.path == "" && f.preview == 0:
		return usagef("say where to write with -o FILE, or look at the first rows with --preview N")
	case f.path == "" && (f.format != "" || f.compression != "" || f.rowGroupRows != 0 || f.pageRows != 0):
		return usagef("--output-format, --compression, --row-group-rows and --page-rows need an output: -o FILE")
	case f.preview > 0 && f.path == tablefile.Pipe:
		return usagef("--preview and -o - both write to standard output")
	case f.preview > 0 && job.json:
		return usagef("--preview and --json both write to standard output")
	case f.path == tablefile.Pipe && s.outTerminal && f.options.Format != tablefile.CSV:
		return usagef("standard output is a terminal: redirect it, or write to -o FILE")
	case s.outMissing && (f.path == tablefile.Pipe || f.preview > 0):
		return usagef("standard output is closed: redirect it, or write to -o FILE")
	case f.path != "":
		if err := tablefile.CheckWrite(f.path, f.options); err != nil {
			return usagef("%s", byFlag(err.Error(), "--output-format"))
		}
	}
	return nil
}
