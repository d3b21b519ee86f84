package writer

import (
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
)

// Another encoding than plain and dictionary, which are the fastest to read, is chosen where it saves at least a share
// of the bytes, and a number of bytes for all rows.
const (
	leastGain     = 1. / 50
	leastTextGain = 1. / 2  // of text in a dictionary, which readers keep in it
	leastRowGain  = 1. / 64 // bytes of a row
)

// chooseEncoding returns the encoding of the data pages of a column chunk, and removes a dictionary that they do not
// use.
func (w *flatEncoder) chooseEncoding(v *flatValues, choice encodingChoice, typ parquet.Type) int {
	encoding := choice.encoding
	if v.indices != nil {
		encoding = page.RLEDictionary
	}
	if len(choice.trials) == 0 || v.rows-v.nulls < trialFrom || v.plain == nil { // nil: text that is in a dictionary
		return encoding
	}
	if chosen := w.tryEncodings(v, typ, encoding, choice.trials); chosen != encoding {
		v.indices, encoding = nil, chosen
	}
	return encoding
}

// tryEncodings returns the encoding of the fewest bytes for a sample of values: the usual one, plain or a dictionary,
// or one that is tried.
func (w *flatEncoder) tryEncodings(v *flatValues, typ parquet.Type, usual int, others []int) int {
	sample, rows := v.trialSample(), 0
	w.values = w.values[:0]
	for _, s := range sample {
		w.values = v.plain.appendTo(w.values, v, s.row, s.rows)
		rows += s.rows
	}
	best, least, gain := usual, float64(w.PackedSize(w.values)), leastGain
	if usual == page.RLEDictionary {
		least = w.dictionarySize(v, sample)
		if typ == parquet.Types.ByteArray {
			gain = leastTextGain
		}
	}
	for _, e := range others {
		w.body = w.AppendValues(w.body[:0], e, typ, w.values)
		if size := float64(w.PackedSize(w.body)); size < least-max(least*gain, leastRowGain*float64(rows)) {
			best, least, gain = e, size, leastGain
		}
	}
	return best
}

// A stretch is consecutive rows of a sample.
type stretch struct{ row, rows int }

// trialSample returns the rows that are sampled.
func (v *flatValues) trialSample() (sample [trialStretches]stretch) {
	for i := range sample {
		row, next := i*v.rows/trialStretches, (i+1)*v.rows/trialStretches
		sample[i] = stretch{row, v.within(row, min(trialRows, next-row), trialBytes)}
	}
	return sample
}

// dictionarySize returns the bytes of the indices of sampled rows, and their share of the dictionary.
func (w *flatEncoder) dictionarySize(v *flatValues, sample [trialStretches]stretch) float64 {
	rows := 0
	w.body = w.body[:0]
	for _, s := range sample {
		w.body = w.appendIndices(w.body, v, s.row, s.rows)
		rows += s.rows
	}
	entries := v.entries[:min(len(v.entries), trialStretches*trialBytes)]
	all := float64(w.PackedSize(entries)) / float64(max(len(entries), 1)) * float64(len(v.entries))
	return float64(w.PackedSize(w.body)) + all*float64(rows)/float64(v.rows)
}
