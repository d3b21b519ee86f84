//go:build cuda && linux && amd64

package multigpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Partition orders the rows of all shares by the devices to which they go: the ranges are as long as the shares.
func (t *Team) Partition() error {
	c := t.newCuts()
	rows := make([]int, len(t.Members))
	for i, m := range t.Members {
		rows[i] = m.Rows
	}
	whole := c.start(rows)
	open := []segment{whole}
	if len(c.inside(&whole)) == 0 {
		open[0].cuts = nil // all places are known, but the rows are not yet numbered
	}
	for first := true; len(open) > 0; first = false {
		err := t.Each("partition", func(m *Member) {
			if m.Rows > 0 {
				m.scatterAll(t.plan, c, open, first)
			}
		})
		if err != nil {
			return err
		}
		var next []segment
		for i := range open {
			if len(open[i].cuts) > 0 {
				next = append(next, c.divided(&open[i], t.counts(i, &open[i]))...)
			}
		}
		open = next
	}
	t.setRanges(c)
	return nil
}

// newCuts gives each device its ranges, and returns the cuts between them and at the limit.
func (t *Team) newCuts() *cuts {
	out := t.Job.Out()
	rows := fill(out, t.shareRows, t.most) // few rows are not worth all devices
	if rows == nil {
		rows = divide(out, t.most)
	}
	borders := bordersOf(rows, 1)
	length := shortest(borders)
	if t.hasRoom(rows, t.shareRows/ExactShare) {
		length = max(length, t.shareRows)
	}
	c := &cuts{digitBits: kernels.RadixBits, limit: -1, exact: length / ExactShare}
	for i, m := range t.Members {
		lo, n := borders[i], borders[i+1]-borders[i]
		ranges := RangesOf(n, c.exact, t.Members[0].Tuning.BucketRows)
		for k := range ranges {
			m.Inboxes = append(m.Inboxes, &inbox{number: len(c.targets)})
			c.targets = append(c.targets, lo+n*(k+1)/ranges)
		}
	}
	if out < t.Job.Rows {
		c.limit = out
	} else {
		c.targets = c.targets[:len(c.targets)-1] // all rows
	}
	for word := range t.plan.Words() {
		c.wordBits = append(c.wordBits, t.plan.WordBits(word))
	}
	return c
}

// hasRoom reports whether all devices have memory for some more rows.
func (t *Team) hasRoom(rows []int, more int) bool {
	for i, n := range rows {
		if n+more > t.most[i] {
			return false
		}
	}
	return true
}

// ExactShare is the part of a range by which it may be longer or shorter: a digit of 8 bits divides keys that are
// uniform over a power of two for 8 devices so well, into bins of a 32nd of a range, that no second one is counted.
const ExactShare = 24

// RangesOf returns into how many ranges a device divides its rows: as few as possible of which each, inexactly cut, has
// no more rows than the bucket sort takes.
func RangesOf(rows, exact, bucketRows int) int {
	most := max(bucketRows-exact, bucketRows/2, 1)
	return max(1, min((rows+most-1)/most, MaxRanges))
}

// MaxRanges bounds the ranges of a device: 2^32 rows, the most of a table, in ranges of half of what buckets take.
const MaxRanges = 32

// counts are the rows of a segment's bins on each device.
func (t *Team) counts(number int, s *segment) [][]int {
	counts := make([][]int, len(t.Members))
	for d, m := range t.Members {
		counts[d] = make([]int, kernels.RadixBins)
		if s.end[d] == s.begin[d] {
			continue
		}
		starts := m.starts[number]
		for bin := range counts[d] {
			counts[d][bin] = int(starts[bin+1] - starts[bin])
		}
	}
	return counts
}

