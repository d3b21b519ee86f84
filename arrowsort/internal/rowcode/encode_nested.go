package rowcode

// The byte before each element of a list, before Descending inverts it. It comes after the terminator, so that a list
// comes before all that it begins.
const marker = 0x01

// addNested is add for lists and unions.
func (k *chunk) addNested(t *tile, at int, ends []int64, before int64) int64 {
	w := walk{t: t.elements()}
	around := int64(0) // bytes of a row besides its elements
	each := int64(0)   // bytes of an element besides its value
	if !k.bare {
		around = 1
	}
	if k.format == formatUnion || k.format == formatList && !k.bare {
		around++
	}
	if k.marked {
		each = 1
	}
	for i := range ends {
		if !k.valid(at + i) {
			before += int64(len(k.nullCode))
		} else {
			which, lo, n := k.span(at + i)
			before += around + each*int64(n) + w.sum(&k.children[which], lo, n, k.reach(at+len(ends)))
		}
		ends[i] += before
	}
	return before
}

// putNested writes lists and unions of rows from row at of the chunk on and moves the positions on.
func (k *chunk) putNested(t *tile, out []byte, at int, pos []int) {
	w := walk{t: t.elements(), out: out}
	flip := byte(k.flip)
	for i, p := range pos {
		if !k.valid(at + i) {
			pos[i] = p + copy(out[p:], k.nullCode)
			continue
		}
		if !k.bare {
			out[p] = classValue
			p++
		}
		which, lo, n := k.span(at + i)
		if k.format == formatUnion {
			out[p] = k.codes[k.at+at+i] ^ flip
			p++
		}
		c, reach := &k.children[which], k.reach(at+len(pos))
		for e := lo; e < lo+n; e++ {
			if k.marked {
				out[p] = marker ^ flip
				p++
			}
			p += w.place(c, e, max(lo+n, reach)-e, p)
		}
		if k.format == formatList && !k.bare {
			out[p] = terminator ^ flip
			p++
		}
		pos[i] = p
	}
	w.flush()
}

// reach returns a number of elements before which elements of a row and those of rows after it, up to row end, lie one
// after the other: they are measured together. It is 0 where only those of the row do.
func (k *elements) reach(end int) int {
	switch {
	case k.codes != nil || k.sizes != nil:
		return 0
	case k.offsets == nil:
		return (k.at + end) * k.size
	}
	return k.number(k.offsets, k.at+end)
}

// elements returns the tile of the elements of a tile.
func (t *tile) elements() *tile {
	if t.below == nil {
		t.below = &tile{ends: make([]int64, tileRows)}
	}
	return t.below
}

// A walk passes over elements, and writes those that follow one another together. Elements of a window are measured.
type walk struct {
	t        *tile // ends are those of the elements of the window
	out      []byte
	c        *child
	first, n int // the window
	from, to int // elements that have a position and are not written
}

// open measures the elements from number e on, up to count of them.
func (w *walk) open(c *child, e, count int) {
	w.c, w.first = c, e
	w.n = min(count, tileRows, c.first+c.rows-e)
	if c.varies {
		w.t.measure(c.sources, w.t.ends[:w.n], e-c.first)
	}
}

// within reports whether an element is in the window.
func (w *walk) within(c *child, e int) bool { return c == w.c && w.first <= e && e < w.first+w.n }

// bytes returns the bytes of an element of the window.
func (w *walk) bytes(e int) int {
	if !w.c.varies {
		return w.c.bytes
	}
	if e -= w.first; e > 0 {
		return int(w.t.ends[e] - w.t.ends[e-1])
	}
	return int(w.t.ends[0])
}

// sum returns the bytes of n elements from number lo on.
func (w *walk) sum(c *child, lo, n, reach int) (sum int64) {
	if !c.varies {
		return int64(n) * int64(c.bytes)
	}
	for e := lo; e < lo+n; e++ {
		if !w.within(c, e) {
			w.open(c, e, max(lo+n, reach)-e)
		}
		sum += int64(w.bytes(e))
	}
	return sum
}

// place gives an element a position and returns its bytes. They are written by the next flush. Count elements from this
// one on may lie one after the other.
func (w *walk) place(c *child, e, count, p int) int {
	if c != w.c || e != w.to || e >= w.first+w.n {
		w.flush()
		if !w.within(c, e) {
			w.open(c, e, count)
		}
		w.from, w.to = e, e
	}
	w.t.pos[e-w.from] = p
	w.to++
	return w.bytes(e)
}

// flush writes the elements that have a position.
func (w *walk) flush() {
	if w.to > w.from {
		w.t.out = w.out
		w.t.put(w.c.sources, w.from-w.c.first, w.to-w.from)
	}
	w.from, w.to = 0, 0
}
