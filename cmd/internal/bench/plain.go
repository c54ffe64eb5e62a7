package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// plainCalls lists the plain calls of members of redblacktree: t is a tree of
// ints, it an iterator over it, n a node or nil, k a key below 64. Results are
// stored so that the compiler cannot drop the call. After a deletion the
// iterator starts again, because its node may be gone.
var plainCalls = []struct{ member, call string }{
	{"New", "t = redblacktree.New[int, int](); it = t.Iterator(); n = nil"},
	{"NewWith", "t = redblacktree.NewWith[int, int](cmp.Compare[int]); it = t.Iterator(); n = nil"},
	{"(*Tree).Put", "t.Put(k, k)"},
	{"(*Tree).Get", "number, flag = t.Get(k)"},
	{"(*Tree).Remove", "t.Remove(k); it.Begin()"},
	{"(*Tree).GetNode", "n = t.GetNode(k)"},
	{"(*Tree).Floor", "n, flag = t.Floor(k)"},
	{"(*Tree).Ceiling", "n, flag = t.Ceiling(k)"},
	{"(*Tree).Left", "n = t.Left()"},
	{"(*Tree).Right", "n = t.Right()"},
	{"(*Tree).Empty", "flag = t.Empty()"},
	{"(*Tree).Size", "number = t.Size()"},
	{"(*Tree).Keys", "numbers = t.Keys()"},
	{"(*Tree).Values", "numbers = t.Values()"},
	{"(*Tree).Clear", "t.Clear(); it = t.Iterator(); n = nil"},
	{"(*Tree).String", "text = t.String()"},
	{"(*Tree).ToJSON", "bytes, failure = t.ToJSON()"},
	{"(*Tree).MarshalJSON", "bytes, failure = t.MarshalJSON()"},
	{"(*Tree).FromJSON", "failure = t.FromJSON(document); it.Begin()"},
	{"(*Tree).UnmarshalJSON", "failure = t.UnmarshalJSON(document); it.Begin()"},
	{"(*Tree).Iterator", "it = t.Iterator()"},
	{"(*Tree).IteratorAt", "if t.Root != nil { it = t.IteratorAt(t.Root) }"},
	{"(*Iterator).Begin", "it.Begin()"},
	{"(*Iterator).End", "it.End()"},
	{"(*Iterator).First", "flag = it.First()"},
	{"(*Iterator).Last", "flag = it.Last()"},
	{"(*Iterator).Next", "flag = it.Next()"},
	{"(*Iterator).Prev", "flag = it.Prev()"},
	{"(*Iterator).NextTo", "flag = it.NextTo(func(a, b int) bool { return a == b })"},
	{"(*Iterator).PrevTo", "flag = it.PrevTo(func(a, b int) bool { return a == b })"},
	{"(*Iterator).Node", "n = it.Node()"},
	{"(*Iterator).Key", "if n = it.Node(); n != nil { number = it.Key() }"},
	{"(*Iterator).Value", "if n = it.Node(); n != nil { number = it.Value() }"},
	{"(*Node).Size", "number = n.Size()"},
	{"(*Node).String", "if n != nil { text = n.String() }"},
}

// plainSource returns a Go benchmark that calls a red-black tree in an order
// drawn beforehand. The calls are in the proportions of foray's. One operation
// of the benchmark is one call.
func plainSource(members []memberRow) string {
	tried := map[string]uint64{}
	var total uint64
	for _, m := range members {
		tried[m.Member] = m.Legal
		total += m.Legal
	}
	var weights, cases strings.Builder
	for i, c := range plainCalls {
		if tried[c.member] == 0 {
			continue
		}
		// At least one, so that no call is lost to rounding.
		fmt.Fprintf(&weights, "\t{%d, %d},\n", i, max(tried[c.member]*10_000/total, 1))
		fmt.Fprintf(&cases, "\t\tcase %d:\n\t\t\t%s\n", i, c.call)
	}
	return fmt.Sprintf(plainText, weights.String(), cases.String())
}

// plainText is the benchmark, without the weights and the calls.
const plainText = `package plain

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"github.com/emirpasic/gods/v2/trees/redblacktree"
)

var _ = cmp.Compare[int]

var (
	number  int
	numbers []int
	flag    bool
	text    string
	bytes   []byte
	failure error
)

var document = []byte("{\"1\":2,\"3\":4}")

var weights = []struct{ call, weight int }{
%s}

func BenchmarkCalls(b *testing.B) {
	var calls []int
	for _, w := range weights {
		for range w.weight {
			calls = append(calls, w.call)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	keys := make([]int, len(calls))
	for i := range keys {
		keys[i] = r.IntN(64)
	}
	t := redblacktree.New[int, int]()
	it := t.Iterator()
	var n *redblacktree.Node[int, int]
	at := 0
	for b.Loop() {
		if at++; at == len(calls) {
			at = 0
		}
		k := keys[at]
		_, _, _ = k, it, n
		switch calls[at] {
%s		}
	}
}
`

// plainLoop runs the benchmark of plainSource and returns nanoseconds a call. It
// collects garbage as seldom as a worker does.
func plainLoop(ctx context.Context, members []memberRow) (float64, error) {
	dir, err := os.MkdirTemp("", "bench-plain-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	files := map[string]string{
		"go.mod":        "module plain\n\ngo 1.26\n\nrequire github.com/emirpasic/gods/v2 v2.0.0-alpha\n",
		"plain_test.go": plainSource(members),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return 0, err
		}
	}
	out, err := goOutput(ctx, dir, []string{"GOWORK=off", "GOGC=400"}, "test", "-mod=mod", "-run=^$", "-bench=.", "-benchtime=1s", "-cpu=1")
	if err != nil {
		return 0, fmt.Errorf("plain loop: %w", err)
	}
	return parseBenchmark(out)
}

var benchmarkLine = regexp.MustCompile(`(?m)^Benchmark\S*\s+\d+\s+([0-9.]+) ns/op`)

// parseBenchmark returns the time that the only benchmark in the output of go test
// takes for one operation.
func parseBenchmark(out string) (float64, error) {
	m := benchmarkLine.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("plain loop: no benchmark in %.200q", out)
	}
	return strconv.ParseFloat(m[1], 64)
}
