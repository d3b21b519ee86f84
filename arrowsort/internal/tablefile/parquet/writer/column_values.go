package writer

import (
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// flatValues are the rows of a flat column in a row group: their values, or text that is in a dictionary, with indices
// into one where their pages hold those.
type flatValues struct {
	rows     int
	validity []byte // nil: all valid
	offset   int    // of the first row in the bitmap
	nulls    int

	plain   plainValues // nil: text that is in a dictionary
	indices []int32     // into a dictionary, if there is one; anything for a null
	entries []byte      // of the dictionary, plain
	count   int         // how many those are
}

// plainValues are values that can be written without a dictionary: numbers or texts.
type plainValues interface {
	// bytes are those that rows take at most.
	bytes(row, rows int) int
	// appendTo appends the rows that are not null.
	appendTo(out []byte, v *flatValues, row, rows int) []byte
}

// encodeBuffers are reused for the values of all column chunks.
type encodeBuffers struct {
	stretch   distinctSample
	integers  integerTable
	textTable textTable
	wide      []int32 // integers of less than 32 bits
	indices   []int32
	used      []int32
	entries   []byte
}

// dictionaryValues returns the rows of a column of text with its dictionary; nil for all others.
func (e *Encoder) dictionaryValues(field arrow.Field, a arrow.Array, s *encodeBuffers) *flatValues {
	if ext, ok := a.(array.ExtensionArray); ok {
		a = ext.Storage()
	}
	d, ok := a.(*array.Dictionary)
	if !ok || !e.props.DictionaryEnabledFor(field.Name) || !field.Nullable && d.NullN() > 0 {
		return nil
	}
	if v := rowsOf(a); v.setEntries(d, s) {
		return v
	}
	return nil
}

// newValues returns the rows of an array of numbers or text.
func newValues(a arrow.Array, useDictionary bool, s *encodeBuffers) *flatValues {
	v := rowsOf(a)
	if _, text := a.DataType().(arrow.BinaryDataType); text {
		v.setText(a, useDictionary, s)
	} else {
		v.setNumbers(a, useDictionary, s)
	}
	return v
}

// rowsOf returns the rows of an array without the values.
func rowsOf(a arrow.Array) *flatValues {
	v := &flatValues{rows: a.Len(), offset: a.Data().Offset(), nulls: a.NullN()}
	if v.nulls > 0 {
		v.validity = a.NullBitmapBytes()
	}
	return v
}

func (v *flatValues) valid(row int) bool {
	return v.validity == nil || bitutil.BitIsSet(v.validity, v.offset+row)
}

// width returns the bits of an index.
func (v *flatValues) width() int { return max(1, bits.Len(uint(max(1, v.count)-1))) }

// setEntries takes strings or bytes that have a dictionary, with only those entries that rows refer to: so a row group
// holds no entries of others, and its statistics are its own. It is false for other dictionaries, and for those with
// nulls as entries, with too many entries, or with an entry twice: Arrow C++ drops the second, but not its index.
func (v *flatValues) setEntries(d *array.Dictionary, s *encodeBuffers) bool {
	if id := d.Dictionary().DataType().ID(); id != arrow.STRING && id != arrow.BINARY || d.Dictionary().NullN() > 0 {
		return false
	}
	v.indices = rawIndices(d, s)
	s.used = slices.Grow(s.used[:0], d.Dictionary().Len())[:d.Dictionary().Len()]
	clear(s.used)
	v.count = v.markUsed(s.used)
	if v.count > dictionary.MaxEntries {
		return false
	}
	if v.count < len(s.used) {
		v.renumber(s)
	}
	s.entries = s.entries[:0]
	entry := dictionary.EntryBytes(d.Dictionary())
	distinct := make(map[string]struct{}, v.count)
	for i, used := range s.used {
		if used == 0 {
			continue
		}
		text := entry(i)
		distinct[string(text)] = struct{}{}
		s.entries = appendText(s.entries, text)
	}
	v.entries = s.entries
	return len(distinct) == v.count
}

// rawIndices returns the indices of a dictionary array as integers of 32 bits.
func rawIndices(d *array.Dictionary, s *encodeBuffers) []int32 {
	if indices, ok := d.Indices().(*array.Int32); ok {
		return indices.Int32Values()
	}
	s.indices = slices.Grow(s.indices[:0], d.Len())[:d.Len()]
	for i := range s.indices {
		s.indices[i] = int32(d.GetValueIndex(i))
	}
	return s.indices
}

// markUsed sets the entries that rows refer to to 1 and counts them.
func (v *flatValues) markUsed(used []int32) (count int) {
	for i, k := range v.indices {
		if count == len(used) { // a small dictionary is seen whole in the first rows
			break
		}
		if v.valid(i) && used[k] == 0 {
			used[k] = 1
			count++
		}
	}
	return count
}

// renumber numbers the used entries consecutively.
func (v *flatValues) renumber(s *encodeBuffers) {
	next := int32(0)
	for i, used := range s.used {
		if next += used; used != 0 {
			s.used[i] = next
		}
	}
	s.indices = slices.Grow(s.indices[:0], v.rows)[:v.rows] // may be v.indices itself
	for i, k := range v.indices {
		if v.valid(i) {
			s.indices[i] = s.used[k] - 1
		}
	}
	v.indices = s.indices
}
