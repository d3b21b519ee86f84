package tablefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// ReadOptions are the options of Read and Scan. The zero value is right for files.
type ReadOptions struct {
	Format       Format           // Auto: by the file's name; an IPC stream for Pipe
	Stdin        io.Reader        // what Pipe reads; nil: os.Stdin
	Allocator    memory.Allocator // nil: memory.DefaultAllocator
	Flat         *rawmem.Recycler // for columns that a Scanner reads without pqarrow; nil: Allocator
	Threads      int              // 0: GOMAXPROCS
	Dictionaries bool             // strings that a Parquet file stores with a small dictionary become dictionaries
	Delimiter    rune             // between the values of a line of CSV; 0: a comma, or a tab in .tsv
	Verbatim     bool             // columns of CSV are text where a value has several spellings, see Input.Typed
	// MemoryLimit is the bytes that the table may take. 0 is the machine's memory, and of a file no more than 1 GiB or,
	// if that is more, 1000 bytes for each of its bytes: a small file can declare any number of values.
	MemoryLimit int64
	// Schema is passed the schema before the data of a Parquet or Arrow file, and between the two passes over CSV. Its
	// error ends the reading. Of a Parquet file the columns that it returns are read, all when it returns none.
	Schema   func(*arrow.Schema) (columns []int, err error)
	Start    func()                // called when reading begins: of a Parquet or Arrow file, after Schema
	Progress func(done, total int) // called now and then, from one goroutine at a time

	declared int64 // bytes that a footer may declare; 0: any number
	pieces   bool  // a column chunk of a Parquet file is read in pieces
}

// start calls Start, once.
func (o *ReadOptions) start() {
	if o.Start != nil {
		o.Start()
		o.Start = nil
	}
}

// begin passes the schema to Schema and then starts.
func (o *ReadOptions) begin(schema *arrow.Schema) (columns []int, err error) {
	if o.Schema != nil {
		columns, err = o.Schema(schema)
	}
	if err == nil {
		o.start()
	}
	return columns, err
}

// An Input is a table that was read. The caller releases Table.
type Input struct {
	Table   arrow.Table
	Schema  *arrow.Schema // of the file; the table may hold its strings as dictionaries, see ReadOptions.Dictionaries
	Columns []int         // positions in Schema of the columns that Table has; nil: all
	Typed   []int         // of CSV read verbatim: positions in Table of the chosen columns, with their types
	Format  Format
	Bytes   int64   // size of the input
	Layout  *Layout // of a Parquet input that was read as a whole, else nil
}

// source is the bytes of an input; a Parquet or IPC file is read at random places, the others from front to back.
type source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// Read reads a whole table. Errors name the file; a file that breaks its format is ErrCorrupt, one that is too large
// for the limit ErrMemory.
func Read(ctx context.Context, path string, opts ReadOptions) (*Input, error) {
	return ofFile(path, "standard input", func() (*Input, error) { return read(ctx, path, opts) })
}

func read(ctx context.Context, path string, opts ReadOptions) (in *Input, err error) {
	format, err := opts.Format.resolveInput(path)
	if err != nil {
		return nil, err
	}
	opts.Format, opts.Delimiter = format, delimiter(path, opts.Delimiter)
	if path == Pipe {
		return readPipe(ctx, opts)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("is a folder, not a file")
	}
	if !info.Mode().IsRegular() { // a named pipe has neither a size nor random access
		opts.Stdin = file
		return readPipe(ctx, opts)
	}
	head := make([]byte, min(headSize, info.Size()))
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	if err := checkHead(head, opts.Format); err != nil {
		return nil, err
	}
	opts.limitMemory(info.Size())
	return readSource(ctx, file, info.Size(), opts)
}

// readPipe reads an IPC stream as it comes; the other formats need all of it first.
func readPipe(ctx context.Context, opts ReadOptions) (*Input, error) {
	stdin := opts.Stdin
	if stdin == nil {
		stdin = os.Stdin
	}
	opts.start()
	opts.limitMemory(-1)
	buffered := bufio.NewReaderSize(newInterruptible(ctx, stdin), headSize)
	head, err := buffered.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := checkHead(head, opts.Format); err != nil {
		return nil, err
	}
	counter := &countingReader{ctx: ctx, r: buffered}
	if opts.Format == IPCStream {
		table, err := readBatches(ctx, counter, -1, opts)
		if err != nil {
			return nil, err
		}
		return &Input{Table: table, Schema: table.Schema(), Format: opts.Format, Bytes: counter.n}, nil
	}
	limited := io.Reader(counter)
	if opts.MemoryLimit > 0 {
		limited = io.LimitReader(counter, opts.MemoryLimit)
	}
	b, err := io.ReadAll(limited)
	if err != nil {
		return nil, err
	}
	return readSource(ctx, bytes.NewReader(b), int64(len(b)), opts)
}

func readSource(ctx context.Context, src source, size int64, opts ReadOptions) (in *Input, err error) {
	in = &Input{Format: opts.Format, Bytes: size}
	switch opts.Format {
	case Parquet:
		err = readParquet(ctx, src, in, opts)
	case IPCFile:
		in.Table, err = readBatches(ctx, src, size, opts)
	case IPCStream:
		in.Table, err = readBatches(ctx, &countingReader{ctx: ctx, r: src}, size, opts)
	case CSV:
		err = readCSV(ctx, &countingReader{ctx: ctx, r: src}, in, opts)
	}
	if err != nil {
		return nil, err
	}
	if in.Schema == nil {
		in.Schema = in.Table.Schema()
	}
	return in, nil
}

// readCSV reads CSV, twice: for the types, then for the values.
func readCSV(ctx context.Context, src io.Reader, in *Input, opts ReadOptions) error {
	if opts.MemoryLimit > 0 && in.Bytes > opts.MemoryLimit {
		return ErrMemory
	}
	opts.start()
	text := make([]byte, in.Bytes)
	if _, err := io.ReadFull(src, text); err != nil {
		return err
	}
	r, err := csv.NewReader(ctx, text, opts.Delimiter)
	if err != nil {
		return err
	}
	in.Schema = r.Schema()
	chosen, err := opts.begin(in.Schema)
	if err != nil {
		return err
	}
	if opts.Verbatim {
		in.Typed = r.Verbatim(chosen)
	}
	in.Table, err = r.Read(ctx, opts.Allocator, opts.Progress)
	return err
}

// finish unifies the dictionaries of a table, which it consumes: equal indices are equal values in all its chunks.
func finish(ctx context.Context, table arrow.Table, mem memory.Allocator) (arrow.Table, error) {
	defer table.Release()
	return dictionary.Unify(ctx, mem, table)
}

// countingReader counts what is read and fails once the context is cancelled.
type countingReader struct {
	ctx context.Context
	r   io.Reader
	n   int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
