package cpu

// nearlyRows is the number of rows from which on they may be sorted as nearly sorted: fewer stay in the caches anyway.
const nearlyRows = 1 << 17

// triesNearlySorted reports whether a sample may choose a way for nearly sorted rows.
func (s *sorter) triesNearlySorted() bool {
	return s.nearlyRows > 0 && s.rows >= s.nearlyRows && s.out == s.rows
}

// fallsSeldom reports whether so few sampled codes are below their predecessors that most rows may be in order.
func (s *sorter) fallsSeldom() bool { return countFalls(s.sampled()) <= len(s.sampled())/8 }

// sortNearlySorted sorts rows that a sample shows to be nearly sorted: a few runs; rows in order but for some; rows not
// far from their places, whose codes are few. done is false where they are none of these. Then the result is undefined,
// and the plan is the one that other ways need.
func (s *sorter) sortNearlySorted() (done bool, err error) {
	if !s.triesNearlySorted() || s.plan.Words() > 1 {
		return false, nil
	}
	for _, sort := range []func() (bool, error){s.sortRuns, s.sortMisplaced, s.sortCounting} {
		if done, err = sort(); done || err != nil {
			return done, err
		}
	}
	return false, nil
}
