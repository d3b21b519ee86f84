package beamsort

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A RangeReader reads parts of the files of a file system, which Beam's file systems do not.
type RangeReader interface {
	// OpenRange reads length bytes of a file from an offset on; there are as many.
	OpenRange(ctx context.Context, filename string, offset, length int64) (io.ReadCloser, error)
	Close() error
}

var ranges = struct {
	sync.Mutex
	open map[string]func(ctx context.Context) (RangeReader, error)
}{open: map[string]func(ctx context.Context) (RangeReader, error){}}

// RegisterRanges has the inputs of a scheme, as gs, be staged by the ranges that are read of them: the columns of the
// keys where the sample is drawn. Inputs of other schemes are copied as a whole. Package beamsort/objects does it for
// gs and s3. It panics when the scheme is taken.
func RegisterRanges(scheme string, open func(ctx context.Context) (RangeReader, error)) {
	ranges.Lock()
	defer ranges.Unlock()
	if ranges.open[scheme] != nil {
		panic(fmt.Sprintf("beamsort: ranges of scheme %q are registered already", scheme))
	}
	ranges.open[scheme] = open
}

// rangesOf reads ranges of a path; nil: its file system does not.
func rangesOf(ctx context.Context, path string) (RangeReader, error) {
	scheme, _, _ := strings.Cut(path, "://")
	ranges.Lock()
	open := ranges.open[scheme]
	ranges.Unlock()
	if open == nil {
		return nil, nil
	}
	return open(ctx)
}
