package digest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

type pair struct {
	A int8
	F float64
	_ int32
	S string
	C complex64
}

type rec []rec

// graph has a field of every shape that a walk treats in its own way.
type graph struct {
	id         int
	next, prev *graph
	sub        []*graph
	vals       []int
	byName     map[string]*graph
	byNode     map[*graph]int8
	byFloat    map[float64]any
	nested     map[int]map[int]*graph
	anys       map[any]any
	x, y       any
	str        fmt.Stringer
	pairs      [2]pair
	nodes      [2]*graph
	floats     []float32
	structs    []pair
	p, q       *int
	f          func()
	c          chan int
	z          *struct{}
	zs         []struct{}
	flag       bool
	b3         [3]byte
	wide       [100]byte
	r          rec
	u          unsafe.Pointer
	shadow     struct {
		s string
		g **graph
	}
	inner graphPart
}

type graphPart struct {
	up   *graphPart
	list []graphPart
	n    uint16
}

func (p *pair) String() string { panic("digests call no methods") }
func (r rec) String() string   { panic("digests call no methods") }
func (g graph) String() string { panic("digests call no methods") }

func f1() {}
func f2() {}

// newGraph builds a value from few draws of few choices, so that equal ones and
// ones that differ in a single point are frequent.
func newGraph(r *rand.Rand) any {
	nodes := make([]*graph, 1+r.IntN(3))
	for i := range nodes {
		nodes[i] = &graph{}
	}
	ints := []*int{new(int), new(int), &nodes[0].id}
	values := [][]int{{1}, {1}, {1, 2}, {}, nil}
	values = append(values, values[2][:1], values[2][1:])
	node := func() *graph { return nodes[r.IntN(len(nodes))] }
	floats := []float64{0, math.Copysign(0, -1), math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) ^ 1), 1}
	shared := []map[string]*graph{{}, nil, {"a": node()}, {"a": node(), "b": node()}}
	box := func() any {
		g := node()
		switch r.IntN(14) {
		case 0:
			return g
		case 1:
			return r.IntN(2)
		case 2:
			return "s"
		case 3:
			return pair{A: int8(r.IntN(2))}
		case 4:
			return [1]*graph{g}
		case 5:
			return struct {
				_ [0]func()
				g *graph
			}{g: g}
		case 6:
			return *g
		case 7:
			return []*graph{g}
		case 8:
			return shared[r.IntN(len(shared))]
		case 9:
			return uintptr(r.IntN(2))
		case 10:
			return floats[r.IntN(len(floats))]
		case 11:
			return struct{}{}
		case 12:
			return &g.pairs[r.IntN(2)]
		default:
			return &g.inner
		}
	}
	key := func() any {
		return []any{1, "1", node(), [1]*graph{node()}, math.NaN(), struct{ a any }{node()}}[r.IntN(6)]
	}
	edits := []func(g *graph){
		func(g *graph) { g.id = r.IntN(2) },
		func(g *graph) { g.next = node() },
		func(g *graph) { g.prev = node() },
		func(g *graph) { g.sub = []*graph{node(), node()} },
		func(g *graph) { g.sub = node().sub },
		func(g *graph) { g.vals = values[r.IntN(len(values))] },
		func(g *graph) { g.p = &values[2][r.IntN(2)] },
		func(g *graph) { g.byName = shared[r.IntN(len(shared))] },
		func(g *graph) { g.byNode = map[*graph]int8{node(): 1, node(): 2} },
		func(g *graph) { g.byFloat = map[float64]any{math.NaN(): box(), math.NaN(): 1, 2: box()} },
		func(g *graph) { g.nested = map[int]map[int]*graph{1: {2: node()}, 2: {2: node(), 3: node()}} },
		func(g *graph) { g.anys = map[any]any{key(): box(), key(): box()} },
		func(g *graph) { g.anys = map[any]any{1: g.anys, 2: g.byName} },
		func(g *graph) { g.x = box() },
		func(g *graph) { g.y = g.x },
		func(g *graph) { g.y = []any{box(), box(), nil} },
		func(g *graph) { g.str = node() },
		func(g *graph) { g.str = &g.pairs[0] },
		func(g *graph) { g.str = g.r },
		func(g *graph) { g.pairs[r.IntN(2)] = pair{F: floats[r.IntN(len(floats))], S: "s"} },
		func(g *graph) { g.pairs[1].C = complex(1, float32(floats[r.IntN(len(floats))])) },
		func(g *graph) { g.nodes[r.IntN(2)] = node() },
		func(g *graph) { g.floats = []float32{0, float32(floats[r.IntN(len(floats))])} },
		func(g *graph) { g.structs = make([]pair, r.IntN(3)) },
		func(g *graph) { g.p = ints[r.IntN(len(ints))] },
		func(g *graph) { g.q = ints[r.IntN(len(ints))] },
		func(g *graph) { *ints[r.IntN(len(ints))] = 1 },
		func(g *graph) { g.f = []func(){f1, f2, nil}[r.IntN(3)] },
		func(g *graph) { g.c = make(chan int, r.IntN(3)) },
		func(g *graph) { g.z = []*struct{}{nil, {}}[r.IntN(2)] },
		func(g *graph) { g.zs = make([]struct{}, r.IntN(3)) },
		func(g *graph) { g.flag = !g.flag },
		func(g *graph) { g.b3[r.IntN(3)]++ },
		func(g *graph) { g.wide[99]++ },
		func(g *graph) { g.r = rec{node().r, nil}; g.r[1] = g.r },
		func(g *graph) { g.u = unsafe.Pointer(g) },
		func(g *graph) { n := node(); g.shadow.g = &n },
		func(g *graph) { g.shadow.g = &node().next },
		func(g *graph) { g.shadow.s = "s" },
		func(g *graph) { g.inner.up = &node().inner },
		func(g *graph) { g.inner.list = []graphPart{{n: 1}, {up: &g.inner}} },
		func(g *graph) {
			if len(g.inner.list) > 0 {
				g.inner.up = &g.inner.list[0]
			}
		},
	}
	for range 1 + r.IntN(5) {
		edits[r.IntN(len(edits))](node())
	}
	if r.IntN(2) == 0 {
		return nodes[0]
	}
	return box()
}

func TestDigestsEqualIffEncodingsEqual(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 4000
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := New(Limits{})
	byText, byHash := map[string]uint64{}, map[uint64]string{}
	for i := range n {
		// Twice from one seed: the same structure at other addresses.
		for range 2 {
			v := newGraph(rand.New(rand.NewPCG(seed, uint64(i))))
			text, sum := encode(v), d.Sum(v)
			if sum.Truncated {
				t.Fatalf("value %d: truncated: %+v", i, sum)
			}
			if h, ok := byText[text]; ok && h != sum.Hash {
				t.Fatalf("value %d: equal encodings, digests %x and %x:\n%s", i, h, sum.Hash, text)
			}
			if other, ok := byHash[sum.Hash]; ok && other != text {
				t.Fatalf("value %d: digest %x of\n%s\nand of\n%s", i, sum.Hash, text, other)
			}
			byText[text], byHash[sum.Hash] = sum.Hash, text
		}
	}
	t.Logf("%d values, %d different", n, len(byText))
	if len(byText) < n/10 || len(byText) > n*9/10 {
		t.Errorf("%d of %d values are different: too few or too many to tell much", len(byText), n)
	}
}
