package command

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A picture is what the templates of layout draw.
type picture struct {
	Title           string
	Now             filesPicture
	Before          *filesPicture // nil: nothing is compared
	Advice          []advicePicture
	AdviceGroupRows string // rows of row groups of the orders
	Columns         []columnPicture
	Pages           bool   // there are bars of pages
	Packed          string // of the page: the values of the bars, see pack
	Step            int    // from a bar to the next
}

// A filesPicture describes the files.
type filesPicture struct {
	Name, Facts, Order string
	Filter             *filterPicture
}

// A columnPicture is a column in the files, and in those before.
type columnPicture struct {
	Name, Type  string
	Number      int        // its place among the columns
	Key         string     // its place in the declared order, with an arrow; empty: it is not in it
	Now, Before *zoneStrip // nil: the column is not there
	Least, Most string     // the ends of its zone maps
	Bytes       int64
	Size        string  // the bytes as text
	Change      string  // the bytes before; empty: nothing to compare
	Share       float64 // of the bytes of all columns, in percent
	Depth       float64 // the mean, for the order of the page; 0: there are no bounds
	Details     string  // codec, encodings, dictionary, Bloom filter
}

// A zoneStrip is a zone map as bars: a path of vertical strokes, one for each row group, barStep units wide each and
// stripHeight high from the least to the greatest value.
type zoneStrip struct {
	Groups  string  // the path of the row groups
	Pages   string  // the path of the pages, as areas; empty: there are none, or too many
	Width   int     // units
	Height  int     // likewise
	Step    int     // from a bar to the next
	Stroke  float64 // width of a bar
	When    string  // before or now, where files are compared
	Drawn   bool    // as that of the picture
	Class   string  // how much the bounds let readers skip: skips, some, none, unknown
	Depth   string  // row groups of one value, of how many
	Depths  bool    // that is known
	Ranked  bool
	Summary string // for those who do not see it

	column *parquetsort.LayoutColumn
}

const (
	barStep     = 8
	stripHeight = 40
	thinnest    = 1.5   // units that a bar of one value is high
	mostPages   = 20000 // of all columns that are drawn
	longValue   = 24    // characters to which values in pictures are cut
)

// newPicture draws a layout.
func newPicture(r *parquetsort.LayoutReport) *picture {
	p := &picture{Step: barStep, Now: pictureOf(&r.FilesLayout), Title: filesName(r.Files)}
	when := ""
	if r.Against != nil {
		when = "now"
	}
	pages := countPages(&r.FilesLayout) + countPages(r.Against)
	p.Pages = 0 < pages && pages <= mostPages
	keys := map[string]string{}
	for i, key := range r.Keys {
		arrow := "↑"
		by, err := flagtext.ParseKey(key, flagtext.Modifiers)
		if err == nil && by.Order == arrowsort.Descending {
			arrow = "↓"
		}
		keys[by.Path] = fmt.Sprintf("%d %s", i+1, arrow)
	}
	p.Advice, p.AdviceGroupRows = adviceOf(r.Advice), grouped(int64(r.AdviceGroupRows))
	all := int64(0)
	for i := range r.Columns {
		all += r.Columns[i].Bytes
	}
	for i := range r.Columns {
		c := &r.Columns[i]
		column := columnPicture{Name: printable(c.Name), Type: printable(c.Type), Number: i, Key: keys[c.Name],
			Bytes: c.Bytes, Size: bytesText(c.Bytes), Share: 100 * float64(c.Bytes) / float64(max(all, 1)),
			Now: p.strip(c), Details: detailsText(c, int64(len(r.RowGroups)))}
		column.Now.When = when
		if c.Depth != nil {
			column.Depth = c.Depth.Mean
		}
		p.Columns = append(p.Columns, column)
	}
	if r.Against != nil {
		p.Before = new(pictureOf(r.Against))
		p.addBefore(r.Against)
	}
	for i := range p.Columns {
		p.Columns[i].addEnds()
	}
	return p
}

func pictureOf(l *parquetsort.FilesLayout) filesPicture {
	return filesPicture{Name: filesName(l.Files), Order: printable(orderText(l)), Filter: newFilterPicture(l.Filter),
		Facts: strings.Join([]string{counted(l.Rows, "row"), bytesText(l.Bytes),
			counted(int64(len(l.RowGroups)), "row group"), counted(int64(len(l.Columns)), "column")}, ", ")}
}

