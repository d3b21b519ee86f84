package main

import (
	"bufio"
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// distributions are the keys that the chart shows, by their names in the results and in the chart, each with a color.
var distributions = []struct {
	keys, label string
	color       color.Color
}{
	{"i64 five values", "i64, five values", color.RGBA{86, 180, 233, 255}},
	{"i64 uniform", "i64, uniform", color.RGBA{0, 114, 178, 255}},
	{"f64 25 % nulls", "f64, 25 % nulls", color.RGBA{0, 158, 115, 255}},
	{"i64 ticks with jitter", "i64, ticks with jitter", color.RGBA{204, 121, 167, 255}},
	{"u32 five values", "u32, five values", color.RGBA{240, 200, 40, 255}},
	{"u32 uniform", "u32, uniform", color.RGBA{230, 159, 0, 255}},
	{"u32 ticks with jitter", "u32, ticks with jitter", color.RGBA{213, 94, 0, 255}},
	{"i64 and of 2", "i64, AND of two", color.RGBA{110, 110, 110, 255}},
	{"u32 like Zipf", "u32, Zipf", color.RGBA{0, 0, 0, 255}},
}

// speedup is a line of the results: keys, log2 of the rows, and how many times as fast as CUB they are sorted.
var speedup = regexp.MustCompile(`^(.+?) +2\^(\d+) +[\d.]+ x +([\d.]+) x `)

// drawGPU shows how many times as fast as CUB row numbers are sorted, by rows and keys.
func drawGPU(results io.Reader) (*drawing, error) {
	lines := map[string]plotter.XYs{}
	var head []string // device and date
	for scanner := bufio.NewScanner(results); scanner.Scan(); {
		text := scanner.Text()
		match := speedup.FindStringSubmatch(text)
		if match == nil {
			if strings.HasPrefix(text, "NVIDIA") || strings.HasPrefix(text, "20") {
				head = append(head, text)
			}
			continue
		}
		power, _ := strconv.ParseFloat(match[2], 64)
		times, _ := strconv.ParseFloat(match[3], 64)
		lines[match[1]] = append(lines[match[1]], plotter.XY{X: power, Y: times})
	}
	d := &drawing{plot: newPlot("Argsort on the GPU, times as fast as CUB"),
		legends: []plot.Legend{newLegend(), newLegend()}}
	p := d.plot
	p.X.Label.Text, d.below = "rows", strings.Join(head, ", ")
	p.Y.Label.Text = "logarithmic scale"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, powersOfTwo("%g x")
	p.X.Tick.Marker = exponents{}
	p.Add(plotter.NewGrid())
	least, most := 1.0, 1.0
	for i, keys := range distributions {
		if len(lines[keys.keys]) == 0 {
			return nil, fmt.Errorf("no line about %s", keys.keys)
		}
		line, points, err := plotter.NewLinePoints(lines[keys.keys])
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = keys.color, 0.5*vg.Millimeter
		points.Color, points.Shape, points.Radius = keys.color, plotutil.Shape(i), 1.2*vg.Millimeter
		p.Add(line, points)
		d.legends[i%2].Add(keys.label, line, points)
		for _, point := range lines[keys.keys] {
			least, most = min(least, point.Y), max(most, point.Y)
		}
	}
	cub, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: 1}, {X: p.X.Max, Y: 1}})
	if err != nil {
		return nil, err
	}
	cub.Width, cub.Dashes = 0.8*vg.Millimeter, []vg.Length{2 * vg.Millimeter, 1 * vg.Millimeter}
	p.Add(cub)
	d.legends[1].Add("CUB", cub)
	p.Y.Min, p.Y.Max = math.Exp2(math.Floor(math.Log2(least))), math.Exp2(math.Ceil(math.Log2(most)))
	return d, nil
}

// exponents labels an axis of exponents of two, each fourth.
type exponents struct{}

func (exponents) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for power := 4 * math.Ceil(least/4); power <= min(most, 28); power += 4 {
		ticks = append(ticks, plot.Tick{Value: power, Label: fmt.Sprintf("2^%g", power)})
	}
	return ticks
}
