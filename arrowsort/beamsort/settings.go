package beamsort

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// settings are the parameters of all steps of the pipeline.
type settings struct {
	Stored     []byte // the schema of the inputs, as an Arrow stream without rows
	Rows       []byte // the schema of the rows as they are read
	Keys       []arrowsort.Key
	KeyColumns []int
	Output     string
	Shuffle    string // the folder of the files in which batches travel; empty: batches are elements
	Shards     int
	Parts      int // of all inputs
	Options    Options

	stored, rows *arrow.Schema
}

// encode encodes the settings for the workers.
func (s *settings) encode(d *parquetsort.Division) (b []byte, err error) {
	if s.Stored, err = encodeSchema(d.Stored); err != nil {
		return nil, err
	}
	if s.Rows, err = encodeSchema(d.Schema); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

func decodeSettings(b []byte) (s *settings, err error) {
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, err
	}
	if s.stored, err = decodeSchema(s.Stored); err != nil {
		return nil, err
	}
	s.rows, err = decodeSchema(s.Rows)
	return s, err
}

// encodeSchema encodes a schema as an Arrow stream without rows.
func encodeSchema(schema *arrow.Schema) ([]byte, error) {
	var b bytes.Buffer
	w, err := ipc.NewWriter(&b, schema, ipc.Options{Allocator: memory.DefaultAllocator})
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

func decodeSchema(b []byte) (*arrow.Schema, error) {
	r, err := ipc.OpenStream(bytes.NewReader(b), int64(len(b)), memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}

// sampleKeys returns the keys for tables that hold the key columns only.
func (s *settings) sampleKeys() []arrowsort.Key { return flagtext.Among(s.KeyColumns, s.Keys) }

// sorting returns the options for package arrowsort.
func (s *settings) sorting() arrowsort.Options { return arrowsort.Options{Threads: s.Options.Threads} }

// An inputPart is the part of an input file that one element of the pipeline stands for.
type inputPart struct {
	Number       int64 // of the part, in the order of files and rows
	Path         string
	First, Count int64 // of parquetsort.Part
	Version      string
}

// inputParts returns the parts of all inputs.
func inputParts(d *parquetsort.Division) []inputPart {
	all := make([]inputPart, len(d.Parts))
	for i, p := range d.Parts {
		all[i] = inputPart{int64(i), p.Path, int64(p.First), int64(p.Count), p.Version}
	}
	return all
}

// read passes the rows of a part to use, batch by batch: the given columns, or all if columns is nil.
func (s *settings) read(ctx context.Context, t inputPart, columns []int, use func(piece arrow.Table) error) error {
	o := &s.Options
	part := parquetsort.Part{Path: t.Path, First: int(t.First), Count: int(t.Count), Version: t.Version}
	return parquetsort.ReadPart(ctx, part, s.stored, columns, parquetsort.PartOptions{
		Format: parquetsort.Format(o.InputFormat), Open: o.opener(ctx, t.Path), Budget: o.memory(), Threads: o.Threads,
	}, use)
}
