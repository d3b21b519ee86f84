package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// defaultMemory is the budget without --memory: half of what tuneMemory lets the process take.
const defaultMemory = "two fifths of what the machine or container has"

// commandFlags are the flags of the commands that read tables, and the values derived from them.
type commandFlags struct {
	options  parquetsort.Options // what the flags ask for
	keyTexts []string
	output   string
	engine   engineChoice
	quiet    bool
	verbose  bool
	json     bool

	keysOptional bool // keys may be left out where files declare an order
	declared     bool // the keys are the order that files declare

	keys  []keyFlag
	files []string // patterns and folders expanded
	piped bool     // one of them can be read once only
}

func (f *commandFlags) add(cmd *cobra.Command, limitHelp string) {
	flags, o := cmd.Flags(), &f.options
	addInput(cmd, o)
	flags.StringArrayVarP(&f.keyTexts, "key", "k", nil, flagtext.KeyHelp)
	completes(cmd, "key", completeKey(&o.Input))
	flags.Func("limit", limitHelp, into(&o.Rows.Limit, wholeNumber))
	flags.Func("threads", "use at most `N` threads; 0 for all cores", into(&o.Run.Threads, wholeNumber))
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	flags.BoolVar(&f.json, "json", false, "print one JSON object about what was done")
}

// addInput adds the flags of all commands that read files.
func addInput(cmd *cobra.Command, o *parquetsort.Options) {
	flags := cmd.Flags()
	flags.Func("format", "`format` of the input: parquet, arrow, arrows, csv (default: by name)",
		into(&o.Input.Format, asTyped[parquetsort.Format](tablefile.ParseFormat)))
	flags.Func("delimiter", "what separates the values of CSV: a `character`, or tab (default comma, in .tsv tab)",
		into(&o.Input.Delimiter, parseDelimiter))
	flags.BoolVar(&o.Input.NoHeader, "no-header", false,
		"CSV has no line of column names: the columns are '#1', '#2'; output in CSV has none either")
	flags.Func("csv-type", "read a column of CSV as `COLUMN=TYPE`: date:%d/%m/%Y, timestamp:LAYOUT, int64, float64, "+
		"float64:1.234,5, decimal(p,s) or text (docs/csv.md)", func(text string) error { return addType(o, text) })
}

// addEngine adds the flags of the commands that sort.
func (f *commandFlags) addEngine(cmd *cobra.Command) {
	f.engine.name = "auto"
	cmd.Flags().Func("engine", "sort with `ENGINE`: cpu, gpu, or auto, a GPU for large tables (default auto)",
		into(&f.engine.name, oneOf("auto", "cpu", "gpu")))
	cmd.Flags().Func("gpus", "share each sort on a GPU among `N` of them, or all (default 1)",
		into(&f.engine.gpus, parseGPUs))
}

func addMemory(cmd *cobra.Command, o *parquetsort.Memory) {
	cmd.Flags().Func("memory", "work within `SIZE` of memory (default: "+defaultMemory+")",
		into(&o.Budget, sizeFrom(parquetsort.MinMemory)))
}

func (f *commandFlags) addSpill(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	addMemory(cmd, &o.Memory)
	flags.Func("spill-dir", "spill what does not fit in memory to `DIR` (default: the folder for temporary files)",
		into(&o.Memory.SpillDir, parseFolder))
	flags.Func("spill-compression", "compress what is spilled with `codec` lz4 or zstd",
		into(&o.Memory.SpillCompression, oneOf(parquetsort.LZ4, parquetsort.Zstd)))
	flags.Func("rows-per-file", "write files of `N` rows, out-00001.parquet and so on",
		into(&o.Output.RowsPerFile, wholeNumber))
	flags.Func("bytes-per-file", "write files of about `SIZE`, such as 256MB, or of one row group",
		into(&o.Output.BytesPerFile, sizeFrom(1)))
}

// addPartitions adds the flags of an output in folders.
func (f *commandFlags) addPartitions(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.StringArrayVar(&o.Output.PartitionBy, "partition-by", nil,
		"write folders such as origin=ORD in the folder of -o, by the values of `COLUMN`; may repeat")
	completes(cmd, "partition-by", completeColumns(&o.Input, false))
	flags.BoolVar(&o.Output.Overwrite, "overwrite", false,
		"replace the folders of --partition-by that are there already and are written; others stay")
}

func (f *commandFlags) addTail(cmd *cobra.Command) {
	cmd.Flags().Func("tail", "keep the last `N` rows of the order; 0 for all",
		into(&f.options.Rows.Tail, wholeNumber))
}

