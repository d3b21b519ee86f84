package parquetsort

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/curveorder"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/zonemap"
)

const (
	mostAdvised  = 6    // columns: 156 orders of up to three of them
	mostKeys     = 3    // of an order
	adviceWithin = 0.05 // the share of the values that an interval of a filter takes
)

// A LayoutAdvice is what an order of the rows would bring, by a sample: it is an estimate.
type LayoutAdvice struct {
	Keys  []string     `json:"keys"`            // as they are typed; none: the rows as they are
	Curve string       `json:"curve,omitempty"` // the space-filling curve over the keys; empty: their order
	Bytes int64        `json:"bytes"`           // of all rows in one file
	Read  int64        `json:"read"`            // bytes that a filter reads on average, of all kinds and columns
	By    []AdviceRead `json:"by"`              // one for each column
}

// An AdviceRead is the bytes, of all columns, that filters on one column read on average: those that are equal to the
// value of a row, and those that take an interval with a twentieth of the values.
type AdviceRead struct {
	Column        string `json:"column"`
	Equal         int64  `json:"equal_bytes"` // by the bounds of row groups
	Within        int64  `json:"within_bytes"`
	EqualByPages  int64  `json:"equal_bytes_by_pages"` // by the page index as well
	WithinByPages int64  `json:"within_bytes_by_pages"`
}

