package ipc

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// The metadata of Arrow IPC are flatbuffers, which the generated code of Arrow reads without any check: it allocates
// what a count claims and follows tables without end. A failed allocation or an exhausted stack ends a Go process, so
// flatChecker walks the metadata first and makes sure that every count fits into its bytes and no table nests too deep.
// What it leaves unchecked can only panic, which is contained.

// flatChecker checks one flatbuffer. It has fewer tables than bytes, unless tables are shared to make the schema huge.
type flatChecker struct {
	b         []byte
	budget    int
	bigEndian bool // the data that the schema describes are
}

func newFlatChecker(b []byte) *flatChecker { return &flatChecker{b: b, budget: len(b)} }

// root returns the place of the outermost table.
func (c *flatChecker) root() int { return int(flatbuffers.GetUOffsetT(c.b)) }

func (c *flatChecker) at(table int) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: c.b, Pos: flatbuffers.UOffsetT(table)}
}

// field returns the place of field i in the vtable of a table.
func field(i int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*i) }

// table returns the table that field i refers to, 0 for none.
func (c *flatChecker) table(table, i int) int {
	t := c.at(table)
	place := t.Pos + flatbuffers.UOffsetT(t.Offset(field(i)))
	if place == t.Pos {
		return 0
	}
	return int(t.Indirect(place))
}

// vector returns the place and the number of the elements of field i, which are size bytes each.
func (c *flatChecker) vector(table, i, size int) (at, n int, err error) {
	if at = c.table(table, i); at == 0 {
		return 0, 0, nil
	}
	n = int(flatbuffers.GetUOffsetT(c.b[at:]))
	if at += 4; n > (len(c.b)-at)/size {
		return 0, 0, errkind.Corrupt("the metadata claim a list of %d elements", n)
	}
	return at, n, nil
}

// int64 returns the integer in field i.
func (c *flatChecker) int64(table, i int) int64 { return c.at(table).GetInt64Slot(field(i), 0) }

// byte returns the small integer in field i.
func (c *flatChecker) byte(table, i int) byte { return c.at(table).GetByteSlot(field(i), 0) }

// int32 returns the integer in field i, or what it is by default.
func (c *flatChecker) int32(table, i int, byDefault int32) int32 {
	return c.at(table).GetInt32Slot(field(i), byDefault)
}

// text returns the string in field i.
func (c *flatChecker) text(table, i int) (string, error) {
	at, n, err := c.vector(table, i, 1)
	return string(c.b[at : at+n]), err
}

// each calls f with every table of a vector of tables.
func (c *flatChecker) each(table, i int, f func(table int) error) error {
	at, n, err := c.vector(table, i, 4)
	for k := range n {
		if c.budget--; c.budget < 0 {
			return errkind.Corrupt("the metadata share their parts")
		}
		place := at + 4*k
		if err := f(place + int(flatbuffers.GetUOffsetT(c.b[place:]))); err != nil {
			return err
		}
	}
	return err
}

// Field numbers of the tables in Message.fbs, Schema.fbs and File.fbs of the Arrow format.
const (
	messageHeaderType, messageHeader, messageBody, messageMetadata = 1, 2, 3, 4
	schemaEndianness, schemaFields, schemaMetadata                 = 0, 1, 2
	fieldName, fieldNullable, fieldTypeType, fieldType             = 0, 1, 2, 3
	fieldDictionary, fieldChildren, fieldMetadata                  = 4, 5, 6
	pairKey, pairValue                                             = 0, 1
	unionTypeIDs                                                   = 1
	batchLength, batchNodes, batchBuffers                          = 0, 1, 2
	batchCompression, batchVariadic                                = 3, 4
	compressionCodec                                               = 0
	dictionaryID, dictionaryData                                   = 0, 1
	footerSchema, footerDictionaries, footerBatches, footerMeta    = 1, 2, 3, 4
)

// Members of the union MessageHeader and of the enumeration CompressionType.
const (
	headerSchema, headerDictionary, headerBatch = 1, 2, 3
	codecLZ4, codecZstd                         = 0, 1
)

// tables returns the tables in field i, which were checked.
func (c *flatChecker) tables(table, i int) (all []int) {
	_ = c.each(table, i, func(one int) error {
		all = append(all, one)
		return nil
	})
	return all
}
