package writer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// A BloomFilter asks for Bloom filters of a column in all row groups.
type BloomFilter struct {
	// Column is the name of a column, #N by its position from 1, or the path of a field of a nested column, such as
	// place.city or tags.list.element.
	Column string
	// FalsePositives is the probability that a reader does not skip a row group that lacks a value; 0 is 0.01.
	FalsePositives float64
}

// The probabilities of false positives: the one where none is asked for, and the limits. With the least one a filter
// takes 5 to 10 bytes for each different value, with the usual one 1.2 to 2.4.
const (
	usualFalsePositives = 0.01
	leastFalsePositives = 1e-6
	mostFalsePositives  = 0.5
)

// ParseBloomFilter reads COLUMN or COLUMN:FPP. What follows the last colon is the probability if it is a number.
func ParseBloomFilter(text string) (f BloomFilter, err error) {
	f.Column = text
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		if p, err := strconv.ParseFloat(text[at+1:], 64); err == nil || errors.Is(err, strconv.ErrRange) {
			f.Column, f.FalsePositives = text[:at], p
			if p == 0 {
				return f, errFalsePositives
			}
		}
	}
	if f.Column == "" {
		return f, errors.New("give COLUMN or COLUMN:FPP, such as user:0.01")
	}
	return f, f.check()
}

var errFalsePositives = fmt.Errorf("give a probability of false positives from %f to %g", leastFalsePositives,
	mostFalsePositives)

// check finds a probability that makes no sense.
func (f *BloomFilter) check() error {
	if p := f.FalsePositives; p != 0 && !(p >= leastFalsePositives && p <= mostFalsePositives) || math.IsNaN(p) {
		return errFalsePositives
	}
	return nil
}

// bloomFilters returns the probability of false positives of each leaf column; 0: it has no filter. first are the
// numbers of the first leaf columns of all columns.
func (o *Options) bloomFilters(sc *schema.Schema, first []int) ([]float64, error) {
	wanted := make([]float64, sc.NumColumns())
	for _, f := range o.BloomFilters {
		leaf, err := f.leaf(sc, first)
		switch {
		case err != nil:
		case f.check() != nil:
			err = f.check()
		case sc.Column(leaf).PhysicalType() == parquet.Types.Boolean:
			err = errors.New("booleans have no Bloom filters in Parquet: leave the column out")
		case wanted[leaf] > 0:
			err = errors.New("it is asked for twice: leave one out")
		}
		if err != nil {
			return nil, errkind.Reword(errkind.ErrOption,
				fmt.Sprintf("BloomFilters of column %q: %v", f.Column, err))
		}
		wanted[leaf] = cmp.Or(f.FalsePositives, usualFalsePositives)
	}
	return wanted, nil
}

// leaf returns the number of the leaf column.
func (f *BloomFilter) leaf(sc *schema.Schema, first []int) (int, error) {
	var found []int
	for i := range sc.NumColumns() {
		if f.Column == sc.Column(i).Path() || f.Column == sc.ColumnRoot(i).Name() {
			found = append(found, i)
		}
	}
	if digits, ok := strings.CutPrefix(f.Column, "#"); ok && len(found) == 0 {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= len(first) {
			for i := range sc.NumColumns() {
				if sc.ColumnRoot(i) == sc.ColumnRoot(first[n-1]) {
					found = append(found, i)
				}
			}
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("there is no such column in the output%s", nearest.Hint(bloomNames(sc), f.Column))
	case 1:
		return found[0], nil
	}
	var paths []string
	for _, i := range found {
		paths = append(paths, sc.Column(i).Path())
	}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) == 1 {
		return 0, errors.New("several columns have the name: give one as #N, by its position from 1")
	}
	return 0, fmt.Errorf("it has several fields: give one of %s", strings.Join(paths, ", "))
}

// bloomNames returns the names that Bloom filters may be asked for by: those of columns, and the paths of fields.
func bloomNames(sc *schema.Schema) (names []string) {
	for i := range sc.NumColumns() {
		root, path := sc.ColumnRoot(i), sc.Column(i).Path()
		if i == 0 || root != sc.ColumnRoot(i-1) {
			names = append(names, root.Name())
		}
		if path != root.Name() {
			names = append(names, path)
		}
	}
	return names
}

// newBloomFilter returns a Bloom filter with its header, for a probability of false positives. It is as large as the
// number of different hashes asks for, rounded up to a power of 2.
func newBloomFilter(of *page.BloomHashes, falsePositives float64) []byte {
	hashes := of.Distinct()
	filter := metadata.NewBloomFilterFromNDVAndFPP(uint32(min(len(hashes), math.MaxUint32)), falsePositives,
		page.MostBloomBytes, memory.DefaultAllocator)
	defer filter.Release()
	filter.InsertBulk(hashes)
	out := bytes.NewBuffer(make([]byte, 0, page.BloomHeader+filter.Size()))
	out.Write(page.AppendBloomHeader(nil, int(filter.Size())))
	_, _ = filter.WriteTo(out, nil) // a buffer takes all
	return out.Bytes()
}

// bloomRows is the number of rows whose values are in plain encoding at a time.
const bloomRows = 1 << 12

// bloomFilter returns the Bloom filter of a column chunk.
func (v *flatValues) bloomFilter(column *schema.Column, falsePositives float64) []byte {
	b := page.NewBloomHashes(column)
	if v.indices != nil {
		b.Add(v.entries)
		return newBloomFilter(b, falsePositives)
	}
	var plain []byte
	for row := 0; row < v.rows; row += bloomRows {
		plain = v.plain.appendTo(plain[:0], v, row, min(bloomRows, v.rows-row))
		b.Add(plain)
	}
	return newBloomFilter(b, falsePositives)
}
