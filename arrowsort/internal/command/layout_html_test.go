package command

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// largeLayout has random bounds, as numbers and times, in some row groups and columns.
func largeLayout(groups, columns int) *parquetsort.LayoutReport {
	rng := rand.New(rand.NewPCG(1, 2))
	r := &parquetsort.LayoutReport{FilesLayout: parquetsort.FilesLayout{Files: []string{"large.parquet"}, Rows: 1e9}}
	for range groups {
		r.RowGroups = append(r.RowGroups, parquetsort.LayoutGroup{Rows: 1_000_000, Bytes: rng.Int64N(1e9)})
	}
	for i := range columns {
		c := parquetsort.LayoutColumn{Name: fmt.Sprintf("column_%d", i), Type: "timestamp[us]", Bytes: rng.Int64N(1e10),
			Codecs: []string{"zstd"}, Encodings: []string{"PLAIN", "RLE"},
			Depth: &parquetsort.LayoutDepth{Mean: rng.Float64() * 1000, Worst: 1000, Of: 1000}}
		for range groups {
			from, to := rng.Float64(), rng.Float64()
			from, to = min(from, to), max(from, to)
			c.Zones = append(c.Zones, parquetsort.LayoutZone{Bytes: rng.Int64N(1e7), Nulls: new(rng.Int64N(1e5)),
				Rows: 1_000_000, From: &from, To: &to, Least: new(randomBound(rng, i)),
				Greatest: new(randomBound(rng, i))})
		}
		r.Columns = append(r.Columns, c)
	}
	return r
}

func randomBound(rng *rand.Rand, column int) string {
	if column%2 == 0 {
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%06d", 1+rng.IntN(12), 1+rng.IntN(28), rng.IntN(24),
			rng.IntN(60), rng.IntN(60), rng.IntN(1e6))
	}
	return fmt.Sprint(rng.Float64() * 1e6)
}

// packedOf reads what a page knows of its bars.
func packedOf(t *testing.T, page string) (files []*packedFiles) {
	found := regexp.MustCompile(`<template id="packed">([^<]*)</template>`).FindStringSubmatch(page)
	require.NotNil(t, found)
	compressed, err := base64.RawURLEncoding.DecodeString(found[1])
	require.NoError(t, err)
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(r).Decode(&files))
	return files
}

// TestPageOfManyRowGroups has the bounds of all bars, which it draws from what is packed.
func TestPageOfManyRowGroups(t *testing.T) {
	r, out := largeLayout(500, 100), bytes.Buffer{}
	require.NoError(t, writeHTML(&out, r))
	require.Less(t, out.Len(), 2_000_000)
	files := packedOf(t, out.String())
	require.Len(t, files[0].Strips, 100)
	require.Nil(t, files[1])
	for i, s := range files[0].Strips {
		require.Len(t, s.Least, 500)
		shown := strings.TrimSuffix(s.Least[7], "…")
		require.Greater(t, len(shown), 4)
		require.True(t, strings.HasPrefix(*r.Columns[i].Zones[7].Least, shown), shown)
		require.NotEmpty(t, s.Groups)
	}
}

