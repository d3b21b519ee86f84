//go:build cuda && linux && amd64

package argsort

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/topk"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortByKeys sorts by keys of which some are strings, from the last key to the first: adjacent keys of other types as
// the words of a plan, each key of strings by its bytes. Each sort is stable.
func (s *argsorter) sortByKeys(texts []*textSorter) (rows driver.Ptr) {
	s.Prefetch()
	keys, n := s.Job.Keys, s.Rows
	leading, c, ok := s.selectByLeadingKeys(texts)
	if ok {
		rows, n = c.Rows, c.N
	}
	for end := len(keys); end > 0 && !s.Failed(); {
		begin := end - 1
		for texts[end-1] == nil && begin > 0 && texts[begin-1] == nil {
			begin--
		}
		if text := texts[begin]; text != nil {
			rows = text.sort(rows, n)
		} else {
			words := leading
			if begin > 0 || words == nil {
				words = s.newWordSorter(keys[begin:end])
			}
			if words != nil {
				rows = words.sort(rows, n)
			}
		}
		end = begin
	}
	return rows
}

// uploadKeys uploads all keys, and returns what sorts by those that are strings: nil for others.
func (s *argsorter) uploadKeys() []*textSorter {
	texts := make([]*textSorter, len(s.Job.Keys))
	for i, key := range s.Job.Keys {
		if s.isText(key) {
			texts[i] = s.newTextSorter(key)
		} else {
			s.Column(key.Column)
		}
	}
	return texts
}

// isText reports whether a key is strings.
func (s *argsorter) isText(key keyencode.Key) bool { return s.Job.Columns[key.Column].HasStrings() }

// newWordSorter plans the codes of keys that are not strings. It returns nil on an error.
func (s *argsorter) newWordSorter(keys []keyencode.Key) *wordSorter {
	plan := s.makePlan(keys, s.Measure(keys))
	if plan == nil {
		return nil
	}
	return &wordSorter{argsorter: s, plan: plan}
}

// selectByLeadingKeys selects the rows that the result needs, if it needs few, by the first key if that is strings,
// else by the keys before the first such one, of which it returns the sorter. They are in the order of the input.
func (s *argsorter) selectByLeadingKeys(texts []*textSorter) (words *wordSorter, c topk.Candidates, ok bool) {
	if _, worth := strategy.ShapeSelect(s.Tuning, s.Rows, s.out); !worth || s.Failed() {
		return nil, c, false
	}
	first := 0 // key of strings
	for texts[first] == nil {
		first++
	}
	if first > 0 {
		words = s.newWordSorter(s.Job.Keys[:first])
	}
	switch {
	case words == nil || words.plan.Words() == 0: // numbers that are all equal change no order
		c, ok = texts[first].selects(s)
	default:
		c, ok = words.prune()
	}
	return words, c, ok
}
