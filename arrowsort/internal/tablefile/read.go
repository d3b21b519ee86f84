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
)

// ReadOptions say how to read. The zero value is right for files.
type ReadOptions struct {
	Format       Format           // Auto: by the file's name; an IPC stream for Pipe
	Stdin        io.Reader        // what Pipe reads; nil: os.Stdin
	Allocator    memory.Allocator // nil: memory.DefaultAllocator
	Flat         *Recycler        // gives the memory of columns of a Parquet file that are read in pieces and without pqarrow; nil: Allocator
	Threads      int              // 0: GOMAXPROCS
	Dictionaries bool             // give string columns that a Parquet file stores with a small dictionary as dictionaries
	// MemoryLimit is the bytes that the table may take. 0 is the machine's memory, and of a file no more than 1 GiB or, if that is more,
	// 1000 bytes for each of its bytes: a small file can declare any number of values.
	MemoryLimit int64
	Delimiter   rune // between the values of a line of CSV; 0: a comma, or a tab in .tsv
	Verbatim    bool // columns of CSV are text where a value could be written in another way, see Input.Typed
	// Schema is told the schema as soon as it is known: before the data of a Parquet or Arrow file, between the two passes
	// over CSV. Its error ends the reading. Of a Parquet file the columns that it returns are read, all when it returns none.
	Schema   func(*arrow.Schema) (columns []int, err error)
	Start    func()                // told when reading begins: of a Parquet or Arrow file, behind Schema
	Progress func(done, total int) // told now and then, from one goroutine at a time

	declared int64 // bytes that a footer may declare; 0: any number
	batches  bool  // a column chunk of a Parquet file is read in pieces
}

// start tells that reading begins.
func (o *ReadOptions) start() {
	if o.Start != nil {
		o.Start()
		o.Start = nil
	}
}

// known tells the schema.
func (o *ReadOptions) known(schema *arrow.Schema) (columns []int, err error) {
	if o.Schema == nil {
		return nil, nil
	}
	return o.Schema(schema)
}

// An Input is a table that was read. The caller releases Table.
type Input struct {
	Table   arrow.Table
	Schema  *arrow.Schema // of the file; the table may hold its strings as dictionaries, see ReadOptions.Dictionaries
	Columns []int         // positions in Schema of the columns that Table has; nil: all
	Typed   []int         // of CSV that was read verbatim: where Table has the columns that ReadOptions.Schema chose, with their types; some behind all others
	Format  Format
	Bytes   int64   // size of the input
	Layout  *Layout // how a Parquet input was laid out and all of it was read, else nil
}

// source is the bytes of an input; a Parquet or IPC file is read at random places, the others from front to back.
type source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// Read reads a whole table. Errors name the file; a file that breaks its format is ErrCorrupt, one that is too large for
// the limit ErrMemory.
func Read(ctx context.Context, path string, opts ReadOptions) (in *Input, err error) {
	err = contain(func() error {
		in, err = read(ctx, path, opts)
		return err
	})
	if err != nil {
		return nil, inFile(path, "standard input", err)
	}
	return in, nil
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
		table, err := readStream(ctx, counter, -1, opts)
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
		err = readChosen(ctx, src, in, opts)
	case IPCFile:
		in.Table, err = readIPCFile(ctx, src, size, opts)
	case IPCStream:
		in.Table, err = readStream(ctx, &countingReader{ctx: ctx, r: src}, size, opts)
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

// readChosen tells the schema of a Parquet file and reads the columns that are chosen.
func readChosen(ctx context.Context, src source, in *Input, opts ReadOptions) error {
	f, err := openParquet(src, in.Bytes, opts)
	if err != nil {
		return err
	}
	columns, err := opts.known(f.schema)
	if err != nil {
		return err
	}
	opts.start()
	if columns == nil {
		return readParquet(ctx, src, in, opts)
	}
	return f.readColumns(ctx, in, columns)
}

// finish unifies the dictionaries of a table, so that equal indices mean equal values in all its chunks. It consumes the
// table.
func finish(ctx context.Context, table arrow.Table, mem memory.Allocator) (arrow.Table, error) {
	defer table.Release()
	return unifyDictionaries(ctx, mem, table)
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