func filesName(files []string) string {
	if len(files) == 1 {
		return printable(displayName(files[0], ""))
	}
	return counted(int64(len(files)), "file") + ", " + printable(displayName(files[0], "")) + " first"
}

func countPages(l *parquetsort.FilesLayout) (n int) {
	if l == nil {
		return 0
	}
	for _, c := range l.Columns {
		for _, z := range c.Zones {
			n += len(z.Pages)
		}
	}
	return n
}

// addBefore adds the strips of the files before to the columns of the same name; columns that are gone come last.
func (p *picture) addBefore(l *parquetsort.FilesLayout) {
	for i := range l.Columns {
		c := &l.Columns[i]
		at := slices.IndexFunc(p.Columns, func(column columnPicture) bool {
			return column.Name == printable(c.Name) && column.Before == nil
		})
		if at < 0 {
			at = len(p.Columns)
			p.Columns = append(p.Columns, columnPicture{Name: printable(c.Name), Type: printable(c.Type), Number: at,
				Size:    "gone",
				Details: detailsText(c, int64(len(l.RowGroups)))})
		}
		p.Columns[at].Before = p.strip(c)
		p.Columns[at].Before.When = "before"
		if p.Columns[at].Now != nil {
			p.Columns[at].Change = "was " + bytesText(c.Bytes)
		}
	}
}

