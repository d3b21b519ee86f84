// Package resident sorts row numbers by columns that lie on the device, and leaves them there.
package resident

import (
	"errors"
	"fmt"
	"math"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// ErrDeviceArray is returned for memory and streams that are not those of the engine's device and context.
var ErrDeviceArray = errors.New("gpu: invalid device array")

// A Column is a column in the memory of a device: a key, or one that is gathered, or both. It is borrowed until the
// stream of the job has passed the sort. Addresses are those of the driver (CUdeviceptr), of any alignment. What
// kernels do not read as it lies is copied first, on the device: numbers whose first value is not at a multiple of 16,
// and bits that do not begin and end at multiples of 4 bytes.
type Column struct {
	// Kind is the layout of the values: a number, Bool, a decimal, FixedSizeBinary, as a key of at most 8 bytes, or
	// Null. Strings and dictionaries are encoded by the host, so they are no columns of a device: engine.ErrKind.
	Kind  keyencode.Kind
	Width int // bytes of a value of FixedSizeBinary; ignored for the other kinds
	// Values is the address of the values; Bool: of bits, least significant first. 0 for Null and without rows.
	Values uint64
	// Validity is the address of one bit per row, least significant first, 0 is null; 0: no row is null.
	Validity uint64
	// Offset is the first row, counted in values from Values and in bits from Validity.
	Offset int
}

// A Job is a sort by columns on a device: of row numbers, and of columns that are gathered.
type Job struct {
	Rows    int // of every column, below 2^32
	Columns []Column
	Keys    []keyencode.Key // the most significant first; Column is a position in Columns
	Limit   int             // the number of leading rows that are wanted; 0: all
	// Gather are the columns of the result, positions in Columns: they are gathered into memory of the engine. A column
	// that is wanted twice is given twice.
	Gather []int
	// RowNumbers is the size in bytes of a row number of the result: 4 or 8; 0: only columns are wanted.
	RowNumbers int
	// Out is the address of the row numbers, of Result of them, which may not be memory of a column; 0: memory of the
	// engine, until Rows.Release. At a multiple of 16 row numbers of 4 bytes need no copy.
	Out uint64
	// Stream is the driver's handle (CUstream) of the stream to which the sort belongs: what was queued in it comes
	// before, what is queued in it later comes after. 0 is the default stream. That of the thread, 2, is refused: it is
	// another one where another thread frees the result.
	Stream uintptr
	// Event is the driver's handle (CUevent) of an event that the sort waits for as well; 0: none.
	Event uintptr
}

// Result returns the number of rows of the result.
func (j *Job) Result() int {
	if j.Limit > 0 && j.Limit < j.Rows {
		return j.Limit
	}
	return j.Rows
}

// key names a key in errors.
func (j *Job) key(key int) string {
	if name := j.Keys[key].Name; name != "" {
		return fmt.Sprintf("key %q", name)
	}
	return fmt.Sprintf("key %d", key)
}

// Check refuses a job that cannot be done, as far as that shows without a device.
func (j *Job) Check() error {
	switch {
	case j.Rows < 0 || uint64(j.Rows) > math.MaxUint32:
		return fmt.Errorf("%w: %d, at most %d", engine.ErrRows, j.Rows, uint32(math.MaxUint32))
	case j.Limit < 0:
		return fmt.Errorf("%w: the limit is %d", ErrDeviceArray, j.Limit)
	case j.RowNumbers == 0 && j.Out != 0:
		return fmt.Errorf("%w: the result has no row numbers, for which memory is given", ErrDeviceArray)
	case j.RowNumbers != 4 && j.RowNumbers != 8 && (j.RowNumbers != 0 || len(j.Gather) == 0):
		return fmt.Errorf("%w: row numbers of %d bytes: 4 and 8 are possible, and 0 if columns are gathered",
			ErrDeviceArray, j.RowNumbers)
	}
	return j.eachColumn(func(at int, isKey bool) error {
		if at < 0 || at >= len(j.Columns) {
			return fmt.Errorf("%w: column %d of %d", keyencode.ErrColumn, at, len(j.Columns))
		}
		return j.checkColumn(&j.Columns[at], isKey)
	})
}

// eachColumn calls check with the column of each key and each that is gathered, and names what an error is about.
func (j *Job) eachColumn(check func(at int, isKey bool) error) error {
	for i, key := range j.Keys {
		if err := check(key.Column, true); err != nil {
			return fmt.Errorf("%s: %w", j.key(i), err)
		}
	}
	for _, at := range j.Gather {
		if err := check(at, false); err != nil {
			return fmt.Errorf("column %d: %w", at, err)
		}
	}
	return nil
}

func (j *Job) checkColumn(c *Column, isKey bool) error {
	width := (&keyencode.Column{Kind: c.Kind, Width: c.Width}).ValueBytes()
	switch {
	case c.Kind > keyencode.Dictionary64:
		return fmt.Errorf("%w: kind %d", engine.ErrKind, c.Kind)
	case c.Kind >= keyencode.Dictionary8:
		return fmt.Errorf("%w: a dictionary: its entries are ranked on the host; sort from host memory, by Sort",
			engine.ErrKind)
	case c.Kind > keyencode.FixedSizeBinary, c.Kind == keyencode.FixedSizeBinary && c.Width > 8 && isKey:
		return fmt.Errorf("%w: strings; sort from host memory, by Sort", engine.ErrKind)
	case c.Kind == keyencode.FixedSizeBinary && c.Width < 1:
		return fmt.Errorf("%w: values of %d bytes", engine.ErrKind, c.Width)
	case c.Offset < 0 || c.Offset > math.MaxInt/max(1, width)-j.Rows:
		return fmt.Errorf("%w: the offset is %d", ErrDeviceArray, c.Offset)
	case c.Values == 0 && c.Kind != keyencode.Null && j.Rows > 0:
		return fmt.Errorf("%w: the address of the values is 0", ErrDeviceArray)
	}
	return nil
}
