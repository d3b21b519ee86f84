package command

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/keyencode"
)

// addCurve adds the flag of the commands that are about the order of rows.
func (f *commandFlags) addCurve(cmd *cobra.Command, help string) {
	cmd.Flags().Func("curve", help, into(&f.options.Curve, parseCurve))
}

// parseCurve reads the name of a space-filling curve.
func parseCurve(text string) (arrowsort.Curve, error) {
	name, err := oneOf(arrowsort.Hilbert.String(), arrowsort.ZOrder.String())(text)
	if name == arrowsort.ZOrder.String() {
		return arrowsort.ZOrder, err
	}
	return arrowsort.Hilbert, err
}

// checkCurve checks the keys of a curve, which check may find in footers, and that no flag asks for the first or last
// rows of their order.
func (f *commandFlags) checkCurve() error {
	curve, rows := f.options.Curve, f.options.Rows
	if curve == 0 || f.keysOptional && len(f.keys) == 0 {
		return nil
	}
	flag := ""
	switch {
	case rows.Limit > 0 && !f.keysOptional: // that of check is about the rows of the file
		flag = "--limit"
	case rows.Tail > 0:
		flag = "--tail"
	case rows.Unique:
		flag = "--unique"
	}
	switch n := len(f.keys); {
	case len(f.options.Output.PartitionBy) > 0:
		return usagef("--partition-by goes without --curve %v: leave one of them out, or sort the files of each "+
			"partition along a curve", curve)
	case flag != "":
		return usagef("%s is about the order of the keys, and --curve %v gives another: leave one of them out", flag,
			curve)
	case n < keyencode.MinCurveKeys:
		return usagef("--curve %v needs %d keys at least, and -k %s is the only one: give another -k COLUMN, or leave "+
			"out --curve", curve, keyencode.MinCurveKeys, f.keys[0].text)
	case n > keyencode.MaxCurveKeys:
		return usagef("--curve %v has %d keys at most, and these are %d: leave out -k %s", curve,
			keyencode.MaxCurveKeys, n, f.keys[n-1].text)
	}
	for i, k := range f.keys {
		same := func(before keyFlag) bool { return before.key.Path == k.key.Path && before.key.At == k.key.At }
		if slices.ContainsFunc(f.keys[:i], same) {
			return usagef("--curve %v: -k %s has the column of another key: leave one out", curve, k.text)
		}
	}
	return nil
}
