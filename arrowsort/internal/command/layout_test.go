package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// letters are rows in no order.
const letters = "n,s,z\n5,e,2\n1,a,5\n7,g,7\n2,b,3\n6,f,8\n3,c,4\n8,h,1\n4,d,6\n"

// lettersBy sorts them to a Parquet file in row groups of two rows.
func lettersBy(t *testing.T, key, name string) string {
	path := filepath.Join(t.TempDir(), name)
	r := cli(t, nil, "sort", "-q", "-k", key, "--row-group-rows", "2", "--bloom-filter", "s", "-o", path,
		file(t, "letters.csv", letters))
	require.Equal(t, result{}, r)
	return path
}

// TestLayoutPrintsZoneMaps as bars in two lines: eight dots from the least to the greatest value.
func TestLayoutPrintsZoneMaps(t *testing.T) {
	r := cli(t, nil, "layout", "--filter", "n >= 4", "--filter", "s is not null", lettersBy(t, "n", "now.parquet"))
	require.Zero(t, r.code, r.err)
	require.Empty(t, r.err)
	lines := strings.Split(r.out, "\n")
	require.Contains(t, lines[0], "now.parquet: ")
	require.Contains(t, lines[0], ", 8 rows, 4 row groups, 3 columns")
	require.Equal(t, "declared order: n; the bounds of the row groups agree", lines[1])
	for at, want := range map[int]string{
		5: "│ n      │ " + "⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⣤⣤⣤⣤⣤⣤⠛⠛⠛⠛⠛⠛" +
			"       │ 1.0 of 4 │     1 │ ",
		6: "│   int64 │ ⣤⣤⣤⣤⣤⣤⠛⠛⠛⠛⠛⠛⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀       │",
	} {
		got := strings.ReplaceAll(lines[at], " ", "")
		require.Contains(t, got, strings.ReplaceAll(want, " ", ""), r.out)
	}
	require.Regexp(t, `│ s +│ .* 1.0 of 4 .* no +│ yes +│`, lines[7])
	require.Contains(t, r.out, "\nfilter: n >= 4 and s is not null\n")
	require.Regexp(t, `│ all +│ +4 │ +12 │ +8 │`, r.out)
	require.Regexp(t, `│ bounds of row groups +│ +3 │ +9 │ +6 │`, r.out)
}

// TestLayoutAgainst shows both layouts, that before first.
func TestLayoutAgainst(t *testing.T) {
	before, now := lettersBy(t, "n", "before.parquet"), lettersBy(t, "s", "now.parquet")
	r := cli(t, nil, "layout", "--against", before, now)
	require.Zero(t, r.code, r.err)
	require.Regexp(t, `(?s)^before:\nbefore.parquet: .*declared order: n;.*\nnow:\nnow.parquet: .*declared order: s;`,
		r.out)
	r = cli(t, nil, "layout", "--json", "--pages", "--against", before, now)
	require.Zero(t, r.code, r.err)
	var got struct {
		Command string
		parquetsort.LayoutReport
	}
	require.NoError(t, json.Unmarshal([]byte(r.out), &got))
	require.Equal(t, "layout", got.Command)
	require.Equal(t, []string{now}, got.Files)
	require.Equal(t, []string{before}, got.Against.Files)
	require.Len(t, got.Columns[0].Zones, 4)
	require.Len(t, got.Columns[0].Zones[0].Pages, 1)
	require.Equal(t, int64(4), got.Columns[1].BloomFilters)
}

// TestLayoutAdvises orders, the best first, in the terminal and on the page.
func TestLayoutAdvises(t *testing.T) {
	in, page := lettersBy(t, "z", "in.parquet"), filepath.Join(t.TempDir(), "x.html")
	r := cli(t, nil, "layout", "--advise", "n,z", in)
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "advice: 6 orders by a sample, the best first, in row groups of 262,144 rows and pages "+
		"of 16,384; as it is: in those of the files\nbytes that a filter on a column reads, ")
	require.Regexp(t, `order +│ +bytes │ by row groups │ by pages │ n, by row groups `+
		`│ n, by pages │ z, by row groups`,
		r.out)
	for _, want := range []string{"as it is", "-k n ", "-k n -k z", "-k z ", "-k z -k n",
		"--curve hilbert -k n -k z", "--curve zorder -k n -k z", "n, by row groups", "z, by pages"} {
		require.Contains(t, r.out, want)
	}
	require.Equal(t, result{}, cli(t, nil, "layout", "--advise", "n,z", "--html", page, in))
	html := readFile(t, page)
	require.Contains(t, string(html), "<span>-k n -k z</span>")
	require.Contains(t, string(html), `<span class="soft">as it is</span>`)
	require.Equal(t, 7+6, strings.Count(r.out[strings.Index(r.out, "advice:"):], "\n"), "a line for each order")
}

// TestLayoutShowsCurvesAndTheBestOrders: how many of them, as a shell takes them.
func TestLayoutShowsCurvesAndTheBestOrders(t *testing.T) {
	var all []parquetsort.LayoutAdvice
	for i := range 15 {
		all = append(all, parquetsort.LayoutAdvice{Keys: []string{strings.Repeat("k", i+1)}})
	}
	all = append(all, parquetsort.LayoutAdvice{Keys: []string{"it's", "#1"}, Curve: "hilbert"},
		parquetsort.LayoutAdvice{}, parquetsort.LayoutAdvice{Keys: []string{"last"}})
	out := adviceText(&parquetsort.LayoutReport{Advice: all, AdviceGroupRows: 5000}, 0)
	require.Contains(t, out, "advice: the best 10 of 17 orders, and curves, by a sample, the best first, in row "+
		"groups of 5,000 rows and pages of 5,000; ")
	require.Contains(t, out, "; as it is: in those of the files, whose pages have no bounds: readers cannot skip ")
	require.Contains(t, out, `--curve hilbert -k 'it'\''s' -k '#1' `)
	require.Contains(t, out, "as it is")
	require.Contains(t, out, "-k kkkkkkkkkk ")
	require.NotContains(t, out, "-k kkkkkkkkkkk ")
	require.NotContains(t, out, "last")
}