// addSelection adds the flags that leave out rows and columns.
func (f *commandFlags) addSelection(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	f.addTail(cmd)
	flags.BoolVar(&o.Rows.Unique, "unique", false, "keep only the first row of each key")
	flags.StringSliceVar(&o.Columns, "select", nil,
		"read and write these `COLUMNS` only, as in a,b; keys need not be among them")
	completes(cmd, "select", completeColumns(&o.Input, true))
}

func (f *commandFlags) addOutput(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.StringVarP(&f.output, "output", "o", "",
		"write to `FILE`, the input itself if you like; - for standard output")
	flags.Func("output-format", "`format` of the output: parquet, arrow, arrows, csv (default: by name)",
		into(&o.Output.Format, asTyped[parquetsort.Format](tablefile.ParseFormat)))
	flags.Func("row-group-rows", fmt.Sprintf("write Parquet row groups of `N` rows (default %d)",
		tablefile.DefaultRowGroupRows), into(&o.Output.RowGroupRows, wholeNumber))
	flags.Func("page-rows", fmt.Sprintf("write Parquet pages of `N` rows at most (default %d)",
		tablefile.DefaultPageRows), into(&o.Output.PageRows, wholeNumber))
	flags.Func("page-version", "write Parquet pages of version `1 or 2` (default 1)",
		into(&o.Output.PageVersion, parsePageVersion))
	flags.Func("encoding", "`COLUMN=NAME` of Parquet's encodings, or for all columns auto, the smallest one, or "+
		"compatible, plain or dictionary (default auto)",
		func(text string) error { return addEncoding(&o.Output, text) })
	flags.Func("bloom-filter",
		"write Parquet with Bloom filters of `COLUMN[:FPP]`, with FPP false positives (default 0.01); may repeat",
		func(text string) error { return addBloomFilter(&o.Output, text) })
	completes(cmd, "bloom-filter", completeColumns(&o.Input, false))
	flags.Func("compression", "`codec[:level]` of Parquet or Arrow: none, snappy, gzip, brotli, zstd, lz4",
		into(&o.Output.Compression, asTyped[parquetsort.Compression](tablefile.ParseCompression)))
	completes(cmd, "compression", completeCompression(&f.output, &o.Output))
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print the plan of the keys, too: bits, codes and digits")
	flags.Func("preview", "print the first `N` rows as a table", into(&o.Output.Preview, wholeNumber))
}

// parse checks the combination of flags and inputs, and lists the inputs.
func (f *commandFlags) parse(s streams, cmd *cobra.Command, args []string) (err error) {
	o := &f.options
	o.Input.Stdin, o.Output.Stdout = s.in, s.out
	o.Output.Delimiter, o.Output.NoHeader = o.Input.Delimiter, o.Input.NoHeader
	if store := s.stores.of(append(args, f.output)...); store != nil {
		o.Run.Store = store
	}
	o.KeysFor = func(schema *arrow.Schema) ([]arrowsort.Key, error) {
		return resolve(cmd.Context(), schema, f.keys, o)
	}
	if !f.keysOptional || len(f.keyTexts) > 0 {
		if f.keys, err = parseKeys(f.keyTexts); err != nil {
			return err
		}
	}
	writes := cmd.Flags().Lookup("output") != nil
	if writes {
		if err := f.checkOutput(s, cmd); err != nil {
			return err
		}
	}
	switch {
	case csvFlag(cmd) != "" && !isCSV(o.Input.Format, args[0]) && !(writes && isCSV(o.Output.Format, f.output)):
		return usagef("--%s is for CSV, which is neither read nor written here", csvFlag(cmd))
	case len(o.Input.CSVTypes) > 0 && !isCSV(o.Input.Format, args[0]):
		return usagef("--csv-type is for CSV, which is not read here")
	case cmd.Flags().Changed("select") && len(o.Columns) == 0:
		return usagef("--select names no column")
	case f.verbose && (f.quiet || f.json):
		return usagef("--verbose goes with neither --quiet nor --json, which has the plan")
	case o.Rows.Tail > 0 && (o.Rows.Limit > 0 || o.Rows.Unique):
		return usagef("--tail goes with neither --limit nor --unique")
	case len(o.Output.PartitionBy) > 0 && (o.Rows.Tail > 0 || o.Rows.Limit > 0):
		return usagef("--partition-by goes with neither --limit nor --tail, which are about the order of all rows")
	case o.Output.Overwrite && len(o.Output.PartitionBy) == 0:
		return usagef("--overwrite replaces the folders of --partition-by, which is not given")
	case f.options.Output.Splits() && (f.output == "" || f.output == tablefile.Pipe):
		return usagef("--rows-per-file and --bytes-per-file need a file to number: -o FILE")
	}
	if err := f.checkCurve(); err != nil {
		return err
	}
	if err := f.engine.check(); err != nil {
		return err
	}
	if err := s.stores.checkInputPaths(args); err != nil {
		return err
	}
	files, skipped, err := parquetsort.List(cmd.Context(), args, o.Run.Store)
	if err != nil {
		return err
	}
	f.files = files
	for _, line := range skipped {
		o.Run.Warn(line)
	}
	f.piped = slices.ContainsFunc(f.files, tablefile.IsPipe)
	return nil
}

