package adapter

import (
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/arrowsort/internal/textorder"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

const (
	collatedRows  = 1 << 14 // rows of a task: some milliseconds
	collatedBlock = 64      // rows whose texts are found at a time
	viewBytes     = 16

	leastKeyBuffer = 1 << 12 // bytes of the first buffer of a worker; each has twice the bytes of the one before
	mostKeyBuffer  = 1 << 20
)

// collated returns a column of text as one of views of the sort keys of a collation, of text in lower case if it is
// asked for. Equal texts share a sort key where they repeat. Temporary memory is 16 bytes per row and the sort keys
// that are longer than 12 bytes.
func (r *RawColumns) collated(texts *keyencode.Column, by derivation) (keyencode.Column, error) {
	keys := keyencode.Column{Kind: keyencode.BinaryView, Width: viewBytes, Chunks: slices.Clone(texts.Chunks)}
	tiles, err := r.tiles(&keys, collatedRows)
	if err != nil {
		return keys, err
	}
	shared := keyBuffers{raw: r}
	encoders := make([]*keyEncoder, workers.Count(r.threads))
	defer func() {
		for _, e := range encoders {
			if e != nil {
				e.texts.Close()
			}
		}
	}()
	err = workers.Run(r.ctx, len(tiles), r.threads, func(worker, i int) error {
		if encoders[worker] == nil {
			encoders[worker] = newKeyEncoder(&shared, by)
		}
		t := tiles[i]
		from, to := &texts.Chunks[t.chunk], &keys.Chunks[t.chunk]
		return encoders[worker].encode(texts, from, to.Values, t.lo, t.hi-t.lo)
	})
	for i := range keys.Chunks {
		keys.Chunks[i].Data = shared.all
	}
	return keys, err
}

// keyBuffers are the buffers of sort keys of all workers.
type keyBuffers struct {
	sync.Mutex
	raw *RawColumns
	all [][]byte
}

// add returns a further buffer and its number.
func (b *keyBuffers) add(size int) (buffer []byte, number int, err error) {
	b.Lock()
	defer b.Unlock()
	buffer, err = b.raw.temporary(size)
	b.all = append(b.all, buffer)
	return buffer, len(b.all) - 1, err
}

// A keyEncoder writes views of sort keys. It is used by one worker.
type keyEncoder struct {
	shared *keyBuffers
	texts  textorder.Encoder
	key    []byte // that was encoded last
	buffer []byte // the last one of the worker
	number int    // of the buffer
	used   int    // bytes of it
	known  *textTable
}

func newKeyEncoder(shared *keyBuffers, by derivation) *keyEncoder {
	texts := textorder.NewEncoder(by.Collation)
	if by.Function == keyfunction.Lower {
		texts = textorder.Lowered(texts)
	}
	return &keyEncoder{shared: shared, texts: texts, known: newTextTable()}
}

// encode writes the views of n rows of a chunk from a row on.
func (e *keyEncoder) encode(column *keyencode.Column, chunk *keyencode.Chunk, views []byte, row, n int) error {
	var texts [collatedBlock][]byte
	views = views[viewBytes*(chunk.Offset+row):]
	for ; n > 0; n, row = n-collatedBlock, row+collatedBlock {
		block := texts[:min(n, collatedBlock)]
		column.Strings(block, chunk, row)
		for _, text := range block {
			if text == nil && chunk.Validity == nil {
				text = noText
			}
			view := (*[viewBytes]byte)(views)
			views = views[viewBytes:]
			if err := e.view(view, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// noText is the empty text, where nil is null.
var noText = []byte{}

// view writes the view of the sort key of a text, which is nil for null.
func (e *keyEncoder) view(view *[viewBytes]byte, text []byte) error {
	clear(view[:])
	if text == nil {
		return nil
	}
	var entry *textEntry
	if e.known != nil {
		var found bool
		if entry, found = e.known.find(text); found {
			*view = entry.view
			return nil
		}
		if !e.known.pays() {
			e.known = nil
		}
	}
	if err := e.put(view, text); err != nil {
		return err
	}
	if entry != nil {
		entry.text, entry.view = text, *view
	}
	return nil
}

// put encodes a text.
func (e *keyEncoder) put(view *[viewBytes]byte, text []byte) (err error) {
	e.key = e.texts.Append(e.key[:0], text)
	n := len(e.key)
	switch {
	case n > math.MaxInt32:
		return tooLong(int64(n))
	case n > buffers.InlineView:
		if n > len(e.buffer)-e.used {
			size := max(n, min(max(2*len(e.buffer), leastKeyBuffer), mostKeyBuffer))
			if e.buffer, e.number, err = e.shared.add(size); err != nil {
				return err
			}
			e.used = 0
		}
		copy(e.buffer[e.used:], e.key)
	case n == 0:
		return nil
	}
	buffers.PutView(view[:], e.key, e.number, e.used)
	if n > buffers.InlineView {
		e.used += n
	}
	return nil
}

// A textTable finds the sort keys of texts that were encoded before, by hashes with open addressing.
type textTable struct {
	entries []textEntry
	used    int
	lookups int // since pays was decided
	hits    int
}

// A textEntry is a text with the view of its sort key. The text is nil where there is none.
type textEntry struct {
	text []byte
	view [viewBytes]byte
}

const (
	leastTexts  = 1 << 8
	mostTexts   = 1 << 16 // entries of a table: 3 MiB
	paysLookups = 1 << 12 // lookups after which it is decided if they pay
	paysShare   = 4       // a lookup costs about a quarter of what encoding does
)

// hashSeed is that of all tables.
var hashSeed = maphash.MakeSeed()

func newTextTable() *textTable { return &textTable{entries: make([]textEntry, leastTexts)} }

// find returns the entry of a text and whether it was there. A new one has to be filled in; it is nil when the table is
// full.
func (t *textTable) find(text []byte) (entry *textEntry, found bool) {
	t.lookups++
	mask := uint64(len(t.entries) - 1)
	for at := maphash.Bytes(hashSeed, text) & mask; ; at = (at + 1) & mask {
		entry = &t.entries[at]
		switch {
		case entry.text == nil && 2*t.used >= mostTexts:
			return nil, false
		case entry.text == nil && 2*t.used >= len(t.entries):
			t.grow()
			return t.place(text), false
		case entry.text == nil:
			t.used++
			return entry, false
		case string(entry.text) == string(text):
			t.hits++
			return entry, true
		}
	}
}

// place returns the place of a text that is not in the table, which has room.
func (t *textTable) place(text []byte) *textEntry {
	t.used++
	mask := uint64(len(t.entries) - 1)
	at := maphash.Bytes(hashSeed, text) & mask
	for t.entries[at].text != nil {
		at = (at + 1) & mask
	}
	return &t.entries[at]
}

// grow makes the table twice as large.
func (t *textTable) grow() {
	before := t.entries
	t.entries, t.used = make([]textEntry, 2*len(before)), 0
	for i := range before {
		if before[i].text != nil {
			*t.place(before[i].text) = before[i]
		}
	}
}

// pays reports whether enough of the last texts were found.
func (t *textTable) pays() bool {
	if t.lookups < paysLookups {
		return true
	}
	pays := t.hits*paysShare >= t.lookups
	t.lookups, t.hits = 0, 0
	return pays
}
