package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// load reads the one record of an Arrow IPC file into memory; the caller releases it. With rows > 0 it is a slice of
// the leading rows.
func load(path string, rows int) (arrow.Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f, ipc.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer r.Close()
	if r.NumRecords() != 1 {
		return nil, fmt.Errorf("%s: %d record batches, want one: write the data files again", path, r.NumRecords())
	}
	rec, err := r.Record(0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if rows > 0 && int64(rows) < rec.NumRows() {
		return rec.NewSlice(0, int64(rows)), nil
	}
	rec.Retain()
	return rec, nil
}

// store writes a record to an Arrow IPC file.
func store(path string, rec arrow.Record) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(rec.Schema()))
	if err != nil {
		return err
	}
	return errors.Join(w.Write(rec), w.Close())
}

// size is the number of bytes of a record's buffers, shared ones in full.
func size(rec arrow.Record) (n int) {
	for _, c := range rec.Columns() {
		for _, b := range c.Data().Buffers() {
			if b != nil {
				n += b.Len()
			}
		}
	}
	return n
}