// TestLayoutNamesTheCurve where other files name their order.
func TestLayoutNamesTheCurve(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.parquet")
	require.Equal(t, result{}, cli(t, nil, "sort", "-q", "--curve", "hilbert", "-k", "n", "-k", "z", "-o", out,
		file(t, "letters.csv", letters)))
	r := cli(t, nil, "layout", out)
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "\ndeclared curve: hilbert over n, z\n")
	require.NotContains(t, r.out, "declared order")
}

// TestPictureWithAnswers: those of filters and advice, which a picture does not have, are printed.
func TestPictureWithAnswers(t *testing.T) {
	in, picture := lettersBy(t, "n", "in.parquet"), filepath.Join(t.TempDir(), "x.svg")
	r := cli(t, nil, "layout", "--svg", picture, "--filter", "n = 1", "--advise", "n", "--against", in, in)
	require.Zero(t, r.code, r.err)
	require.Regexp(t, `(?s)^before:\nfilter: n = 1\n.*\nnow:\nfilter: n = 1\n.*\nadvice: 1 order by a sample`, r.out)
	require.NotContains(t, r.out, "least to greatest")
}

// TestFilterWithoutAPageIndex: that there is none is said, not that no pages are read.
func TestFilterWithoutAPageIndex(t *testing.T) {
	read := parquetsort.FilterRead{RowGroups: 2, Rows: 20, Bytes: 200}
	out := filterText(&parquetsort.FilterCost{Filters: []string{"n = 1"}, All: read, ByGroups: read, ByPages: read}, 0)
	require.Regexp(t, `│ all +│ +2 │ unknown │ +20 │`, out)
	require.Contains(t, out, "no column has a page index: readers cannot skip pages")
}

// TestLayoutErrorsNameTheFlag before any work, and what to do.
func TestLayoutErrorsNameTheFlag(t *testing.T) {
	in := lettersBy(t, "n", "in.parquet")
	for want, args := range map[string][]string{
		`--filter "m = 1": there is no column "m"`:               {"--filter", "m = 1", in},
		`--filter "n = x": "x" is no value of type`:              {"--filter", "n = x", in},
		`--advise: there is no column "m"`:                       {"--advise", "n,m", in},
		"--pages is for --json: add it":                          {"--pages", in},
		"--advise names no column":                               {"--advise", "", in},
		"the value b and n > 1 has spaces: put it in quotes":     {"--filter", "s = b and n > 1", in},
		"'b and n > 1', or give one --filter for each condition": {"--filter", "s = b and n > 1", in},
		"--row-group-rows goes with --advise, which names no":    {"--row-group-rows", "2", in},
		"name an input file, or - for standard input":            {},
		"s3://b/x.parquet is an address":                         {in, "--against", "s3://b/x.parquet"},
		"is no Parquet file: only Parquet has row groups with ":  {file(t, "x.csv", letters)},
	} {
		r := cli(t, nil, append([]string{"layout"}, args...)...)
		require.Equal(t, exitUsage, r.code, r.err)
		requireOneLine(t, r.err)
		require.Contains(t, r.err, want)
		require.Empty(t, r.out)
	}
}

// TestLayoutFitsTheTerminal, whose lines are cut.
func TestLayoutFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"layout", lettersBy(t, "n", "x.parquet")},
		streams{out: &out, err: &out, outWidth: 60}))
	for line := range strings.Lines(out.String()) {
		if strings.ContainsAny(line, "│─") {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 60, line)
		}
	}
}

// TestZoneBars: many zones share a bar, few take several, and one without bounds has none.
func TestZoneBars(t *testing.T) {
	low, high := 0.0, 1.0
	half := 0.5
	all := parquetsort.LayoutZone{From: &low, To: &high}
	require.Equal(t, strings.Repeat("⣿", 24)+"\n"+strings.Repeat("⣿", 24), zoneBars([]parquetsort.LayoutZone{all}))
	require.Equal(t, strings.Repeat("⠀", 24)+"\n"+strings.Repeat("⠀", 24), zoneBars(nil))
	open := []parquetsort.LayoutZone{{To: &low}, {From: &half}, {}}
	require.Equal(t, strings.Repeat("⠀", 8)+strings.Repeat("⣿", 8)+strings.Repeat("⠀", 8)+"\n"+
		strings.Repeat("⣀", 8)+strings.Repeat("⠀", 16), zoneBars(open))
	many := make([]parquetsort.LayoutZone, 1000)
	for i := range many {
		at := float64(i) / 999
		many[i] = parquetsort.LayoutZone{From: &at, To: &at}
	}
	blank := strings.Repeat("⠀", 12)
	require.Equal(t, blank+"⣀⣀⣀⠤⠤⠤⠒⠒⠒⠉⠉⠉\n"+
		"⣀⣀⣀⠤⠤⠤⠒⠒⠒⠉⠉⠉"+blank, zoneBars(many))
}
