package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// layoutText describes a layout for a terminal of a width; 0 is unlimited.
func layoutText(r *parquetsort.LayoutReport, width int) string {
	var b strings.Builder
	if r.Against != nil {
		b.WriteString("before:\n" + filesLayoutText(r.Against, width) + "\nnow:\n")
	}
	b.WriteString(filesLayoutText(&r.FilesLayout, width))
	if len(r.Advice) > 0 {
		b.WriteString(adviceText(r, width))
	}
	return b.String()
}

// answersText is what a layout says of filters and orders, which a picture does not show.
func answersText(r *parquetsort.LayoutReport, width int) string {
	var b strings.Builder
	if r.Against != nil && r.Filter != nil {
		b.WriteString("before:\n" + filterText(r.Against.Filter, width) + "\nnow:\n")
	}
	if r.Filter != nil {
		b.WriteString(filterText(r.Filter, width))
	}
	if len(r.Advice) > 0 {
		b.WriteString(adviceText(r, width))
	}
	return b.String()
}

// filesLayoutText describes the layout of some files.
func filesLayoutText(l *parquetsort.FilesLayout, width int) string {
	var b strings.Builder
	name := displayName(l.Files[0], "")
	if len(l.Files) > 1 {
		name = counted(int64(len(l.Files)), "file")
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s, %s\n%s\n", printable(name), bytesText(l.Bytes), counted(l.Rows, "row"),
		counted(int64(len(l.RowGroups)), "row group"), counted(int64(len(l.Columns)), "column"),
		printable(orderText(l)))
	if len(l.Columns) > 0 {
		b.WriteString(layoutTable(l, width) + "\n")
	}
	if l.Filter != nil {
		b.WriteString(filterText(l.Filter, width))
	}
	return b.String()
}

// orderText describes the order that files declare.
func orderText(l *parquetsort.FilesLayout) string {
	keys := strings.Join(l.Keys, ", ")
	switch {
	case l.Curve != nil:
		return "declared curve: " + l.Curve.Curve + " over " + strings.Join(l.Curve.Keys, ", ")
	case l.Varies && keys == "":
		return "declared order: none in the first row group, another in others"
	case l.Varies:
		return "declared order: " + keys + " in the first row group, another in others"
	case keys == "":
		return "declared order: none"
	case l.Agrees == nil:
		return "declared order: " + keys + "; there are no bounds to compare it with"
	case *l.Agrees:
		return "declared order: " + keys + "; the bounds of the row groups agree"
	}
	return fmt.Sprintf("declared order: %s; the bounds of the row groups do not agree: row group %d (they count from "+
		"0) begins before the end of the one before it", keys, *l.FirstBad)
}

// layoutTable lists the columns with their zone maps. What no column has is left out.
func layoutTable(l *parquetsort.FilesLayout, width int) string {
	out := newTable(width, []int{2, 3, 4, 5})
	header := table.Row{"column", "least to greatest by row group", "depth", "worst", "bytes", "codec", "encodings",
		"dictionary", "Bloom filter"}
	out.AppendHeader(header)
	groups := int64(len(l.RowGroups))
	for i := range l.Columns {
		c := &l.Columns[i]
		depth, worst := "", ""
		if c.Depth != nil {
			depth = fmt.Sprintf("%.1f of %s", c.Depth.Mean, grouped(int64(c.Depth.Of)))
			worst = grouped(int64(c.Depth.Worst))
		}
		name := text.Snip(printable(c.Name), longName, "…") + "\n  " + text.Snip(printable(c.Type), previewWidth, "…")
		out.AppendRow(table.Row{name, zoneBars(c.Zones), depth, worst, bytesText(c.Bytes), strings.Join(c.Codecs, ", "),
			strings.Join(c.Encodings, ", "), share(c.Dictionaries, groups), share(c.BloomFilters, groups)})
	}
	return out.Render()
}

// share says how many of the row groups have something.
func share(n, of int64) string {
	switch n {
	case 0:
		return "no"
	case of:
		return "yes"
	}
	return fmt.Sprintf("%s of %s", grouped(n), grouped(of))
}

// Characters of a zone map in text, each of which has two bars of four dots.
const (
	barCharacters = 24
	barLines      = 2
	barDots       = 4 * barLines
)

