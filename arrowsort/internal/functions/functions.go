// Package functions has what the compute functions for both versions of Arrow share: their table, how they are
// registered and called, quantiles of ranks, and search_sorted.
package functions

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/arrowsort/arrowsort/internal/workers"
)

// A Description is the documentation of a function in a registry.
type Description struct {
	Arguments     []string
	Summary, Text string
}

// Describe returns the description of a function by the name that Arrow C++ has for it. Names of other functions in it
// follow a prefix.
func Describe(name, prefix string) Description {
	d, found := descriptions[name]
	if !found {
		panic("functions: no description of " + name)
	}
	if d.Arguments == nil {
		d.Arguments = []string{"input"}
	}
	d.Text = strings.ReplaceAll(d.Text, "{}", prefix)
	return d
}

// descriptions has the Description of each function by its name, with {} for the prefix of names. Arrow limits their
// lines to 78 characters.
var descriptions = map[string]Description{
	"array_sort_indices": {
		Summary: "Return the indices that would sort an array",
		Text: `The result is a stable sort of an array or chunked array: uint64 row numbers
over the whole input. Values come first, then NaNs, then nulls; or nulls,
NaNs, values, by the options.`,
	},
	"sort_indices": {
		Summary: "Return the indices that would sort an array, record batch or table",
		Text: `The result is a stable sort of the input: uint64 row numbers over the whole
input. Values come first, then NaNs, then nulls; or nulls, NaNs, values, by
the options. A record batch or table needs one or more sort keys.`,
	},
	"sort": {
		Summary: "Sort an array, record batch or table",
		Text: `The result is the input with its rows in the order of {}sort_indices,
as a datum of the input's own kind.`,
	},
	"is_sorted": {
		Summary: "Report whether an array, record batch or table is sorted",
		Text: `The result is a boolean scalar: true when {}sort_indices would leave
every row where it is.`,
	},
	"select_k_unstable": {
		Summary: "Select the indices of the first k elements in sorted order",
		Text: `The result are the first k row numbers of {}sort_indices, or all of
them when there are fewer rows. Ties keep their order in this implementation,
which the name does not promise.`,
	},
	"rank": {
		Summary: "Compute the ranks of an array, record batch or table",
		Text: `The result is a uint64 rank, counted from 1, for each row of the input in the
order of {}sort_indices. Nulls tie with nulls and NaNs with NaNs; the
options say which ranks ties get. A record batch or table needs one or more
sort keys.`,
	},
	"rank_quantile": {
		Summary: "Compute the quantile ranks of an array, record batch or table",
		Text: `The result is a double between 0 and 1 for each row of the input: the number
of rows that sort before it, and half of those that tie with it, itself
included, divided by the number of all rows. Nulls tie with nulls and NaNs
with NaNs.`,
	},
	"rank_normal": {
		Summary: "Compute the normal (gaussian) ranks of an array, record batch or table",
		Text: `The result is a double for each row of the input: the value that a normal
variable of mean 0 and variance 1 is below with the probability that is the
quantile rank of the row; see {}rank_quantile.`,
	},
	"partition_nth_indices": {
		Summary: "Return the indices that partition data around a pivot",
		Text: `The result are uint64 row numbers over the whole input: up to the pivot,
counted from 0, those of {}sort_indices, then all others in any order.
The name does not promise the order of the first.`,
	},
	"hilbert_index": {
		Summary: "Return the place of each row on a Hilbert curve over several columns",
		Text: `The result is a uint64 number for each row of a record batch or table. Rows
sorted by it are near each other in each of the 2 to 8 sort keys, none of
which leads. Keys are compared by their ranks in a sample of the rows, so
that the numbers of other inputs do not compare with them.`,
	},
	"zorder_index": {
		Summary: "Return the place of each row on a Z-order curve over several columns",
		Text: `The result is that of {}hilbert_index for the curve that compares the
bits of all sort keys in turn.`,
	},
	"search_sorted": {
		Arguments: []string{"values", "needles"},
		Summary:   "Find insertion indices for sorted input",
		Text: `The result is, for each needle, the uint64 place in the values, which are in
ascending order, before which it keeps them so: the first place or, by the
options, the last. Nulls of the values are at their start or end; needles are
compared with the other values. A needle that is null is null in the result.
Values that are not in order are an error.`,
	},
}

