package parquetsort

// A loserTree finds the cursor with the least row: each inner node remembers who lost there. Equal rows are won by the
// cursor with the lower number, which makes the merge stable. Knuth, The Art of Computer Programming, volume 3, 5.4.1.
type loserTree struct {
	cursors []*cursor
	losers  []int // losers[0] is the winner of all
}

func newLoserTree(cursors []*cursor) *loserTree {
	t := &loserTree{cursors: cursors, losers: make([]int, len(cursors))}
	t.losers[0] = t.play(1)
	return t
}

// play plays the matches below a node and returns their winner. The leaves are the nodes behind the inner ones.
func (t *loserTree) play(node int) int {
	k := len(t.cursors)
	if node >= k {
		return node - k
	}
	a, b := t.play(2*node), t.play(2*node+1)
	if t.beats(b, a) {
		a, b = b, a
	}
	t.losers[node] = b
	return a
}

// beats says whether the row of cursor a comes before that of b. A cursor at its end loses.
func (t *loserTree) beats(a, b int) bool {
	x, y := t.cursors[a], t.cursors[b]
	switch {
	case x.piece == nil:
		return false
	case y.piece == nil:
		return true
	}
	if p, q := x.codes[x.row], y.codes[y.row]; p != q {
		return p < q
	}
	if c := x.compare(y); c != 0 {
		return c < 0
	}
	return a < b
}

// winner is the cursor with the least row; at its end when all are.
func (t *loserTree) winner() *cursor { return t.cursors[t.losers[0]] }

// replay finds the next winner when the row of the last one has changed.
func (t *loserTree) replay() {
	winner := t.losers[0]
	for node := (winner + len(t.cursors)) / 2; node > 0; node /= 2 {
		if t.beats(t.losers[node], winner) {
			winner, t.losers[node] = t.losers[node], winner
		}
	}
	t.losers[0] = winner
}
