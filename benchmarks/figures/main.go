// Command figures draws the charts of the documents from the committed results: docs/figures/cpu.svg and all.svg from
// the newest comparison with other engines, docs/figures/gpu.svg from the comparison with CUB. make figures runs it.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The width and the size of the text suit the screen of a phone.
const (
	width     = 12 * vg.Centimeter
	largeText = 11 * vg.Length(1)
	smallText = 9 * vg.Length(1)
)

// A chart is a file and what draws it from results.
type chart struct {
	path, results string // below the root of the repository; the newest file of a pattern
	height        vg.Length
	draw          func(results io.Reader) (*drawing, error)
}

var charts = []chart{
	{"docs/figures/cpu.svg", "benchmarks/results/*[0-9].json", 14 * vg.Centimeter, drawReadme},
	{"docs/figures/all.svg", "benchmarks/results/*[0-9].json", 21 * vg.Centimeter, drawAll},
	{"docs/figures/gpu.svg", "benchmarks/cub/results.txt", 13 * vg.Centimeter, drawGPU},
}

// A drawing is a plot, its legend, in columns above it, and text below it.
type drawing struct {
	plot    *plot.Plot
	legends []plot.Legend
	below   string
}

func main() {
	root := filepath.Join("..", "..")
	for _, c := range charts {
		svg, err := c.svg(root)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, c.path), svg, 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

// svg draws the chart from the newest results.
func (c chart) svg(root string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(root, c.results))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file matches %s", c.results)
	}
	results, err := os.Open(slices.Max(files)) // names are dates
	if err != nil {
		return nil, err
	}
	defer results.Close()
	drawn, err := c.draw(results)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", results.Name(), err)
	}
	canvas, err := draw.NewFormattedCanvas(width, c.height, "svg")
	if err != nil {
		return nil, err
	}
	drawn.draw(draw.New(canvas))
	var svg bytes.Buffer
	_, err = canvas.WriteTo(&svg)
	return bytes.ReplaceAll(svg.Bytes(), []byte("font-family:"+typeface), []byte("font-family:"+families)), err
}

// draw draws the title, the columns of the legend, the rest of the plot and the text below it.
func (d *drawing) draw(c draw.Canvas) {
	const margin = 2 * vg.Millimeter
	title := d.plot.Title
	d.plot.Title.Text = ""
	c.SetColor(d.plot.BackgroundColor)
	c.Fill(c.Rectangle.Path())
	c.FillText(title.TextStyle, vg.Point{X: c.Center().X, Y: c.Max.Y - margin}, title.Text)
	above, columns := title.TextStyle.Height(title.Text)+3*margin, vg.Length(0)
	for i := range d.legends {
		legend := &d.legends[i]
		legend.TextStyle.Font.Size = smallText
		from := margin + vg.Length(i)*width/vg.Length(len(d.legends))
		legend.Draw(draw.Crop(c, from, 0, 0, -above))
		columns = max(columns, legend.Rectangle(c).Size().Y)
	}
	style := d.plot.X.Label.TextStyle
	style.YAlign = text.YBottom
	c.FillText(style, vg.Point{X: c.Center().X, Y: margin}, d.below)
	below := style.Height(d.below) + 2*margin
	d.plot.Draw(draw.Crop(c, margin, -2*margin, below, -above-columns-margin))
}

// The text is laid out for one typeface. The next two have letters of the same width.
const (
	typeface = "Liberation Sans"
	families = typeface + ", Arial, Helvetica, sans-serif"
)

// newPlot is an empty chart in sans serif.
func newPlot(title string) *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = largeText
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size, axis.Tick.Label.Font.Size = smallText, smallText
	}
	return p
}

// newLegend is an empty column of a legend, at the top on the left.
func newLegend() plot.Legend {
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding = true, true, 0.5*vg.Millimeter
	return legend
}

// verticals are the lines of a grid at the ticks of the X axis.
func verticals() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Horizontal.Color = nil
	return grid
}

// powersOfTwo is the format of the labels of a logarithmic axis with a tick at each power of two.
type powersOfTwo string

func (format powersOfTwo) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for power := math.Ceil(math.Log2(least)); power <= math.Log2(most); power++ {
		value := math.Exp2(power)
		ticks = append(ticks, plot.Tick{Value: value, Label: fmt.Sprintf(string(format), value)})
	}
	return ticks
}
