package parquetsort

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/curveorder"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
)

// checkCurve finds options that do not go with a curve, and a number of keys that it cannot have. KeysFor is called
// later.
func (o *Options) checkCurve() error {
	switch {
	case o.Curve == 0:
		return nil
	case o.Rows != Rows{}:
		return fmt.Errorf("%w: Curve together with Limit, Tail or Unique, which are about the order of the keys; "+
			"leave one of them out", errOption)
	case len(o.Output.PartitionBy) > 0:
		return fmt.Errorf("%w: Curve together with PartitionBy; leave one of them out, or sort the files of each "+
			"partition along a curve", errOption)
	case o.KeysFor != nil:
		return nil
	}
	return curveorder.CheckCount(o.Curve, len(o.Keys))
}

// noCurve returns an error of a function that does not use Options.Curve.
func (o *Options) noCurve(function string) error {
	if o.Curve == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s with Curve, which Sort, Explain and Check use; leave it out", errOption, function)
}

// sortAlong sorts the rows along a curve. There is no order to look for in the files before.
func (j *job) sortAlong(ctx context.Context) (*Result, error) {
	if j.files.CSV == nil && j.strategy(nil).InMemory {
		result, err := j.sortTable(ctx)
		if !j.rereads(err) {
			return result, err
		}
	}
	order, err := curveorder.Sample(ctx, j.files, j.rows, j.opts.Curve, j.opts.sorting(), j.opts.progress(PhaseSample))
	if err != nil {
		return nil, err
	}
	named, err := order.Metadata(ctx, j.rows)
	if err != nil {
		return nil, err
	}
	along := *j // for rows that have their places on the curve as a further column, by which they are sorted
	along.rows, along.target.Write.Curve = j.rows.SortedBy(curveorder.Column), named
	code := func(batch arrow.Table) (arrow.Table, error) {
		return order.Coded(ctx, batch, j.rows.Keys, j.opts.sorting())
	}
	return along.sortRuns(ctx, j.rows, code)
}

// rowsAlong returns the numbers of the rows of a table in their order along a curve, and that order. The caller
// releases the numbers.
func (j *job) rowsAlong(ctx context.Context, table arrow.Table, sorting arrowsort.Options) (*array.Uint64,
	*curveorder.Order, error) {
	order, err := curveorder.SampleTable(ctx, table, j.rows.Keys, j.opts.Curve, j.opts.sorting())
	if err != nil {
		return nil, nil, err
	}
	codes, err := order.Codes(ctx, table, j.rows.Keys, j.opts.sorting())
	if err != nil {
		return nil, nil, err
	}
	defer codes.Release()
	indices, err := arrowsort.SortIndices(ctx, codes, placeKey, sorting)
	return indices, order, err
}

var placeKey = []arrowsort.Key{arrowsort.KeyAt(0)} // of a table of places

// checkAlong is Check of the order along a curve.
func checkAlong(ctx context.Context, paths []string, options CheckOptions) (*CheckResult, error) {
	opts, read, err := options.options().resolveAll(ctx)
	if err != nil {
		return nil, err
	}
	files, err := listFiles(ctx, paths, &opts)
	if err != nil {
		return nil, err
	}
	d, err := dataset.Open(ctx, files, read, false)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	order, keys, err := declaredCurve(ctx, d, &opts)
	if err != nil {
		return nil, err
	}
	rows, err := d.FindKeys(ctx, func(*arrow.Schema) ([]arrowsort.Key, error) { return keys, nil })
	if err != nil {
		return nil, err
	}
	c := checker{limit: opts.Rows.Limit, keys: placeKey}
	coded := rows.OnlyKeys().Keys
	return c.scan(ctx, d, rows, &opts, func(keys arrow.Table) (arrow.Table, error) {
		return order.Codes(ctx, keys, coded, opts.sorting())
	})
}

// declaredCurve returns the curve that the metadata of all files name, and its keys, which are those that are asked for
// if there are some.
func declaredCurve(ctx context.Context, d *dataset.Dataset, opts *Options) (order *curveorder.Order,
	keys []arrowsort.Key, err error) {
	var first *tablefile.CurveOrder
	err = d.EachFile(ctx, func(i int, s *tablefile.Scanner) error {
		named, err := curveOf(s)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", d.Files[i], err)
		case named == nil:
			return fmt.Errorf("%w: %s names no curve; check its order by its keys", errOption, d.Files[i])
		case first != nil && !reflect.DeepEqual(first, named):
			return fmt.Errorf("%w: %s and %s are parts of different sorts along a curve; check each alone", errOption,
				d.Files[0], d.Files[i])
		}
		first = named
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	order, keys, err = curveorder.Declared(ctx, first, d.Schema)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.Files[0], err)
	}
	asked := keys
	if len(opts.Keys) > 0 || opts.KeysFor != nil {
		if asked, err = opts.keys()(d.Schema); err != nil {
			return nil, nil, err
		}
	}
	same := func(a, b arrowsort.Key) bool { return a == b || positionOf(d.Schema, a) == positionOf(d.Schema, b) }
	if order.Curve != opts.Curve || !slices.EqualFunc(asked, keys, same) {
		return nil, nil, fmt.Errorf("%w: %s names the curve %v over %s; check it by these", errOption, d.Files[0],
			order.Curve, flagtext.KeyList(keys))
	}
	return order, keys, nil
}

// positionOf returns a key by the position of its column, unless it is inside of one or not found.
func positionOf(schema *arrow.Schema, key arrowsort.Key) arrowsort.Key {
	if at := schema.FieldIndices(key.Path); key.Path != "" && len(at) == 1 {
		key.Path, key.At = "", arrowsort.Column(at[0])
	}
	return key
}

// curveOf returns the curve that the metadata of a file name; nil for none.
func curveOf(s *tablefile.Scanner) (*tablefile.CurveOrder, error) {
	if s.Template == nil {
		return nil, nil
	}
	return s.Template.Curve()
}
