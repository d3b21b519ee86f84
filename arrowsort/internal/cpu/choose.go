package cpu

import (
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
)

// sort chooses the way of a job by its plan, and goes it.
func (s *sorter) sort() (*engine.Result, error) {
	inOrder, reversed, err := s.sortedInput()
	if err != nil {
		return nil, err
	}
	if !inOrder && !reversed && s.rows > keys.SmallRows && s.out > s.rows/4 {
		s.out = s.rows // selecting more than a quarter costs more than sorting all
	}
	if err := s.allocate(); err != nil {
		return nil, err
	}
	nearly := false
	if !inOrder && !reversed && s.rows > keys.SmallRows {
		if nearly, err = s.sortNearlySorted(); err != nil {
			return nil, err
		}
	}
	switch {
	case nearly:
	case inOrder:
		err = s.copy(false)
	case reversed:
		err = s.copy(true)
	case s.rows <= keys.SmallRows:
		err = s.sortSmall()
	case s.onlyCountableKey():
		err = s.writeCountedKey()
	case s.out < s.rows:
		err = s.selectTop()
	case s.onlyRowNumbers() && !s.recordsTie():
		err = s.sortRowNumbers(s.numbers)
	case s.cachesColumns(s.movers()) && !s.recordsTie():
		err = s.sortCachedColumns(s.movers())
	default:
		err = s.sortColumns()
	}
	if err != nil {
		return nil, err
	}
	return s.result()
}

// triesNearlySorted reports whether a sample may choose a way for nearly sorted rows.
func (s *sorter) triesNearlySorted() bool {
	return s.rows >= s.nearlySorted && s.out == s.rows
}

// sortNearlySorted sorts rows that a sample shows to be nearly sorted: a few sorted runs (sortRuns), sorted rows but
// for a few (sortMisplaced), or few codes in rows near their places (sortCounting). If the rows are none of these, done
// is false, the result is undefined, and the plan is the one that other ways need.
func (s *sorter) sortNearlySorted() (done bool, err error) {
	if !s.triesNearlySorted() || s.keys.Plan.Words() > 1 {
		return false, nil
	}
	for _, sort := range []func() (bool, error){s.sortRuns, s.sortMisplaced, s.sortCounting} {
		if done, err = sort(); done || err != nil {
			return done, err
		}
	}
	return false, nil
}
