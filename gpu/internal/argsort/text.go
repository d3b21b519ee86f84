//go:build cuda && linux && amd64

package argsort

import (
	"math/bits"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/topk"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A textSorter sorts by a key of strings, some bytes at a time, from the first ones on: those rows go on that tie with
// others in all bytes so far, and have more of them.
type textSorter struct {
	*device.Task
	key  abi.Text
	text driver.Ptr // the same on the device
}

// A textList are rows that are sorted by some bytes of their strings. The strings of a group are equal before these.
type textList struct {
	n      int
	rows   driver.Ptr // 0: those of the input
	places driver.Ptr // of the list in the order; 0: the first n
	groups driver.Ptr // of the rows, ascending; 0: one group
	depths driver.Ptr // of groups: how many leading bytes their strings have in common
	count  int        // of groups
}

// textCommonItems is the work of a row in text_common, in items of Task.Blocks: a warp, if there are few rows.
const textCommonItems = 128

// shape returns how many bytes of a string are in a code, as many as fit, and the bits of codes.
func (l *textList) shape() (bytes, width int) {
	groupBits := bits.Len(uint(l.count - 1))
	bytes = min(kernels.TextKeyBytes, (64-kernels.TextLeftBits-groupBits)/8)
	return bytes, groupBits + 8*bytes + kernels.TextLeftBits
}

// sort sorts n rows, 0 for those of the input, stably, and frees them.
func (s *textSorter) sort(rows driver.Ptr, n int) (order driver.Ptr) {
	list := textList{n: n, rows: rows, depths: s.Zeros(8), count: 1}
	for list.n > 0 && !s.Failed() {
		sorted, ties := s.sortList(&list)
		if order == 0 {
			order = sorted
		} else {
			s.Launch("text_place", s.Blocks(list.n), uint64(sorted), uint64(list.places), uint64(list.n), uint64(order))
			s.Moves(40 * list.n)
			s.Free(sorted)
		}
		s.Free(list.places, list.groups, list.depths)
		list = ties
	}
	return order
}

// sortList sorts a list by the next bytes, and lists the rows that tie in them and have more. It frees the rows of the
// list.
func (s *textSorter) sortList(l *textList) (sorted driver.Ptr, ties textList) {
	tiles := (l.n + kernels.TextTile - 1) / kernels.TextTile
	bytes, width := l.shape()
	sorted, codes := s.sortCodes(l, s.encode(l), width)
	sums := s.Alloc(8 * (tiles + 1)) // of tiles, and of all
	s.Launch("text_count_ties", tiles, uint64(codes), uint64(l.n), uint64(bytes), s.key.Descending, uint64(sums))
	s.Launch("text_sums", 1, uint64(sums), uint64(tiles))
	s.Moves(8 * l.n)
	found := s.Words(sums+driver.Ptr(8*tiles), 1)[0]
	ties = textList{n: int(uint32(found)), count: int(found >> 32)}
	if ties.n > 0 {
		ties.rows, ties.places, ties.groups = s.Alloc(4*ties.n), s.Alloc(4*ties.n), s.Alloc(4*ties.n)
		ties.depths = s.Alloc(8 * ties.count)
		s.Launch("text_list_ties", tiles, uint64(codes), uint64(l.n), uint64(bytes), s.key.Descending, uint64(sums),
			uint64(sorted), uint64(l.places), uint64(l.depths), uint64(ties.rows), uint64(ties.places),
			uint64(ties.groups), uint64(ties.depths))
		s.Moves(16*l.n + 12*ties.n + 8*ties.count)
	}
	s.Free(sums, codes)
	return sorted, ties
}

// encode finds what the groups of a list have in common, and makes its codes.
func (s *textSorter) encode(l *textList) (codes driver.Ptr) {
	bytes, _ := l.shape()
	codes = s.Alloc(8 * l.n)
	s.Launch("text_common", s.Blocks(textCommonItems*l.n), uint64(s.text), uint64(l.rows), uint64(l.groups),
		uint64(l.n), uint64(l.depths))
	s.Launch("text_codes", s.Blocks(l.n), uint64(s.text), uint64(l.rows), uint64(l.groups), uint64(l.n),
		uint64(l.depths), uint64(bytes), uint64(codes))
	s.Moves(160 * l.n)
	return codes
}

// sortCodes sorts the rows of a list by their codes, and the codes as well. It frees both.
func (s *textSorter) sortCodes(l *textList, codes driver.Ptr, width int) (sorted, sortedCodes driver.Ptr) {
	src := onesweep.OfField(s.Task, abi.Integers(codes, 8), l.n, width)
	order := sortCodes(s.Task, src, abi.CodeColumn(codes, 8, width), 0)
	if order == 0 { // all codes are equal
		return s.OrIota(l.rows, l.n), codes
	}
	s.AssertPermutation(order, l.n, l.n)
	sortedCodes = s.Alloc(8 * l.n)
	s.Launch("gather_8", s.Blocks(l.n), uint64(codes), uint64(order), uint64(l.n), uint64(sortedCodes))
	s.Moves(40 * l.n)
	s.Free(codes)
	if l.rows == 0 {
		return order, sortedCodes
	}
	sorted = s.Alloc(4 * l.n)
	s.Launch("gather_4", s.Blocks(l.n), uint64(l.rows), uint64(order), uint64(l.n), uint64(sorted))
	s.Moves(36 * l.n)
	s.Free(l.rows, order)
	return sorted, sortedCodes
}

// selects selects the rows that the result needs by the first bytes of their strings.
func (s *textSorter) selects(a *argsorter) (c topk.Candidates, ok bool) {
	list := textList{n: a.Rows, depths: s.Zeros(8), count: 1}
	_, width := list.shape()
	codes := s.encode(&list)
	c, found := a.selects(abi.Integers(codes, 8), width, false)
	s.Free(list.depths, codes, c.Codes)
	return c, found == topk.Selected
}

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
			text := s.TextKey(key)
			texts[i] = &textSorter{s.Task, text, device.Put(s.Task, text)}
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
	if _, worth := strategy.ShapeSelect(s.Tuning, s.Rows, s.Job.Out()); !worth || s.Failed() {
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
