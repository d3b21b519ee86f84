package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// comparison is a file that benchmarks/rivals writes; see benchmarks/rivals/measure.py.
type comparison struct {
	Machine struct {
		Date, CPU string
		Versions  map[string]string
	}
	Threads int
	Jobs    map[string][]struct {
		Engine, Variant, Error string
		Median, Inner          float64 // seconds; Inner, where there is one, without the start of an interpreter
	}
}

// own is arrowsort, and rivals are the other engines.
const own = "arrowsort"

var (
	ownColor = color.RGBA{213, 94, 0, 255}
	rivals   = []struct {
		engine, name string
		color        color.Color
		shape        draw.GlyphDrawer
	}{
		{"polars", "Polars", color.RGBA{0, 114, 178, 255}, draw.PyramidGlyph{}},
		{"duckdb", "DuckDB", color.RGBA{230, 159, 0, 255}, draw.BoxGlyph{}},
		{"datafusion", "DataFusion", color.RGBA{0, 158, 115, 255}, draw.TriangleGlyph{}},
		{"pyarrow", "Arrow C++", color.RGBA{204, 121, 167, 255}, draw.RingGlyph{}},
	}
)

// jobsText lists the rows of the tables and charts, from the top down. The tests of README read it, too.
//
//go:embed jobs.json
var jobsText []byte

// A job is what the engines do: a row of the table in docs/figures.md, and of the one in README if it is marked so.
type job struct {
	Job, Title string
	Readme     bool
}

// drawReadme draws the rows of README's table, drawAll those of docs/figures.md.
func drawReadme(results io.Reader) (*drawing, error) {
	return drawEngines(results, func(j job) bool { return j.Readme })
}

func drawAll(results io.Reader) (*drawing, error) {
	return drawEngines(results, func(job) bool { return true })
}

// drawEngines shows for each chosen and measured job the time of each engine as a multiple of arrowsort's, on a
// logarithmic scale. The title of a job is above its marks.
func drawEngines(results io.Reader, chosen func(job) bool) (*drawing, error) {
	var r comparison
	if err := json.NewDecoder(results).Decode(&r); err != nil {
		return nil, err
	}
	jobs, err := r.measured(chosen)
	if err != nil {
		return nil, err
	}
	d := &drawing{plot: newPlot("Time, as a multiple of arrowsort's"), legends: []plot.Legend{newLegend(), newLegend()}}
	p, rows := d.plot, float64(len(jobs))
	d.below = fmt.Sprintf("logarithmic scale; right of 1: slower than arrowsort\n%d threads, %s\n%s, commit %s",
		r.Threads, r.Machine.CPU, r.Machine.Date[:len("2006-01-02")], r.Machine.Versions[own])

	least, most := 1.0, 1.0
	ours := make(plotter.XYs, len(jobs))
	titles := make([]string, len(jobs))
	for i, j := range jobs {
		ours[i], titles[i] = plotter.XY{X: 1, Y: rows - 1 - float64(i)}, j.Title
	}
	one, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: rows - 0.5}})
	if err != nil {
		return nil, err
	}
	one.LineStyle = draw.LineStyle{Color: color.RGBA{245, 200, 165, 255}, Width: 0.6 * vg.Millimeter}
	p.Add(verticals(), one)
	if err := d.addMarks(0, own, ours, draw.GlyphStyle{Color: ownColor, Radius: 2 * vg.Millimeter,
		Shape: draw.CircleGlyph{}}); err != nil {
		return nil, err
	}
	for i, rival := range rivals {
		var points plotter.XYs
		for row, j := range jobs {
			if theirs := r.best(j.Job, rival.engine); theirs > 0 {
				times := theirs / r.best(j.Job, own)
				points = append(points, plotter.XY{X: times, Y: ours[row].Y})
				least, most = min(least, times), max(most, times)
			}
		}
		if err := d.addMarks((i+1)%2, rival.name+" "+r.Machine.Versions[rival.engine], points, draw.GlyphStyle{
			Color: rival.color, Radius: 1.5 * vg.Millimeter, Shape: rival.shape}); err != nil {
			return nil, err
		}
	}

	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powersOfTwo("%g")
	p.X.Min, p.X.Max = math.Exp2(math.Floor(math.Log2(least))), math.Exp2(math.Ceil(math.Log2(most)))
	p.Y.Min, p.Y.Max = -0.5, rows-0.5
	p.HideY()
	for i := range ours {
		ours[i] = plotter.XY{X: p.X.Min, Y: ours[i].Y + 0.25}
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: ours, Labels: titles})
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font = p.X.Tick.Label.Font
		labels.TextStyle[i].YAlign = text.YBottom
	}
	p.Add(struct{ plot.Plotter }{labels}) // without the boxes of the text, for which the plot would make room
	return d, nil
}

// measured returns the chosen jobs that have results.
func (r comparison) measured(chosen func(job) bool) ([]job, error) {
	var all, jobs []job
	if err := json.Unmarshal(jobsText, &all); err != nil {
		return nil, err
	}
	for _, j := range all {
		if _, measured := r.Jobs[j.Job]; !measured || !chosen(j) {
			continue
		}
		if r.best(j.Job, own) == 0 {
			return nil, fmt.Errorf("no time of arrowsort for job %s", j.Job)
		}
		jobs = append(jobs, j)
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("no job was measured")
	}
	return jobs, nil
}

// addMarks adds the marks of an engine, with an entry in a column of the legend.
func (d *drawing) addMarks(column int, name string, points plotter.XYs, style draw.GlyphStyle) error {
	scatter, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	scatter.GlyphStyle = style
	d.plot.Add(scatter)
	d.legends[column].Add(name, scatter)
	return nil
}

// best is the time of the fastest way of an engine to do a job; 0 when it has none.
func (r comparison) best(job, engine string) float64 {
	best := 0.0
	for _, m := range r.Jobs[job] {
		if m.Engine != engine || m.Error != "" || engine == own && m.Variant == "slices" {
			continue
		}
		seconds := m.Median
		if m.Inner > 0 {
			seconds = m.Inner
		}
		if best == 0 || seconds < best {
			best = seconds
		}
	}
	return best
}
