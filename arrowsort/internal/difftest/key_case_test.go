package difftest

import (
	"fmt"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A keyCase is a table with one key, of a given type, order and shape.
type keyCase struct {
	seed   uint64
	typ    arrow.DataType
	mode   int // order and null placement
	shape  shape
	chunks int // several: of a table
}

// everyKey are the cases of every type of key, order, null placement, shape, and one chunk or several.
func everyKey() (cases []keyCase) {
	for _, typ := range keyTypes() {
		for mode := range 4 {
			for _, s := range shapes {
				for _, chunks := range []int{1, 5} {
					cases = append(cases, keyCase{uint64(len(cases)), typ, mode, s, chunks})
				}
			}
		}
	}
	return cases
}

// sample is about one case in a number of them: which ones, the seed decides.
func sample(cases []keyCase, of int) (some []keyCase) {
	for i := range cases {
		if rand.New(rand.NewPCG(testrun.Seed()+uint64(i), 3)).IntN(of) == 0 {
			some = append(some, cases[i])
		}
	}
	return some
}

// table makes a record of one chunk, or a table of several, with the key and a column of any type.
func (c keyCase) table(rows int, mem memory.Allocator) *table {
	r := rand.New(rand.NewPCG(c.seed, 2026))
	t := &table{rows: rows}
	form := min(c.chunks-1, 1) // record or table
	nulls := []float64{0, 0.02, 0.3, 1}[r.IntN(4)]
	t.addColumn(r, c.typ, columnForm{c.shape, nulls, c.chunks}, mem)
	t.addKey(r, 0, c.mode, false)
	payload := arrowtest.Types()
	t.addColumn(r, payload[r.IntN(len(payload))], t.drawForm(r, form), mem)
	t.data = t.assemble(form)
	t.text = fmt.Sprintf("key case %d, %d rows, %T%s, keys %+v", c.seed, rows, t.data, t.text, t.keys)
	return t
}
