//go:build cuda && linux && amd64

package gpu

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// sortAside sorts behind a verdict that most rows are of classes: kernels send these to their places, and only the
// others are sorted, by digits.
func (t *task) sortAside(p *partition, v view, shape bucketShape, n int) {
	seen := t.seen()
	others := int(seen.verdict.records)
	codes := p.records[0]
	t.free(p.records[1])
	p.records = [2]driver.Ptr{}
	rows := t.alloc(4 * others)
	t.launch(shape.setAside(), shape.tiles(n), p.with(codes, rows)...)
	t.lookout.clear = !t.failed() // of the counts of classes
	t.moves(2*int(v.column.width)*n + 16*n)
	if others == 0 {
		t.free(codes, rows)
		return
	}
	b := &binner{task: t, rows: others, rowBits: rowBitsOf(n), tiles: tilesFor(others, t.Shared)}
	sorted := b.sort(source{field: codesField(codes), codes: codes, rows: rows, varying: seen.varying(v.bits)}, v.bits)
	t.launch("put_back", t.blocks(others), p.with(sorted, 0)...)
	t.free(sorted)
}
