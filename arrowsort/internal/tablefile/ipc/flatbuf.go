package ipc

import (
	"encoding/binary"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// The metadata of Arrow IPC are flatbuffers, which the generated code of Arrow reads without any check: it allocates
// what a count claims and follows tables without end. A failed allocation or an exhausted stack ends a Go process, so
// flatChecker walks the metadata first and makes sure that every count fits into its bytes and no table nests too deep.
// What it leaves unchecked can only panic, which is contained.

// maxNesting is the deepest schema that is read; Arrow's own readers stop at 64.
const maxNesting = 64

// flatChecker checks one flatbuffer. It has fewer tables than bytes, unless tables are shared to make the schema huge.
type flatChecker struct {
	b      []byte
	budget int
}

func newFlatChecker(b []byte) *flatChecker { return &flatChecker{b: b, budget: len(b)} }

// root is the place of the outermost table.
func (c *flatChecker) root() int { return int(binary.LittleEndian.Uint32(c.b)) }

// slot is the place of field i of the table, 0 when the field has its default value.
func (c *flatChecker) slot(table, i int) int {
	vtable := table - int(int32(binary.LittleEndian.Uint32(c.b[table:])))
	at := 4 + 2*i
	if at >= int(binary.LittleEndian.Uint16(c.b[vtable:])) {
		return 0
	}
	if off := int(binary.LittleEndian.Uint16(c.b[vtable+at:])); off != 0 {
		return table + off
	}
	return 0
}

// table is the table that field i refers to, 0 for none.
func (c *flatChecker) table(table, i int) int {
	at := c.slot(table, i)
	if at == 0 {
		return 0
	}
	return at + int(binary.LittleEndian.Uint32(c.b[at:]))
}

// vector is the place and the number of the elements of field i, which are size bytes each.
func (c *flatChecker) vector(table, i, size int) (at, n int, err error) {
	if at = c.table(table, i); at == 0 {
		return 0, 0, nil
	}
	n = int(binary.LittleEndian.Uint32(c.b[at:]))
	if at += 4; n > (len(c.b)-at)/size {
		return 0, 0, fileerror.Corrupt("the metadata claim a list of %d elements", n)
	}
	return at, n, nil
}

// int64 is the integer in field i.
func (c *flatChecker) int64(table, i int) int64 {
	if at := c.slot(table, i); at != 0 {
		return int64(binary.LittleEndian.Uint64(c.b[at:]))
	}
	return 0
}

// byte is the small integer in field i.
func (c *flatChecker) byte(table, i int) byte {
	if at := c.slot(table, i); at != 0 {
		return c.b[at]
	}
	return 0
}

// int32 is the integer in field i, or what it is by default.
func (c *flatChecker) int32(table, i int, byDefault int32) int32 {
	if at := c.slot(table, i); at != 0 {
		return int32(binary.LittleEndian.Uint32(c.b[at:]))
	}
	return byDefault
}

// text is the string in field i.
func (c *flatChecker) text(table, i int) (string, error) {
	at, n, err := c.vector(table, i, 1)
	return string(c.b[at : at+n]), err
}

// each calls f with every table of a vector of tables.
func (c *flatChecker) each(table, i int, f func(table int) error) error {
	at, n, err := c.vector(table, i, 4)
	for k := range n {
		if c.budget--; c.budget < 0 {
			return fileerror.Corrupt("the metadata share their parts")
		}
		place := at + 4*k
		if err := f(place + int(binary.LittleEndian.Uint32(c.b[place:]))); err != nil {
			return err
		}
	}
	return err
}
