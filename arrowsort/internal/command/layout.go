package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// layoutName is the name of the command.
const layoutName = "layout"

// A layoutReport is the JSON output of layout.
type layoutReport struct {
	Command  string   `json:"command"`
	Warnings []string `json:"warnings,omitempty"`
	*parquetsort.LayoutReport
}

// A layoutCommand is one run of layout.
type layoutCommand struct {
	streams
	options   parquetsort.LayoutOptions
	json      bool
	html, svg string // files to write; empty: none
}

func newLayout(s streams) *cobra.Command {
	c := &layoutCommand{streams: s}
	cmd := &cobra.Command{
		Use:   "layout FILE|FOLDER|PATTERN...",
		Short: "Show which row groups of Parquet files hold which values",
		Long: `Show which row groups of Parquet files hold which values: the zone map of each column, that is the least
and the greatest value of each row group over the files, with the bytes, codecs and encodings of the column.

The bars of a zone map stand for the row groups from the first to the last, from the least value at the bottom to the
greatest at the top: short bars that do not overlap let a reader skip row groups. Depth is the number of row groups
that can hold one value: the mean over the rows, the worst, and of how many. A filter is COLUMN OPERATOR VALUE with one
of the operators = != < <= > >=, or COLUMN is null, COLUMN is not null. Rows pass all filters. For them layout shows
what readers have to read of all columns, by the bounds of row groups alone and by those of pages, too.

--advise tries the orders of up to three of some columns, and the Hilbert and Z-order curves over all of them, on a
sample of the rows: the size of the file, and what filters on each of the columns would read of it, the best first.

FILE is Parquet. Footers and page indexes are read, with --advise all rows. docs/layout.md has more.

` + exitHelp,
		Example: `  arrowsort layout flights.parquet
  arrowsort layout --filter 'date >= 2001-03-01' --filter 'origin = ORD' 'flights/*.parquet'
  arrowsort layout --against unsorted.parquet --html layout.html sorted.parquet
  arrowsort layout --advise origin,date,delay flights.parquet`,
		Args:       someInputs,
		SuggestFor: []string{"zonemap", "stats", "statistics"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.show(cmd.Context(), args, cmd.Flags().Changed("advise"))
		},
	}
	flags, o := cmd.Flags(), &c.options
	flags.StringArrayVar(&o.Filters, "filter", nil,
		"show what readers read for rows with `'COLUMN OPERATOR VALUE'`, as in 'date >= 2001-03-01'; may repeat")
	flags.StringArrayVar(&o.Against, "against", nil,
		"compare with the layout of `BEFORE`, files as the inputs; may repeat")
	flags.StringSliceVar(&o.Advise, "advise", nil,
		"try orders of up to three of `COLUMNS`, as in a,b, and curves over all, on a sample of the rows")
	flags.Func("row-group-rows", fmt.Sprintf("advise on row groups of `N` rows (default %d)",
		tablefile.DefaultRowGroupRows), into(&o.RowGroupRows, wholeNumber))
	addMemory(cmd, &o.Memory)
	flags.StringVar(&c.html, "html", "", "write a page for the browser to `FILE`, which needs no other file")
	flags.StringVar(&c.svg, "svg", "", "write a picture to `FILE`")
	flags.BoolVar(&o.Pages, "pages", false, "list the pages of each row group in the JSON, too")
	flags.BoolVar(&c.json, "json", false, "print one JSON object")
	return cmd
}

