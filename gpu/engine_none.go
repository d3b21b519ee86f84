//go:build !(cuda && linux && amd64)

package gpu

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

var errNone = fmt.Errorf("%w: this build has no GPU engine; \"make gpu\" in a checkout builds it, for Linux on x86-64",
	ErrNoDevice)

// device is the device of a build without GPU engine. None is ever opened.
type device struct{}

func devices() ([]Device, error) { return nil, errNone }

func open(Options) (*device, error) { return nil, errNone }

func (*device) sort(context.Context, *engine.Job, engine.Allocator) (*engine.Result, error) {
	return nil, errNone
}

func (*device) info() []Device { return nil }

func (*device) stageTimes() []StageTime { return nil }

func (*device) thresholds(int) []engine.Threshold { return nil }

func (*device) allocator() *Allocator { return nil }

func (*device) close() error { return nil }
