package main

import (
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

// rivals are the engines next to arrowsort, and jobs what they sort, from the top of the chart down.
var (
	rivals = []struct {
		engine, name string
		color        color.Color
		shape        draw.GlyphDrawer
	}{
		{"polars", "Polars", color.RGBA{0, 114, 178, 255}, draw.CircleGlyph{}},
		{"duckdb", "DuckDB", color.RGBA{230, 159, 0, 255}, draw.BoxGlyph{}},
		{"datafusion", "DataFusion", color.RGBA{0, 158, 115, 255}, draw.PyramidGlyph{}},
		{"pyarrow", "Arrow C++", color.RGBA{204, 121, 167, 255}, draw.RingGlyph{}},
	}
	jobs = [][2]string{
		{"w", "int64"},
		{"argsort", "int64, row numbers only"},
		{"wf", "float64 with nulls and NaNs"},
		{"twokeys", "int32, then int64"},
		{"flights", "flights: text, int64, timestamp"},
		{"strings", "text"},
		{"wide", "int64, 100 more columns"},
		{"cli", "flights, Parquet to Parquet"},
	}
)

// drawEngines shows for each job how many times the time of arrowsort each other engine takes, on a logarithmic scale.
func drawEngines(results io.Reader) (*plot.Plot, error) {
	var r comparison
	if err := json.NewDecoder(results).Decode(&r); err != nil {
		return nil, err
	}
	p := newPlot("Time of other engines, in multiples of the time of arrowsort")
	p.X.Label.Text = fmt.Sprintf("right of 1: slower than arrowsort\n%d threads, %s, %s, commit %s", r.Threads,
		r.Machine.CPU, r.Machine.Date[:len("2006-01-02")], r.Machine.Versions["arrowsort"])
	names := make([]string, len(jobs))
	for i, job := range jobs {
		names[len(jobs)-1-i] = job[1] + room
	}
	p.NominalY(names...)
	most := 1.0
	for _, rival := range rivals {
		var points plotter.XYs
		for i, job := range jobs {
			ours, theirs := r.best(job[0], "arrowsort"), r.best(job[0], rival.engine)
			if ours == 0 {
				return nil, fmt.Errorf("no time of arrowsort for job %s", job[0])
			}
			if theirs > 0 {
				points = append(points, plotter.XY{X: theirs / ours, Y: float64(len(jobs) - 1 - i)})
				most = max(most, theirs/ours)
			}
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		scatter.GlyphStyle = draw.GlyphStyle{Color: rival.color, Radius: 1.4 * vg.Millimeter, Shape: rival.shape}
		p.Add(scatter)
		p.Legend.Add(rival.name+" "+r.Machine.Versions[rival.engine]+room, scatter)
	}
	same, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(jobs)) - 0.5}})
	if err != nil {
		return nil, err
	}
	p.Add(plotter.NewGrid(), same)
	p.Legend.Top = true
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powersOfTwo("%g")
	p.X.Min, p.X.Max = 0.5, math.Exp2(math.Ceil(math.Log2(most)))
	p.Y.Min, p.Y.Max = -0.5, float64(len(jobs))-0.5
	return p, nil
}

// best is the time of the fastest way of an engine to do a job; 0 when it has none.
func (r comparison) best(job, engine string) float64 {
	best := 0.0
	for _, m := range r.Jobs[job] {
		if m.Engine != engine || m.Error != "" {
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
