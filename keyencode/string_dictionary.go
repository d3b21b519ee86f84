package keyencode

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/buffers"
)

// A StringDictionary holds the distinct strings of a column in the order in which they come, and the first row of each.
// Index 0 is that of null. It borrows the column's buffers, and is the work of one goroutine: several of them may share
// the rows of a column.
type StringDictionary struct {
	Rows    []uint32 // the first row of each entry; that of null is any
	reader  reader
	limit   int
	strings [][]byte
	words   []uint64 // of the strings, see wordOf
	indices map[string]uint16
	recent  [1 << recentBits]uint16 // the index that was last found for words of a hash
}

// recentBits is the length of the hashes of words: the indices take the half of a cache of the first level.
const recentBits = 13

// MaxStringDictionary is the greatest number of entries of a StringDictionary, that of null included.
const MaxStringDictionary = 1 << 15

// NewStringDictionary is an empty dictionary for at most limit strings of a column of Binary, LargeBinary, BinaryView
// or FixedSizeBinary.
func NewStringDictionary(c *Column, limit int) *StringDictionary {
	return &StringDictionary{
		Rows: make([]uint32, 1), reader: newReader(c), limit: min(limit, MaxStringDictionary-1),
		strings: make([][]byte, 1), words: []uint64{^uint64(0)}, indices: map[string]uint16{},
	}
}

// Encode writes the index of the string of each of the rows lo..lo+len(dst)-1, and adds those that are new. It reports
// false, and may leave rows out, when there are more than the limit.
func (d *StringDictionary) Encode(dst []uint16, lo int) bool {
	for from := lo; from < lo+len(dst); from += gatherRows {
		d.reader.each(from, min(from+gatherRows, lo+len(dst)), func(c *Chunk, at, n, row int) {
			d.encode(dst[row-lo:][:n], c, at, row)
		})
		if len(d.strings)-1 > d.limit {
			return false
		}
	}
	return true
}

// encode is Encode for the rows at.. of a chunk, at most gatherRows.
func (d *StringDictionary) encode(dst []uint16, c *Chunk, at, row int) {
	valid := c.Validity == nil || buffers.Bits(c.Validity, c.Offset+at)|^buffers.LowBits(len(dst)) == ^uint64(0)
	switch kind := d.reader.column.Kind; {
	case valid && kind == Binary:
		indexOffsets(d, dst, buffers.Values[uint32](c.Values, c.Offset+at, len(dst)+1), dataOf(c), row)
	case valid && kind == LargeBinary:
		indexOffsets(d, dst, buffers.Values[uint64](c.Values, c.Offset+at, len(dst)+1), dataOf(c), row)
	default:
		var t stringBlock
		t.load(d.reader.column, c, at, len(dst))
		for i, s := range t[:len(dst)] {
			dst[i] = 0
			if s != nil {
				dst[i] = d.index(s, wordOf(s), row+i)
			}
		}
	}
}

// indexOffsets finds the indices of strings without nulls among them.
func indexOffsets[U uint32 | uint64](d *StringDictionary, dst []uint16, offsets []U, data []byte, row int) {
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
			s := noBytes
			if lo < hi {
				s = data[lo:hi]
			}
			dst[i] = d.index(s, wordOf(s), row+i)
		}
		lo = hi
	}
}

// wordOf is a number for a string: one of up to 7 bytes has a word that no other has, its length in the low byte.
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

// index is the index of a string, given its word. It adds a string that is new.
func (d *StringDictionary) index(s []byte, word uint64, row int) uint16 {
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
		d.Rows = append(d.Rows, uint32(row))
	}
	*recent = i
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

// fewShortStrings is the greatest number of distinct sampled strings of up to 8 bytes for FewStrings: they are read as
// fast as entries of a dictionary that leaves the caches.
const fewShortStrings = 1 << 10

// meanString is the greatest mean length of strings that FewStrings looks at: a hash reads all of a string, a
// comparison its first bytes.
const meanString = 256

// FewStrings reports whether some sampled rows of a column, in their order, show that few of its strings are distinct:
// at most three quarters of the rows have a string that no other one has. Where half of the strings have up to 8 bytes,
// they must be very few, and the rows may not be in order, nor in the reverse order.
func FewStrings(c *Column, rows []uint32) bool {
	if c.encoding() != encodingBytes {
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
