// Command program does a bit of everything that is rewritten and prints what came
// of it. TestProgram compares its output before and after.
package main

import (
	"fmt"
	"iter"
	"math"
	"sync"
)

func main() {
	fmt.Println(classify(3, "abc", nil), classify(-1, "", map[string]bool{"": true}))
	fmt.Println(order())
	fmt.Println(clauses(1), clauses(2), clauses("x"), clauses(nil))
	fmt.Println(loops([]int{1, 2, 3}), loops[[]int](nil))
	fmt.Println(jumps(), named(true, 3), named(false, 3))
	fmt.Println(channels())
	fmt.Println(clearNaN(), panics())
	concurrent()
	report()
}

// classify is the function whose sides TestProgram looks at: it runs twice.
func classify(n int, s string, m map[string]bool) (out []string) {
	if n > len(s) || n < 0 && s == "" {
		out = append(out, "short")
	}
	for _, c := range s {
		out = append(out, string(c))
	}
	switch n {
	case 1, 2:
		out = append(out, "few")
	case 3:
		out = append(out, "three")
	case -1:
		out = append(out, "minus one")
	}
	_, ok := m[s]
	for k := range m {
		out = append(out, fmt.Sprint(k, !ok))
	}
	return out
}

// order has operands beside calls that change them, where only the compiler knows
// when they are read.
func order() (trace []bool) {
	x := 0
	next := func() bool { x++; return x%2 == 0 }
	note := func(list ...bool) { trace = append(trace, list...); x = 0 }
	note(x < 1, next(), x < 2, next(), x > 1 && next(), x == 3)
	note(func() (bool, bool, bool) { return x < 1, next(), !(x < 2) }())
	a, b := x == 0, next()
	note(a, b, next() == (x < 2), (x < 3) == next())
	m := map[bool]bool{next(): x < 2, !next(): x < 2}
	note(m[true], m[false])
	list := []bool{x < 1, next(), x < 1, a && next(), x < 2}
	note(list...)

	flag := false
	set := func() bool { flag = !flag; return true }
	note(!flag, set(), !flag, set(), flag || set(), !set())
	return trace
}

func clauses(e any) string {
	out := ""
	switch v := e.(type) {
	case int:
		switch {
		case v > 1, v == 1 && out == "":
			out += "small"
			fallthrough
		case v > 100:
			out += " fell"
		default:
			out += "default"
		}
	case string:
		switch v + out {
		case "x":
			out = "ex"
			fallthrough
		case fmt.Sprint("y"):
			out += "y"
		}
	}
	return out
}

func loops[S ~[]E, E int](list S) (sum E) {
	for i := range list {
		sum += list[i]
		list = append(list, 0) // the loop keeps its length
	}
	var seq iter.Seq2[int, E] = func(yield func(int, E) bool) {
		for i, v := range list {
			if !yield(i, v) {
				return
			}
		}
	}
outer:
	for i, v := range seq {
		for range i {
			if v == 0 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			sum += 10 * v
		}
	}
	for i := range uint8(sum % 7) {
		sum += E(i)
	}
	return sum
}

type truth bool

func (t truth) String() string { return map[truth]string{true: "yes", false: "no"}[t] }

func named(t truth, n int) (out []any) {
	var same truth = n == 3 == (t == true)
	less := t && n < 4
	if !less {
		out = append(out, "not")
	}
	var any any = !(n < 3)
	return append(out, same, less, any, t || n > 9)
}

func jumps() (n int) {
	if n > 100 {
		goto done
	}
again:
	for _, limit := range []int{2, 5, 0} {
		if n++; n < limit {
			goto again
		}
		for n < limit+3 {
			n++
			switch {
			case n == 6:
				continue again
			case n > 8:
				break again
			}
		}
	}
done:
	return n
}

func channels() (out []any) {
	in, quit := make(chan int, 3), make(chan bool)
	in <- 1
	in <- 2
	close(in)
	for v := range in {
		out = append(out, v)
	}
	for range 2 {
		select {
		case v, ok := <-in:
			out = append(out, v, ok)
			in = nil
		case <-quit:
			out = append(out, "quit")
		default:
			out = append(out, "default")
		}
	}
	return out
}

// clearNaN has a loop that the compiler may make a clear only for other keys.
func clearNaN() int {
	m := map[float64]int{math.NaN(): 1, 2: 3}
	for k := range m {
		delete(m, k)
	}
	return len(m)
}

func panics() (out []any) {
	for _, f := range []func() bool{
		func() bool { var p *truth; return 1 < 2 && *p == true },
		func() bool { var list []int; return list[len(out)] < 3 || true },
		func() bool { var e any = []int{}; return e == e },
	} {
		func() {
			defer func() { out = append(out, recover()) }()
			f()
		}()
	}
	return out
}

// concurrent takes the same sides in several goroutines, without a race of its own.
func concurrent() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := 0; n < 1000 && i >= 0; n++ {
			}
		})
	}
	wg.Wait()
}
