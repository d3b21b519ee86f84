package gpu

import (
	"context"
	"errors"
	"runtime"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

var (
	// ErrNoDevice is returned by Open and Devices where there is no GPU to use: a build without the tag cuda, a machine
	// without driver, a number that no device has. The error names what was looked for.
	ErrNoDevice = errors.New("gpu: no device")
	// ErrDevice is returned when the device or its driver fails in the middle of a sort. The process can go on. The
	// next sort reopens the device; after some faults the driver refuses that until the process ends, and the error
	// is ErrDevice again.
	ErrDevice = errors.New("gpu: the device failed")
)

// Options are the options of Open. The zero value is the first device.
type Options struct {
	Device int // number of the device, from 0 on
}

// A Device is a GPU of this machine.
type Device struct {
	Number          int
	Name            string
	Compute         string // compute capability, such as "9.0"
	Memory          int64  // bytes
	Multiprocessors int
}

// Devices lists the GPUs that Open can use.
func Devices() ([]Device, error) { return devices() }

// An Engine sorts on one GPU, as package engine describes; its results are those of the CPU engine, byte for byte.
//
// The device does all of it but this: keys that are strings (Binary, LargeBinary, BinaryView, FixedSizeBinary of more
// than 8 bytes) are encoded on the host, and rows that tie in the first 64 bits of their codes are ordered there;
// columns of Binary and LargeBinary of few rows are gathered on the host by the device's row numbers, and any column
// where few of many rows are wanted.
//
// Sorts that are called at the same time run one after another. A sort needs memory on the device for its keys and 29
// bytes per row, 4 more for a dictionary; then for the row numbers, the keys that are gathered, columns that are
// gathered more than once, and three times the widest of all that are; and for 4 MiB besides. With more memory it is
// faster: columns are uploaded and downloaded while others are processed. The engine keeps the memory of a sort for the
// next. Too little is engine.ErrMemory, with the bytes that are needed and free.
type Engine struct{ *device }

// Open opens a GPU. Close gives it back. The error is ErrNoDevice, ErrDevice or, where others have its memory,
// engine.ErrMemory.
func Open(options Options) (*Engine, error) {
	d, err := open(options)
	if err != nil {
		return nil, err
	}
	return &Engine{d}, nil
}

// Name is "gpu".
func (e *Engine) Name() string { return "gpu" }

// Sort carries out a job; see engine.Engine.
func (e *Engine) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	return e.sort(ctx, job, mem)
}

// Device is the device that the engine uses.
func (e *Engine) Device() Device { return e.info() }

var _ engine.ThresholdLister = (*Engine)(nil)

// Thresholds lists the numbers of rows at which the engine takes another path with a number of host threads, 0 for
// GOMAXPROCS; see engine.ThresholdLister.
func (e *Engine) Thresholds(threads int) []engine.Threshold {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return e.thresholds(threads)
}

// Allocator returns an allocator of pinned memory, which the device reads and writes by itself, at full speed. It is
// an Arrow memory.Allocator, for inputs and results alike, and safe for concurrent use.
func (e *Engine) Allocator() *Allocator { return e.allocator() }

// Close frees the device. It waits for the sorts that run; those that follow are refused. Memory of its Allocator stays
// valid, but is pinned no longer. A second Close does nothing.
func (e *Engine) Close() error { return e.close() }
