package report

import (
	"fmt"
	"strings"
)

// The size of a plot, in units of its own.
const (
	plotWidth  = 320
	plotHeight = 120
)

// A plotView is one quantity over the time of all runs of a history.
type plotView struct {
	Name string
	Max  string // of the quantity
	End  string // of the time axis
	Runs []plotRun
}

// A plotRun is a run as a line of a plot.
type plotRun struct {
	Last   bool   // it is the latest
	Points string // as SVG has them
	Title  string
}

var quantities = []struct {
	name string
	of   func(Point) float64
}{
	{"sides taken", func(p Point) float64 { return float64(p.Sides) }},
	{"frontier sides", func(p Point) float64 { return float64(p.Frontier) }},
	{"distinct values", func(p Point) float64 { return float64(p.Values) }},
	{"sequences", func(p Point) float64 { return float64(p.Sequences) }},
	{"findings", func(p Point) float64 { return float64(p.Findings) }},
}

// plots returns the plots of a history, none if it is empty. All have one time axis.
func plots(runs []Run) []plotView {
	if len(runs) == 0 {
		return nil
	}
	end := 0.0
	for _, r := range runs {
		end = max(end, r.Points[len(r.Points)-1].Seconds)
	}
	var list []plotView
	for _, q := range quantities {
		most := 0.0
		for _, r := range runs {
			for _, p := range r.Points {
				most = max(most, q.of(p))
			}
		}
		v := plotView{Name: q.name, Max: fmt.Sprint(uint64(most)), End: fmt.Sprintf("%.0f s", end)}
		for i, r := range runs {
			last := r.Points[len(r.Points)-1]
			v.Runs = append(v.Runs, plotRun{
				Last: i == len(runs)-1, Points: polyline(r.Points, q.of, end, most),
				Title: fmt.Sprintf("%s, %.0f s: %s %.0f", strings.TrimSpace(r.Start.Format("2006-01-02 15:04")+" "+r.Version), last.Seconds, q.name, q.of(last)),
			})
		}
		list = append(list, v)
	}
	return list
}

// polyline returns points as SVG has them. end and most are at the far ends of the axes.
func polyline(points []Point, of func(Point) float64, end, most float64) string {
	var b strings.Builder
	for _, p := range points {
		x, y := plotWidth*p.Seconds/max(end, 1e-9), plotHeight*(1-of(p)/max(most, 1))
		fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
	}
	return strings.TrimSuffix(b.String(), " ")
}