// Register adds all functions to a registry of either version of Arrow, or none, unless another goroutine registers the
// same names meanwhile. It returns the names that the registry has already, joined by commas; empty without any.
func Register[F interface{ Name() string }](functions []F, can, add func(fn F, allowOverwrite bool) bool) string {
	for _, try := range []func(F, bool) bool{can, add} {
		var clashes []string
		for _, fn := range functions {
			if !try(fn, false) {
				clashes = append(clashes, fn.Name())
			}
		}
		if clashes != nil {
			return strings.Join(clashes, ", ")
		}
	}
	return ""
}

// Call runs a function with the options of a call, which are nil, a T or a *T. Its errors begin with the name; those
// that are the caller's fault wrap invalid, which is ErrInvalid of a version of Arrow.
func Call[T, D any](
	ctx context.Context, name string, opts any, required bool, invalid error, run func(options T) (D, error),
) (D, error) {
	out, err := called(ctx, opts, required, invalid, run)
	if err != nil {
		var none D
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func called[T, D any](
	ctx context.Context, opts any, required bool, invalid error, run func(options T) (D, error),
) (none D, err error) {
	options, given, err := optionsOf[T](opts, invalid)
	switch {
	case err != nil:
		return none, err
	case ctx == nil:
		return none, fmt.Errorf("%w: the context is nil; give context.Background()", invalid)
	case required && !given: // a typed nil; the function of Arrow rejects an untyped one
		return none, fmt.Errorf("%w: cannot be called without options", invalid)
	case ctx.Err() != nil:
		return none, ctx.Err()
	}
	return run(options)
}

// optionsOf takes options of a call as a value or a pointer. Nil and a nil pointer are no options: given is false and
// the options are the zero value. Other types of options are an error.
func optionsOf[T any](opts any, invalid error) (options T, given bool, err error) {
	switch o := opts.(type) {
	case nil:
		return options, false, nil
	case T:
		return o, true, nil
	case *T:
		if o == nil {
			return options, false, nil
		}
		return *o, true, nil
	}
	return options, false, fmt.Errorf("%w: takes options of type %T, not %T", invalid, options, opts)
}

// SelectLimit returns the limit of a sort for select_k_unstable by a number of keys. It is one row at least: a limit of
// 0 is no limit, and so the sort finds fault with the keys for every k.
func SelectLimit(k int64, keys int, invalid error) (int, error) {
	if k < 0 {
		return 0, fmt.Errorf("%w: requires a nonnegative k, got %d", invalid, k)
	}
	if keys == 0 {
		return 0, fmt.Errorf("%w: requires one or more sort keys", invalid)
	}
	return int(min(max(k, 1), math.MaxInt)), nil
}

// Quantiles overwrites average ranks by f of their quantiles: of the share of rows below a row, and half of those that
// tie with it, itself included.
func Quantiles(ctx context.Context, ranks []float64, threads int, f func(q float64) float64) error {
	const step = 1 << 16
	n := float64(len(ranks))
	return workers.Each(ctx, (len(ranks)+step-1)/step, threads, func(i int) error {
		part := ranks[i*step : min((i+1)*step, len(ranks))]
		for k, rank := range part {
			part[k] = f((rank - 0.5) / n)
		}
		return nil
	})
}

// Quantile returns the quantile itself, for Quantiles.
func Quantile(q float64) float64 { return q }

// NormalQuantile returns the value that a normal variable of mean 0 and variance 1 is below with probability p, between
// 0 and 1: the inverse of the error function and, since it loses digits towards 0, Newton steps.
func NormalQuantile(p float64) float64 {
	if p > 0.5 {
		return -NormalQuantile(1 - p)
	}
	x := math.Sqrt2 * math.Erfinv(2*p-1)
	steps := 1
	if p < 1e-8 {
		steps = 2
	}
	for range steps {
		below := math.Erfc(-x/math.Sqrt2) / 2
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		x -= (below - p) / density
	}
	return x
}
