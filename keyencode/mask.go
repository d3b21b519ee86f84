package keyencode

import "math/bits"

// maskValidity notes which rows of a block are valid, where all valid rows are values.
func (w *wordRange) maskValidity(b *block) {
	w.values = b.rows
	if b.validity == nil {
		return
	}
	w.values = 0
	for i := 0; i < b.rows; i += 64 {
		m := bitsAt(b.validity, b.bit+i) & lowBits(min(b.rows-i, 64))
		w.mask[i/64] = m
		w.values += bits.OnesCount64(m)
	}
	w.nulls += b.rows - w.values
}

// maskWords notes which rows of a block of floats or ranks are values: those that are not noWord.
func (w *wordRange) maskWords(b *block) {
	u := w.words[:b.rows]
	w.values = 0
	for i := 0; i < len(u); i += 64 {
		var m uint64
		for j, x := range u[i:min(i+64, len(u))] {
			bit := uint64(1)
			if x == noWord {
				bit = 0
			}
			m |= bit << uint(j&63)
		}
		w.mask[i/64] = m
		w.values += bits.OnesCount64(m)
	}
	nulls := b.rows - w.values
	if b.kind.isFloat() {
		nulls = 0
		if b.validity != nil {
			nulls = countZeros(b.validity, b.bit, b.rows)
		}
		w.nans += b.rows - w.values - nulls
	}
	w.nulls += nulls
}

// first is the first row of a block that is a value.
func (w *wordRange) first(b *block) int {
	if w.values == b.rows {
		return 0
	}
	i := 0
	for w.mask[i] == 0 {
		i++
	}
	return 64*i + bits.TrailingZeros64(w.mask[i])
}

// orderedValues are the ordered words of the values of a block.
func (w *wordRange) orderedValues(b *block) []uint64 {
	u := w.words[:b.rows]
	identity.encode(u, b)
	if w.values == b.rows {
		return u
	}
	n := 0
	for i, m := range w.mask[:(b.rows+63)/64] {
		for ; m != 0; m &= m - 1 {
			u[n] = u[64*i+bits.TrailingZeros64(m)]
			n++
		}
	}
	return u[:n]
}

// classOf is the class of a row of a block with rows that are not values.
func (w *wordRange) classOf(b *block, i int) Class {
	switch {
	case w.mask[i/64]>>(i&63)&1 != 0:
		return ClassValue
	case !b.kind.isFloat() || b.validity != nil && !bitAt(b.validity, b.bit+i):
		return ClassNull
	}
	return ClassNaN
}

// followClasses follows a block of rows that are not all values.
func (w *wordRange) followClasses(b *block) {
	u := w.words[:b.rows]
	if !w.order.done() {
		identity.encode(u, b)
		for i := 0; i < b.rows && !w.order.done(); i++ {
			w.order.next(rowOf(u[i], w.classOf(b, i)))
		}
	}
	w.order.last = lastRow(b)
}

// lastRow is the last row of a block.
func lastRow(b *block) datum {
	end, u := *b, [1]uint64{}
	end.at, end.bit, end.rows = b.at+b.rows-1, b.bit+b.rows-1, 1
	identity.encode(u[:], &end)
	class := ClassValue
	switch {
	case b.validity != nil && !bitAt(b.validity, end.bit), u[0] == noWord && b.kind.isDictionary():
		class = ClassNull
	case u[0] == noWord && b.kind.isFloat():
		class = ClassNaN
	}
	return rowOf(u[0], class)
}
