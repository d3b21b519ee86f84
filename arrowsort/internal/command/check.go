package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func newCheck(s streams) *cobra.Command {
	c := &command{streams: s, commandFlags: commandFlags{keysOptional: true}}
	cmd := &cobra.Command{
		Use:   "check [-k COLUMN] INPUT...",
		Short: "Check whether files are sorted",
		Long: `Check whether a file is sorted by the keys, or several files one after the other: files, patterns in
quotes or folders. They may be larger than memory. The first row that sorts before the row above it
is printed, counted from 0.

The footer of a Parquet file can name the order of its rows, as those do that arrowsort writes. Without -k that order
is checked, which must be the same in all files. With -k it is checked too: a file that is not in the order that its
footer names is not sorted. With --curve hilbert or zorder, the rows have to follow that curve, which arrowsort sort
--curve puts into the footer together with the keys.

` + keysHelp + "\n\n" + csvHelp + "\n\n" + exitCheckHelp,
		Example: `  arrowsort check sorted.parquet
  arrowsort check -k delay:desc -k date 'sorted-*.parquet'
  arrowsort check --curve hilbert clustered.parquet`,
		Args: someInputs,
	}
	c.does(cmd, c.check)
	c.addCurve(cmd, "check that the rows follow the `CURVE` that the footer names: hilbert or zorder")
	addMemory(cmd, &c.options.Memory)
	c.add(cmd, "check the first `N` rows only; 0 for all")
	return cmd
}

// checking returns the options to read the files of a command that writes none.
func checking(o *parquetsort.Options) parquetsort.CheckOptions {
	return parquetsort.CheckOptions{Keys: o.Keys, KeysFor: o.KeysFor, Curve: o.Curve, Limit: o.Rows.Limit,
		Input: o.Input, Memory: o.Memory, Run: o.Run}
}

// footers returns the options to read the order in footers.
func (c *command) footers() parquetsort.FooterOptions {
	return parquetsort.FooterOptions{Input: c.options.Input, Memory: c.options.Memory, Run: c.options.Run}
}

func (c *command) check(ctx context.Context, _ []string) error {
	var got *parquetsort.CheckResult
	var footers []parquetsort.Footer
	err := c.run(func() (err error) {
		opts := checking(&c.options)
		if len(c.keys) == 0 { // the footer names those of the curve
			opts.KeysFor = nil
		}
		if got, err = parquetsort.Check(ctx, c.files, opts); err != nil {
			return err
		}
		if c.options.Curve != 0 {
			c.report.Keys = flagtext.KeyTexts(got.Keys)
			return nil
		}
		if v := got.Violation; c.piped || c.options.Rows.Limit > 0 || v != nil && v.Row == 0 {
			return nil // no footers, or a violation between two files
		}
		footers, err = parquetsort.CheckFooters(ctx, got, c.footers())
		return err
	})
	if err != nil {
		return err
	}
	r, violation := &c.report, got.Violation
	r.Rows, r.Columns, r.BytesIn, r.Curve = &got.Rows, int64(got.Columns), got.Bytes, c.options.Curve.String()
	remarks, wrong := r.reportFooters(footers)
	var lines []string
	switch {
	case violation != nil:
		lines = []string{"not sorted: " + violation.String()}
		if len(c.files) > 1 {
			lines[0] = "not sorted: " + violation.File + ": " + violation.String()
		}
		if violation.Reason != "" {
			lines = append(lines, violation.Reason)
		}
	case wrong != nil:
		violation = wrong
	case c.options.Curve != 0:
		lines = []string{fmt.Sprintf("sorted along the %v curve over %s", c.options.Curve, strings.Join(r.Keys, ", "))}
	case c.declared:
		lines = []string{"sorted by " + strings.Join(r.Keys, ", ") + ", as the footer says"}
	default:
		lines = []string{"sorted"}
	}
	if violation != nil {
		r.BadRow = &violation.Row
		if len(c.files) > 1 {
			r.BadFile = violation.File
		}
	}
	r.Sorted = new(violation == nil)
	if c.json || !c.quiet {
		if err := c.answer(append(lines, remarks...)); err != nil {
			return err
		}
	}
	if violation != nil {
		return errNotSorted
	}
	return nil
}

// A remark holds for a file and the files after it.
type remark struct {
	file, text string
	more       int64 // next files
}

// reportFooters reports the orders that footers declare. It returns remarks, and the first row that violates one of the
// orders.
func (r *report) reportFooters(footers []parquetsort.Footer) (lines []string, wrong *parquetsort.Violation) {
	var remarks []remark
	for _, f := range footers {
		r.Footers = append(r.Footers, footerReport{File: f.File, Keys: flagtext.KeyTexts(f.Keys), True: f.Holds})
		wrong = cmp.Or(wrong, f.Violation)
		text, last := footerText(&f), len(remarks)-1
		switch {
		case text == "":
		case last >= 0 && remarks[last].text == text:
			remarks[last].more++
		default:
			remarks = append(remarks, remark{file: f.File, text: text})
		}
	}
	for _, r := range remarks {
		if r.more > 0 {
			r.file += " and " + counted(r.more, "more file")
		}
		lines = append(lines, r.file+": "+r.text)
	}
	return lines, wrong
}

// footerText describes the order that a footer declares; empty if it is the order of the keys.
func footerText(f *parquetsort.Footer) string {
	order := flagtext.KeyList(f.Keys)
	if f.Mixed {
		order = "of each row group"
	}
	switch {
	case f.Holds == nil || f.Implied:
		return ""
	case f.Violation != nil:
		return fmt.Sprintf("the footer names the order %s, but %v", order, f.Violation)
	case f.ByGroup:
		return fmt.Sprintf("the footer names the order %s, which is true of each row group alone", order)
	}
	return "the footer names another order, which is true: " + order
}
