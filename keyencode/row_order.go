package keyencode

// A wordOrder compares each row with its predecessor, until the rows are in neither order.
type wordOrder struct {
	key                Key
	rows               bool // any yet
	first, last        datum
	rises, ties, falls bool // some row sorts after, with, before its predecessor
}

func (o *wordOrder) done() bool { return o.falls && (o.rises || o.ties) }

func (o *wordOrder) store(s *Statistics) {
	s.first, s.last = o.first, o.last
	s.Sorted, s.Rising, s.Reversed = !o.falls, !o.falls && !o.ties, !o.rises && !o.ties
}

func (o *wordOrder) next(d datum) {
	if !o.rows {
		o.rows, o.first = true, d
	} else {
		step := d.compare(&o.last, o.key)
		o.rises, o.ties, o.falls = o.rises || step > 0, o.ties || step == 0, o.falls || step < 0
	}
	o.last = d
}

func rowOf(u uint64, class Class) datum {
	if class != ClassValue {
		u = 0
	}
	return datum{class: class, num: limbs{u}}
}

// addSteps follows rows that are all values.
func addSteps[T integer](o *wordOrder, src []T, sign uint64) {
	o.next(rowOf(ordered(src[0], sign), ClassValue))
	if !o.done() {
		up, level, down := steps(src)
		if o.key.Order == Descending {
			up, down = down, up
		}
		o.rises, o.ties, o.falls = o.rises || up, o.ties || level, o.falls || down
	}
	o.last = rowOf(ordered(src[len(src)-1], sign), ClassValue)
}

// steps reports whether some number is greater than, equal to, less than its predecessor, and stops when
// nothing more can matter: after a rise and a fall.
func steps[T integer](src []T) (up, level, down bool) {
	last := src[0]
	for _, v := range src[1:] {
		switch {
		case v > last:
			up = true
		case v < last:
			down = true
		default:
			level = true
		}
		if up && down {
			break
		}
		last = v
	}
	return up, level, down
}
