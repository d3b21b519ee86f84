package keyencode

// A wordOrder watches how each row stands to its predecessor: that is over as soon as the rows are known to be in neither
// order.
type wordOrder struct {
	key                Key
	rows               bool // any yet
	first, last        datum
	rises, ties, falls bool // some row sorts behind, with, before its predecessor
}

func newWordOrder(k Key) wordOrder { return wordOrder{key: k} }

func (o *wordOrder) done() bool { return o.falls && (o.rises || o.ties) }

func (o *wordOrder) store(s *Statistics) {
	s.first, s.last = o.first, o.last
	s.Sorted, s.Rising, s.Reversed = !o.falls, !o.falls && !o.ties, !o.rises && !o.ties
}

func (o *wordOrder) next(d datum) {
	if !o.rows {
		o.rows, o.first = true, d
	} else if step := d.compare(&o.last, o.key); step > 0 {
		o.rises = true
	} else if step == 0 {
		o.ties = true
	} else {
		o.falls = true
	}
	o.last = d
}

// add follows rows of any class.
func (o *wordOrder) add(u []uint64, classes []Class) {
	for i, v := range u {
		if o.done() {
			break
		}
		o.next(rowOf(v, classes[i]))
	}
	o.last = rowOf(u[len(u)-1], classes[len(u)-1])
}

func rowOf(u uint64, class Class) datum {
	if class != ClassValue {
		u = 0
	}
	return datum{class: class, num: limbs{u}}
}

// addValues follows rows that are all values.
func (o *wordOrder) addValues(u []uint64) {
	o.next(rowOf(u[0], ClassValue))
	if !o.done() {
		o.steps(u)
	}
	o.last = rowOf(u[len(u)-1], ClassValue)
}

// steps compares neighbours, as long as all agree at full speed.
func (o *wordOrder) steps(u []uint64) {
	rises, ties, falls := o.rises, o.ties, o.falls
	flip := uint64(0)
	if o.key.Order == Descending {
		flip = ^flip
	}
	last := u[0] ^ flip
	for _, v := range u[1:] {
		v ^= flip
		switch {
		case v > last:
			rises = true
		case v < last:
			falls = true
		default:
			ties = true
		}
		if falls && (rises || ties) {
			break
		}
		last = v
	}
	o.rises, o.ties, o.falls = rises, ties, falls
}
