package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foray.test/harness/odds"
)

// planted returns examples of four features, of which two decide.
func planted(n int) []example {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]example, n)
	for i := range list {
		e := &list[i]
		e.module, e.features = fmt.Sprint("m", i%40), []string{odds.Bias}
		z := 0.5
		for j, name := range []string{"for", "against", "neither"} {
			if r.IntN(2) == 0 {
				e.features = append(e.features, name)
				z += []float64{1.5, -1.5, 0}[j]
			}
		}
		e.bug = r.Float64() < 1/(1+math.Exp(-z))
	}
	return list
}

// At the weights the slope of the loss with its penalty is zero, by differences.
func TestFit(t *testing.T) {
	list := planted(2000)
	weights := fit(list)
	target := func() float64 {
		p := make([]float64, len(list))
		for i, e := range list {
			p[i] = odds.Logistic(weights, e.features)
		}
		sum := loss(list, p)
		for name, w := range weights {
			if name != odds.Bias {
				sum += penalty / 2 * w * w
			}
		}
		return sum
	}
	for name, w := range weights {
		const step = 1e-4
		weights[name] = w + step
		up := target()
		weights[name] = w - step
		down := target()
		weights[name] = w
		if slope := (up - down) / (2 * step); math.Abs(slope) > 1e-3 {
			t.Errorf("%s: slope %g at the weight %.3f, want none", name, slope, w)
		}
	}
	if weights["for"] < 1 || weights["against"] > -1 || math.Abs(weights["neither"]) > 0.4 {
		t.Errorf("weights %v, want about 1.5, -1.5 and 0", weights)
	}
}

// A feature that one module has alone tells nothing of that module.
func TestLeftOut(t *testing.T) {
	list := planted(400)
	for i := range list {
		if list[i].module == "m7" {
			list[i].features = append(list[i].features, "its own")
		}
	}
	with := leftOut(list)
	for i := range list {
		if list[i].module == "m7" {
			list[i].features = list[i].features[:len(list[i].features)-1]
		}
	}
	without := leftOut(list)
	for i, e := range list {
		if e.module == "m7" && math.Abs(with[i]-without[i]) > 1e-9 {
			t.Fatalf("%.4f with the feature and %.4f without", with[i], without[i])
		}
	}
}

// The weights of the program are those of the labels, and each of its features has one.
func TestWeights(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	list, err := readExamples(filepath.Join(root, "docs/bench/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "harness/odds/weights.go"))
	if err != nil || string(got) != string(source(fit(list))) {
		t.Errorf("harness/odds/weights.go, %v, is not of the labels: make weights", err)
	}
	for _, name := range []string{odds.TakesText, odds.NoText, odds.BareCrash, odds.ShortText, odds.Several, odds.Nil, odds.Negative, odds.Converted, odds.Variable, odds.Inside, odds.Bounds, "claim refusal", "tests alike"} {
		if !strings.Contains(string(got), `"`+name+`":`) {
			t.Errorf("no weight of %q", name)
		}
	}
}
