package main

import (
	"maps"
	"math"
	"slices"

	"foray.test/harness/odds"
)

// An example is a judged finding.
type example struct {
	module   string
	draw     int // 0 if it is of none
	features []string
	bug      bool
}

// penalty is that of the square of each weight, but for the bias: as if so many findings had spoken
// against it. Of 2, 4, 8 and 16, which differ by a hundredth of the loss on modules left out, it is
// in the middle.
const penalty = 6

// newtonSteps suffice for weights of four digits.
const newtonSteps = 12

// fit returns the weights of a ridge logistic regression, by Newton's method.
func fit(list []example) map[string]float64 {
	index := map[string]int{}
	for _, e := range list {
		for _, f := range e.features {
			index[f] = 0
		}
	}
	names := slices.Sorted(maps.Keys(index))
	for i, name := range names {
		index[name] = i
	}
	weights := make([]float64, len(names))
	for range newtonSteps {
		system := make([][]float64, len(names)) // of the Hessian, and behind it the gradient
		for i, name := range names {
			system[i] = make([]float64, len(names)+1)
			if name != odds.Bias {
				system[i][i], system[i][len(names)] = penalty, penalty*weights[i]
			}
		}
		for _, e := range list {
			z := 0.0
			for _, f := range e.features {
				z += weights[index[f]]
			}
			p := 1 / (1 + math.Exp(-z))
			miss := p
			if e.bug {
				miss--
			}
			for _, f := range e.features {
				row := system[index[f]]
				row[len(names)] += miss
				for _, g := range e.features {
					row[index[g]] += p * (1 - p)
				}
			}
		}
		for i, d := range solve(system) {
			weights[i] -= d
		}
	}
	fitted := map[string]float64{}
	for i, name := range names {
		fitted[name] = weights[i]
	}
	return fitted
}

// solve returns the solution of a system of linear equations, each with its right side at the end.
// It changes the system, whose matrix is positive definite.
func solve(system [][]float64) []float64 {
	n := len(system)
	for i := range n {
		for j := i + 1; j < n; j++ {
			by := system[j][i] / system[i][i]
			for k := i; k <= n; k++ {
				system[j][k] -= by * system[i][k]
			}
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = system[i][n]
		for k := i + 1; k < n; k++ {
			x[i] -= system[i][k] * x[k]
		}
		x[i] /= system[i][i]
	}
	return x
}

// folds is into how many parts modules are divided.
const folds = 20

// leftOut returns the probability of each example by weights that are fitted without its module
// and those of its part.
func leftOut(list []example) []float64 {
	part := map[string]int{}
	for _, e := range list {
		if _, ok := part[e.module]; !ok {
			part[e.module] = len(part) % folds
		}
	}
	p := make([]float64, len(list))
	for n := range folds {
		weights := fit(slices.DeleteFunc(slices.Clone(list), func(e example) bool { return part[e.module] == n }))
		for i, e := range list {
			if part[e.module] == n {
				p[i] = odds.Logistic(weights, e.features)
			}
		}
	}
	return p
}

// loss is the log loss of probabilities, in nats.
func loss(list []example, p []float64) float64 {
	sum := 0.0
	for i, e := range list {
		if e.bug {
			sum -= math.Log(p[i])
		} else {
			sum -= math.Log(1 - p[i])
		}
	}
	return sum
}
