package beamsort

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
)

// A counted engine is the CPU that counts.
type counted struct {
	engine.Engine
	opened, sorts atomic.Int64
}

func (c *counted) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (*engine.Result, error) {
	c.sorts.Add(1)
	return c.Engine.Sort(ctx, job, mem)
}

var (
	device  = &counted{Engine: cpu.New()}
	errNone = errors.New("there is no device")
	opens   = map[string]func() (engine.Engine, error){
		"device": func() (engine.Engine, error) { device.opened.Add(1); return device, nil },
		"absent": func() (engine.Engine, error) { return nil, errNone },
	}
)

func init() {
	for name, open := range opens {
		RegisterEngine(name, open)
	}
}

// TestEngineSortsTheShards, and is opened once by a worker.
func TestEngineSortsTheShards(t *testing.T) {
	in := t.TempDir()
	paths := []string{writeFile(t, in, "x.parquet", numbers(1, 5000, 100, 0), 1000)}
	keys := []arrowsort.Key{{Path: "key"}}
	plain := readBytes(t, sortFiles(t, paths, t.TempDir(), keys, Options{Shards: 3}))
	require.Zero(t, device.sorts.Load())
	other := sortFiles(t, paths, t.TempDir(), keys, Options{Shards: 3, Engine: "device"})
	require.Equal(t, plain, readBytes(t, other))
	require.GreaterOrEqual(t, device.sorts.Load(), int64(3))
	require.EqualValues(t, 1, device.opened.Load())
	require.Equal(t, plain, readBytes(t, sortFiles(t, paths, t.TempDir(), keys, Options{Shards: 3, Engine: "cpu"})))
}

func TestEnginesThatAreNotThere(t *testing.T) {
	_, err := openEngine("absent")
	require.ErrorIs(t, err, errNone)
	require.ErrorContains(t, err, "engine absent")
	err = (&Options{Engine: "other"}).check()
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, "there are cpu, absent, device")
	for _, name := range []string{"", "cpu", "device"} {
		require.Panics(t, func() { RegisterEngine(name, nil) }, name)
	}
}
