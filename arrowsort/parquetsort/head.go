package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
)

// A head collects copies of the first rows of an output.
type head struct {
	opts  *Options
	parts []arrow.Table
	rows  int64
}

// add copies the rows of the next table that are wanted.
func (h *head) add(ctx context.Context, table arrow.Table) error {
	n := min(h.opts.Head-h.rows, table.NumRows())
	if n <= 0 {
		return nil
	}
	part := slice(table, 0, n)
	defer part.Release()
	copied, err := copyTable(ctx, part, h.opts)
	if err != nil {
		return err
	}
	h.parts, h.rows = append(h.parts, copied), h.rows+n
	return nil
}

// read adds the first rows of the files, which were copied to the output.
func (h *head) read(ctx context.Context, in *inputs, files []string) error {
	for _, path := range files {
		s, err := in.openIn(path, keyScanBytes)
		for err == nil && h.rows < h.opts.Head {
			var piece arrow.Table
			if piece, err = s.nextDecoded(ctx); err == nil {
				err = h.add(ctx, piece)
				piece.Release()
			}
		}
		if s != nil {
			s.Close()
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// table is the rows, which are given away; nil when none are wanted.
func (h *head) table(schema *arrow.Schema) arrow.Table {
	if h.opts.Head == 0 {
		return nil
	}
	defer h.release()
	return concatenate(schema, h.parts)
}

func (h *head) release() {
	for _, p := range h.parts {
		p.Release()
	}
	h.parts = nil
}
