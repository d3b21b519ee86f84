package keyencode

// EncodeWords writes order-preserving words of rows lo..lo+len(dst)-1 of a key column without statistics and without a plan: as
// they compare, so do the rows. It is for sorts too small to measure first. It reports false, and writes nothing, for a column that
// is not one chunk of integers or floats without a validity bitmap.
func EncodeWords(dst []uint64, c *Column, k Key, lo int) bool {
	if len(c.Chunks) != 1 || c.Chunks[0].Validity != nil || c.Kind < Int8 || c.Kind > Float64 {
		return false
	}
	l := identity // no value has the word 0 or the greatest of its column's kind where NaN may be
	if k.Order == Descending {
		l.mul, l.bias = ^uint64(0), ^uint64(0)
	}
	if k.Nulls == NullsAtStart {
		l.nan = 0
	}
	r := reader{column: c}
	b := r.block(&c.Chunks[0], lo, len(dst))
	l.encode(dst, &b)
	return true
}
