package ipc

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// sampledBlocks is the number of messages whose buffers are looked at to estimate those of all.
const sampledBlocks = 8

// InMemory returns about the bytes that the record batches and dictionaries of the file or stream take, which src has:
// size, and more when they are compressed, where each buffer begins with its length. Nothing is decompressed. What is
// damaged is found when it is read. Of a file whose last record batch is not compressed no more than that is looked at:
// dictionaries may not be compressed where record batches are.
func (r *Reader) InMemory(src io.ReaderAt, size int64) int64 {
	estimate := size
	_ = errkind.Contain(func() error {
		var blocks []block
		if m, ok := r.messages.(*blockMessages); ok {
			blocks = m.listed
		} else {
			blocks = streamBlocks(src, size)
		}
		var all, stored, plain float64
		for _, b := range blocks {
			all += float64(b.meta + b.body)
		}
		n := min(sampledBlocks, len(blocks))
		for i := range n {
			b := blocks[len(blocks)-1-i*(len(blocks)-1)/max(n-1, 1)]
			bytes, compressed, err := plainBytes(src, b)
			if err != nil || i == 0 && !compressed {
				return err
			}
			stored, plain = stored+float64(b.meta+b.body), plain+bytes
		}
		estimate = max(size, int64(min(all*plain/max(stored, 1), math.MaxInt64/16)))
		return nil
	})
	return estimate
}

// streamBlocks lists the record batches and dictionaries of a stream, up to one that is damaged; none when the first is
// not compressed.
func streamBlocks(src io.ReaderAt, size int64) (blocks []block) {
	r := io.NewSectionReader(src, 0, size)
	m := &messages{r: r, remaining: size, mem: memory.DefaultAllocator}
	for {
		b := block{offset: size - m.remaining}
		meta, body, err := m.head()
		if err != nil || body > m.remaining {
			return blocks
		}
		c := newFlatChecker(meta.Bytes())
		b.meta, b.body = size-m.remaining-b.offset, body
		if table := c.data(); table != 0 {
			if len(blocks) == 0 && c.table(table, batchCompression) == 0 {
				return nil
			}
			blocks = append(blocks, b)
		}
		m.remaining -= body
		if _, err := r.Seek(body, io.SeekCurrent); err != nil {
			return blocks
		}
	}
}

// plainBytes returns the size that a message has when its buffers are not compressed, and whether they are.
func plainBytes(src io.ReaderAt, b block) (bytes float64, compressed bool, err error) {
	m := &messages{r: io.NewSectionReader(src, b.offset, b.meta+b.body), remaining: b.meta + b.body,
		mem: memory.DefaultAllocator}
	meta, _, err := m.head()
	if err != nil {
		return 0, false, err
	}
	c := newFlatChecker(meta.Bytes())
	table := c.data()
	if table == 0 || c.table(table, batchCompression) == 0 {
		return float64(b.meta + b.body), false, nil
	}
	bytes = float64(b.meta)
	buffers, err := c.buffers(table)
	for _, buffer := range buffers {
		var length [8]byte
		if buffer.length < int64(len(length)) {
			continue
		}
		if _, err := src.ReadAt(length[:], b.offset+b.meta+buffer.offset); err != nil {
			return 0, true, err
		}
		size := int64(binary.LittleEndian.Uint64(length[:]))
		if size == uncompressed {
			size = buffer.length
		}
		bytes += float64(max(size, 0))
	}
	return bytes, true, err
}
