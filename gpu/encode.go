//go:build cuda && linux && amd64

package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortWord sorts rows, 0 for the order of the input, by a word of their codes.
func (s *sorter) sortWord(word int, rows driver.Ptr) driver.Ptr {
	src, bits := s.source(word, rows), s.plan.WordBits(word)
	if s.plan.Words() == 1 {
		if first, ok := s.sortFirst(src, bits); ok {
			return first
		}
	}
	return s.binner.sort(src, bits)
}

// source returns a word of the codes of rows: a column as it lies on the device if the word is only that, else encoded
// codes.
func (s *sorter) source(word int, rows driver.Ptr) source {
	fields, ok := planFields(s.plan, word)
	if ok && rows == 0 && len(fields) == 1 && readsAsItIs(&fields[0]) {
		return source{field: s.field(&fields[0]), scan: s.scanInputOfField(&fields[0])}
	}
	codes := s.encode(word, rows, s.binner.rows)
	src := source{field: abi.CodesField(codes), codes: codes, rows: rows}
	if rows == 0 {
		src.scan = abi.Codes(codes, s.plan.WordBits(word))
	}
	return src
}

// scanInputOfField returns the column of a field; nil for a single key, which has been scanned before.
func (s *sorter) scanInputOfField(f *keyField) *abi.KeySource {
	if len(s.job.Keys) == 1 {
		return nil
	}
	key := s.job.Keys[slices.IndexFunc(s.job.Keys, func(k keyencode.Key) bool { return k.Column == f.Column })]
	in := s.keyInput(key, f.layout)
	return &in
}

// readsAsItIs reports whether digit binning reads the column of a field directly.
func readsAsItIs(f *keyField) bool {
	return f.Down == 0 && f.Up == 0 && isNumber(f.layout)
}

// isNumber reports whether a column holds numbers of 4 or 8 bytes, which kernels read directly.
func isNumber(l keyLayout) bool {
	forms := []uint64{abi.FormInteger, abi.FormFloat, abi.FormRank}
	return l.stride == l.width && (l.width == 4 || l.width == 8) && slices.Contains(forms, l.form)
}

// encode encodes a word of the codes of n rows, of the leading rows if rows is 0.
func (s *sorter) encode(word int, rows driver.Ptr, n int) driver.Ptr {
	fields, ok := planFields(s.plan, word)
	if !ok {
		return s.encodeOnHost(word)
	}
	return s.encodeFields(s.fields(fields), rows, n)
}

// encodeFields encodes a word from its fields.
func (s *sorter) encodeFields(fields []abi.Field, rows driver.Ptr, n int) driver.Ptr {
	codes := s.alloc(8 * n)
	s.launchEncode(fields, rows, n, codes)
	bytes := 8 * n
	for i := range fields {
		bytes += n * int(fields[i].Stride)
	}
	s.Moves(bytes)
	return codes
}

// launchEncode makes codes the sums of fields of rows.
func (t *task) launchEncode(fields []abi.Field, rows driver.Ptr, n int, codes driver.Ptr) {
	t.launch("encode", t.blocks(n), uint64(put(t, fields...)), uint64(len(fields)), uint64(n), uint64(rows),
		uint64(codes))
}

// encodeOnHost encodes the leading word of strings on the host.
func (s *sorter) encodeOnHost(word int) driver.Ptr {
	if word != 0 {
		panic("gpu: only the leading word of strings is sorted by the device")
	}
	s.prepared(len(s.job.Gather))
	made, err := host.Words[uint64](&s.buffers, s.rows)
	s.Fail(err)
	if s.Failed() {
		return 0
	}
	s.Fail(s.workers.Tiles(s.rows, s.tuning.EncodeRows, func(lo, hi int) { s.plan.Encode(made[lo:hi], lo) }))
	codes := s.alloc(8 * s.rows)
	s.Upload(codes, buffers.Bytes(made))
	s.Wait() // if made is pinned, the copy reads it until here
	s.buffers.Free(buffers.Bytes(made))
	return codes
}
