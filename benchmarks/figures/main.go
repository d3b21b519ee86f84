// Command figures draws the charts of the documents from the committed results: docs/figures/cpu.svg from the newest
// comparison with other engines, docs/figures/gpu.svg from the comparison with CUB. make figures runs it.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

const width = 22 * vg.Centimeter

// A chart is a file and what draws it from results.
type chart struct {
	path, results string // below the root of the repository; the newest file of a pattern
	height        vg.Length
	draw          func(results io.Reader) (*plot.Plot, error)
}

var charts = []chart{
	{"docs/figures/cpu.svg", "benchmarks/results/*[0-9].json", 12 * vg.Centimeter, drawEngines},
	{"docs/figures/gpu.svg", "benchmarks/cub/results.txt", 12 * vg.Centimeter, drawGPU},
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
	writer, err := drawn.WriterTo(width, c.height, "svg")
	if err != nil {
		return nil, err
	}
	var svg bytes.Buffer
	_, err = writer.WriteTo(&svg)
	return bytes.ReplaceAll(svg.Bytes(), []byte("font-family:"+typeface), []byte("font-family:"+families)), err
}

// The text is laid out for one typeface. The next two have letters of the same width; for any other, labels whose right
// end is next to a mark are followed by room.
const (
	typeface = "Liberation Sans"
	families = typeface + ", Arial, Helvetica, sans-serif"
	room     = "      "
)

// newPlot is an empty chart in sans serif.
func newPlot(title string) *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text = title
	p.Title.Padding = 3 * vg.Millimeter
	p.Legend.Padding = 1 * vg.Millimeter
	return p
}