// adviseKeys checks the columns of LayoutOptions.Advise against a schema, and returns them as keys.
func adviseKeys(ctx context.Context, schema *arrow.Schema, names []string) (keys []arrowsort.Key, err error) {
	if len(names) > mostAdvised {
		return nil, fmt.Errorf("%w: Advise: there are %d columns, of which there may be %d: their orders are many",
			errOption, len(names), mostAdvised)
	}
	for i, name := range names {
		switch at := schema.FieldIndices(name); {
		case len(at) == 0:
			return nil, fmt.Errorf("%w: Advise: there is no column %q%s", errOption, name,
				nearest.Hint(arraydata.ColumnNames(schema), name))
		case len(at) > 1:
			return nil, fmt.Errorf("%w: Advise: %d columns are named %q: rename them first", errOption,
				len(at), name)
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("%w: Advise: column %q is named twice", errOption, name)
		}
		key := arrowsort.Key{Path: name}
		err := extsort.CheckKeys(ctx, schema, []arrowsort.Key{key})
		if err == nil {
			err = curveorder.CheckKey(schema, key)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			return nil, fmt.Errorf("%w: Advise: %s: leave the column out", errOption,
				strings.TrimPrefix(err.Error(), "arrowsort: "))
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// advise estimates what the orders of up to three of some columns, and curves over all, would bring, the best first.
func (l *layouter) advise(ctx context.Context, d *dataset.Dataset, m *zonemap.Map, names []string) (
	[]LayoutAdvice, error) {
	keys, err := adviseKeys(ctx, d.Schema, names)
	if err != nil {
		return nil, err
	}
	s, err := readSample(ctx, d, l.sampled, l.groupRows(), &l.opts)
	if err != nil {
		return nil, err
	}
	defer s.table.Release()
	a := &adviser{sample: s, names: names}
	for i, key := range keys {
		ranks, err := s.ranks(ctx, key, s.table.Schema().FieldIndices(names[i])[0])
		if err != nil {
			return nil, err
		}
		a.ranks = append(a.ranks, ranks)
	}
	asIs := make([]uint64, s.table.NumRows())
	for i := range asIs {
		asIs[i] = uint64(i)
	}
	groups, pages := a.zonesOf(m)
	if err := a.add(ctx, LayoutAdvice{Keys: []string{}}, asIs, groups, pages); err != nil {
		return nil, err
	}
	orders := ordersOf(keys)
	for i, order := range orders {
		l.opts.Run.Progress(PhaseSort, int64(i), int64(len(orders)))
		if err := a.addSorted(ctx, LayoutAdvice{Keys: flagtext.KeyTexts(order)}, s.table, order); err != nil {
			return nil, err
		}
	}
	for _, curve := range []arrowsort.Curve{arrowsort.Hilbert, arrowsort.ZOrder} {
		if len(keys) > 1 {
			if err := a.addCurve(ctx, curve, keys); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(a.advice, func(a, b LayoutAdvice) int {
		return cmp.Or(cmp.Compare(a.Read, b.Read), cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(len(a.Keys), len(b.Keys)))
	})
	return a.advice, nil
}

// ordersOf returns the orders of one to three of some keys.
func ordersOf(keys []arrowsort.Key) (orders [][]arrowsort.Key) {
	longer := [][]arrowsort.Key{nil}
	for range min(mostKeys, len(keys)) {
		var next [][]arrowsort.Key
		for _, order := range longer {
			for _, key := range keys {
				if !slices.ContainsFunc(order, func(k arrowsort.Key) bool { return k.Path == key.Path }) {
					next = append(next, append(slices.Clip(order), key))
				}
			}
		}
		orders, longer = append(orders, next...), next
	}
	return orders
}

// An adviser estimates what orders of a sample would bring.
type adviser struct {
	sample *sample
	names  []string
	ranks  []*zonemap.Ranks // of the columns with the names
	advice []LayoutAdvice
}

// addSorted adds the order of the rows of a table by some keys.
func (a *adviser) addSorted(ctx context.Context, advice LayoutAdvice, table arrowsort.Data,
	keys []arrowsort.Key) error {
	indices, err := arrowsort.SortIndices(ctx, table, keys, a.sample.opts.sorting())
	if err != nil {
		return err
	}
	defer indices.Release()
	n, all, groupRows := indices.Len(), a.sample.all, int64(a.sample.write.RowGroupRows)
	pages := zonemap.ZoningOf(n, all, pagesOf(all, groupRows))
	return a.add(ctx, advice, indices.Uint64Values(), zonemap.NewZoning(n, all, groupRows),
		slices.Repeat([]zonemap.Zoning{pages}, len(a.names)))
}

// pagesOf returns the rows of the pages of a file of some rows. The last page of a row group ends with it.
func pagesOf(rows, groupRows int64) (pages []int64) {
	for ; rows > 0; rows -= groupRows {
		for group := min(rows, groupRows); group > 0; group -= tablefile.DefaultPageRows {
			pages = append(pages, min(group, tablefile.DefaultPageRows))
		}
	}
	return pages
}

// zonesOf divides the rows as they are by the row groups of the files, and by the pages of each column, where a row
// group without a page index is one.
func (a *adviser) zonesOf(m *zonemap.Map) (groups zonemap.Zoning, pages []zonemap.Zoning) {
	n, all := int(a.sample.table.NumRows()), a.sample.all
	var ofGroups []int64
	for _, group := range m.Groups {
		ofGroups = append(ofGroups, group.Rows)
	}
	for _, name := range a.names {
		var ofPages []int64
		at := slices.IndexFunc(m.Columns, func(c *zonemap.Column) bool { return c.Path == name })
		for i, rows := range ofGroups {
			if at < 0 || len(m.Columns[at].Pages[i]) == 0 {
				ofPages = append(ofPages, rows)
				continue
			}
			for _, page := range m.Columns[at].Pages[i] {
				ofPages = append(ofPages, page.Rows)
			}
		}
		pages = append(pages, zonemap.ZoningOf(n, all, ofPages))
	}
	return zonemap.ZoningOf(n, all, ofGroups), pages
}

// addCurve adds the order along a curve over some keys.
func (a *adviser) addCurve(ctx context.Context, curve arrowsort.Curve, keys []arrowsort.Key) error {
	codes, err := arrowsort.CurveIndex(ctx, a.sample.table, keys, curve, a.sample.opts.sorting())
	if err != nil {
		return err
	}
	defer codes.Release()
	advice := LayoutAdvice{Keys: flagtext.KeyTexts(keys), Curve: curve.String()}
	return a.addSorted(ctx, advice, codes, []arrowsort.Key{arrowsort.KeyAt(0)})
}

// add adds an order of the rows of the sample, which are divided into row groups, and pages of each of the columns.
func (a *adviser) add(ctx context.Context, advice LayoutAdvice, order []uint64, groups zonemap.Zoning,
	pages []zonemap.Zoning) error {
	size, err := a.sample.estimate(ctx, order)
	if err != nil {
		return err
	}
	advice.Bytes = size
	sum := 0.0
	for i, name := range a.names {
		equal, within := groups.Shares(order, a.ranks[i], adviceWithin)
		equalPages, withinPages := pages[i].Shares(order, a.ranks[i], adviceWithin)
		bytes := func(share float64) int64 { return int64(share * float64(size)) }
		advice.By = append(advice.By, AdviceRead{Column: name, Equal: bytes(equal), Within: bytes(within),
			EqualByPages: bytes(equalPages), WithinByPages: bytes(withinPages)})
		sum += equal + within + equalPages + withinPages
	}
	advice.Read = int64(sum * float64(size) / float64(4*max(len(a.names), 1)))
	a.advice = append(a.advice, advice)
	return nil
}