// checkOutput checks the flags of the output.
func (f *commandFlags) checkOutput(s streams, cmd *cobra.Command) error {
	o := &f.options
	if f.output != "" {
		f.output = tablefile.OutputPath(f.output)
	}
	partitioned := len(o.Output.PartitionBy) > 0
	if partitioned && (f.output == "" || f.output == tablefile.Pipe) {
		return usagef("--partition-by writes folders: name the folder that they are in with -o FOLDER")
	}
	if partitioned && o.Output.Format == parquetsort.Auto {
		o.Output.Format = parquetsort.Parquet
	}
	toPipe, preview := f.output == tablefile.Pipe, o.Output.Preview > 0
	forFile := []string{"output-format", "compression", "row-group-rows", "page-rows", "page-version", "encoding",
		"bloom-filter"}
	given := slices.IndexFunc(forFile, cmd.Flags().Changed)
	switch {
	case f.output == "" && !preview:
		return usagef("name the output with -o FILE, or print the first rows with --preview N")
	case f.output == "" && given >= 0:
		return usagef("--%s needs an output: -o FILE", forFile[given])
	case preview && toPipe:
		return usagef("--preview and -o - both write to standard output")
	case preview && f.json:
		return usagef("--preview and --json both write to standard output")
	case s.outMissing && (toPipe || preview):
		return usagef("standard output is closed: redirect it, or write to -o FILE")
	case f.output == "":
		return nil
	case toPipe && s.outTerminal && !isCSV(o.Output.Format, f.output):
		return usagef("standard output is a terminal: redirect it, or write to -o FILE")
	}
	if err := s.stores.checkOutputPath(f.output, partitioned); err != nil {
		return err
	}
	opts := tablefile.WriteOptions{RowGroupRows: o.Output.RowGroupRows, PageRows: o.Output.PageRows,
		PageVersion: o.Output.PageVersion, BloomFilters: o.Output.BloomFilters}
	if cmd.Flags().Changed("encoding") {
		opts.Encodings.Columns = map[string]int{} // their flag has checked them
	}
	opts.Format, _ = tablefile.ParseFormat(string(o.Output.Format)) // their flags have checked them
	opts.Compression, _ = tablefile.ParseCompression(string(o.Output.Compression))
	if err := tablefile.CheckWrite(f.output, opts); err != nil {
		return usagef("%s", withFormatFlag(err.Error(), "--output-format"))
	}
	return nil
}

// csvFlag returns a flag for CSV that was given; empty if none was.
func csvFlag(cmd *cobra.Command) string {
	names := []string{"delimiter", "no-header", "csv-type"}
	if i := slices.IndexFunc(names, cmd.Flags().Changed); i >= 0 {
		return names[i]
	}
	return ""
}

func isCSV(format parquetsort.Format, path string) bool {
	f, err := tablefile.ParseFormat(string(format))
	if err == nil {
		f, err = f.Resolve(path)
	}
	return err == nil && f == tablefile.CSV
}

// checkOutputPath returns why a path cannot be an output, which is a file or a folder, by its text or by what exists
// there.
func (s *stores) checkOutputPath(path string, folder bool) error {
	if s.has(path) {
		return nil
	}
	info, err := os.Stat(path)
	in := filepath.Join(path, "sorted.parquet")
	switch {
	case err == nil && folder && !info.IsDir():
		return usagef("-o %s is a file, and --partition-by writes folders: name a folder", path)
	case err == nil && info.IsDir() && !folder:
		return usagef("-o %s is a folder: name a file in it, such as %s", path, in)
	case err == nil:
		return nil
	case tablefile.Scheme(path) == "file":
		return usagef("-o %s is an address: give the path of the file, as in %s", path,
			strings.TrimPrefix(path, "file://"))
	case tablefile.Scheme(path) != "":
		return usagef("-o %s is an address, and only %s are written: write a file and copy it there, or pipe it there "+
			"from -o - of the command%s", path, s.reach(), s.hint(tablefile.Scheme(path)))
	case os.IsPathSeparator(path[len(path)-1]) && !folder:
		return usagef("-o %s is the name of a folder, which is not there: make it, and name a file in it, such as %s",
			path, in)
	}
	return nil
}
