//go:build !(cuda && linux && amd64)

package gpu

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
)

var errNone = fmt.Errorf("%w: this build has no GPU engine; in a checkout, on Linux on x86-64, \"make gpu\" builds "+
	"the command with it, \"make wheel\" the Python package", ErrNoDevice)

// session is that of a build without GPU engine. None is ever opened.
type session struct{}

func devices() ([]Device, error) { return nil, errNone }

func (*Engine) open() error { return errNone }

func (*Engine) sort(context.Context, *engine.Job, engine.Allocator) (*engine.Result, error) {
	return nil, errNone
}

func (*Engine) argsortDevice(context.Context, *DeviceJob) (*DeviceRows, error) { return nil, errNone }

func (*Engine) trim(context.Context) error { return errNone }

func (*Engine) thresholds(int) []engine.Threshold { return nil }

func (*Engine) close() error { return nil }
