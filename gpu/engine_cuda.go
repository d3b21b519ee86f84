//go:build cuda && linux && amd64

package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/memory"
	"github.com/arrowsort/arrowsort/gpu/internal/multigpu"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/gpu/internal/table"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// session is an open device.
type session = device.Session

func devices() ([]Device, error) {
	found, err := driver.Devices()
	if err != nil {
		return nil, driver.OpenError(err)
	}
	all := make([]Device, len(found))
	for i, d := range found {
		all[i] = Device{i, d.Name, fmt.Sprintf("%d.%d", d.Major, d.Minor), d.Memory, d.Multiprocessors, nil}
		for _, peer := range found {
			reaches, err := d.Reaches(peer)
			if err != nil {
				return nil, driver.OpenError(err)
			}
			if reaches {
				all[i].Peers = append(all[i].Peers, peer.Number)
			}
		}
	}
	return all, nil
}

func (e *Engine) open() error {
	all, err := devices()
	if err != nil {
		return err
	}
	for i, number := range e.options.Devices {
		if number < 0 || number >= len(all) {
			return fmt.Errorf("%w: device %d was asked for, there are %d", ErrNoDevice, number, len(all))
		}
		if slices.Contains(e.options.Devices[:i], number) {
			return fmt.Errorf("%w: device %d was asked for twice", ErrNoDevice, number)
		}
		e.devices = append(e.devices, all[number])
	}
	s, err := e.openSessions()
	if err != nil {
		return driver.OpenError(err)
	}
	e.pinned = memory.New(memory.SystemPages{}, s.Context)
	e.turn <- s
	return nil
}

func (e *Engine) openSessions() (*device.Session, error) {
	o := &e.options
	return device.Open(o.Devices, &e.tuning, device.Settings{Primary: o.PrimaryContext, Memory: o.Memory,
		Limit: o.MemoryLimit})
}

func (e *Engine) thresholds(threads int) []engine.Threshold {
	list := listThresholds(&e.tuning, threads, e.devices[0].Multiprocessors)
	for n := 2; n <= len(e.devices); n++ {
		list = append(list, engine.Threshold{Name: fmt.Sprint(n, " devices"), Rows: n * e.options.ShareRows})
	}
	slices.SortStableFunc(list, func(a, b engine.Threshold) int { return a.Rows - b.Rows })
	return list
}

func (e *Engine) close() error {
	s, open := <-e.turn
	if !open {
		return nil // it was closed before
	}
	defer close(e.turn)
	if s == nil {
		return nil // the device was lost
	}
	return e.closeSessions(s)
}

// closeSessions unpins all memory and closes the devices.
func (e *Engine) closeSessions(s *device.Session) error {
	e.pinned.Detach()
	return device.CloseAll(s.Peers)
}

// sort waits for its turn and runs a job on the devices that share it.
func (e *Engine) sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (result *engine.Result, err error) {
	if err := cmp.Or(ctx.Err(), table.Check(job)); err != nil {
		return nil, err
	}
	err = e.inTurn(ctx, func(s *device.Session) (err error) {
		if sessions := e.sharing(s, job); len(sessions) > 1 {
			result, err = multigpu.Sort(ctx, sessions, job, mem, e.options.ShareRows, &e.times)
		} else {
			result, err = e.sortAlone(ctx, s, job, mem)
		}
		return err
	})
	return result, err
}

// sortAlone runs a job on one device. The goroutine is bound to its thread, so that calls of the driver need not switch
// threads.
func (e *Engine) sortAlone(ctx context.Context, s *device.Session, job *engine.Job, mem engine.Allocator) (
	result *engine.Result, err error) {
	start := time.Now()
	defer func() { e.times.Add(s.Number, "sort", time.Since(start)) }()
	err = s.Do(func() error {
		if err := s.Settle(nil); err != nil {
			return err
		}
		t := device.NewTask(ctx, s, job.Threads)
		defer t.End()
		result, err = table.Sort(t, job, mem)
		return err
	})
	return result, err
}

