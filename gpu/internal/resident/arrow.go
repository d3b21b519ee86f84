package resident

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// The structures of the Arrow C Device Data Interface, as C lays them out. They are borrowed: their release callbacks
// are not called.

// ArrowSchema is struct ArrowSchema.
type ArrowSchema struct {
	Format, Name, Metadata *byte // texts that end at a zero byte, but for Metadata
	Flags, NChildren       int64
	Children               **ArrowSchema
	Dictionary             *ArrowSchema
	Release, PrivateData   uintptr
}

// ArrowArray is struct ArrowArray.
type ArrowArray struct {
	Length, NullCount, Offset int64
	NBuffers, NChildren       int64
	Buffers                   *uint64
	Children                  **ArrowArray
	Dictionary                *ArrowArray
	Release, PrivateData      uintptr
}

// ArrowDeviceArray is struct ArrowDeviceArray.
type ArrowDeviceArray struct {
	Array      ArrowArray
	DeviceID   int64
	DeviceType int32    // ARROW_DEVICE_CUDA, 2, or ARROW_DEVICE_CUDA_MANAGED, 13
	SyncEvent  *uintptr // a cudaEvent_t; nil: the array is complete
	Reserved   [3]int64
}

// Device types of the interface that this engine reads.
const (
	arrowDeviceCUDA        = 2
	arrowDeviceCUDAManaged = 13
)

// JobOf is gpu.DeviceJobOf. The job has columns of the keys only, the array's event, and no result yet. The structures
// are read now.
func JobOf(array *ArrowDeviceArray, schema *ArrowSchema, keys []keyencode.Key) (*Job, error) {
	job, err := tableOf(array, schema)
	if err != nil {
		return nil, err
	}
	return job.sortBy(keys)
}

// TableJobOf is gpu.DeviceTableJobOf.
func TableJobOf(array *ArrowDeviceArray, schema *ArrowSchema, keys []keyencode.Key) (*Job, error) {
	job, err := tableOf(array, schema)
	if err != nil {
		return nil, err
	}
	for at := range job.fields {
		column, err := job.add(at)
		if err != nil {
			return nil, fmt.Errorf("column %d, %q: %w", at, text(job.fields[at].Name), err)
		}
		job.Gather = append(job.Gather, column)
	}
	return job.sortBy(keys)
}

// A tableJob is a job of an array's fields: of a struct, else of the array alone.
type tableJob struct {
	Job
	isTable bool
	offset  int64 // of the struct
	arrays  []*ArrowArray
	fields  []*ArrowSchema
	columns map[int]int // of the job, by fields
}

func tableOf(array *ArrowDeviceArray, schema *ArrowSchema) (*tableJob, error) {
	if err := checkWhole(array, schema); err != nil {
		return nil, err
	}
	a := &array.Array
	job := &tableJob{Job: Job{Rows: int(a.Length)}, columns: map[int]int{}}
	if array.SyncEvent != nil {
		job.Event = *array.SyncEvent
	}
	if job.isTable = text(schema.Format) == "+s"; !job.isTable {
		job.arrays, job.fields = []*ArrowArray{a}, []*ArrowSchema{schema}
		return job, nil
	}
	if a.NChildren != schema.NChildren || a.NChildren > 0 && (a.Children == nil || schema.Children == nil) {
		return nil, fmt.Errorf("%w: the array has %d fields, the schema %d", ErrDeviceArray, a.NChildren,
			schema.NChildren)
	}
	if nullable(a) {
		return nil, fmt.Errorf("%w: rows of the struct may be null: its validity bitmap is not NULL", ErrDeviceArray)
	}
	job.offset = a.Offset
	job.arrays = unsafe.Slice(a.Children, a.NChildren)
	job.fields = unsafe.Slice(schema.Children, schema.NChildren)
	return job, nil
}

// add makes a field a column of the job, unless it is one, and returns its position.
func (j *tableJob) add(field int) (int, error) {
	at, ok := j.columns[field]
	if !ok {
		column, err := columnOf(j.arrays[field], j.fields[field], int64(j.Rows), j.offset)
		if err != nil {
			return 0, err
		}
		at = len(j.Columns)
		j.columns[field], j.Columns = at, append(j.Columns, column)
	}
	return at, nil
}

// sortBy makes fields the keys of the job, which is complete then.
func (j *tableJob) sortBy(keys []keyencode.Key) (*Job, error) {
	if len(keys) == 0 && !j.isTable {
		keys = []keyencode.Key{{}}
	}
	for i, key := range keys {
		at, err := j.fieldOf(key)
		if err == nil {
			key.Column, err = j.add(at)
		}
		if j.Keys = append(j.Keys, key); err != nil {
			return nil, fmt.Errorf("%s: %w", j.key(i), err)
		}
	}
	return &j.Job, nil
}

