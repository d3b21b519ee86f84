package command

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

var (
	//go:embed layout.html
	htmlSource string
	//go:embed layout.svg
	svgSource string
)

// Sizes of a page of a layout.
const (
	mostDrawn  = 300_000   // bytes of paths that are in the page as they are; else they are compressed
	mostPacked = 1_800_000 // bytes of what is compressed, beyond which it says less of each row group
)

// A packedStrip is what the page knows of the bars of a strip.
type packedStrip struct {
	Least    []string `json:"l"`
	Greatest []string `json:"g"`
	Bytes    []int64  `json:"b,omitempty"`
	Nulls    []int64  `json:"n,omitempty"` // -1: not known
	Groups   string   `json:"d,omitempty"` // the path, unless it is in the page
	Pages    string   `json:"p,omitempty"`
}

// A packedFiles is what the page knows of files.
type packedFiles struct {
	Files  []string       `json:"files"`
	File   []int          `json:"file"` // of each row group
	Rows   []int64        `json:"rows"` // likewise
	Strips []*packedStrip `json:"strips"`
}

// writeHTML writes a layout as one page that needs no other file. At 1,000 row groups and 100 columns it takes less
// than 2 MB.
func writeHTML(w io.Writer, r *parquetsort.LayoutReport) error {
	page, err := template.New("layout.html").Parse(htmlSource)
	if err != nil {
		return err
	}
	p := newPicture(r)
	if err := p.pack(r); err != nil {
		return err
	}
	return page.Execute(w, p)
}

// pack compresses the values of the bars. Where there are very many, the bytes and nulls of row groups are left out, or
// their values are cut as well.
func (p *picture) pack(r *parquetsort.LayoutReport) error {
	size := 0
	for _, s := range p.strips() {
		size += len(s.Groups) + len(s.Pages)
	}
	for _, s := range p.strips() {
		s.Drawn = size <= mostDrawn
	}
	for _, detail := range []struct {
		counts bool
		value  int // characters
	}{{true, 200}, {true, longValue}, {false, longValue}, {false, 12}, {false, 6}} {
		all := []*packedFiles{packFiles(&r.FilesLayout), packFiles(r.Against)}
		for _, column := range p.Columns {
			all[0].Strips = append(all[0].Strips, column.Now.pack(detail.counts, detail.value))
			if all[1] != nil {
				all[1].Strips = append(all[1].Strips, column.Before.pack(detail.counts, detail.value))
			}
		}
		var out bytes.Buffer
		compressor := gzip.NewWriter(&out)
		if err := json.NewEncoder(compressor).Encode(all); err != nil {
			return err
		}
		if err := compressor.Close(); err != nil {
			return err
		}
		if p.Packed = base64.RawURLEncoding.EncodeToString(out.Bytes()); len(p.Packed) <= mostPacked {
			break
		}
	}
	return nil
}

// strips returns all strips.
func (p *picture) strips() (all []*zoneStrip) {
	for _, c := range p.Columns {
		for _, s := range []*zoneStrip{c.Now, c.Before} {
			if s != nil {
				all = append(all, s)
			}
		}
	}
	return all
}

func packFiles(l *parquetsort.FilesLayout) *packedFiles {
	if l == nil {
		return nil
	}
	f := &packedFiles{Rows: []int64{}, File: []int{}}
	for _, path := range l.Files {
		f.Files = append(f.Files, displayName(path, ""))
	}
	for _, g := range l.RowGroups {
		f.File, f.Rows = append(f.File, g.File), append(f.Rows, g.Rows)
	}
	return f
}

// pack returns what the page knows of the bars; nil where there are none.
func (s *zoneStrip) pack(counts bool, value int) *packedStrip {
	if s == nil {
		return nil
	}
	out := &packedStrip{Least: []string{}, Greatest: []string{}}
	if !s.Drawn {
		out.Groups, out.Pages = s.Groups, s.Pages
	}
	short := func(bound *string) string {
		if bound == nil {
			return ""
		}
		shown := printable(*bound)
		if letters := []rune(shown); len(letters) > value {
			return string(letters[:value-1]) + "…"
		}
		return shown
	}
	for i := range s.column.Zones {
		z := &s.column.Zones[i]
		out.Least, out.Greatest = append(out.Least, short(z.Least)), append(out.Greatest, short(z.Greatest))
		if counts {
			nulls := int64(-1)
			if z.Nulls != nil {
				nulls = *z.Nulls
			}
			out.Bytes, out.Nulls = append(out.Bytes, z.Bytes), append(out.Nulls, nulls)
		}
	}
	return out
}

// writeSVG writes a layout as a picture.
func writeSVG(w io.Writer, r *parquetsort.LayoutReport) error {
	picture, err := template.New("layout.svg").Funcs(template.FuncMap{
		"add":  func(a, b int) int { return a + b },
		"mul":  func(a, b int) int { return a * b },
		"snip": func(s string, n int) string { return text.Snip(s, n, "…") },
	}).Parse(svgSource)
	if err != nil {
		return err
	}
	return picture.Execute(w, newPicture(r))
}
