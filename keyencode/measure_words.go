package keyencode

// noWord stands for NaN and null among ordered words.
const noWord = ^uint64(0)

func measureWords(s *Statistics, r *reader, lo, hi int) {
	var words, kept [blockRows]uint64
	var classes [blockRows]Class
	r.each(lo, hi, func(c *Chunk, at, n, _ int) {
		b := r.block(c, at, n)
		u, cl := words[:n], classes[:n]
		identity.encode(u, &b)
		nulls, nans := classify(cl, u, &b)
		values := u
		if nulls+nans > 0 {
			values = kept[:0]
			for i, w := range u {
				if cl[i] == ClassValue {
					values = append(values, w)
				}
			}
		}
		s.addWords(values)
		s.followWords(u, cl)
		s.Rows += n
		s.Nulls += nulls
		s.NaNs += nans
	})
}

// classify tells the classes of rows whose ordered words are given and counts nulls and NaNs.
func classify(classes []Class, u []uint64, b *block) (nulls, nans int) {
	for i, w := range u {
		classes[i] = ClassValue
		switch {
		case b.validity != nil && !bitAt(b.validity, b.bit+i), w == noWord && b.kind.isDictionary():
			classes[i] = ClassNull
			nulls++
		case w == noWord && b.kind.isFloat():
			classes[i] = ClassNaN
			nans++
		}
	}
	return nulls, nans
}

func (s *Statistics) addWords(values []uint64) {
	if len(values) == 0 {
		return
	}
	lo, hi, or, and := s.Min[0], s.Max[0], s.Or, s.And
	if s.Values() == 0 {
		lo, hi, or, and = values[0], values[0], values[0], values[0]
	}
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
		or |= v
		and &= v
	}
	s.Min[0], s.Max[0], s.Or, s.And = lo, hi, or, and
}

// followWords notes how the rows of a block stand to their predecessors, as long as some order is possible.
func (s *Statistics) followWords(u []uint64, classes []Class) {
	d := datum{}
	for i, w := range u {
		if !s.ordered() {
			break
		}
		d = datum{class: classes[i], num: limbs{w}}
		if s.Rows+i == 0 {
			s.first = d
		} else {
			s.step(&d)
		}
		s.last = d
	}
	end := len(u) - 1
	s.last = datum{class: classes[end], num: limbs{u[end]}}
}
