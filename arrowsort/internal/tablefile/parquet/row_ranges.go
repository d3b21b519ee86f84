package parquet

import (
	"io"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/reader"
)

// A rangeSource is the bytes of a file of which some ranges of rows are read. The column chunks of a range have the
// pages of its rows only, so they lie elsewhere than in the file: after its end, where the source repeats bytes of it.
//
//	file:    | ... dictionary | page | page | page | ... footer |
//	source:  | ... dictionary | page | page | page | ... footer | dictionary | page |
type rangeSource struct {
	Source
	size     int64 // of the file
	repeated []extent
}

// An extent is bytes of the file that a rangeSource repeats at a place.
type extent struct{ at, from, bytes int64 }

// repeat adds bytes of the file at the end of the source.
func (s *rangeSource) repeat(from, bytes int64) (at int64) {
	at = s.size
	if n := len(s.repeated); n > 0 {
		at = s.repeated[n-1].at + s.repeated[n-1].bytes
	}
	if bytes > 0 {
		s.repeated = append(s.repeated, extent{at, from, bytes})
	}
	return at
}

// real returns the ranges of the file that some of the source are.
func (s *rangeSource) real(ranges []page.Range) (of []page.Range) {
	for _, r := range ranges {
		if r.From < s.size {
			of = append(of, r)
			continue
		}
		for _, e := range s.repeated {
			from, to := max(r.From, e.at), min(r.To, e.at+e.bytes)
			if from < to {
				of = append(of, page.Range{From: e.from + from - e.at, To: e.from + to - e.at})
			}
		}
	}
	return of
}

