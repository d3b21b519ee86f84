package main

import (
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// inputFlags are the flags of the commands about their inputs, and how they are sorted within a memory budget.
type inputFlags struct {
	jobFlags
	memory      string
	dir         string
	compression string
	rowsPerFile int64
	tail        int64
	unique      bool
	bytesText   string // --bytes-per-file

	files   []string // patterns and folders expanded
	piped   bool     // one of them can be read once only
	options parquetsort.Options
}

func (f *inputFlags) addSpill(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.addMemory(cmd)
	flags.StringVar(&f.dir, "spill-dir", "",
		"spill what does not fit in memory to `DIR` (default: the folder for temporary files)")
	flags.StringVar(&f.compression, "spill-compression", "", "compress what is spilled with `codec` lz4 or zstd")
	flags.Int64Var(&f.rowsPerFile, "rows-per-file", 0, "write files of `N` rows, out-00001.parquet and so on")
	flags.StringVar(&f.bytesText, "bytes-per-file", "",
		"write files of about `SIZE`, such as 256MB, or of one row group")
}

// addWanted is for the commands that can leave rows and columns out.
func (f *inputFlags) addWanted(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Int64Var(&f.tail, "tail", 0, "keep the last `N` rows of the order; 0 for all")
	flags.BoolVar(&f.unique, "unique", false, "keep only the first row of each key")
	flags.StringSliceVar(&f.selected, "select", nil,
		"read and write these `COLUMNS` only, as in a,b; keys need not be among them")
}

func (f *inputFlags) addMemory(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.memory, "memory", "", "work within `SIZE` of memory, such as 512MiB (default half of all)")
}

// parse checks the flags, those of an output where there is one, lists the inputs and makes the options.
func (f *inputFlags) parse(s streams, cmd *cobra.Command, args []string, out *outputFlags) (err error) {
	if err := f.jobFlags.parse(s, args[0], out); err != nil {
		return err
	}
	f.options = parquetsort.Options{
		SpillDir: f.dir, SpillCompression: f.compression, RowsPerFile: f.rowsPerFile,
		Threads: f.threads, Limit: int64(f.limit),
		InputFormat: f.format, Stdin: s.in, Delimiter: f.delimiter, Tail: f.tail, Unique: f.unique, Select: f.selected,
		KeysFor: func(schema *arrow.Schema) ([]arrowsort.Key, error) { return f.resolve(cmd.Context(), schema) },
	}
	if out != nil {
		f.options.RowGroupRows, f.options.PageRows = out.rowGroupRows, out.pageRows
		f.options.Compression = out.compression
		f.options.OutputFormat, f.options.Stdout = out.format, s.out
	}
	if err := f.parseSpill(out); err != nil {
		return err
	}
	if f.files, err = parquetsort.Expand(args); err != nil {
		return err
	}
	f.piped = slices.ContainsFunc(f.files, tablefile.IsPipe)
	return nil
}

// parseSpill checks the flags of a sort within a budget.
func (f *inputFlags) parseSpill(out *outputFlags) (err error) {
	if f.options.Memory, err = parseSize(f.memory); err != nil {
		return usagef("--memory: %v", err)
	}
	if f.options.BytesPerFile, err = parseSize(f.bytesText); err != nil {
		return usagef("--bytes-per-file: %v", err)
	}
	switch {
	case f.memory != "" && f.options.Memory < parquetsort.MinMemory:
		return usagef("--memory %s: give at least %d MiB", f.memory, parquetsort.MinMemory>>20)
	case f.tail < 0:
		return usagef("--tail is %d, give 0 for all rows", f.tail)
	case f.tail > 0 && (f.limit > 0 || f.unique):
		return usagef("--tail goes with neither --limit nor --unique")
	case f.rowsPerFile < 0:
		return usagef("--rows-per-file is %d, give the number of rows", f.rowsPerFile)
	case f.splits() && (out.path == "" || out.path == tablefile.Pipe):
		return usagef("--rows-per-file and --bytes-per-file need a file to number: -o FILE")
	case f.compression != "" && f.compression != "lz4" && f.compression != "zstd":
		return usagef("--spill-compression %q: use lz4 or zstd", f.compression)
	}
	if f.dir != "" {
		if info, err := os.Stat(f.dir); err != nil || !info.IsDir() {
			return usagef("--spill-dir %s: there is no such folder", f.dir)
		}
	}
	return nil
}

// splits says whether there are to be several outputs.
func (f *inputFlags) splits() bool { return f.rowsPerFile > 0 || f.options.BytesPerFile > 0 }
