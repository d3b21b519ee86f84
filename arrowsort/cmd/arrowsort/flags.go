package main

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// jobFlags are the flags of all commands that read a table.
type jobFlags struct {
	keyTexts []string
	limit    int
	threads  int
	engine   string // empty where nothing is sorted
	format   string
	quiet    bool
	json     bool

	keys     []keyFlag
	inFormat tablefile.Format
}

func (f *jobFlags) add(cmd *cobra.Command, limitHelp string) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.keyTexts, "key", "k", nil, keyHelp)
	flags.IntVar(&f.limit, "limit", 0, limitHelp)
	flags.IntVar(&f.threads, "threads", 0, "use at most `N` threads; 0 for all cores")
	flags.StringVar(&f.format, "format", "", "`format` of the input: parquet, arrow, arrows or csv (default: by its name)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "say nothing but errors")
	flags.BoolVar(&f.json, "json", false, "print one JSON object about what was done")
}

// addEngine is for the commands that sort.
func (f *jobFlags) addEngine(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.engine, "engine", "auto", engineHelp)
}

// parse checks the flags.
func (f *jobFlags) parse() (err error) {
	if f.keys, err = parseKeys(f.keyTexts); err != nil {
		return err
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
	if f.engine == "" {
		return nil
	}
	return checkEngine(f.engine)
}

// columns are the keys for a table, whose columns the positions must have.
func (f *jobFlags) columns(schema *arrow.Schema) ([]arrowsort.Key, error) {
	keys := make([]arrowsort.Key, len(f.keys))
	for i, k := range f.keys {
		keys[i] = k.key
		if k.key.Path == "" && k.key.Index >= schema.NumFields() {
			return nil, fmt.Errorf("key %q: there are %d columns", k.text, schema.NumFields())
		}
	}
	return keys, nil
}

// outputFlags are the flags of the commands that write a table.
type outputFlags struct {
	path         string
	format       string
	rowGroupRows int
	compression  string
	preview      int

	options tablefile.WriteOptions
}

func (f *outputFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.path, "output", "o", "", "write to `FILE`, - for standard output; the input is safe to be replaced")
	flags.StringVar(&f.format, "output-format", "", "`format` of the output: parquet, arrow, arrows or csv (default: by its name)")
	flags.IntVar(&f.rowGroupRows, "row-group-rows", 0, fmt.Sprintf("rows of a Parquet row group (default %d)", tablefile.DefaultRowGroupRows))
	flags.StringVar(&f.compression, "compression", "", "`codec[:level]`: none, snappy, gzip, brotli, zstd for Parquet (default: as in a Parquet input, else zstd); none, zstd, lz4 for Arrow (default none)")
	flags.IntVar(&f.preview, "preview", 0, "print the first `N` rows as a table")
}

// parse checks the flags.
func (f *outputFlags) parse(s streams, job *jobFlags) error {
	format, err := tablefile.ParseFormat(f.format)
	if err != nil {
		return usagef("--output-format: %v", err)
	}
	compression, err := tablefile.ParseCompression(f.compression)
	if err != nil {
		return usagef("--compression: %v", err)
	}
	f.options = tablefile.WriteOptions{Format: format, Compression: compression, RowGroupRows: f.rowGroupRows, Threads: job.threads, Stdout: s.out}
	switch {
	case f.rowGroupRows < 0:
		return usagef("--row-group-rows is %d, give 0 for the default", f.rowGroupRows)
	case f.preview < 0:
		return usagef("--preview is %d, give the number of rows to print", f.preview)
	case f.path == "" && f.preview == 0:
		return usagef("say where to write with -o FILE, or look at the first rows with --preview N")
	case f.path == "" && (f.format != "" || f.compression != "" || f.rowGroupRows != 0):
		return usagef("--output-format, --compression and --row-group-rows need an output: -o FILE")
	case f.preview > 0 && f.path == tablefile.Pipe:
		return usagef("--preview and -o - both write to standard output")
	case f.preview > 0 && job.json:
		return usagef("--preview and --json both write to standard output")
	case f.path == tablefile.Pipe && isTerminal(s.out) && f.options.Format != tablefile.CSV:
		return usagef("standard output is a terminal: redirect it, or write to -o FILE")
	case f.path != "":
		if err := tablefile.CheckWrite(f.path, f.options); err != nil {
			return usagef("%v", err)
		}
	}
	return nil
}
