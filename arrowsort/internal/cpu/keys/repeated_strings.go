package keys

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

const (
	// rowsOfString is the number of rows for each distinct string, at least, and for each sampled row.
	rowsOfString = 64
	// maxEntries is the number of entries of the dictionaries of all workers, which are ranked by one of them.
	maxEntries = 1<<16 - 1
)

// EncodeStrings replaces the keys of which a sample shows that few strings are distinct by the indices of dictionaries,
// as long as that holds. The plan of the keys as they are is kept if it is asked for. gathered are the columns of the
// result.
func (k *Keys) EncodeStrings(pool *workers.Pool, mem *arena.Arena, gathered []int) error {
	if k.Rows <= SmallRows {
		return nil
	}
	all := true // keys up to here
	for i, key := range k.Keys {
		if !all && !slices.Contains(gathered, key.Column) {
			continue // few of its strings are compared
		}
		d, err := k.newDictionary(pool, mem, key.Column)
		if err != nil {
			return err
		}
		if all = all && d != nil; d == nil {
			continue
		}
		if k.explain && k.described == nil {
			if err := k.MeasureAll(pool); err != nil {
				return err
			}
			k.described = k.Plan
		}
		k.replace(i, d)
	}
	return nil
}

// newDictionary encodes a column, nil if it has too many strings.
func (k *Keys) newDictionary(pool *workers.Pool, mem *arena.Arena, column int) (*Dictionary, error) {
	c := &k.Columns[column]
	if !worthDictionary(c, sampledStrings(k.Rows)) {
		return nil, nil
	}
	ranks, err := arena.Slice[uint16](mem, k.Rows)
	if err != nil {
		return nil, err
	}
	dictionaries := make([]*stringDictionary, pool.Threads)
	for i := range dictionaries {
		dictionaries[i] = newStringDictionary(c, k.Rows/rowsOfString)
	}
	workers := make([]int, (k.Rows+TileRows-1)/TileRows) // of each tile
	var entries atomic.Int64
	err = pool.Tiles(k.Rows, TileRows, func(worker, lo, hi int) {
		workers[lo/TileRows] = worker
		d := dictionaries[worker]
		for ; lo < hi && entries.Load() <= maxEntries && !pool.Stopped(); lo += BlockRows {
			before := len(d.rows)
			if !d.encodeRows(ranks[lo:min(lo+BlockRows, hi)], lo) {
				entries.Add(maxEntries + 1)
			}
			entries.Add(int64(len(d.rows) - before))
		}
	})
	if err != nil {
		return nil, err
	}
	if entries.Load() > maxEntries {
		mem.Free(buffers.Bytes(ranks))
		return nil, nil
	}
	of, rows := rankStrings(dictionaries)
	null := make([]bool, len(workers))
	err = pool.Tiles(k.Rows, TileRows, func(_, lo, hi int) {
		null[lo/TileRows] = replaceIndices(ranks[lo:hi], of[workers[lo/TileRows]])
	})
	return newIndices(ranks, rows, slices.Contains(null, true)), err
}

// replaceIndices replaces indices by ranks, and reports whether some are those of null.
func replaceIndices(indices []uint16, ranks []uint16) (null bool) {
	least := uint16(1)
	for i, index := range indices {
		rank := ranks[index]
		indices[i], least = rank, min(least, rank)
	}
	return least == 0
}

// newIndices makes a column of ranks: numbers or, where some rows are null, indices of a dictionary.
func newIndices(ranks []uint16, rows []uint32, nullable bool) *Dictionary {
	chunk := keyencode.Chunk{Rows: len(ranks), Values: buffers.Bytes(ranks)}
	d := &Dictionary{Indices: keyencode.Column{Kind: keyencode.Uint16}, Rows: rows}
	if nullable {
		d.Indices.Kind, chunk.Ranks = keyencode.Dictionary16, make([]uint32, len(rows))
		buffers.Series(chunk.Ranks, 0)
	}
	d.Indices.Chunks = []keyencode.Chunk{chunk}
	return d
}

// sampledStrings are rows of a sample: fewer than for codes, since each of them costs more.
func sampledStrings(n int) []uint32 {
	rows := SampledRows(n)
	step := max(1, len(rows)*rowsOfString/n)
	some := rows[:0]
	for i := 0; i < len(rows); i += step {
		some = append(some, rows[i])
	}
	return some
}

