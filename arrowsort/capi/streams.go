//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"context"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi/internal/cdata"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

func mergeStreams(r *request) error {
	s, err := settingsOf(r)
	if err != nil {
		return err
	}
	if r.n_inputs < 0 || r.n_inputs > math.MaxInt32 || r.n_inputs > 0 && r.streams == nil {
		return optionErrorf("there are %d streams, or their pointer is NULL", r.n_inputs)
	}
	var readers []array.RecordReader
	defer func() { arraydata.Release(readers) }() // the merge has its own references
	for i := range int(r.n_inputs) {
		reader, err := newRecordReader(inputStream(r, i))
		if err != nil {
			return err
		}
		readers = append(readers, reader)
	}
	ctx, cancel := context.WithCancel(s.context())
	merged, err := arrowsort.MergeReaders(ctx, readers, s.keys, s.Options)
	if err != nil {
		cancel()
		return err
	}
	return putStream(r.out_stream, &recordSource{merged, cancel})
}

func sortStream(r *request) (err error) {
	s, err := readSettings(r)
	if err != nil {
		return err
	}
	input, err := newRecordReader(inputStream(r, 0))
	if err != nil {
		return err
	}
	defer input.Release()
	ctx, cancel := context.WithCancel(s.context())
	sorter, err := extsort.NewSorter(ctx, input.Schema(), s.keys, extsort.Options{
		Memory: s.memory, SpillDir: s.spillDir, BatchRows: s.BatchRows, Limit: int64(s.Limit), Unique: s.unique,
		Engine: s.Engine, Threads: s.Threads, Allocator: new(cdata.Memory),
		Progress: func(phase extsort.Phase, done, total int64) { s.report(string(phase), done, total) },
	})
	if err != nil {
		cancel()
		return err
	}
	end := func() { _ = sorter.Close(); cancel() } // what could not be removed is by the next sort that spills
	defer func() {
		if err != nil {
			end()
		}
	}()
	for input.Next() {
		if err := sorter.Write(input.Record()); err != nil {
			return err
		}
	}
	if err := input.Err(); err != nil {
		return err
	}
	sorted, err := sorter.Sorted()
	if err != nil {
		return err
	}
	return putStream(r.out_stream, &recordSource{sorted, end})
}

// streamError returns the last error of a stream that came out.
func streamError(r *request) error {
	return cdata.LastError((*cdata.Stream)(unsafe.Pointer(unsafe.Slice(r.streams, 1)[0])))
}
