package take

import (
	"hash/maphash"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// A valueTable gives each different value of several chunks an id, counted from 0: a hash table with open addressing,
// in the caller's memory.
//
// A slot is 8 bytes: the upper half of the value's hash, and the id of the value plus one; 0 is a free slot. At
// most three quarters of the slots are used.
type valueTable struct {
	slots     *memory.Buffer
	positions []uint64 // where the value of each id appears first
	null      int32    // the id of null, -1 for none
	readers   []valueReader
	seed      maphash.Seed
}

// newValueTable returns a table for up to total values. The caller releases its slots.
func (g *gatherer) newValueTable(typ arrow.DataType, chunks []chunk, total int) (*valueTable, error) {
	t := &valueTable{null: -1, readers: make([]valueReader, len(chunks)), seed: maphash.MakeSeed()}
	for i, c := range chunks {
		var err error
		if t.readers[i], err = valuesOf(typ, c); err != nil {
			return nil, err
		}
	}
	positions, err := g.buffer(8 * total)
	if err != nil {
		return nil, err
	}
	t.positions = as[uint64](positions.Bytes())[:0:total]
	if t.slots, err = g.scratch(8 << bits.Len(uint(total+total/3))); err != nil {
		return nil, err
	}
	clear(t.slots.Bytes())
	return t, nil
}

// idOf returns the id of the value in a row of a chunk. Each value of a union or of runs gets a new id.
func (t *valueTable) idOf(chunk, row int) int32 {
	read := t.readers[chunk]
	if read == nil {
		return t.add(chunk, row)
	}
	value, valid := read(row)
	if !valid {
		if t.null < 0 {
			t.null = t.add(chunk, row)
		}
		return t.null
	}
	slots := as[uint64](t.slots.Bytes())
	hash := maphash.String(t.seed, value)
	for at := hash; ; at++ {
		slot := &slots[at&uint64(len(slots)-1)]
		if *slot == 0 {
			n := t.add(chunk, row)
			*slot = hash>>32<<32 | uint64(n+1)
			return n
		}
		if n := int32(uint32(*slot)) - 1; *slot>>32 == hash>>32 && t.hasValue(n, value) {
			return n
		}
	}
}

func (t *valueTable) add(chunk, row int) int32 {
	t.positions = append(t.positions, uint64(chunk)<<rowBits|uint64(row))
	return int32(len(t.positions) - 1)
}

// hasValue reports whether an id has a value.
func (t *valueTable) hasValue(id int32, value string) bool {
	at := t.positions[id]
	have, _ := t.readers[at>>rowBits](int(at & rowMask))
	return have == value
}
