package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
)

// copyWork copies the fixed-width values of all columns into new memory with all threads: the floor of any sort that
// gives a new record.
func copyWork(rec arrow.Record) (*work, error) {
	var columns [][]byte
	for i, c := range rec.Columns() {
		w, ok := c.DataType().(arrow.FixedWidthDataType)
		if !ok || w.BitWidth()%8 != 0 {
			return nil, fmt.Errorf("mode copy wants columns of whole bytes, %q is %s", rec.ColumnName(i), c.DataType())
		}
		size := w.BitWidth() / 8
		d := c.Data()
		columns = append(columns, d.Buffers()[1].Bytes()[d.Offset()*size:(d.Offset()+d.Len())*size])
	}
	return &work{variants: []variant{{"copy", func(context.Context) (arrow.Record, measured, error) {
		var kept [][]byte
		_, m, err := clock(func() (arrow.Record, error) {
			for _, src := range columns {
				kept = append(kept, copyParallel(src))
			}
			return nil, nil
		})
		runtime.KeepAlive(kept)
		return nil, m, err
	}}}}, nil
}

// copyParallel returns a copy of src in fresh huge pages, where the system has them.
func copyParallel(src []byte) []byte {
	dst := make([]byte, len(src))
	adviseHuge(dst)
	threads := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for t := range threads {
		lo, hi := len(src)/threads*t, len(src)/threads*(t+1)
		if t == threads-1 {
			hi = len(src)
		}
		wg.Go(func() { copy(dst[lo:hi], src[lo:hi]) })
	}
	wg.Wait()
	return dst
}