// TestPageNeedsNoOtherFile: it names no place from which a browser would load something, and what files say is text.
func TestPageNeedsNoOtherFile(t *testing.T) {
	in := file(t, "x.csv", "\"<script>alert(1)</script>\",\"a\"\"b&c\"\n1,<b>\n2,</template>\n")
	before := filepath.Join(t.TempDir(), "before.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "#1:desc", "-o", before, in))
	now := filepath.Join(t.TempDir(), "now.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "-k", "#1", "--row-group-rows", "1", "-o", now, in))
	page, picture := filepath.Join(t.TempDir(), "x.html"), filepath.Join(t.TempDir(), "x.svg")
	require.Equal(t, result{}, cli(t, nil, "layout", "--html", page, "--svg", picture, "--against", before, now))
	html := readFile(t, page)
	for _, unwanted := range []string{"<script>alert", " src=", " href=", "http:", "https:", "@import", "url("} {
		require.NotContains(t, string(html), unwanted)
	}
	require.Contains(t, string(html), "<h3>&lt;script&gt;alert(1)&lt;/script&gt;")
	files := packedOf(t, string(html))
	require.Len(t, files, 2)
	require.Equal(t, []string{"<b>", "</template>"}, files[0].Strips[1].Least)
	require.Equal(t, []string{"<b>"}, files[1].Strips[1].Greatest)
	svg := readFile(t, picture)
	require.NotContains(t, string(svg), "<script>alert")
	var err error
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); err == nil; {
		_, err = decoder.Token()
	}
	require.ErrorIs(t, err, io.EOF, "it is well-formed")
}

// TestPicturesThatCannotBeWritten are errors that name the file, which is not there then.
func TestPicturesThatCannotBeWritten(t *testing.T) {
	in := lettersBy(t, "n", "in.parquet")
	for flag, ending := range map[string]string{"--html": ".html", "--svg": ".svg"} {
		folder := filepath.Join(t.TempDir(), "folder"+ending)
		require.NoError(t, os.Mkdir(folder, 0o755))
		r := cli(t, nil, "layout", flag, folder, in)
		require.Equal(t, exitError, r.code)
		require.Contains(t, r.err, flag+" "+folder+": is a folder, not a file")
		r = cli(t, nil, "layout", flag, filepath.Join(folder, "missing", "x"+ending), in)
		require.Equal(t, exitError, r.code)
		require.Contains(t, r.err, flag+" "+filepath.Join(folder, "missing", "x"+ending))
		link := filepath.Join(t.TempDir(), "link"+ending)
		require.NoError(t, os.Link(in, link))
		r = cli(t, nil, "layout", flag, link, in)
		require.Equal(t, exitUsage, r.code)
		require.Contains(t, r.err, flag+" "+link+" is one of the inputs: name another file")
		for _, other := range []string{in, "-", "x", "x.html.parquet"} {
			r = cli(t, nil, "layout", flag, other, in)
			require.Equal(t, exitUsage, r.code)
			require.Contains(t, r.err, flag+" "+other+": the name of the file has to end in "+ending)
		}
		path, placement := filepath.Join(folder, "x"), atomicfile.Placement{}
		no := func(io.Writer, *parquetsort.LayoutReport) error { return errors.New("no") }
		p := pictureFile{path: path, write: no}
		require.ErrorContains(t, p.writeTo(t.Context(), &placement, nil), path+": no")
		placement.Remove()
		require.Empty(t, filesIn(t, folder))
	}
}

// TestTwoPicturesInOneFile are an error: one would replace the other.
func TestTwoPicturesInOneFile(t *testing.T) {
	html, svg := file(t, "x.html", ""), filepath.Join(t.TempDir(), "x.svg")
	require.NoError(t, os.Link(html, svg))
	r := cli(t, nil, "layout", "--html", html, "--svg", svg, lettersBy(t, "n", "in.parquet"))
	require.Equal(t, exitUsage, r.code)
	require.Contains(t, r.err, "are the same file: name two")
}

// TestPictureOfUnprintableNames is well-formed, and has the arrow of a key whose name has a colon.
func TestPictureOfUnprintableNames(t *testing.T) {
	r := largeLayout(2, 2)
	r.Columns[0].Name, r.Columns[1].Name, r.Files, r.Keys = "a\x1b\x00[31m", "x:y", []string{"\x01.parquet"},
		[]string{"x:y:desc", "a\x1b\x00[31m"}
	r.Filter = &parquetsort.FilterCost{Filters: []string{"a\x1b = 1"}}
	r.Advice = []parquetsort.LayoutAdvice{{Keys: []string{"a\x1b"}, By: []parquetsort.AdviceRead{{Column: "a\x1b"}}}}
	before := r.FilesLayout
	r.Against = &before
	for _, write := range []func(io.Writer, *parquetsort.LayoutReport) error{writeHTML, writeSVG} {
		var out bytes.Buffer
		require.NoError(t, write(&out, r))
		require.Contains(t, out.String(), `a\x1b\x00[31m`)
		require.NotContains(t, out.String(), "\x1b")
		require.NotContains(t, out.String(), "gone")
	}
	var svg bytes.Buffer
	require.NoError(t, writeSVG(&svg, r))
	require.Contains(t, svg.String(), "x:y (1 ↓)")
	require.NotContains(t, layoutText(r, 0), "\x1b")
	require.NoError(t, xml.Unmarshal(svg.Bytes(), new(struct{})))
}

// TestGroupPath: strokes from the lower to the upper bound, in the coordinates of the strip.
func TestGroupPath(t *testing.T) {
	low, half, high := 0.0, 0.5, 1.0
	zones := []parquetsort.LayoutZone{{From: &low, To: &high}, {}, {From: &half, To: &half}, {To: &low}}
	require.Equal(t, "m4 0v40m16-19.2v-1.5m8 19.2v1.5", groupPath(zones))
	zones = []parquetsort.LayoutZone{{Rows: 4, Pages: []parquetsort.LayoutZone{{Rows: 2, From: &low, To: &half},
		{Row: 2, Rows: 2}}}}
	require.Equal(t, "M0.50 20.0h3.50V40.0h-3.50z", pagePath(zones))
}

// TestPictureOfTheDocument is what the command lines of docs/layout.md draw; -update writes it anew.
func TestPictureOfTheDocument(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	document := readFile(t, filepath.Join(root, "docs", "layout.md"))
	folder := t.TempDir()
	for _, line := range regexp.MustCompile(`(?m)^\$ arrowsort (.*)$`).FindAllStringSubmatch(string(document), -1)[:2] {
		args := strings.Fields(line[1])
		for i, word := range args {
			switch {
			case strings.HasPrefix(word, "examples/"):
				args[i] = filepath.Join(root, filepath.FromSlash(word))
			case strings.Contains(word, ".") && !strings.HasPrefix(word, "-"):
				args[i] = filepath.Join(folder, word)
			}
		}
		require.Equal(t, result{}, cli(t, nil, args...))
	}
	got := readFile(t, filepath.Join(folder, "layout.svg"))
	path := filepath.Join(root, "docs", "figures", "layout.svg")
	if *updateGolden {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want := readFile(t, path)
	require.Equal(t, string(want), string(got))
}
