package tablefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
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

	path   string
	file   *os.File
	pieces pieces
	chosen []int // columns of a piece; nil: all
}

// pieces are the parts of a table. next ends with io.EOF.
type pieces interface {
	next(ctx context.Context) (arrow.Table, error)
	share() float64 // of the file that was read
	close()
}

// Scan opens a Parquet file, an Arrow file or a stream in a file. The pieces of a Parquet file take about pieceBytes in
// memory, a record batch of Arrow is a piece. Dictionaries stay what they are in each piece. The caller closes the
// scanner. Errors are those of Read; CSV is ErrScan.
func Scan(path string, pieceBytes int64, opts ReadOptions) (s *Scanner, err error) {
	err = contain(func() error {
		s, err = scan(path, pieceBytes, opts)
		return err
	})
	if err != nil {
		return nil, inFile(path, "standard input", err)
	}
	return s, nil
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
	opts.limitMemory(s.Bytes)
	opts.batches, opts.Dictionaries = true, false
	if s.Format == Parquet {
		f, err := openParquet(s.file, s.Bytes, opts)
		if err != nil {
			return err
		}
		s.Schema, s.Layout, s.pieces = f.schema, newLayout(f.file), newParquetPieces(f, pieceBytes)
		s.Rows = f.file.NumRows()
		s.InMemory = f.rowBytes() * s.Rows
		return nil
	}
	s.InMemory, s.Rows = s.Bytes, -1
	batches := &batchPieces{size: s.Bytes, limit: opts.declared}
	s.pieces = batches
	if s.Format == IPCFile {
		batches.messages, err = fileMessages(s.file, s.Bytes, opts)
	} else {
		batches.messages = &messages{r: s.file, remaining: s.Bytes, mem: opts.Allocator}
	}
	if err != nil {
		return err
	}
	if err := batches.open(opts); err != nil {
		return err
	}
	s.Schema = batches.reader.Schema()
	return nil
}

// Next returns the next piece, which the caller releases; io.EOF behind the last. Errors name the file.
func (s *Scanner) Next(ctx context.Context) (table arrow.Table, err error) {
	err = contain(func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		table, err = s.pieces.next(ctx)
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
func (s *Scanner) Done() int64 { return int64(float64(s.Bytes) * s.pieces.share()) }

// Close closes the file.
func (s *Scanner) Close() {
	if s.pieces != nil {
		s.pieces.close()
	}
	s.file.Close()
}

// batchPieces are the record batches of an Arrow file or stream.
type batchPieces struct {
	messages messageReader
	reader   recordReader
	size     int64
	limit    int64 // bytes of all batches; 0: none
	bytes    int64 // of the batches so far
}

type recordReader interface {
	Schema() *arrow.Schema
	Next() bool
	Record() arrow.Record
	Err() error
	Release()
}

func (b *batchPieces) open(opts ReadOptions) error {
	r, err := openMessages(b.messages, opts)
	if err != nil {
		return err
	}
	b.reader = r
	return nil
}

func (b *batchPieces) next(context.Context) (arrow.Table, error) {
	for b.reader.Next() {
		rec := b.reader.Record()
		for _, a := range rec.Columns() {
			if err := validate(a); err != nil {
				return nil, err
			}
			b.bytes += ArrayBytes(a.Data(), a.Data().Offset(), a.Len())
		}
		if b.limit > 0 && b.bytes > b.limit {
			return nil, fmt.Errorf("%w: its record batches take more than %d bytes, which is all that a file of its size may "+
				"unless a larger limit is set", ErrMemory, b.limit)
		}
		if rec.NumRows() > 0 {
			return array.NewTableFromRecords(b.reader.Schema(), []arrow.Record{rec}), nil
		}
	}
	if err := endOf(b.reader, b.messages); err != nil {
		return nil, err
	}
	return nil, io.EOF
}

func (b *batchPieces) share() float64 { return b.messages.share(b.size) }

func (b *batchPieces) close() {
	if b.reader != nil {
		b.reader.Release()
	}
	if b.messages != nil {
		b.messages.Release()
	}
}
