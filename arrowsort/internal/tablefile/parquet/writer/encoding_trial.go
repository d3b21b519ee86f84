package writer

import (
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// The encoding of a column chunk is the one in which a sample of its rows takes the fewest bytes after compression:
// plain, indices into the dictionary if the column has one by choose_encoding.go, or one of the encodings that follow
// here. Values are sampled from a few places, since sorted columns change from their first row to their last.
const (
	trialStretches = 4       // places of the sample, evenly distributed
	trialRows      = 1 << 11 // rows of each
	trialBytes     = 1 << 14 // of each, at most, unless a row has more
	trialFrom      = 1 << 9  // values of a column chunk; fewer are always plain or in a dictionary

	// Compressors find more in few plain values than in a page of them. So where another encoding takes less than so
	// many times the bytes of plain, or of a dictionary, a sample as many times as large decides.
	closeEncodings = 4. / 3
	largerTrial    = 4
)

// Another encoding than plain and dictionary, which are the fastest to read, is chosen where it saves at least a share
// of the bytes, and a number of bytes for all rows.
const (
	leastGain     = 1. / 50
	leastTextGain = 1. / 2  // of text in a dictionary, which readers keep in it
	leastRowGain  = 1. / 64 // bytes of a row
)

// chooseEncoding returns the encoding of the data pages of a column chunk, and puts its values in a dictionary where
// they use one.
func (w *flatEncoder) chooseEncoding(v *flatValues, choice encodingChoice, typ parquet.Type) int {
	if v.plain == nil { // text that is in a dictionary
		return page.RLEDictionary
	}
	t := trial{encoding: choice.encoding}
	if len(choice.trials) > 0 && v.rows-v.nulls >= trialFrom {
		t = w.tryEncodings(v, typ, choice.trials, v.trialSample(1))
	}
	if choice.dictionary && v.rows > 0 { // else whether indices are nil depends on what the buffers held before
		v.plain.setDictionary(v, &w.encodeBuffers, t.mostEntries(v.rows))
	}
	if t.encoding == page.Plain && t.least < w.plainSize(v, &t)*closeEncodings {
		t = w.tryEncodings(v, typ, choice.trials, v.trialSample(largerTrial))
	}
	switch {
	case v.indices == nil:
		return t.encoding
	case t.encoding == page.Plain || t.size >= w.plainSize(v, &t)-t.leastGain():
		return page.RLEDictionary
	}
	v.indices = nil
	return t.encoding
}

// A trial is the result of encoding a sample without a dictionary.
type trial struct {
	sample      [trialStretches]stretch
	rows        int     // of the sample
	encoding    int     // of the fewest bytes
	size, plain float64 // bytes in this encoding, and plain
	least       float64 // bytes in the best of the other encodings
	gain        float64 // share of the bytes of a dictionary that the encoding has to save
}

// leastGain returns the bytes that an encoding has to save at least.
func (t *trial) leastGain() float64 { return leastRowGain * float64(t.rows) }

// tryEncodings finds the encoding of the fewest bytes for a sample of values, plain or one that is tried.
func (w *flatEncoder) tryEncodings(
	v *flatValues, typ parquet.Type, others []int, sample [trialStretches]stretch,
) trial {
	t := trial{sample: sample, gain: leastGain, least: math.MaxFloat64}
	w.values = w.values[:0]
	for _, s := range sample {
		w.values = v.plain.appendTo(w.values, v, s.row, s.rows)
		t.rows += s.rows
	}
	t.plain = float64(w.PackedSize(w.values))
	t.encoding, t.size = page.Plain, t.plain
	for _, e := range others {
		w.body = w.AppendValues(w.body[:0], e, typ, w.values)
		size := float64(w.PackedSize(w.body))
		t.least = min(t.least, size)
		if size < t.size-max(t.size*leastGain, t.leastGain()) {
			t.encoding, t.size = e, size
		}
	}
	if typ == parquet.Types.ByteArray {
		t.gain = leastTextGain
	}
	return t
}

// mostEntries returns about the entries of a dictionary that is not smaller than the encoding without one, since it
// would be made in vain: an entry takes the bytes of a plain value, and an index at least half of its bits.
func (t *trial) mostEntries(rows int) int {
	if t.encoding == page.Plain {
		return math.MaxInt
	}
	most, perRow := 256, t.size/(1-t.gain)/float64(t.rows)
	for cost := 0.; cost < perRow && most < numberEntries; most += most / 4 {
		cost = float64(bits.Len(uint(most)))/16 + t.plain/float64(t.rows)*float64(most)/float64(rows)
	}
	return most
}

// A stretch is consecutive rows of a sample.
type stretch struct{ row, rows int }

// trialSample returns the rows that are sampled, some times as many as usual.
func (v *flatValues) trialSample(times int) (sample [trialStretches]stretch) {
	for i := range sample {
		row, next := i*v.rows/trialStretches, (i+1)*v.rows/trialStretches
		sample[i] = stretch{row, v.within(row, min(times*trialRows, next-row), times*trialBytes)}
	}
	return sample
}

// plainSize returns the bytes that another encoding has to stay below: those of plain values, or of their dictionary.
func (w *flatEncoder) plainSize(v *flatValues, t *trial) float64 {
	if v.indices == nil {
		return t.plain
	}
	return w.dictionarySize(v, t) * (1 - t.gain)
}

// dictionarySize returns the bytes of the indices of the rows of a trial, and their share of the dictionary.
func (w *flatEncoder) dictionarySize(v *flatValues, t *trial) float64 {
	w.body = w.body[:0]
	for _, s := range t.sample {
		w.body = w.appendIndices(w.body, v, s.row, s.rows)
	}
	entries := v.entries[:min(len(v.entries), trialStretches*trialBytes)]
	all := float64(w.PackedSize(entries)) / float64(max(len(entries), 1)) * float64(len(v.entries))
	return float64(w.PackedSize(w.body)) + all*float64(t.rows)/float64(v.rows)
}
