package beamsort

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
)

// batchBytes is about the size of a batch: runners are slow with small elements and refuse large ones.
const batchBytes = 1 << 20

// positionBytes precede the Arrow stream of a batch. They compare as the positions do.
const positionBytes = 12

// A rowPosition says where a row, or the first row of a batch, comes from. A runner gives the batches of a shard in any
// order, so each carries its position.
type rowPosition struct {
	part   int64 // of the inputs, in the order of files and rows
	number int64 // of the row or the batch among those of the part
}

// append appends the position to bytes.
func (at rowPosition) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(at.part))
	return binary.BigEndian.AppendUint64(b, uint64(at.number))
}

// encodeBatch encodes a record as an element.
func encodeBatch(at rowPosition, rec arrow.Record) ([]byte, error) {
	var b bytes.Buffer
	b.Write(at.append(nil))
	w, err := ipc.NewWriter(&b, rec.Schema(), ipc.Options{Allocator: memory.DefaultAllocator})
	if err != nil {
		return nil, err
	}
	if err := w.Write(rec); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decodeBatch returns the record of an element. The caller releases it.
func decodeBatch(b []byte) (arrow.Record, error) {
	if len(b) < positionBytes {
		return nil, fmt.Errorf("a batch of %d bytes", len(b))
	}
	stream := b[positionBytes:]
	r, err := ipc.OpenStream(bytes.NewReader(stream), int64(len(stream)), memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	rec, err := r.Next()
	if err != nil {
		return nil, fmt.Errorf("a batch without rows: %w", err)
	}
	rec.Retain()
	return rec, nil
}

// comparePositions compares the positions of two elements.
func comparePositions(a, b []byte) int { return bytes.Compare(a[:positionBytes], b[:positionBytes]) }

// oneRecord returns a table as a record. Columns have one chunk at most. The caller releases the record.
func oneRecord(table arrow.Table) (arrow.Record, error) {
	columns := make([]arrow.Array, table.NumCols())
	for i := range columns {
		data := table.Column(i).Data()
		switch len(data.Chunks()) {
		case 0:
			columns[i] = array.MakeArrayOfNull(memory.DefaultAllocator, data.DataType(), 0)
			defer columns[i].Release()
		case 1:
			columns[i] = data.Chunk(0)
		default:
			return nil, fmt.Errorf("column %q passes 2 GiB in a part of %d rows: give less memory, for smaller "+
				"pieces", table.Schema().Field(i).Name, table.NumRows())
		}
	}
	return array.NewRecord(table.Schema(), columns, table.NumRows()), nil
}