// zoneBars draws zones as bars over two lines: from the least value, the lowest dot, to the greatest. A bar stands for
// several zones where there are many, a zone for several bars where there are few. Zones without bounds have no bar.
func zoneBars(zones []parquetsort.LayoutZone) string {
	const bars = 2 * barCharacters
	var dots [barLines][barCharacters]rune
	for bar := range bars {
		first := bar * len(zones) / bars
		end := max((bar+1)*len(zones)/bars, first+1)
		for _, z := range zones[min(first, len(zones)):min(end, len(zones))] {
			if z.From == nil && z.To == nil {
				continue
			}
			low, high := 0, barDots-1
			if z.From != nil {
				low = dotAt(*z.From)
			}
			if z.To != nil {
				high = dotAt(*z.To)
			}
			for dot := low; dot <= high; dot++ {
				line, row := barLines-1-dot/4, 3-dot%4
				dots[line][bar/2] |= brailleDots[row][bar%2]
			}
		}
	}
	var lines []string
	for _, line := range dots {
		var b strings.Builder
		for _, character := range line {
			b.WriteRune(blankBraille + character)
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}

// dotAt returns the dot of a place from 0 to 1, the lowest first.
func dotAt(place float64) int { return min(int(place*barDots), barDots-1) }

// blankBraille is a character without dots, brailleDots are the bits of its dots from the top, left and right.
const blankBraille = '\u2800'

var brailleDots = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// filterText says what readers read for the rows that pass filters.
func filterText(f *parquetsort.FilterCost, width int) string {
	out := newTable(width, []int{1, 2, 3, 4})
	out.AppendHeader(table.Row{"read by", "row groups", "pages", "rows", "bytes"})
	note, indexed := "", f.All.Pages > 0 || f.All.Rows == 0
	if !indexed {
		note = "no column has a page index: readers cannot skip pages; files that arrowsort writes have one\n"
	}
	for _, line := range filterLines(f) {
		r, pages := line.read, "unknown"
		if indexed {
			pages = grouped(int64(r.Pages))
		}
		out.AppendRow(table.Row{line.name, grouped(int64(r.RowGroups)), pages, grouped(r.Rows), bytesText(r.Bytes)})
	}
	return "filter: " + printable(strings.Join(f.Filters, " and ")) + "\n" + out.Render() + "\n" + note
}

// A filterLine is what one kind of reader reads.
type filterLine struct {
	name string
	read parquetsort.FilterRead
}

func filterLines(f *parquetsort.FilterCost) []filterLine {
	return []filterLine{{"all", f.All}, {"bounds of row groups", f.ByGroups}, {"the page index, too", f.ByPages}}
}

// mostShown is the number of orders that are shown of an advice; JSON has all.
const mostShown = 10

// adviceText lists the orders that read least, curves, and the rows as they are.
func adviceText(r *parquetsort.LayoutReport, width int) string {
	all := r.Advice
	header := table.Row{"order", "bytes", "by row groups", "by pages"}
	numbers := []int{1, 2, 3}
	for _, by := range all[0].By {
		numbers = append(numbers, len(header), len(header)+1)
		header = append(header, printable(by.Column)+", by row groups", printable(by.Column)+", by pages")
	}
	out := newTable(width, numbers)
	out.AppendHeader(header)
	for _, a := range shownAdvice(all) {
		byGroups, byPages, each := int64(0), int64(0), table.Row{}
		for _, by := range a.By {
			groups, pages := (by.Equal+by.Within)/2, (by.EqualByPages+by.WithinByPages)/2
			byGroups, byPages = byGroups+groups, byPages+pages
			each = append(each, bytesText(groups), bytesText(pages))
		}
		n := int64(max(len(a.By), 1))
		row := table.Row{printable(orderName(&a)), bytesText(a.Bytes), bytesText(byGroups / n), bytesText(byPages / n)}
		out.AppendRow(append(row, each...))
	}
	count := counted(int64(len(all)-1), "order")
	if len(all)-1 > mostShown {
		count = fmt.Sprintf("the best %d of %s, and curves,", mostShown, count)
	}
	rows := int64(r.AdviceGroupRows)
	return fmt.Sprintf("advice: %s by a sample, the best first, in row groups of %s rows and pages of %s; as it is: "+
		"in those of the files%s\nbytes that a filter on a column reads, the mean of one value and of a twentieth of "+
		"the values: by the bounds of row groups alone, and by those of pages, too; the best reads least in the mean "+
		"of both\n%s\n",
		count, grouped(rows), grouped(min(rows, tablefile.DefaultPageRows)), withoutIndex(r), out.Render())
}

// withoutIndex is the remark that the rows as they are have no pages that readers can skip.
func withoutIndex(r *parquetsort.LayoutReport) string {
	for _, by := range r.Advice[0].By {
		if slices.ContainsFunc(r.Columns, func(c parquetsort.LayoutColumn) bool {
			return c.Name == by.Column && c.PageDepth != nil
		}) {
			return ""
		}
	}
	return ", whose pages have no bounds: readers cannot skip them"
}

// shownAdvice returns the first orders, the curves, and the rows as they are.
func shownAdvice(all []parquetsort.LayoutAdvice) (shown []parquetsort.LayoutAdvice) {
	best := 0
	for _, a := range all {
		if len(a.Keys) > 0 {
			best++
		}
		if best <= mostShown || len(a.Keys) == 0 || a.Curve != "" {
			shown = append(shown, a)
		}
	}
	return shown
}

// orderName returns an order as flags ask for it.
func orderName(a *parquetsort.LayoutAdvice) string {
	keys := ""
	for _, key := range a.Keys {
		keys += " -k " + shellWord(key)
	}
	keys = strings.TrimPrefix(keys, " ")
	switch {
	case len(a.Keys) == 0:
		return "as it is"
	case a.Curve != "":
		return "--curve " + a.Curve + " " + keys
	}
	return keys
}

// plainWord is text that no shell changes.
var plainWord = regexp.MustCompile(`^[\pL\pN_./:@%+-]+$`)

// shellWord returns a word of a command line, in quotes where it needs them.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
