package ipc

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// uncompressed replaces the size of a buffer that is not compressed, in a message with compressed ones.
const uncompressed = -1

// checkCompressed makes sure that no compressed buffer of a message claims to be longer than its bytes can become:
// Arrow allocates what is claimed.
func checkCompressed(meta, body []byte) error {
	c := newFlatChecker(meta)
	table := c.data()
	if table == 0 {
		return nil
	}
	compression := c.table(table, batchCompression)
	if compression == 0 {
		return nil
	}
	codec := c.byte(compression, compressionCodec)
	buffers, err := c.buffers(table)
	for i, b := range buffers {
		if b.length == 0 {
			continue
		}
		if b.length < 8 {
			return fileerror.Corrupt("compressed buffer %d has %d bytes", i, b.length)
		}
		buffer := body[b.offset : b.offset+b.length]
		size := int64(binary.LittleEndian.Uint64(buffer))
		if size != uncompressed && (size < 0 || size > mostOf(codec, buffer[8:])) {
			return fileerror.Corrupt("buffer %d of %d bytes claims to hold %d", i, b.length, size)
		}
	}
	return err
}

// data is the table of buffers of a record batch or dictionary; 0 for a schema.
func (c *flatChecker) data() int {
	message := c.root()
	table := c.table(message, messageHeader)
	switch c.byte(message, messageHeaderType) {
	case headerSchema:
		return 0
	case headerDictionary:
		return c.table(table, dictionaryData)
	}
	return table
}

// mostOf is the most bytes that compressed bytes can become.
func mostOf(codec byte, b []byte) int64 {
	const lz4Most = 255 // bytes of a match that one byte of LZ4 lengthens it by
	if codec == codecLZ4 {
		return lz4Most * int64(len(b))
	}
	return mostOfZstd(b)
}

// mostOfZstd adds up what the blocks of the frames can become: the size in their headers, or the most that a block may
// hold. Frames that break off hold what is before that; the decoder refuses them.
func mostOfZstd(b []byte) (most int64) {
	const raw, rle, most1, headerBytes, checksumBytes = 0, 1, 128 << 10, 3, 4
	for {
		var h zstd.Header
		if err := h.Decode(b); err != nil {
			return most
		}
		skip := h.HeaderSize
		if h.Skippable {
			skip += int(h.SkippableSize)
		}
		for last := h.Skippable; !last; {
			if len(b) < skip+headerBytes {
				return most
			}
			word := int(b[skip]) | int(b[skip+1])<<8 | int(b[skip+2])<<16
			size, holds := word>>3, word>>3
			switch word >> 1 & 3 {
			case raw:
			case rle:
				size = 1
			default:
				holds = most1
			}
			most += int64(holds)
			skip += headerBytes + size
			last = word&1 != 0
		}
		if h.HasCheckSum && !h.Skippable {
			skip += checksumBytes
		}
		if len(b) <= skip {
			return most
		}
		b = b[skip:]
	}
}
