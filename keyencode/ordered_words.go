package keyencode

// EncodeWords writes order-preserving words of rows lo..lo+len(dst)-1 of a key column without statistics and without a
// plan: as they compare, so do the rows. It is for sorts too small to measure first. It reports false, and writes
// nothing, for a column that is not one chunk of integers or floats without a validity bitmap.
func EncodeWords(dst []uint64, c *Column, k Key, lo int) bool {
	if len(c.Chunks) != 1 || !c.isWords() {
		return false
	}
	l := wordLinear(k)
	r := reader{column: c}
	b := r.block(&c.Chunks[0], lo, len(dst))
	l.encode(dst, &b)
	return true
}

// NewWordPlan is a plan whose codes are these words, without statistics: for a single key whose sampled values vary in
// nearly all bits, so that statistics would not make the codes shorter. Nothing is known of the order of the rows. It
// reports false for a column that is not integers or floats, or has a validity bitmap.
func NewWordPlan(columns []Column, k Key) (*Plan, bool) {
	c := &columns[k.Column]
	if !c.isWords() {
		return nil, false
	}
	rows := c.Rows()
	p := &Plan{
		rows: rows,
		keys: []keyPlan{
			{
				Key: k, reader: newReader(c), kind: c.Kind, width: c.ValueBytes(), shape: c.shape(),
				stats: &Statistics{Rows: rows},
			},
		},
	}
	p.addField(field{part: partWord, top: ^uint64(0), linear: wordLinear(k)})
	p.pack(0)
	return p, true
}

// isWords reports whether all rows are valid integers or floats, as the absence of a bitmap shows.
func (c *Column) isWords() bool {
	for i := range c.Chunks {
		if c.Chunks[i].Validity != nil {
			return false
		}
	}
	return Int8 <= c.Kind && c.Kind <= Float64
}

// wordLinear gives ordered words, or their complements. No value has the word 0 or the greatest one where NaN may be.
func wordLinear(k Key) linear {
	l := identity
	if k.Order == Descending {
		l.mul, l.bias = ^uint64(0), ^uint64(0)
	}
	if k.Nulls == NullsAtStart {
		l.nan = 0
	}
	return l
}