// sharing are the sessions for a job: all that have enough rows to do. One sorts by keys that devices do not read, and
// gathers strings, which of several the host would do, unless it is likely to have too little memory.
func (e *Engine) sharing(s *device.Session, job *engine.Job) []*device.Session {
	alone := multigpu.GathersText(job) && s.FreeBytes >= int64(multigpu.BytesOfRow(job)*job.Rows)
	if alone || !multigpu.CanShare(job) {
		return s.Peers[:1]
	}
	return s.Peers[:max(1, min(len(s.Peers), job.Rows/e.options.ShareRows))]
}

// inTurn waits for the engine's turn, and calls work with the session. A session whose device has failed is closed; the
// next call opens the device again.
func (e *Engine) inTurn(ctx context.Context, work func(s *device.Session) error) error {
	s, err := e.take(ctx)
	if err != nil {
		return err
	}
	defer func() { e.turn <- s }()
	if err = driver.Failure(work(s)); errors.Is(err, ErrDevice) {
		_ = e.closeSessions(s) // nothing in a context that has failed can be used any more, and it may not close
		s = nil
	}
	return err
}

// take waits for the session, and reopens the device if the last sort has lost it.
func (e *Engine) take(ctx context.Context) (*device.Session, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case s, open := <-e.turn:
		if !open {
			return nil, fmt.Errorf("%w: the engine is closed", ErrNoDevice)
		}
		if s != nil {
			return s, nil
		}
	}
	s, err := e.openSessions()
	if err != nil {
		e.turn <- nil
		return nil, fmt.Errorf("%w: opening it again: %w", ErrDevice, err)
	}
	e.pinned.Attach(s.Context)
	return s, nil
}

// listThresholds returns the thresholds for a number of host threads on a device with a number of multiprocessors, in
// rows, by rising numbers of rows. Bytes become the rows of columns of bits and of 1, 4 and 8 bytes.
func listThresholds(t *tuning.Table, threads, multiprocessors int) []engine.Threshold {
	var list []engine.Threshold
	add := func(name string, rows int) { list = append(list, engine.Threshold{Name: name, Rows: rows}) }
	for name, rows := range map[string]int{
		"a full grid": multiprocessors * kernels.CooperativeThreads * kernels.CooperativeItems,
		"ClusterRows": kernels.ClusterRows, "SampleRows": kernels.SampleRows,
		"MiddleSampleRows": kernels.MiddleSampleRows, "MiddleSampleOf": kernels.MiddleSampleOf,
		"SmallSampleRows": kernels.SmallSampleRows, "SmallSampleOf": kernels.SmallSampleOf,
		"BinningTile": kernels.BinningTile, "BinningWideTile": kernels.BinningWideTile,
		"BinningValueTile": kernels.BinningValueTile,
		"PartitionTile":    kernels.PartitionTile, "PartitionWideTile": kernels.PartitionWideTile,
		"PartitionSecondTile": kernels.PartitionSecondTile, "PartitionOnlyTile": kernels.PartitionOnlyTile,
		"BucketRangeRows": kernels.BucketRangeRows, "BucketSortLargeRows": kernels.BucketSortLargeRows,
		"SelectTile": kernels.SelectTile, "SelectWideTile": kernels.SelectWideTile,
		"SelectSample": kernels.SelectSample, "GatherTile": kernels.GatherTile, "ScatterTile": kernels.ScatterTile,
		"TextTile": kernels.TextTile, "host.GatherTile": host.GatherTile,
	} {
		add(name, rows)
	}
	addBytes := func(name string, bytes int) {
		add(name+" of bits", 8*bytes)
		add(name+" of 1 byte", bytes)
		add(name+" of 4 bytes", bytes/4)
		add(name+" of 8 bytes", bytes/8)
	}
	addBytes("host.CopyTile", host.CopyTile)
	addBytes("a batch for each thread", threads*t.BatchBytes)
	addBytes("all slots", stream.StagingSlots*t.SlotBytes)
	for field, value := range reflect.ValueOf(*t).Fields() {
		if n := int(value.Int()); strings.HasSuffix(field.Name, "Bytes") {
			addBytes(field.Name, n)
		} else {
			add(field.Name, n)
		}
	}
	slices.SortFunc(list, func(a, b engine.Threshold) int {
		return cmp.Or(cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.Name, b.Name))
	})
	return list
}