// ReadAt reads bytes of the file, or of what is repeated of it.
func (s *rangeSource) ReadAt(p []byte, at int64) (n int, err error) {
	if at < s.size || len(s.repeated) == 0 {
		return s.Source.ReadAt(p, at)
	}
	i, found := slices.BinarySearchFunc(s.repeated, at, func(e extent, at int64) int { return int(e.at - at) })
	if !found {
		i-- // the one that begins before
	}
	for ; n < len(p) && i < len(s.repeated); i++ {
		e := s.repeated[i]
		skip := at + int64(n) - e.at
		want := min(int64(len(p)-n), e.bytes-skip)
		if want <= 0 {
			break
		}
		got, err := s.Source.ReadAt(p[n:n+int(want)], e.from+skip)
		if n += got; got < int(want) {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// keep leaves only some ranges of rows in the footer, which is checked: the file is read as one that has a row group
// for each of them, and nothing else. The types of columns are those of all row groups. It returns what is read of the
// column chunks of each, nil where that is all; nil ranges are all rows.
func (f *File) keep(src *rangeSource, ranges []reader.RowRange) (parts [][]reader.ChunkPart, err error) {
	if ranges == nil {
		return nil, nil
	}
	meta := f.Template.meta
	all := meta.RowGroups
	meta.RowGroups, meta.NumRows = nil, 0
	parts = make([][]reader.ChunkPart, len(ranges))
	var pages [][]PageExtent // of the row group, by leaf column
	for i, r := range ranges {
		if r.Group >= len(all) || r.First+r.Rows > all[r.Group].NumRows {
			return nil, errkind.Corrupt("there are %d row groups, but rows %d to %d of number %d are asked for: the "+
				"file is another one now", len(all), r.First, r.First+r.Rows-1, r.Group)
		}
		group := *all[r.Group]
		meta.RowGroups = append(meta.RowGroups, &group)
		meta.NumRows += r.Rows
		if r.Rows == group.NumRows {
			continue
		}
		if i == 0 || ranges[i-1].Group != r.Group {
			if pages, err = f.offsetIndexes(i, r.Group); err != nil {
				return nil, err
			}
		}
		parts[i] = f.narrow(src, i, r, pages)
	}
	return parts, nil
}

// offsetIndexes reads where the pages of a row group, with a number in the file, are, by leaf column.
func (f *File) offsetIndexes(group, number int) (pages [][]PageExtent, err error) {
	g := f.Template.meta.RowGroups[group]
	for leaf, c := range g.Columns {
		index, err := f.pageIndexAt(nil, nil, c.OffsetIndexOffset, c.OffsetIndexLength)
		if err != nil {
			return nil, err
		}
		var of []PageExtent
		err = errkind.Contain(func() error {
			of = pageExtents(index.offsets, g.NumRows)
			return nil
		})
		if err != nil {
			return nil, f.wrongIndex(leaf, number, err)
		}
		pages = append(pages, of)
	}
	return pages, nil
}

// wrongIndex returns the error for a page index that contradicts itself.
func (f *File) wrongIndex(leaf, group int, err error) error {
	path := f.Template.meta.Schema.Column(leaf).Path()
	return errkind.Corrupt("the page index of column %q of row group %d: %v; a sort without a limit or tail does not "+
		"use it", path, group, err)
}

// narrow makes a row group of the footer one that has a range of its rows only, and returns what is read of its column
// chunks.
func (f *File) narrow(src *rangeSource, number int, r reader.RowRange, pages [][]PageExtent) []reader.ChunkPart {
	group := f.Template.meta.RowGroups[number]
	all, parts := group.NumRows, make([]reader.ChunkPart, len(group.Columns))
	group.NumRows, group.Columns = r.Rows, slices.Clone(group.Columns)
	for leaf := range group.Columns {
		chunk, m := *group.Columns[leaf], *group.Columns[leaf].MetaData
		group.Columns[leaf], chunk.MetaData = &chunk, &m
		chunk.ColumnIndexOffset, chunk.OffsetIndexOffset = nil, nil
		m.Statistics, m.BloomFilterOffset = nil, nil // of all rows
		start := page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset)
		cut, ok := cutPages(pages[leaf], all, r, extent{from: start, bytes: m.TotalCompressedSize})
		parts[leaf] = cut.part
		if !ok {
			continue
		}
		m.DataPageOffset = src.repeat(start, cut.dictionary)
		if m.DictionaryPageOffset != nil {
			m.DictionaryPageOffset = new(m.DataPageOffset)
			m.DataPageOffset += cut.dictionary
		}
		src.repeat(cut.from, cut.bytes)
		share := float64(cut.part.Rows) / float64(all)
		read := float64(cut.dictionary+cut.bytes) / float64(m.TotalCompressedSize)
		m.TotalUncompressedSize = int64(read * float64(m.TotalUncompressedSize))
		m.TotalCompressedSize = cut.dictionary + cut.bytes
		if m.NumValues == all {
			m.NumValues = cut.part.Rows
		} else {
			m.NumValues = int64(share * float64(m.NumValues)) // of lists, about: the reader counts them
		}
		if s := m.SizeStatistics; s != nil && s.UnencodedByteArrayDataBytes != nil {
			sizes := *s
			sizes.UnencodedByteArrayDataBytes = new(int64(share * float64(*s.UnencodedByteArrayDataBytes)))
			m.SizeStatistics = &sizes
		}
	}
	return parts
}

// A chunkCut is where the pages of a part of a column chunk are: the dictionary page at its start, and data pages.
type chunkCut struct {
	part        reader.ChunkPart
	dictionary  int64 // bytes
	from, bytes int64
}

// cutPages returns the pages that have a range of the rows of a row group. It is false where they are not known, as
// there is no index, or one whose pages are not all of the column chunk: then all of it is read.
func cutPages(pages []PageExtent, rows int64, r reader.RowRange, chunk extent) (c chunkCut, ok bool) {
	c.part = reader.ChunkPart{Skip: r.First, Rows: rows}
	if len(pages) == 0 || pages[0].Offset < chunk.from {
		return c, false
	}
	next := pages[0].Offset
	for _, p := range pages {
		if p.Offset != next {
			return c, false
		}
		next += p.Bytes
	}
	if next != chunk.from+chunk.bytes {
		return c, false
	}
	first, end := 0, 0
	for i, p := range pages {
		if p.Row <= r.First {
			first = i
		}
		if p.Row < r.First+r.Rows {
			end = i + 1
		}
	}
	last := pages[end-1]
	c.part = reader.ChunkPart{Cut: true, Skip: r.First - pages[first].Row,
		Rows: endOf(pages, end-1, rows) - pages[first].Row}
	c.dictionary = pages[0].Offset - chunk.from
	c.from, c.bytes = pages[first].Offset, last.Offset+last.Bytes-pages[first].Offset
	return c, true
}
