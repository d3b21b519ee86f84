package keyencode

// A Run is a group of rows, neighbours in the order so far, that tie in all words of their codes before Word.
type Run struct {
	Lo, Hi int // its rows: Lo up to, but without, Hi
	Word   int
	Skip   int // bytes by which the words of its strings begin later
}

// AppendRuns finds the runs of equal neighbours in a word that a further word can order. The first code belongs to
// row lo, and so do places in the runs.
func (p *Plan) AppendRuns(runs []Run, codes []uint64, word, lo int) []Run {
	for i := 1; i < len(codes); i++ {
		if codes[i] != codes[i-1] {
			continue
		}
		e := i + 1
		for e < len(codes) && codes[e] == codes[i] {
			e++
		}
		if next := p.Next(word, codes[i]); next < p.Words() {
			runs = append(runs, Run{Lo: lo + i - 1, Hi: lo + e, Word: next})
		}
		i = e
	}
	return runs
}
