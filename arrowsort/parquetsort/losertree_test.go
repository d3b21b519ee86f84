package parquetsort

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/keyencode"
)

func TestLoserTreeMergesStably(t *testing.T) {
	table := array.NewTable(arrow.NewSchema(nil, nil), nil, 0)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		type row struct {
			code        uint64
			cursor, row int
		}
		var want, got []row
		cursors := make([]*cursor, 1+r.IntN(9))
		for i := range cursors {
			c := &cursor{plan: &keyencode.Plan{}}
			for range r.IntN(20) {
				c.codes = append(c.codes, r.Uint64N(8))
			}
			slices.Sort(c.codes)
			for k, code := range c.codes {
				want = append(want, row{code, i, k})
			}
			if len(c.codes) > 0 {
				c.piece = table
			}
			cursors[i] = c
		}
		slices.SortStableFunc(want, func(a, b row) int { return int(a.code) - int(b.code) })
		for tree := newLoserTree(cursors); tree.winner().piece != nil; tree.replay() {
			c := tree.winner()
			got = append(got, row{c.codes[c.row], slices.Index(cursors, c), c.row})
			if !c.step() {
				c.piece = nil
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
}