// scatterAll orders the rows of segments by their next digits, and waits for the counts.
func (m *Member) scatterAll(plan *keyencode.Plan, c *cuts, open []segment, first bool) {
	m.starts = make([][]uint32, len(open))
	for i := range open {
		s := &open[i]
		n := s.end[m.Number] - s.begin[m.Number]
		switch {
		case n == 0:
		case first:
			m.starts[i] = m.scatterShare(plan, c.digit(s))
		default:
			m.starts[i] = m.scatterSegment(plan, s, n, c)
		}
	}
	m.Wait()
}

// scatterShare reads the keys and scatters the rows by their leading digit.
func (m *Member) scatterShare(plan *keyencode.Plan, d strategy.Digit) (starts []uint32) {
	src := onesweep.Source{}
	if plan.Words() == 0 { // all rows are equal
		src.Codes = m.Zeros(8 * m.Rows)
		src.Field, d = abi.Integers(src.Codes, 8), strategy.Digit{Bits: 1}
	} else {
		src, _ = argsort.WordOf(m.Share, plan, 0, 0, m.Rows)
	}
	defer m.Free(src.Codes)
	padded := (m.Rows + kernels.GatherTile - 1) / kernels.GatherTile * kernels.GatherTile
	m.outbox.codes, m.rowsTo = m.Alloc(8*m.Rows), m.Alloc(4*padded)
	// A row number that exists: kernels that gather read values for whole tiles of row numbers.
	m.Upload(m.rowsTo+driver.Ptr(4*m.Rows), buffers.Bytes(slices.Repeat([]uint32{uint32(m.first)}, padded-m.Rows)))
	return onesweep.Scatter(m.Task, onesweep.Source{Field: src.Field, N: m.Rows}, m.first, d, m.outbox.codes, m.rowsTo)
}

// scatterSegment scatters the rows of a segment by its next digit, to where they were.
func (m *Member) scatterSegment(plan *keyencode.Plan, s *segment, n int, c *cuts) (starts []uint32) {
	at := driver.Ptr(s.begin[m.Number])
	codes, rows := m.outbox.codes+8*at, m.rowsTo+4*at
	src := onesweep.Source{N: n, Codes: m.Alloc(8 * n), Rows: m.Alloc(4 * n)} // kernels read aligned memory
	m.Copy(src.Rows, rows, 4*n)
	if s.word > 0 && s.bits == c.wordBits[s.word] {
		m.encodeSent(plan, s.word, src.Rows, n, src.Codes)
	} else {
		m.Copy(src.Codes, codes, 8*n)
	}
	src.Field = abi.Integers(src.Codes, 8)
	defer m.Free(src.Codes, src.Rows)
	return onesweep.Scatter(m.Task, src, 0, c.digit(s), codes, rows)
}

// encodeSent encodes a word of n rows that are numbered in the whole table.
func (m *Member) encodeSent(plan *keyencode.Plan, word int, rows driver.Ptr, n int, codes driver.Ptr) {
	fields := m.Share.Fields(keys.PlanFields(plan, word))
	for i := range fields {
		fields[i] = fields[i].NumberedFrom(m.first)
	}
	keys.LaunchEncode(m.Task, fields, rows, n, codes)
	m.Moves((32*len(fields) + 12) * n)
}

// setRanges sets what each device sends and receives.
func (t *Team) setRanges(c *cuts) {
	out := t.Job.Out()
	inboxes := t.inboxes()
	for d, m := range t.Members {
		m.sent = make([]int, len(inboxes)+1)
		m.sent[len(inboxes)] = m.Rows
		for i, places := range c.places {
			m.sent[i+1] = places[d]
		}
	}
	lo := 0
	for _, in := range inboxes {
		in.from = []int{0}
		for d, sender := range t.Members {
			in.from = append(in.from, in.from[d]+sender.sent[in.number+1]-sender.sent[in.number])
		}
		n := in.Received()
		in.Lo, in.Hi = min(lo, out), min(lo+n, out)
		if lo += n; in.Lo == in.Hi { // a range after the limit
			clear(in.from)
		}
	}
}
