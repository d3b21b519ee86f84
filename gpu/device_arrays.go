package gpu

import (
	"context"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/resident"
	"github.com/arrowsort/arrowsort/keyencode"
)

// ErrDeviceArray is returned for a device array that cannot be sorted: memory of the host, of another device or of
// another context, a stream of another context, that of the thread, or one that is captured into a CUDA graph where the
// sort takes more than a kernel. The error names the key, the buffer and the address. Nothing has been done then.
var ErrDeviceArray = resident.ErrDeviceArray

// A DeviceColumn is a column in the memory of a device.
type DeviceColumn = resident.Column

// A DeviceJob is a sort by columns on a device: of row numbers, and of columns that are gathered.
type DeviceJob = resident.Job

// A DeviceMemory allocates memory of a device in place of the driver.
type DeviceMemory = device.Memory

// ArrowDeviceArray, ArrowArray and ArrowSchema are the structures of the Arrow C Device Data Interface. They are
// borrowed: Go reads them by a pointer of C, and calls no release callback.
type (
	ArrowDeviceArray = resident.ArrowDeviceArray
	ArrowArray       = resident.ArrowArray
	ArrowSchema      = resident.ArrowSchema
)

// DeviceJobOf returns the sort of an Arrow array on a device by keys: of a struct the keys are its fields, by name, or
// by position where a key has no name; of any other type the array is the key, and no keys are one that is ascending
// with nulls at the end. The job waits for the array's event. RowNumbers, Stream, Limit and Out are to be set. The
// array is borrowed as a DeviceColumn is. Errors: ErrDeviceArray, engine.ErrKind, keyencode.ErrColumn.
func DeviceJobOf(array *ArrowDeviceArray, schema *ArrowSchema, keys []keyencode.Key) (*DeviceJob, error) {
	return resident.JobOf(array, schema, keys)
}

// DeviceTableJobOf returns the sort of an Arrow array on a device with all of its columns: job.Gather are the fields of
// a struct, or the array itself. It is DeviceJobOf otherwise; strings, lists and dictionaries are engine.ErrKind also
// where they are no keys.
func DeviceTableJobOf(array *ArrowDeviceArray, schema *ArrowSchema, keys []keyencode.Key) (*DeviceJob, error) {
	return resident.TableJobOf(array, schema, keys)
}

// DeviceRows are row numbers and columns on a device, the result of ArgsortDevice.
type DeviceRows struct {
	Address uint64 // of the first row number; 0 without row numbers, and without rows, but for DeviceJob.Out
	Rows    int
	Width   int // bytes of a row number: 4 or 8; 0: there are none
	// Columns are those of DeviceJob.Gather, each from its first value and bit on. One has a validity bitmap where the
	// column that it was gathered from has.
	Columns []DeviceColumn
	Device  int // number of the device
	// Event is the driver's handle (CUevent) of an event that is passed when the result is complete, for streams other
	// than the job's; it is valid until Release. 0: all memory is the caller's, or there are no rows.
	Event uintptr

	release  func() error // nil: the memory is the caller's
	released atomic.Bool
}

// Release gives memory of the engine back, after the work that is queued in the job's stream, which must still be
// there: work of other streams that reads the result must be done, or that stream must wait for it. While the stream is
// captured into a graph the memory stays until the capture has ended. Release may be called by any goroutine. The
// memory outlives the engine's Close, and an error of another sort after which the engine opens its device again: then
// Release frees it, and until then the primary context is retained. A second Release does nothing, and so does one of
// memory of the caller.
func (r *DeviceRows) Release() error {
	if r.release == nil || r.released.Swap(true) {
		return nil
	}
	return r.release()
}

// ArgsortDevice sorts row numbers by columns that lie on the engine's device, in the order of Sort, and gathers the
// columns of job.Gather: nothing is uploaded or downloaded. Of a limit of few rows only those are sorted, as by Sort.
// The engine is one of Options.PrimaryContext.
//
// The sort belongs to the job's stream: it comes after what was queued there, and what is queued there later comes
// after it. ArgsortDevice returns when the last kernel is queued. The host waits, as in Sort, where the next kernel
// depends on a decision of the device: not at all for few rows of one key (docs/gpu.md), mostly twice for others, and
// never for the last kernels. Other threads may capture CUDA graphs meanwhile. Calls at the same time run one after
// another, on the device too: a call waits until the one before it is complete. Kernels run in the job's stream.
//
// A stream that is captured into a CUDA graph takes a sort that waits for nothing: of at most 65,536 rows by one key
// without nulls, no Bool, on a device with clusters of blocks (compute capability 9.0), with Out, and without Limit,
// Event and Gather. The graph reads the key and writes Out whenever it is launched, and the engine must live as long.
// Row numbers of 8 bytes take 4 bytes a row more for each sort that is captured, until Close.
//
// A context that ends after the last kernel was queued makes no error: the sort is complete then.
//
// Memory on the device is 29 bytes for each row, 8 more for row numbers of 8 bytes, the columns that are copied, and
// the result. Gathers of large columns of 4 and 8 bytes a value take 14 more for each row where there is memory for it.
// Columns are borrowed and not written, until the stream has passed the sort. After an error nothing is queued any
// more, and the result may have been written in part.
//
// Errors: ErrDeviceArray, engine.ErrKind, engine.ErrRows, keyencode.ErrColumn before any work; engine.ErrMemory;
// ErrDevice, also for a fault of an earlier sort that shows only now, and ErrNoDevice of an engine that is closed.
func (e *Engine) ArgsortDevice(ctx context.Context, job *DeviceJob) (*DeviceRows, error) {
	if err := job.Check(); err != nil {
		return nil, err
	}
	return e.argsortDevice(ctx, job)
}

// Trim frees the memory of the device that the engine keeps for the next sort. It waits for the sorts that run.
func (e *Engine) Trim(ctx context.Context) error { return e.trim(ctx) }