func detailsText(c *parquetsort.LayoutColumn, groups int64) string {
	parts := []string{strings.Join(c.Codecs, ", "), strings.Join(c.Encodings, ", ")}
	if c.Dictionaries > 0 && c.Dictionaries < groups {
		parts = append(parts, "dictionary in "+share(c.Dictionaries, groups)+" row groups")
	}
	if c.BloomFilters > 0 {
		parts = append(parts, "Bloom filter: "+share(c.BloomFilters, groups))
	}
	if c.Nulls != nil && *c.Nulls > 0 {
		parts = append(parts, counted(*c.Nulls, "null"))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

// strip draws the zone map of a column.
func (p *picture) strip(c *parquetsort.LayoutColumn) *zoneStrip {
	s := &zoneStrip{Width: max(len(c.Zones), 1) * barStep, Height: stripHeight, Step: barStep, Stroke: barStep,
		Ranked: c.Ranked, Class: "unknown", Depth: "no bounds", column: c}
	if len(c.Zones) <= 200 {
		s.Stroke = barStep - 1 // the others would leave more gap than bar
	}
	s.Groups = groupPath(c.Zones)
	if p.Pages {
		s.Pages = pagePath(c.Zones)
	}
	s.Summary = fmt.Sprintf("%s: no bounds", printable(c.Name))
	if d := c.Depth; d != nil {
		s.Depth = fmt.Sprintf("%s of %s", meanText(d.Mean), grouped(int64(d.Of)))
		s.Class, s.Depths = classOf(d), true
		s.Summary = fmt.Sprintf("%s: a value is in %s row groups on average, %s at worst; from %s to %s",
			printable(c.Name), s.Depth, grouped(int64(d.Worst)), valueText(c.Least), valueText(c.Greatest))
	}
	return s
}

// valueText returns a bound for a picture; empty for none.
func valueText(bound *string) string {
	if bound == nil {
		return ""
	}
	return text.Snip(printable(*bound), longValue, "…")
}

// addEnds adds the ends of the scale that the zone maps of a column share.
func (c *columnPicture) addEnds() {
	for _, s := range []*zoneStrip{c.Before, c.Now} {
		if s == nil {
			continue
		}
		for i := range s.column.Zones {
			z := &s.column.Zones[i]
			if z.From != nil && *z.From == 0 {
				c.Least = valueText(s.column.Least)
			}
			if z.To != nil && *z.To == 1 {
				c.Most = valueText(s.column.Greatest)
			}
		}
	}
	if c.Most == "" {
		c.Most = c.Least // there is one value
	}
}

func meanText(mean float64) string {
	if mean >= 100 {
		return grouped(int64(math.Round(mean)))
	}
	return strconv.FormatFloat(mean, 'f', 1, 64)
}

// classOf says how much of the row groups beyond the one that is needed the bounds let readers skip: nine tenths, half,
// or less.
func classOf(d *parquetsort.LayoutDepth) string {
	switch share := (d.Mean - 1) / float64(max(d.Of-1, 1)); {
	case share <= 0.1:
		return "skips"
	case share <= 0.5:
		return "some"
	}
	return "none"
}

// placesOf returns where a bar begins and ends, from the top of the strip; false for a zone without bounds. A missing
// bound is the end of the strip.
func placesOf(z *parquetsort.LayoutZone) (top, bottom float64, ok bool) {
	if z.From == nil && z.To == nil {
		return 0, 0, false
	}
	top, bottom = 0, stripHeight
	if z.To != nil {
		top = stripHeight * (1 - *z.To)
	}
	if z.From != nil {
		bottom = stripHeight * (1 - *z.From)
	}
	if lacks := thinnest - (bottom - top); lacks > 0 { // within the strip
		top = min(max(top-lacks/2, 0), stripHeight-thinnest)
		bottom = top + thinnest
	}
	return top, bottom, true
}

// groupPath draws row groups as vertical strokes, in tenths of a unit, each from the end of the one before.
func groupPath(zones []parquetsort.LayoutZone) string {
	var b strings.Builder
	x, y := 0, 0
	for i := range zones {
		top, bottom, ok := placesOf(&zones[i])
		if !ok {
			continue
		}
		from, to := int(math.Round(10*top)), int(math.Round(10*bottom))
		if abs(y-from) > abs(y-to) {
			from, to = to, from
		}
		at := i*barStep + barStep/2
		fmt.Fprintf(&b, "m%d%sv%s", at-x, signed(from-y), tenths(to-from))
		x, y = at, to
	}
	return b.String()
}

// pagePath draws pages as areas as wide as their rows.
func pagePath(zones []parquetsort.LayoutZone) string {
	var b strings.Builder
	for i := range zones {
		for p := range zones[i].Pages {
			page := &zones[i].Pages[p]
			top, bottom, ok := placesOf(page)
			if !ok || zones[i].Rows == 0 {
				continue
			}
			scale := float64(barStep-1) / float64(zones[i].Rows)
			x, width := float64(i*barStep)+0.5+scale*float64(page.Row), scale*float64(page.Rows)
			fmt.Fprintf(&b, "M%.2f %.1fh%.2fV%.1fh-%.2fz", x, top, width, bottom, width)
		}
	}
	return b.String()
}

func abs(n int) int { return max(n, -n) }

// tenths returns a number of tenths as text.
func tenths(n int) string { return strconv.FormatFloat(float64(n)/10, 'f', -1, 64) }

// signed is tenths for the second of two numbers of a path, which a sign sets apart from the first.
func signed(n int) string {
	if n < 0 {
		return tenths(n)
	}
	return " " + tenths(n)
}

// A filterPicture is what filters read, with bars.
type filterPicture struct {
	Text string
	Bars []filterBar
}

// A filterBar is what one kind of reader reads.
type filterBar struct {
	Name, Text string
	Share      float64 // of all bytes, in percent
}

func newFilterPicture(f *parquetsort.FilterCost) *filterPicture {
	if f == nil {
		return nil
	}
	p := &filterPicture{Text: printable(strings.Join(f.Filters, " and "))}
	for _, line := range filterLines(f) {
		r := line.read
		p.Bars = append(p.Bars, filterBar{Name: line.name, Share: 100 * float64(r.Bytes) / float64(max(f.All.Bytes, 1)),
			Text: fmt.Sprintf("%s · %s · %s", bytesText(r.Bytes), counted(int64(r.RowGroups), "row group"),
				counted(r.Rows, "row"))})
	}
	return p
}

// An advicePicture is an order of the rows, with a bar.
type advicePicture struct {
	Name, Text string
	Share      float64 // that a filter reads of the largest file, in percent
	Current    bool    // the rows as they are
}

func adviceOf(all []parquetsort.LayoutAdvice) (shown []advicePicture) {
	largest := int64(1)
	for _, a := range shownAdvice(all) {
		largest = max(largest, a.Bytes)
	}
	for _, a := range shownAdvice(all) {
		shown = append(shown, advicePicture{Name: printable(orderName(&a)),
			Share: 100 * float64(a.Read) / float64(largest),
			Text:  bytesText(a.Read) + " of " + bytesText(a.Bytes), Current: len(a.Keys) == 0})
	}
	return shown
}