// show prints the layout. advised is whether --advise is given.
func (c *layoutCommand) show(ctx context.Context, paths []string, advised bool) error {
	switch {
	case c.options.Pages && !c.json:
		return usagef("--pages is for --json: add it")
	case advised && len(c.options.Advise) == 0:
		return usagef("--advise names no column")
	}
	all := slices.Concat(paths, c.options.Against)
	if store := c.stores.of(all...); store != nil {
		c.options.Run.Store = store
	}
	if err := c.stores.checkInputPaths(all); err != nil {
		return err
	}
	if err := c.checkPictures(); err != nil {
		return err
	}
	var warnings []string
	c.options.Run.Warn = func(text string) {
		if warnings = append(warnings, text); !c.json {
			fmt.Fprintln(c.err, "arrowsort: warning:", printable(text))
		}
	}
	warnOfMemory(c.options.Memory.Budget, c.options.Run.Warn)
	listed := c.options.Pages
	c.options.Pages = listed || len(c.pictures()) > 0
	unlimit := limitGarbage(c.options.Memory.Budget)
	report, err := parquetsort.Layout(ctx, paths, c.options)
	unlimit()
	if err != nil {
		return forCommandLine(err)
	}
	if err := c.writePictures(ctx, report); err != nil {
		return err
	}
	switch {
	case c.json:
		if !listed {
			withoutPages(&report.FilesLayout)
			withoutPages(report.Against)
		}
		return json.NewEncoder(c.out).Encode(layoutReport{layoutName, warnings, report})
	case c.html != "": // it has all
		return nil
	case c.svg != "":
		_, err = io.WriteString(c.out, answersText(report, c.outWidth))
		return err
	}
	_, err = io.WriteString(c.out, layoutText(report, c.outWidth))
	return err
}

// checkPictures finds names of pictures that cannot be written, or are likely to be those of other files.
func (c *layoutCommand) checkPictures() error {
	for _, p := range c.pictures() {
		if !slices.Contains(p.endings, strings.ToLower(filepath.Ext(p.path))) {
			return usagef("--%s %s: the name of the file has to end in %s", p.flag, p.path,
				strings.Join(p.endings, " or "))
		}
		if err := atomicfile.Check(p.path); err != nil {
			return fmt.Errorf("--%s %s: %w", p.flag, p.path, err)
		}
	}
	if c.html != "" && c.svg != "" && atomicfile.IsSame(c.html, c.svg) {
		return usagef("--html %s and --svg %s are the same file: name two", c.html, c.svg)
	}
	return nil
}

// withoutPages leaves the zones of pages out, which only pictures show.
func withoutPages(l *parquetsort.FilesLayout) {
	if l == nil {
		return
	}
	for _, c := range l.Columns {
		for i := range c.Zones {
			c.Zones[i].Pages = nil
		}
	}
}

// A pictureFile is a file that layout writes.
type pictureFile struct {
	flag, path string
	endings    []string // of its name
	write      func(io.Writer, *parquetsort.LayoutReport) error
}

// pictures are the files to write.
func (c *layoutCommand) pictures() []pictureFile {
	all := []pictureFile{{"html", c.html, []string{".html", ".htm"}, writeHTML},
		{"svg", c.svg, []string{".svg"}, writeSVG}}
	return slices.DeleteFunc(all, func(p pictureFile) bool { return p.path == "" })
}

// writePictures writes the pictures, which appear as a whole or not at all. One that would replace a file that was read
// is an error.
func (c *layoutCommand) writePictures(ctx context.Context, r *parquetsort.LayoutReport) error {
	inputs := r.Files
	if r.Against != nil {
		inputs = slices.Concat(inputs, r.Against.Files)
	}
	var placement atomicfile.Placement
	defer placement.Remove()
	for _, p := range c.pictures() {
		if slices.ContainsFunc(inputs, func(input string) bool { return atomicfile.IsSame(input, p.path) }) {
			return usagef("--%s %s is one of the inputs: name another file", p.flag, p.path)
		}
		if err := p.writeTo(ctx, &placement, r); err != nil {
			return err
		}
	}
	return placement.Place()
}

// writeTo writes a picture where it is to be placed.
func (p *pictureFile) writeTo(ctx context.Context, placement *atomicfile.Placement,
	r *parquetsort.LayoutReport) (err error) {
	at := p.path
	if atomicfile.Replaces(p.path) {
		if at, err = placement.Path(p.path); err != nil {
			return err
		}
	}
	f, err := atomicfile.Create(ctx, at)
	if err != nil {
		return fmt.Errorf("%s: %w", p.path, err)
	}
	out := bufio.NewWriter(f)
	if err := cmp.Or(p.write(out, r), out.Flush(), f.Flush()); err != nil {
		f.Abort()
		return fmt.Errorf("%s: %w", p.path, err)
	}
	return f.Commit()
}
