package parquetsort

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
)

// A head collects copies of the first rows of an output.
type head struct {
	opts  *Options
	parts []arrow.Table
	rows  int64
}

// add copies the rows of the next table that are wanted.
func (h *head) add(ctx context.Context, table arrow.Table) error {
	n := min(h.opts.Output.Preview-h.rows, table.NumRows())
	if n <= 0 {
		return nil
	}
	part := arraydata.SliceTable(table, 0, n)
	defer part.Release()
	copied, err := extsort.CopyTable(ctx, part, h.opts.sorting())
	if err != nil {
		return err
	}
	h.parts, h.rows = append(h.parts, copied), h.rows+n
	return nil
}

// read adds the first rows of the files, which were copied to the output.
func (h *head) read(ctx context.Context, in *inputs, files []string) error {
	if h.opts.Output.Preview == 0 {
		return nil
	}
	in = in.quiet()
	in.paths, in.decode, in.piece = files, true, keyScanBytes
	return in.each(ctx, PhaseRead, func(_ int, piece arrow.Table) error {
		err := h.add(ctx, piece)
		if err == nil && h.rows == h.opts.Output.Preview {
			err = io.EOF
		}
		return err
	})
}

// table returns the rows, which are given away; nil when none are wanted. The schema is theirs if there are none.
func (h *head) table(schema *arrow.Schema) arrow.Table {
	if h.opts.Output.Preview == 0 {
		return nil
	}
	if len(h.parts) > 0 {
		schema = h.parts[0].Schema()
	}
	defer h.release()
	return arraydata.Concatenate(schema, h.parts)
}

func (h *head) release() {
	arraydata.Release(h.parts)
	h.parts = nil
}
