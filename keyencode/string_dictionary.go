package keyencode

import (
	"bytes"
	"slices"
	"unsafe"
)

// A StringDictionary holds the distinct strings of a column in the order in which they come, and the first row of each.
// Index 0 is that of null. It borrows the column's buffers, and is the work of one goroutine: several of them may share
// the rows of a column.
type StringDictionary struct {
	Rows    []uint32 // the first row of each entry; that of null is any
	reader  reader
	limit   int
	strings [][]byte
	indices map[string]uint16
}

// MaxStringDictionary is the greatest number of entries of a StringDictionary, that of null included.
const MaxStringDictionary = 1 << 15

// NewStringDictionary is an empty dictionary for at most limit strings of a column of Binary, LargeBinary, BinaryView
// or FixedSizeBinary.
func NewStringDictionary(c *Column, limit int) *StringDictionary {
	return &StringDictionary{
		Rows: make([]uint32, 1), reader: newReader(c), limit: min(limit, MaxStringDictionary-1),
		strings: make([][]byte, 1), indices: map[string]uint16{},
	}
}

// Encode writes the index of the string of each of the rows lo..lo+len(dst)-1, and adds those that are new. It reports
// false, and may leave rows out, when there are more than the limit.
func (d *StringDictionary) Encode(dst []uint16, lo int) bool {
	var t stringBlock
	for from := lo; from < lo+len(dst); from += gatherRows {
		d.reader.each(from, min(from+gatherRows, lo+len(dst)), func(c *Chunk, at, n, row int) {
			t.load(d.reader.column, c, at, n)
			for i, s := range t[:n] {
				dst[row-lo+i] = d.index(s, row+i)
			}
		})
		if len(d.strings)-1 > d.limit {
			return false
		}
	}
	return true
}

// index is the index of a string, which it adds if it is new.
func (d *StringDictionary) index(s []byte, row int) uint16 {
	if s == nil {
		return 0
	}
	i, known := d.indices[textOf(s)]
	if !known {
		i = uint16(len(d.strings))
		d.indices[textOf(s)] = i
		d.strings, d.Rows = append(d.strings, s), append(d.Rows, uint32(row))
	}
	return i
}

// textOf is a string without a copy, which lasts as long as the column's buffers.
func textOf(s []byte) string { return unsafe.String(unsafe.SliceData(s), len(s)) }

// RankStrings are the ranks of the entries of each dictionary among the strings of all of them, up to 65,535, and a row
// of each rank. The rank of null is 0.
func RankStrings(dictionaries []*StringDictionary) (of [][]uint16, rows []uint32) {
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
			of[i][k+1], rows[rank] = rank, d.Rows[k+1]
		}
	}
	return of, rows
}

// meanString is the greatest mean length of strings that FewStrings looks at: a hash reads all of a string, a
// comparison its first bytes.
const meanString = 256

// FewStrings reports whether some sampled rows of a column, in their order, show that few of its strings are distinct:
// at most three quarters of the rows have a string that no other one has. Half of the strings must have more than 8
// bytes, and the rows may not be in order, nor in the reverse order.
func FewStrings(c *Column, rows []uint32) bool {
	if c.shape() != shapeBytes {
		return false
	}
	strings := make([][]byte, len(rows))
	r := newReader(c)
	long, total := 0, 0
	for lo := 0; lo < len(rows); lo += gatherRows {
		var t stringBlock
		block := rows[lo:min(lo+gatherRows, len(rows))]
		t.gather(&r, block)
		for i, s := range t[:len(block)] {
			strings[lo+i] = s
			if total += len(s); len(s) > 8 {
				long++
			}
		}
	}
	if 2*long < len(rows) || total > meanString*len(rows) {
		return false
	}
	rises, falls := 0, 0
	counts := make(map[string]int, len(rows))
	for i, s := range strings {
		counts[textOf(s)]++
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