// checkWhole refuses structures that are released, or of another device, or contradict each other.
func checkWhole(array *ArrowDeviceArray, schema *ArrowSchema) error {
	switch {
	case array == nil || schema == nil:
		return fmt.Errorf("%w: the array or the schema is NULL", ErrDeviceArray)
	case array.Array.Release == 0 || schema.Release == 0:
		return fmt.Errorf("%w: the array or the schema has been released", ErrDeviceArray)
	case array.DeviceType != arrowDeviceCUDA && array.DeviceType != arrowDeviceCUDAManaged:
		return fmt.Errorf("%w: the device type is %d: 2 (CUDA) and 13 (managed memory) are possible; sort memory of "+
			"the host by Sort", ErrDeviceArray, array.DeviceType)
	case array.Array.Length < 0 || array.Array.Offset < 0:
		return fmt.Errorf("%w: the length is %d, the offset %d", ErrDeviceArray, array.Array.Length, array.Array.Offset)
	}
	return nil
}

// fieldOf returns the position of a key's field.
func (j *tableJob) fieldOf(key keyencode.Key) (at int, err error) {
	if !j.isTable {
		if key.Name != "" || key.Column != 0 {
			return 0, fmt.Errorf("%w: the array is a column, not a struct: the key is column 0, without a name",
				keyencode.ErrColumn)
		}
		return 0, nil
	}
	if at = key.Column; key.Name != "" {
		at = -1
	}
	for i, field := range j.fields {
		switch {
		case key.Name == "" || text(field.Name) != key.Name:
		case at >= 0:
			return 0, fmt.Errorf("%w: fields %d and %d have this name", keyencode.ErrColumn, at, i)
		default:
			at = i
		}
	}
	if at < 0 || at >= len(j.fields) {
		return 0, fmt.Errorf("%w: the struct has %d fields, none of this name or position", keyencode.ErrColumn,
			len(j.fields))
	}
	return at, nil
}

// nullable reports whether rows of an array may be null.
func nullable(a *ArrowArray) bool {
	return a.NullCount != 0 && a.NBuffers > 0 && a.Buffers != nil && *a.Buffers != 0
}

// columnOf describes rows of an array from one on.
func columnOf(a *ArrowArray, schema *ArrowSchema, rows, from int64) (Column, error) {
	format := text(schema.Format)
	if schema.Dictionary != nil || a.Dictionary != nil {
		return Column{}, fmt.Errorf("%w: a dictionary: its entries are ranked on the host; sort from host memory, "+
			"by Sort", engine.ErrKind)
	}
	c, ok := kindOf(format)
	if !ok {
		return c, fmt.Errorf("%w: format %q: fixed-width types are sorted on the device; others from host memory, "+
			"by Sort", engine.ErrKind, format)
	}
	buffers := int64(2)
	if c.Kind == keyencode.Null {
		buffers = 0
	}
	if a.NBuffers != buffers || buffers > 0 && a.Buffers == nil || a.Offset < 0 || a.Length < rows ||
		from > a.Length-rows {
		return c, fmt.Errorf("%w: format %q with %d buffers, length %d and offset %d, of which %d rows from %d on are "+
			"read", ErrDeviceArray, format, a.NBuffers, a.Length, a.Offset, rows, from)
	}
	c.Offset = int(a.Offset + from)
	if buffers > 0 {
		addresses := unsafe.Slice(a.Buffers, buffers)
		c.Values = addresses[1]
		if nullable(a) {
			c.Validity = addresses[0]
		}
	}
	return c, nil
}

// kinds are those of the formats without parameters.
var kinds = map[string]keyencode.Kind{
	"n": keyencode.Null, "b": keyencode.Bool,
	"c": keyencode.Int8, "C": keyencode.Uint8, "s": keyencode.Int16, "S": keyencode.Uint16,
	"i": keyencode.Int32, "I": keyencode.Uint32, "l": keyencode.Int64, "L": keyencode.Uint64,
	"e": keyencode.Float16, "f": keyencode.Float32, "g": keyencode.Float64,
	"tdD": keyencode.Int32, "tdm": keyencode.Int64, "tts": keyencode.Int32, "ttm": keyencode.Int32,
	"ttu": keyencode.Int64, "ttn": keyencode.Int64, "tiM": keyencode.Int32,
	"tDs": keyencode.Int64, "tDm": keyencode.Int64, "tDu": keyencode.Int64, "tDn": keyencode.Int64,
}

// kindOf returns the kind of a format; false for those that the device does not sort.
func kindOf(format string) (c Column, ok bool) {
	if c.Kind, ok = kinds[format]; ok {
		return c, true
	}
	name, parameter, _ := strings.Cut(format, ":")
	switch name {
	case "tss", "tsm", "tsu", "tsn":
		return Column{Kind: keyencode.Int64}, true
	case "w":
		width, err := strconv.Atoi(parameter)
		return Column{Kind: keyencode.FixedSizeBinary, Width: width}, err == nil && width >= 1
	case "d":
		return decimalOf(strings.Split(parameter, ","))
	}
	return c, false
}

// decimalOf returns the kind of a decimal: precision, scale, and the bits if these are not 128.
func decimalOf(parameters []string) (c Column, ok bool) {
	if len(parameters) == 2 {
		return Column{Kind: keyencode.Decimal128}, true
	}
	if len(parameters) != 3 {
		return c, false
	}
	c.Kind, ok = map[string]keyencode.Kind{"32": keyencode.Int32, "64": keyencode.Int64, "128": keyencode.Decimal128,
		"256": keyencode.Decimal256}[parameters[2]]
	return c, ok
}

// text reads a text of C.
func text(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
