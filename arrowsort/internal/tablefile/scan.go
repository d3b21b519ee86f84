package tablefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
)

// ErrScan is returned for a file that can only be read as a whole.
var ErrScan = errors.New("only Parquet and Arrow files can be read in pieces")

// A Scanner reads a file from front to back, a piece at a time. It is used by one goroutine.
type Scanner struct {
	Schema   *arrow.Schema
	Format   Format
	Bytes    int64   // size of the file
	Layout   *Layout // how a Parquet input is laid out, else nil
	InMemory int64   // about the bytes that the rows take in memory
	Rows     int64   // of a Parquet file; else -1

	path    string
	file    *os.File
	pieces  pieces
	parquet *parquet.File // of a Parquet file
	chosen  []int         // columns of a piece; nil: all
}

// pieces are the parts of a table. Next ends with io.EOF.
type pieces interface {
	Next(ctx context.Context) (arrow.Table, error)
	Share() float64 // of the file that was read
	Close()
}

// Scan opens a Parquet file, an Arrow file or a stream in a file. The pieces of a Parquet file take about pieceBytes in
// memory, a record batch of Arrow is a piece. Dictionaries stay what they are in each piece. The caller closes the
// scanner. Errors are those of Read; CSV is ErrScan.
func Scan(path string, pieceBytes int64, opts ReadOptions) (*Scanner, error) {
	return ofFile(path, "standard input", func() (*Scanner, error) { return scan(path, pieceBytes, opts) })
}

func scan(path string, pieceBytes int64, opts ReadOptions) (*Scanner, error) {
	format, err := opts.Format.resolveInput(path)
	if err != nil {
		return nil, err
	}
	if format == CSV || path == Pipe {
		return nil, fmt.Errorf("%w, not %s from %s", ErrScan, format, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Scanner{Format: format, path: path, file: file}
	if err := s.open(pieceBytes, opts); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Scanner) open(pieceBytes int64, opts ReadOptions) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w; this is none", ErrScan)
	}
	s.Bytes = info.Size()
	head := make([]byte, min(headSize, s.Bytes))
	if _, err := s.file.ReadAt(head, 0); err != nil {
		return err
	}
	if err := checkHead(head, s.Format); err != nil {
		return err
	}
	opts.limitMemory(s.Bytes)
	opts.pieces, opts.Dictionaries = true, false
	if s.Format == Parquet {
		f, err := parquet.Open(s.file, s.Bytes, opts.parquet())
		if err != nil {
			return err
		}
		s.parquet = f
		s.Schema, s.Layout, s.Rows, s.InMemory = f.Schema(), f.Layout, f.Layout.Rows(), f.InMemory()
		s.pieces = f.Batches(pieceBytes)
		return nil
	}
	s.InMemory, s.Rows = s.Bytes, -1
	batches, err := openBatches(s.Format, s.file, s.Bytes, opts.Allocator)
	if err != nil {
		return err
	}
	s.Schema, s.pieces = batches.Schema(), &batchPieces{Reader: batches, mem: opts.Allocator, limit: opts.declared}
	return nil
}

// Next returns the next piece, which the caller releases; io.EOF after the last. Errors name the file.
func (s *Scanner) Next(ctx context.Context) (table arrow.Table, err error) {
	err = fileerror.Contain(func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		table, err = s.pieces.Next(ctx)
		return err
	})
	if err == nil {
		return s.choose(table), nil
	}
	if err == io.EOF {
		return nil, err
	}
	return nil, inFile(s.path, "standard input", err)
}

// Done is about how many bytes of the file were read.
func (s *Scanner) Done() int64 { return int64(float64(s.Bytes) * s.pieces.Share()) }

// Close closes the file.
func (s *Scanner) Close() {
	if s.pieces != nil {
		s.pieces.Close()
	}
	s.file.Close()
}
