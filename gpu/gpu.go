package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/memory"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/workers"
)

var (
	// ErrNoDevice is returned by Open and Devices where there is no GPU to use: a build without the tag cuda, a machine
	// without driver, a number that no device has. The error names what was looked for.
	ErrNoDevice = driver.ErrNoDevice
	// ErrDevice is returned when the device or its driver fails in the middle of a sort. The process can go on. The
	// next sort reopens the device; after some faults the driver refuses that until the process ends, and the error
	// is ErrDevice again.
	ErrDevice = driver.ErrDevice
)

// Options are the options of Open. The zero value is the first device.
type Options struct {
	Device int // number of the device, from 0 on, if Devices is empty
	// Devices are the numbers of the devices that share each sort, none twice. Empty: Device alone.
	Devices []int
	// ShareRows is the least number of rows of a device's share: tables of fewer than twice as many are sorted by the
	// first device. 0: 2^21.
	ShareRows int
	// PrimaryContext opens the primary context of the device, one device, in place of a separate one: that of the CUDA
	// runtime, so of PyTorch, CuPy, JAX, RMM and cuDF. ArgsortDevice needs it.
	PrimaryContext bool
	// Memory allocates the memory of the device for sorts, some megabytes for the engine itself aside; nil: the driver.
	// The engine keeps what it gets for the next sort, until Trim.
	Memory DeviceMemory
	// MemoryLimit is the most bytes of it on each device, in use or kept; a sort that needs more fails by
	// engine.ErrMemory. 0: no limit.
	MemoryLimit int
}

// check refuses options that contradict each other.
func (o *Options) check() error {
	switch {
	case len(o.Devices) > 1 && o.PrimaryContext:
		return fmt.Errorf("gpu: Options.PrimaryContext is for one device, not %d: open an engine for each",
			len(o.Devices))
	case len(o.Devices) > 1 && o.Memory != nil:
		return fmt.Errorf("gpu: Options.Memory is for one device, not %d: open an engine for each", len(o.Devices))
	case o.MemoryLimit < 0:
		return fmt.Errorf("gpu: Options.MemoryLimit is %d", o.MemoryLimit)
	}
	return nil
}

// withDefaults sets Devices and ShareRows where they are not set, and has Memory called by one goroutine at a time.
func (o Options) withDefaults() Options {
	if len(o.Devices) == 0 {
		o.Devices = []int{o.Device}
	}
	if o.ShareRows <= 0 {
		o.ShareRows = 1 << 21
	}
	if o.Memory != nil {
		o.Memory = device.InTurn(o.Memory)
	}
	return o
}

// A Device is a GPU of this machine.
type Device struct {
	Number          int
	Name            string
	Compute         string // compute capability, such as "9.0"
	Memory          int64  // bytes
	Multiprocessors int
	Peers           []int // numbers of the devices whose memory it reaches directly
}

// Devices lists the GPUs that Open can use.
func Devices() ([]Device, error) { return devices() }

// A StageTime is the time that a stage of sorts has taken on one device, of the given number.
type StageTime = device.StageTime

// An Engine sorts on one GPU, as package engine describes, or on several; its results are those of the CPU engine, byte
// for byte.
//
// The device does all of it but this: the strings of keys that are views are copied side by side on the host, and
// columns of Binary and LargeBinary of few rows are gathered there by the device's row numbers, as is any column where
// few of many rows are wanted.
//
// Sorts that are called at the same time run one after another. A sort needs memory on the device for its keys and 29
// bytes per row, 4 more for a dictionary, 32 more for keys of strings; then for the row numbers, the keys that are
// gathered, columns that are gathered more than once, and three times the widest of all that are; and for 4 MiB
// besides. With more memory it is faster: columns are uploaded and downloaded while others are processed. The engine
// keeps the memory of a sort for the next. Too little is engine.ErrMemory, with the bytes that are needed and free.
//
// Several GPUs share a sort as docs/gpu.md describes; each takes one thread of the host, also if Job.Threads are fewer.
// The first of them alone sorts by keys that are strings, and tables with strings for which it has the memory. An error
// of one names its number.
type Engine struct {
	options Options
	devices []Device // that share sorts
	times   device.StageTimes
	tuning  tuning.Table
	pinned  *Allocator
	// One sort at a time takes the sessions of the devices, by the first of them: nil if they must be reopened.
	turn chan *session
}

// An Allocator allocates pinned memory; see Engine.Allocator.
type Allocator = memory.Allocator

// Open opens a GPU. Close gives it back. The error is ErrNoDevice, ErrDevice or, where others have its memory,
// engine.ErrMemory.
func Open(options Options) (*Engine, error) {
	e := &Engine{options: options.withDefaults(), tuning: tuning.Default(), turn: make(chan *session, 1)}
	if err := e.options.check(); err != nil {
		return nil, err
	}
	if err := e.open(); err != nil {
		return nil, err
	}
	return e, nil
}

// Name is "gpu".
func (e *Engine) Name() string { return "gpu" }

// Sort carries out a job; see engine.Engine.
func (e *Engine) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	return e.sort(ctx, job, mem)
}

// Device is the device that the engine uses, the first of several.
func (e *Engine) Device() Device { return e.devices[0] }

// Devices are the devices that share the engine's sorts.
func (e *Engine) Devices() []Device { return slices.Clone(e.devices) }

// StageTimes returns the time that each stage of all sorts so far has taken on each device, device by device in the
// order in which the stages ended first. Devices work at the same time. A sort on one device is one stage, "sort". One
// on several has these: "measure": the keys are uploaded and measured; "partition": rows are ordered by the devices to
// which they go; "exchange"; "sort": each device sorts its range; "gather": columns are uploaded, gathered for the
// exchange and after it; "download".
func (e *Engine) StageTimes() []StageTime { return e.times.All() }

var _ engine.ThresholdLister = (*Engine)(nil)

// Thresholds lists the numbers of rows at which the engine takes another path with a number of host threads, 0 for
// GOMAXPROCS; see engine.ThresholdLister.
func (e *Engine) Thresholds(threads int) []engine.Threshold {
	return e.thresholds(workers.Count(threads))
}

// Allocator returns an allocator of pinned memory, which the device reads and writes by itself, at full speed. It is
// an Arrow memory.Allocator, for inputs and results alike, and safe for concurrent use.
func (e *Engine) Allocator() *Allocator { return e.pinned }

// Close frees the device. It waits for the sorts that run; those that follow are refused. Memory of its Allocator stays
// valid, but is pinned no longer, and results of ArgsortDevice stay until their Release. A second Close does nothing.
func (e *Engine) Close() error { return e.close() }

// Unavailable reports whether an error means that there is no GPU, that it failed, or that its memory is full: another
// engine can do the work.
func Unavailable(err error) bool {
	return errors.Is(err, ErrNoDevice) || errors.Is(err, ErrDevice) || errors.Is(err, engine.ErrMemory)
}

// WithFallback returns an engine that sorts on first, and on second if the error of first is Unavailable. used is
// called with the name of each engine that starts a sort.
func WithFallback(first, second engine.Engine, used func(engine string)) engine.Engine {
	return &fallback{first, second, used}
}

type fallback struct {
	first, second engine.Engine
	used          func(engine string)
}

func (f *fallback) Name() string { return "auto" }

func (f *fallback) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	f.used(f.first.Name())
	result, err := f.first.Sort(ctx, job, mem)
	if Unavailable(err) {
		f.used(f.second.Name())
		return f.second.Sort(ctx, job, mem)
	}
	return result, err
}
