package rows

import (
	"fmt"
	"sort"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A source is the rows of a leaf.
type source struct {
	*leaf
	chunks []chunk
	starts []int // the first row of each chunk, and the number of rows
}

// A chunk is a chunk of a source.
type chunk struct {
	*leaf
	keyencode.Chunk
	values  keyencode.Column // the chunk without its validity
	escapes atomic.Bool      // strings with bytes to escape were measured
	entries *Rows            // of a dictionary, encoded, from entry first on; nil for values
	first   int
}

// source makes a source of values. The entries of dictionaries are encoded here: rows have copies of them.
func (e *encoder) source(l *leaf, values adapter.Values) (source, error) {
	s := source{leaf: l, chunks: make([]chunk, len(values.Chunks)), starts: make([]int, len(values.Chunks)+1)}
	for i, c := range values.Chunks {
		bare := c
		bare.Validity = nil
		k := &s.chunks[i]
		k.leaf, k.Chunk = l, c
		k.values = keyencode.Column{Kind: values.Kind, Width: values.Width, Chunks: []keyencode.Chunk{bare}}
		s.starts[i+1] = s.starts[i] + c.Rows
	}
	return s, e.addEntries(&s, values)
}

// each calls f for the runs of n rows from row lo on that lie in one chunk: n of them from row at of the chunk on,
// which are from rows after row lo.
func (s *source) each(lo, n int, f func(k *chunk, at, from, n int)) {
	if n == 0 {
		return
	}
	for from, i := 0, sort.SearchInts(s.starts, lo+1)-1; from < n; i++ {
		run := min(n-from, s.starts[i+1]-lo-from)
		f(&s.chunks[i], lo+from-s.starts[i], from, run)
		from += run
	}
}

// addEntries encodes the entries of the dictionaries of a source that its rows use: those from the first one to the
// last one. Neighbouring chunks with one dictionary share them.
func (e *encoder) addEntries(s *source, values adapter.Values) error {
	for i := 0; i < len(values.Dictionaries); {
		dictionary := values.Dictionaries[i]
		first, last, end := dictionary.Len(), -1, i
		for ; end < len(s.chunks) && values.Dictionaries[end] == dictionary; end++ {
			lo, hi, err := s.chunks[end].usedEntries(e, dictionary.Len())
			if err != nil {
				return fmt.Errorf("chunk %d: %w", end, err)
			}
			first, last = min(first, lo), max(last, hi)
		}
		table, err := e.encodeEntries(s.leaf, dictionary, first, last-first+1)
		if err != nil {
			return err
		}
		for ; i < end; i++ {
			s.chunks[i].entries, s.chunks[i].first = table, first
		}
	}
	return nil
}

// encodeEntries encodes n entries of a dictionary, from entry first on.
func (e *encoder) encodeEntries(l *leaf, dictionary arrow.ArrayData, first, n int) (*Rows, error) {
	if n <= 0 {
		return &Rows{offsets: []int64{0}}, nil
	}
	values, err := e.job.EntryValues(dictionary, first, n)
	if err != nil {
		return nil, fmt.Errorf("the dictionary: %w", err)
	}
	entries, err := e.source(l, values)
	if err != nil {
		return nil, fmt.Errorf("the dictionary: %w", err)
	}
	table, err := e.encode([]source{entries}, n)
	if err == nil {
		e.tables = append(e.tables, table)
	}
	return table, err
}

// usedEntries are the first and the last entry that rows refer to: none when the first is after the last.
func (k *chunk) usedEntries(e *encoder, entries int) (first, last int, err error) {
	first, last = entries, -1
	for lo := 0; lo < k.Rows; lo += tileRows {
		if err := e.ctx.Err(); err != nil {
			return 0, 0, err
		}
		for i := lo; i < min(k.Rows, lo+tileRows); i++ {
			if !k.valid(i) {
				continue
			}
			index := k.index(i)
			if index >= uint64(entries) {
				return 0, 0, fmt.Errorf("%w: row %d: index %d in a dictionary of %d entries",
					arrow.ErrInvalid, i, index, entries)
			}
			first, last = min(first, int(index)), max(last, int(index))
		}
	}
	return first, last, nil
}

// valid reports whether row i is not null.
func (k *chunk) valid(i int) bool {
	at := k.Offset + i
	return k.Validity == nil || k.Validity[at>>3]>>(at&7)&1 != 0
}
