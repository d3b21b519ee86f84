package writer

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// pqarrow writes numbers and text of nested columns, and decimals that are stored as numbers, plain. Their values are
// encoded here as those of flat columns are: one after the other without nulls, as rows of their own.

// encodesLeaf reports whether values of a type in a column that pqarrow writes are encoded here.
func encodesLeaf(typ parquet.Type) bool {
	switch typ {
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.Float, parquet.Types.Double, parquet.Types.ByteArray:
		return true
	}
	return false
}

// leafChoice returns how the encoding of the values of such a leaf column is chosen. Decimals that are bytes of any
// length have no order, so that sorted ones share no prefixes.
func (p *properties) leafChoice(column *schema.Column, leaf int) encodingChoice {
	var trials []int
	switch typ := column.PhysicalType(); {
	case typ == parquet.Types.Int32 || typ == parquet.Types.Int64:
		trials = numberTrials
	case typ == parquet.Types.ByteArray && !isDecimal(column):
		trials = textTrials
	}
	return p.choice(column.Path(), leaf, trials)
}

// A leafPage is a page of a leaf column before its values are encoded.
type leafPage struct {
	levels          int // bytes, in leafValues.levels
	row             int // the first one
	values, present int // with nulls, and without
	statistics      page.Statistics
}

// leafValues are the values of the pages of a leaf column. Their memory is used again.
type leafValues struct {
	pages   []leafPage
	levels  []byte
	plain   []byte  // numbers, or texts without lengths
	offsets []int64 // of the texts, and the end of the last
}

// add adds values in plain encoding, and returns their number.
func (l *leafValues) add(values []byte, typ parquet.Type) (n int) {
	if typ != parquet.Types.ByteArray {
		l.plain = append(l.plain, values...)
		return len(values) / typ.ByteSize()
	}
	for ; len(values) > 0; n++ {
		end := 4 + int(binary.LittleEndian.Uint32(values))
		l.plain = append(l.plain, values[4:end]...)
		l.offsets = append(l.offsets, int64(len(l.plain)))
		values = values[end:]
	}
	return n
}

// rows returns the values as rows of a flat column.
func (l *leafValues) rows(typ parquet.Type) *flatValues {
	v := &flatValues{}
	switch typ {
	case parquet.Types.ByteArray:
		v.rows, v.plain = len(l.offsets)-1, textValues[int64]{l.offsets, l.plain}
	case parquet.Types.Int32, parquet.Types.Float:
		numbers := arrow.GetData[int32](l.plain)
		v.rows, v.plain = len(numbers), numberValues[int32](numbers)
	default:
		numbers := arrow.GetData[int64](l.plain)
		v.rows, v.plain = len(numbers), numberValues[int64](numbers)
	}
	return v
}

// encodeChunk writes the pages of a leaf column that pqarrow wrote plain in the encoding that is chosen for them, and
// adds the values to hashes that are not nil. It returns the encoding, and the offsets of the first data page and of
// the dictionary, 0 where there is none.
func (w *flatEncoder) encodeChunk(chunk page.Chunk, file []byte, s *page.Buffers, form *decimalForm,
	hashes *page.BloomHashes, choice encodingChoice) (encoding int, data, dictionary int64, err error) {
	r, err := s.Open(bytes.NewReader(file), chunk, 0)
	if err != nil {
		return 0, 0, 0, err
	}
	x := &w.Index[len(w.Index)-1]
	typ, leaf := x.Column.PhysicalType(), &w.leaf
	leaf.pages, leaf.levels, leaf.offsets = leaf.pages[:0], leaf.levels[:0], append(leaf.offsets[:0], 0)
	leaf.plain = slices.Grow(leaf.plain[:0], int(chunk.Size)) // aligned
	_, err = r.EachPage(func(p *page.Page, row int, s page.Statistics) error {
		values, err := p.ValuesOf(chunk.Column)
		if err != nil {
			return err
		}
		levels := p.Body[:len(p.Body)-len(values)]
		leaf.levels = append(leaf.levels, levels...)
		if form != nil {
			w.values = form.appendTo(w.values[:0], values)
			values = w.values
		}
		if hashes != nil {
			hashes.Add(values)
		}
		leaf.pages = append(leaf.pages, leafPage{levels: len(levels), row: row, values: p.Values,
			present: leaf.add(values, typ), statistics: form.statistics(s)})
		return nil
	})
	if err != nil {
		return 0, 0, 0, err
	}
	v := leaf.rows(typ)
	encoding = w.chooseEncoding(v, choice, typ)
	if v.indices != nil {
		dictionary = w.Offset()
		w.AddDictionary(v.entries, v.count, page.Plain)
		if !page.HoldsFloats(x.Column) { // whose values of other bits may be equal
			x.Distinct = int64(v.count)
		}
	}
	data = w.Offset()
	levels, row := leaf.levels, 0
	for _, p := range leaf.pages {
		w.body = append(w.body[:0], levels[:p.levels]...)
		w.body = w.appendValues(w.body, v, row, p.present, encoding, typ)
		w.AddData(w.body, p.row, p.values, encoding, p.statistics)
		levels, row = levels[p.levels:], row+p.present
	}
	return encoding, data, dictionary, nil
}
