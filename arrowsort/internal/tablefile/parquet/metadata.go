package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

const (
	footerTail        = 8 // the length of the metadata, and the magic bytes
	metadataRowGroups = 4 // a field of the metadata, in parquet.thrift

	// chunkBytes is about what the metadata of a column chunk take in memory, next to its bounds, schemaBytes what
	// those of a column take, and parsedBytes what is parsed at a time: a column chunk takes 3 kB before it is compact.
	chunkBytes  = 640
	schemaBytes = 2048
	parsedBytes = 1 << 18
)

// A FooterError is an ErrLimit for a footer that takes more memory than it may.
type FooterError struct {
	columns int64
	groups  int
	Bytes   int64 // that it takes, about
	most    int64
}

func (e *FooterError) Error() string {
	return fmt.Sprintf("%v: its footer describes %d columns in %d row groups, which take about %d bytes in memory, "+
		"more than the %d that it may take", errkind.ErrLimit, e.columns, e.groups, e.Bytes, e.most)
}

// Unwrap returns ErrLimit.
func (e *FooterError) Unwrap() error { return errkind.ErrLimit }

// readMetadata reads the footer of a file of a size, and returns the bytes that it takes in memory, which may be some
// at most, 0 for any. It checks the schema before anything allocates the children that it declares.
func readMetadata(src io.ReaderAt, size, most int64) (
	meta *metadata.FileMetaData, tree *schemaTree, bytes int64, err error,
) {
	footer, err := footerOf(src, size)
	if err != nil {
		return nil, nil, 0, err
	}
	err = errkind.Contain(func() error {
		if tree, err = readSchemaTree(footer); err != nil {
			return err
		}
		meta, bytes, err = parseMetadata(tree.footer, most)
		return err
	})
	return meta, tree, bytes, err
}

// footerOf returns the bytes of the footer.
func footerOf(src io.ReaderAt, size int64) ([]byte, error) {
	var tail [footerTail]byte
	if _, err := src.ReadAt(tail[:], size-footerTail); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-footerTail {
		return nil, errkind.Corrupt("a footer of %d bytes in a file of %d", length, size)
	}
	if length == 0 {
		return nil, errkind.Corrupt("its footer has no bytes: whoever wrote it did not end, or its last bytes are " +
			"lost")
	}
	footer := make([]byte, length)
	_, err := src.ReadAt(footer, size-footerTail-length)
	return footer, err
}

// aroundRowGroups splits an encoded FileMetaData at the list of its row groups. It panics for bytes that are none.
func aroundRowGroups(footer []byte) (before, list, after []byte, err error) {
	r := page.CompactReader{Bytes: footer}
	if !r.Find(metadataRowGroups) {
		return nil, nil, nil, errkind.Corrupt("the footer has no row groups")
	}
	start := r.At
	for range r.ListOf(page.ThriftStruct) {
		r.Skip(page.ThriftStruct)
	}
	return slices.Clip(footer[:start]), footer[start:r.At], footer[r.At:], nil
}

// parseMetadata parses the metadata without the row groups, and then some row groups at a time: all at once would take
// several times the memory of what is kept.
func parseMetadata(footer []byte, most int64) (*metadata.FileMetaData, int64, error) {
	before, list, after, err := aroundRowGroups(footer)
	if err != nil {
		return nil, 0, err
	}
	parse := func(groups int, bytes []byte) (*metadata.FileMetaData, error) {
		part := page.AppendList(before, page.ThriftStruct, groups)
		meta, err := metadata.NewFileMetaData(append(append(part, bytes...), after...), nil)
		if err != nil {
			return nil, errkind.Corrupt("%v", err)
		}
		return meta, nil
	}
	meta, err := parse(0, nil)
	if err != nil {
		return nil, 0, err
	}
	r := page.CompactReader{Bytes: list}
	groups := r.ListOf(page.ThriftStruct)
	columns := int64(meta.Schema.NumColumns())
	bytes := int64(len(footer)) + columns*schemaBytes + columns*int64(groups)*chunkBytes
	if most > 0 && bytes > most {
		return nil, 0, &FooterError{columns, groups, bytes, most}
	}
	step := max(parsedBytes, 4*(len(before)+len(after)))
	for groups > 0 {
		begin, count := r.At, 0
		for ; count < groups && r.At-begin < step; count++ {
			r.Skip(page.ThriftStruct)
		}
		part, err := parse(count, list[begin:r.At])
		if err != nil {
			return nil, 0, err
		}
		for _, group := range part.RowGroups {
			meta.RowGroups = append(meta.RowGroups, group)
			shareChunks(meta, len(meta.RowGroups)-1)
		}
		groups -= count
	}
	return meta, bytes, nil
}

// shareChunks makes the column chunks of a row group share equal slices with those of the first row group.
func shareChunks(meta *metadata.FileMetaData, group int) {
	columns, first := meta.RowGroups[group].Columns, meta.RowGroups[0].Columns
	for i := range min(len(columns), len(first)) {
		m, like := columns[i].MetaData, first[i].MetaData
		if m == nil || like == nil {
			continue // checkFooter refuses it
		}
		share(&m.PathInSchema, like.PathInSchema)
		share(&m.Encodings, like.Encodings)
		for j, s := range m.EncodingStats {
			if j < len(like.EncodingStats) && *s == *like.EncodingStats[j] {
				m.EncodingStats[j] = like.EncodingStats[j]
			}
		}
		if s := m.Statistics; s != nil {
			share(&s.Min, s.MinValue)
			share(&s.Max, s.MaxValue)
		}
	}
}

// share makes equal values one.
func share[T comparable](values *[]T, like []T) {
	if *values != nil && slices.Equal(*values, like) {
		*values = like
	}
}