// replace makes the indices of a dictionary the column of a key.
func (k *Keys) replace(key int, d *Dictionary) {
	column := k.Keys[key].Column
	d.Column = len(k.Columns)
	k.Keys = slices.Clone(k.Keys)
	k.Keys[key].Column = d.Column
	k.Columns = append(slices.Clip(k.Columns), d.Indices)
	if k.Dictionaries == nil {
		k.Dictionaries = map[int]*Dictionary{}
	}
	k.Dictionaries[column] = d
}

// A stringDictionary holds the distinct strings of a column in the order in which they come, and the first row of each.
// Index 0 is that of null. It borrows the column's buffers, and is the work of one goroutine: several of them may share
// the rows of a column.
type stringDictionary struct {
	rows    []uint32 // the first row of each entry; that of null is any
	column  *keyencode.Column
	chunks  buffers.Chunks
	limit   int
	strings [][]byte
	words   []uint64 // of the strings, see wordOf
	indices map[string]uint16
	recent  [1 << recentBits]uint16 // the index that was last found for words of a hash
}

// recentBits is the length of the hashes of words: the indices take the half of a cache of the first level.
const recentBits = 13

// stringBlock is the number of rows whose strings are found at a time.
const stringBlock = 64

// maxStringDictionary is the greatest number of entries of a stringDictionary, that of null included.
const maxStringDictionary = 1 << 15

// newStringDictionary returns an empty dictionary for at most limit strings of a column of Binary, LargeBinary,
// BinaryView or FixedSizeBinary.
func newStringDictionary(c *keyencode.Column, limit int) *stringDictionary {
	return &stringDictionary{
		rows: make([]uint32, 1), column: c, limit: min(limit, maxStringDictionary-1),
		chunks:  buffers.NewChunks(len(c.Chunks), func(i int) int { return c.Chunks[i].Rows }),
		strings: make([][]byte, 1), words: []uint64{^uint64(0)}, indices: map[string]uint16{},
	}
}

// encodeRows writes the index of the string of each of the rows lo..lo+len(dst)-1, and adds those that are new. It
// reports false, and may leave rows out, when there are more than the limit.
func (d *stringDictionary) encodeRows(dst []uint16, lo int) bool {
	for k := d.chunks.Find(lo); len(dst) > 0; k++ {
		for len(dst) > 0 && lo < d.chunks[k+1] {
			n := min(len(dst), d.chunks[k+1]-lo, stringBlock)
			d.encode(dst[:n], &d.column.Chunks[k], lo-d.chunks[k], lo)
			if len(d.strings)-1 > d.limit {
				return false
			}
			dst, lo = dst[n:], lo+n
		}
	}
	return true
}

// encode is encodeRows for the rows at.. of a chunk, at most stringBlock.
func (d *stringDictionary) encode(dst []uint16, c *keyencode.Chunk, at, row int) {
	valid := c.Validity == nil || buffers.Bits(c.Validity, c.Offset+at)|^buffers.LowBits(len(dst)) == ^uint64(0)
	switch kind := d.column.Kind; {
	case valid && kind == keyencode.Binary:
		indexOffsets(d, dst, buffers.Values[uint32](c.Values, c.Offset+at, len(dst)+1), dataOf(c), row)
	case valid && kind == keyencode.LargeBinary:
		indexOffsets(d, dst, buffers.Values[uint64](c.Values, c.Offset+at, len(dst)+1), dataOf(c), row)
	default:
		var strings [stringBlock][]byte
		d.column.Strings(strings[:len(dst)], c, at)
		for i, s := range strings[:len(dst)] {
			dst[i] = 0
			if s != nil {
				dst[i] = d.index(s, wordOf(s), row+i)
			}
		}
	}
}

// indexOffsets finds the indices of strings without nulls among them.
func indexOffsets[U uint32 | uint64](d *stringDictionary, dst []uint16, offsets []U, data []byte, row int) {
	offsets = offsets[:len(dst)+1]
	lo := int(offsets[0])
	for i := range dst {
		hi := int(offsets[i+1])
		if n := hi - lo; n < 8 && lo+8 <= len(data) {
			word := binary.BigEndian.Uint64(data[lo:])&^(^uint64(0)>>(8*uint(n))) | uint64(n)
			index := d.recent[hashWord(word)]
			if d.words[index] != word {
				index = d.index(data[lo:hi], word, row+i)
			}
			dst[i] = index
		} else {
			var s []byte
			if lo < hi {
				s = data[lo:hi]
			}
			dst[i] = d.index(s, wordOf(s), row+i)
		}
		lo = hi
	}
}

