package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// spillFlags are the flags of a sort within a memory budget.
type spillFlags struct {
	memory      string
	dir         string
	compression string
	rowsPerFile int64
	bytesText   string // --bytes-per-file

	bytesPerFile int64
	args         []string // the inputs as they were given
	files        []string // patterns and folders expanded
	options      parquetsort.Options
}

func (f *spillFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.addMemory(cmd)
	flags.StringVar(&f.dir, "spill-dir", "", "spill what does not fit in memory to `DIR` (default: the folder for temporary files)")
	flags.StringVar(&f.compression, "spill-compression", "", "compress what is spilled with `codec` lz4 or zstd")
	flags.Int64Var(&f.rowsPerFile, "rows-per-file", 0, "write files of `N` rows, out-00001.parquet and so on")
	flags.StringVar(&f.bytesText, "bytes-per-file", "", "write files of about `SIZE`, such as 256MB, or of one row group")
}

func (f *spillFlags) addMemory(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.memory, "memory", "", "sort files within `SIZE` of memory, such as 512MiB (default half of all)")
}

// checkMemory reads --memory.
func (f *spillFlags) checkMemory() (err error) {
	if f.options.Memory, err = parseSize(f.memory); err != nil {
		return usagef("--memory: %v", err)
	}
	if f.memory != "" && f.options.Memory < parquetsort.MinMemory {
		return usagef("--memory %s: give at least %d MiB", f.memory, parquetsort.MinMemory>>20)
	}
	return nil
}

// check looks at the flags alone.
func (f *spillFlags) check(out *outputFlags) error {
	if err := f.checkMemory(); err != nil {
		return err
	}
	var err error
	if f.bytesPerFile, err = parseSize(f.bytesText); err != nil {
		return usagef("--bytes-per-file: %v", err)
	}
	switch {
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
func (f *spillFlags) splits() bool { return f.rowsPerFile > 0 || f.bytesPerFile > 0 }

// parse checks the flags and finds out whether the sort is one within a budget: when its inputs are several or do not fit
// in memory, or its outputs are several.
func (f *spillFlags) parse(cmd *cobra.Command, args []string, in *jobFlags, out *outputFlags) (external bool, err error) {
	if err := f.check(out); err != nil {
		return false, err
	}
	f.args = args
	asked := ""
	for _, name := range []string{"memory", "spill-dir", "spill-compression", "rows-per-file", "bytes-per-file"} {
		if cmd.Flags().Changed(name) {
			asked = "--" + name
		}
	}
	if f.files, err = parquetsort.Expand(args); err != nil {
		if args[0] != tablefile.Pipe || len(args) > 1 {
			return false, err
		}
		f.files = args
	}
	if len(f.files) > 1 {
		asked = "several inputs"
	}
	if why := inMemoryOnly(f.files, in, out); why != "" {
		if asked != "" {
			return false, usagef("%s: %s", asked, why)
		}
		return false, nil
	}
	if err := f.resolve(cmd.Context(), in, out); err != nil {
		return false, err
	}
	if len(f.files) > 1 || f.splits() {
		return true, nil
	}
	fits, err := parquetsort.FitsInMemory(cmd.Context(), f.files, f.options)
	return !fits, err
}

// resolve makes the options.
func (f *spillFlags) resolve(ctx context.Context, in *jobFlags, out *outputFlags) (err error) {
	f.options = parquetsort.Options{
		Memory: f.options.Memory, SpillDir: f.dir, SpillCompression: f.compression, RowsPerFile: f.rowsPerFile, BytesPerFile: f.bytesPerFile,
		RowGroupRows: out.rowGroupRows, PageRows: out.pageRows, Compression: out.compression, Threads: in.threads, Limit: int64(in.limit),
		InputFormat: in.format, OutputFormat: out.format, Stdout: out.options.Stdout, Delimiter: in.delimiter,
	}
	f.options.Keys, err = resolveIn(ctx, f.files[0], in)
	return err
}

// inMemoryOnly says why a sort can only be done in memory; empty when it need not.
func inMemoryOnly(files []string, in *jobFlags, out *outputFlags) string {
	for _, file := range files {
		if why := readWhole(file, in); why != "" {
			return why
		}
	}
	if out.preview > 0 && out.path != "" && isCSV(out.options.Format, out.path) {
		return "--preview of CSV is printed from memory; look at the first rows without -o"
	}
	return ""
}

// readWhole says why a file is read as a whole; empty when it can be read piece by piece.
func readWhole(file string, in *jobFlags) string {
	info, err := os.Stat(file)
	switch {
	case file == tablefile.Pipe:
		return "standard input is read as a whole, alone"
	case err == nil && !info.IsDir() && !info.Mode().IsRegular():
		return file + " is no regular file, and read as a whole, alone"
	case err == nil && info.IsDir():
		return ""
	}
	switch format, unknown := in.inFormat.Resolve(file); {
	case unknown != nil && err != nil:
		return "" // opening it tells that it is not there
	case unknown != nil:
		return file + " is not known to be Parquet or Arrow by its name; give --format"
	case format == tablefile.CSV:
		return file + " is CSV, which is read as a whole, one file at a time"
	}
	return ""
}

// resolveIn finds the keys in the schema of a file. Those by position get the name of their column, if no other has it.
func resolveIn(ctx context.Context, file string, in *jobFlags) ([]arrowsort.Key, error) {
	s, err := tablefile.Scan(file, 0, tablefile.ReadOptions{Format: in.inFormat})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	keys, _, err := in.resolve(ctx, s.Schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range keys {
		if keys[i].Path != "" {
			continue
		}
		if name := s.Schema.Field(keys[i].Index).Name; name != "" && len(s.Schema.FieldIndices(name)) == 1 {
			keys[i].Path, keys[i].Index = name, 0
		}
	}
	return keys, nil
}
