package output

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
)

// A preview collects copies of the first rows of an output.
type preview struct {
	most  int64
	opts  arrowsort.Options
	parts []arrow.Table
	rows  int64
}

// add copies the rows of the next table that are wanted.
func (p *preview) add(ctx context.Context, table arrow.Table) error {
	n := min(p.most-p.rows, table.NumRows())
	if n <= 0 {
		return nil
	}
	part := arraydata.SliceTable(table, 0, n)
	defer part.Release()
	copied, err := extsort.CopyTable(ctx, part, p.opts)
	if err != nil {
		return err
	}
	p.parts, p.rows = append(p.parts, copied), p.rows+n
	return nil
}

// table returns the rows, which are given away; nil when none are wanted. The schema is theirs if there are none.
func (p *preview) table(schema *arrow.Schema) arrow.Table {
	if p.most == 0 {
		return nil
	}
	if len(p.parts) > 0 {
		schema = p.parts[0].Schema()
	}
	defer p.release()
	return arraydata.Concatenate(schema, p.parts)
}

func (p *preview) release() {
	arraydata.Release(p.parts)
	p.parts = nil
}