// dataOf returns the buffer that offsets point into.
func dataOf(c *keyencode.Chunk) []byte {
	if len(c.Data) == 0 {
		return nil
	}
	return c.Data[0]
}

// wordOf returns a number for a string: one of up to 7 bytes has a word that no other has, its length in the low byte.
func wordOf(s []byte) uint64 {
	n := len(s)
	if n < 8 {
		return buffers.BigEndian(s)<<(64-8*uint(n)) | uint64(n)
	}
	first, last := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[n-8:])
	return (first*hashFactor^bits.RotateLeft64(last, 32)+uint64(n))*hashFactor | 0xff
}

const hashFactor = 0x9e3779b97f4a7c15

func hashWord(word uint64) uint64 { return word * hashFactor >> (64 - recentBits) }

// index returns the index of a string, given its word. It adds a string that is new.
func (d *stringDictionary) index(s []byte, word uint64, row int) uint16 {
	recent := &d.recent[hashWord(word)]
	i := *recent
	if d.words[i] == word && (len(s) < 8 || textOf(d.strings[i]) == textOf(s)) {
		return i
	}
	i, known := d.indices[textOf(s)]
	if !known {
		i = uint16(len(d.strings))
		d.indices[textOf(s)] = i
		d.strings, d.words = append(d.strings, s), append(d.words, word)
		d.rows = append(d.rows, uint32(row))
	}
	*recent = i
	return i
}

// textOf returns a string without a copy, which lasts as long as the column's buffers.
func textOf(s []byte) string { return unsafe.String(unsafe.SliceData(s), len(s)) }

// rankStrings returns the ranks of the entries of each dictionary among the strings of all of them, up to 65,535, and a
// row of each rank. The rank of null is 0.
func rankStrings(dictionaries []*stringDictionary) (of [][]uint16, rows []uint32) {
	ranks := map[string]uint16{}
	var all [][]byte
	for _, d := range dictionaries {
		for _, s := range d.strings[1:] {
			if _, known := ranks[textOf(s)]; !known {
				ranks[textOf(s)] = 0
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, bytes.Compare)
	for i, s := range all {
		ranks[textOf(s)] = uint16(i + 1)
	}
	of, rows = make([][]uint16, len(dictionaries)), make([]uint32, len(all)+1)
	for i, d := range dictionaries {
		of[i] = make([]uint16, len(d.strings))
		for k, s := range d.strings[1:] {
			rank := ranks[textOf(s)]
			of[i][k+1], rows[rank] = rank, d.rows[k+1]
		}
	}
	return of, rows
}

// fewShortStrings is the greatest number of distinct sampled strings of up to 8 bytes for worthDictionary: they are
// read as fast as entries of a dictionary that leaves the caches.
const fewShortStrings = 1 << 10

// meanString is the greatest mean length of strings that worthDictionary looks at: a hash reads all of a string, a
// comparison its first bytes.
const meanString = 256

// worthDictionary reports whether some sampled rows of a column, in their order, show that few of its strings are
// distinct: at most three quarters of the rows have a string that no other one has. Where half of the strings have up
// to 8 bytes, they must be very few, and the rows may not be in order, nor in the reverse order.
func worthDictionary(c *keyencode.Column, rows []uint32) bool {
	if !c.HasStrings() {
		return false
	}
	strings := make([][]byte, len(rows))
	c.StringsAt(strings, rows)
	long, total := 0, 0
	for _, s := range strings {
		if total += len(s); len(s) > 8 {
			long++
		}
	}
	if total > meanString*len(rows) {
		return false
	}
	rises, falls := 0, 0
	counts := make(map[string]int, len(rows))
	for i, s := range strings {
		if counts[textOf(s)]++; 2*long < len(rows) && len(counts) > fewShortStrings {
			return false
		}
		switch order := bytes.Compare(strings[max(i-1, 0)], s); {
		case order < 0:
			rises++
		case order > 0:
			falls++
		}
	}
	single := 0
	for _, n := range counts {
		if n == 1 {
			single++
		}
	}
	return 4*single <= 3*len(rows) && rises > 0 && falls > 0
}
