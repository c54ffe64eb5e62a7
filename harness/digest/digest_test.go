package digest

import (
	"bytes"
	"container/list"
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unique"
	"unsafe"
	"weak"
)

func listOf(vs ...any) *list.List {
	l := list.New()
	for _, v := range vs {
		l.PushBack(v)
	}
	return l
}

func syncMapOf(kvs ...any) *sync.Map {
	m := new(sync.Map)
	for i := 0; i < len(kvs); i += 2 {
		m.Store(kvs[i], kvs[i+1])
	}
	return m
}

func builderOf(s string) *strings.Builder {
	var b strings.Builder
	b.WriteString(s)
	return &b
}

func atomicOf(n int) any {
	var s struct {
		i atomic.Int64
		v atomic.Value
		p atomic.Pointer[int]
	}
	s.i.Store(1)
	s.v.Store("x")
	s.p.Store(&n)
	return &s
}

func lockedMutex() *struct {
	mu sync.Mutex
	n  int
} {
	var s struct {
		mu sync.Mutex
		n  int
	}
	s.mu.Lock()
	return &s
}

//go:noinline
func closure(n int) func() int { return func() int { return n } }

func huge() any {
	s := make([]int, 2, 1<<20)
	s[:3][2] = 7 // past the length
	return s
}

type contextKey int

type unexportedMaps struct {
	m map[string]int
	n map[any]*unexportedMaps
}

// TestTypes: a and b are built alike; a and c differ.
func TestTypes(t *testing.T) {
	now := time.Now()
	one, one2, two := 1, 1, 2
	loc := time.FixedZone("here", 3600)
	var nilErr *os.PathError
	for _, tt := range []struct {
		name    string
		a, b, c any
	}{
		{"nil", nil, nil, 0},
		{"type", int32(1), int32(1), rune(2)},
		{"types differ", 1, 1, int64(1)},
		{"nil pointers of two types", nilErr, (*os.PathError)(nil), (*os.LinkError)(nil)},
		{"nil and empty slice", []int{}, []int{}, []int(nil)},
		{"nil and empty map", map[int]int{}, map[int]int{}, map[int]int(nil)},
		{"slice to length", huge(), []int{0, 0}, []int{0, 0, 7}},
		{"list.List", listOf(1, 2), listOf(1, 2), listOf(2, 1)},
		{"list.List by value", list.List{}, list.List{}, *listOf(1)},
		{"big.Int", big.NewInt(1 << 40), new(big.Int).Lsh(big.NewInt(1), 40), big.NewInt(-1 << 40)},
		{"big.Float", big.NewFloat(1.5), big.NewFloat(1.5), big.NewFloat(2.5)},
		{"time.Time without monotonic clock", now, now.Round(0), now.Add(1)},
		{"time.Time locations", now.In(loc), now.In(time.FixedZone("here", 3600)), now.UTC()},
		{"time.Time offsets", now.In(time.FixedZone("", 60)), now.In(time.FixedZone("", 60)), now.In(time.FixedZone("", 0))},
		{"time.Location", loc, time.FixedZone("here", 0), time.UTC},
		{"nil location", (*time.Location)(nil), (*time.Location)(nil), time.Local},
		{"netip.Addr", netip.MustParseAddr("fe80::1%a"), netip.MustParseAddr("fe80::1%a"), netip.MustParseAddr("fe80::1%b")},
		{"netip.Addr zero", netip.Addr{}, netip.Addr{}, netip.IPv4Unspecified()},
		{"unique.Handle", unique.Make("a"), unique.Make(strings.Repeat("a", 1)), unique.Make("b")},
		{"weak.Pointer", weak.Make(&one), weak.Make(&two), weak.Pointer[int]{}},
		{"unsafe.Pointer", unsafe.Pointer(&one), unsafe.Pointer(&two), unsafe.Pointer(nil)},
		{"uintptr", uintptr(1), uintptr(1), uintptr(2)},
		{"bytes.Buffer", bytes.NewBufferString("ab"), bytes.NewBufferString("ab"), bytes.NewBufferString("ac")},
		{"strings.Builder", builderOf("ab"), builderOf("ab"), builderOf("ac")},
		{"sync.Map", syncMapOf(1, "a", 2, "b"), syncMapOf(2, "b", 1, "a"), syncMapOf(1, "b", 2, "a")},
		{"sync.Map zero", new(sync.Map), syncMapOf(), syncMapOf(1, 1)},
		{"sync.Map in a map", map[int]any{1: syncMapOf(1, 1)}, map[int]any{1: syncMapOf(1, 1)}, map[int]any{1: syncMapOf(1, 2)}},
		{"locks do not count", lockedMutex(), &struct {
			mu sync.Mutex
			n  int
		}{}, 0},
		{"atomics count", atomicOf(1), atomicOf(1), atomicOf(2)},
		{"functions by code", closure(1), closure(2), f1},
		{"channels by counts", make(chan int, 1), make(chan int, 1), make(chan int, 2)},
		{"reflect.Type", reflect.TypeFor[int](), reflect.TypeFor[int](), reflect.TypeFor[string]()},
		{"reflect.Type of unnamed", reflect.TypeOf(struct{ a int }{}), reflect.TypeOf(struct{ a int }{}), reflect.TypeOf(struct{ b int }{})},
		{"reflect.Value", reflect.ValueOf(&one), reflect.ValueOf(&one), reflect.ValueOf("x")},
		{"regexp.Regexp", regexp.MustCompile("a+b"), regexp.MustCompile("a+b"), regexp.MustCompile("a*b")},
		{"errors", fmt.Errorf("x: %w", os.ErrExist), fmt.Errorf("x: %w", os.ErrExist), fmt.Errorf("x: %w", errors.ErrUnsupported)},
		{"contexts", context.WithValue(context.Background(), contextKey(1), 2), context.WithValue(context.Background(), contextKey(1), 2), context.Background()},
		{"unexported maps", &unexportedMaps{}, &unexportedMaps{}, &unexportedMaps{m: map[string]int{"": 0}, n: nil}},
		{"interface types with methods", []error{os.ErrExist}, []error{os.ErrExist}, []error{nil}},
		{"runtime.Func", runtime.FuncForPC(codeBase), runtime.FuncForPC(codeBase), (*runtime.Func)(nil)},
		{"small numbers as pointers", [2]uintptr{1}, [2]uintptr{1}, [2]uintptr{2}},
		{"long byte arrays", [200]byte{199: 1}, [200]byte{199: 1}, [200]byte{198: 1}},
		{"large zero-size", [1 << 40]struct{}{}, [1 << 40]struct{}{}, [1 << 41]struct{}{}},
		{"map of large entries", map[[200]byte][200]byte{{1}: {2}}, map[[200]byte][200]byte{{1}: {2}}, map[[200]byte][200]byte{{1}: {3}}},
		{"struct of one pointer", struct{ p *int }{&one}, struct{ p *int }{&one2}, struct{ p *int }{&two}},
	} {
		d := New(Limits{})
		a, b, c := d.Sum(tt.a), d.Sum(tt.b), d.Sum(tt.c)
		if a.Hash != b.Hash {
			t.Errorf("%s: Sum(a) = %+v, Sum(b) = %+v, want equal hashes", tt.name, a, b)
		}
		if a.Hash == c.Hash {
			t.Errorf("%s: Sum(a) = Sum(c) = %+v, want different hashes", tt.name, a)
		}
	}
}

// TestWalksAnything: values that lead far into the run-time end, within limits.
func TestWalksAnything(t *testing.T) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d := New(Limits{MaxNodes: 500, MaxBytes: 1000})
	for _, v := range []any{t, timer, ctx, os.Stdout, reflect.ValueOf(t), reflect.ValueOf(d), d,
		runtime.CallersFrames([]uintptr{codeBase}), new(sync.Pool), new(sync.WaitGroup), sync.NewCond(new(sync.Mutex)), plans,
		reflect.TypeOf(d).Method(0), sync.OnceFunc(f1), time.Local, exec.Command("x")} {
		if got := New(d.limits).Sum(v); got.Nodes > 500 {
			t.Errorf("Sum(%T) = %+v, want at most 500 nodes", v, got)
		}
	}
}

type chain struct {
	next *chain
	n    int
}

func newChain(n int) *chain {
	var head *chain
	for i := range n {
		head = &chain{head, i}
	}
	return head
}

// The address of an empty slice's first element belongs to other memory.
// log/slog keeps a group of attributes so.
func TestEmptySliceData(t *testing.T) {
	type attr struct {
		Key   string
		Value any
	}
	group := func(attrs []attr) any { return struct{ first *attr }{unsafe.SliceData(attrs)} }
	d := New(Limits{})
	none := d.Sum(group(make([]attr, 0)))
	if n := len(d.entries); n > 0 {
		t.Errorf("%d objects were walked, of none", n)
	}
	if none.Hash == d.Sum(group(nil)).Hash || none.Hash == d.Sum(group(make([]attr, 1))).Hash {
		t.Error("empty is like nil, or like one element")
	}
}

func TestDeepValuesEnd(t *testing.T) {
	const n = 300_000
	d := New(Limits{MaxNodes: 2 * n, MaxBytes: 1 << 30})
	var boxes any
	docs := map[string]any{}
	for range n {
		boxes = struct{ v any }{boxes}
	}
	for range 10 * maxDepth {
		docs = map[string]any{"in": docs}
	}
	ring := newChain(1)
	ring.next = ring
	for _, tt := range []struct {
		name      string
		v         any
		nodes     int // 0: any number
		truncated bool
	}{
		{"chain", newChain(n), n + 1, false},
		{"boxes", boxes, n + 1, false},
		{"maps", docs, 0, true},
		{"ring", ring, 2, false},
	} {
		got := d.Sum(tt.v)
		if got.Truncated != tt.truncated || tt.nodes != 0 && got.Nodes != tt.nodes {
			t.Errorf("Sum(%s) = %+v, want nodes %d, truncated %t", tt.name, got, tt.nodes, tt.truncated)
		}
		if again := d.Sum(tt.v); again != got {
			t.Errorf("Sum(%s) = %+v, then %+v", tt.name, got, again)
		}
	}
}

func TestLimits(t *testing.T) {
	d := New(Limits{MaxNodes: 100, MaxBytes: 1000})
	bushy := map[int]*chain{}
	for i := range 30 {
		bushy[i] = newChain(i)
	}
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name  string
		a, b  any
		equal bool
	}{
		{"chain beyond", newChain(200), newChain(200), true},
		{"chain before", newChain(200), newChain(201), false},
		{"string beyond", long + "a", long + "b", true},
		{"string before", "a" + long, "b" + long, false},
		{"string length", long, long + "x", false},
		{"ints beyond", append(make([]int, 500), 1), append(make([]int, 500), 2), true},
		{"pointers beyond", append(make([]*int, 500), new(int)), append(make([]*int, 500), new(int)), true},
		{"floats length", make([]float64, 500), make([]float64, 501), false},
		{"array", &[1000]any{}, &[1000]any{999: 1}, true},
		{"map too large", make200(0), make200(1), true},
		{"map entries", bushy, clone(bushy), true},
	} {
		a, b := d.Sum(tt.a), d.Sum(tt.b)
		if a.Hash == b.Hash != tt.equal || !a.Truncated || !b.Truncated {
			t.Errorf("%s: Sum(a) = %+v, Sum(b) = %+v, want equal %t, truncated", tt.name, a, b, tt.equal)
		}
		if a.Nodes > 100 {
			t.Errorf("%s: %d nodes, want at most 100", tt.name, a.Nodes)
		}
	}
}

func make200(v int) map[int]int {
	m := map[int]int{}
	for i := range 200 {
		m[i] = v
	}
	return m
}

func clone(m map[int]*chain) map[int]*chain {
	c := make(map[int]*chain, 1000)
	for i := len(m) - 1; i >= 0; i-- {
		c[i] = m[i]
	}
	return c
}

func TestSumDoesNotAllocate(t *testing.T) {
	d := New(Limits{})
	for _, v := range []any{1, "s", newTree(100), map[string]any{"a": map[int]int{1: 2}, "b": listOf(1, 2)}, []error{os.ErrExist},
		time.Now(), reflect.TypeFor[int](), f1, big.NewInt(1), []any{1, "x", 1.5}} {
		d.Sum(v)
		if n := testing.AllocsPerRun(100, func() { d.Sum(v) }); n != 0 {
			t.Errorf("Sum(%T): %v allocations, want 0", v, n)
		}
	}
}

func TestSumKeepsNothingAlive(t *testing.T) {
	d := New(Limits{})
	v := map[string]*tree{"k": newTree(10)}
	w := weak.Make(v["k"])
	d.Sum(v)
	clear(v)
	runtime.GC()
	if w.Value() != nil {
		t.Error("a value is alive after its digest was taken")
	}
	runtime.KeepAlive(d)
}

// TestSameInEveryProcess compares with the digest that another process of this
// binary prints.
func TestSameInEveryProcess(t *testing.T) {
	v := map[string]any{"tree": newTree(10), "f": f1, "type": reflect.TypeFor[tree](), "m": syncMapOf(1, 2), "u": unique.Make("x")}
	got := fmt.Sprintf("digest=%x\n", New(Limits{}).Sum(v).Hash)
	if os.Getenv("DIGEST_TEST_PRINT") != "" {
		fmt.Print(got)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestSameInEveryProcess$")
	cmd.Env = append(os.Environ(), "DIGEST_TEST_PRINT=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), got) {
		t.Errorf("another process printed %q, %v; want %q", out, err, got)
	}
}

func TestMutable(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want bool
	}{
		{1, false}, {"", false}, {1i, false}, {[3]string{}, false}, {pair{}, false}, {time.Time{}, false}, {netip.Addr{}, false},
		{[0]*int{}, false}, {uintptr(0), false}, {struct{ t reflect.Type }{}, false}, {[2]time.Time{}, false},
		{new(int), true}, {[]int{}, true}, {map[int]int{}, true}, {f1, true}, {make(chan int), true}, {graph{}, true},
		{[1]any{}, true}, {struct{ error }{}, true}, {unsafe.Pointer(nil), true}, {big.Int{}, true},
	} {
		if got := Mutable(reflect.TypeOf(tt.v)); got != tt.want {
			t.Errorf("Mutable(%T) = %t, want %t", tt.v, got, tt.want)
		}
	}
}

// A shape tells structure, and neither numbers nor text.
func TestShape(t *testing.T) {
	type node struct {
		key         int
		name        string
		left, right *node
	}
	type box struct {
		at    time.Time
		items map[string]int
		any   any
		flags [3]bool
	}
	leaf, other := &node{key: 1}, &node{key: 2, name: "b"}
	d := New(Limits{Shape: true})
	sum := func(v any) uint64 { return d.Sum(v).Hash }
	for _, test := range []struct {
		name string
		a, b any
		want bool
	}{
		{"numbers", 1, 2, true},
		{"types", 1, int8(1), false},
		{"strings", "a", "bcd", true},
		{"nodes", leaf, other, true},
		{"sides", &node{left: leaf}, &node{right: leaf}, false},
		{"shared", &node{left: leaf, right: leaf}, &node{left: leaf, right: other}, false},
		{"lengths", []int{1}, []int{1, 2}, false},
		{"elements", []int{1, 2}, []int{3, 4}, true},
		{"nil", []int(nil), []int{}, false},
		{"keys", box{items: map[string]int{"a": 1}}, box{items: map[string]int{"b": 2}, at: time.Unix(1, 0), flags: [3]bool{true}}, true},
		{"sizes", box{items: map[string]int{"a": 1}}, box{items: map[string]int{"a": 1, "b": 2}}, false},
		{"dynamic types", box{any: 1}, box{any: "a"}, false},
		{"pointers to content", new(int), (*int)(nil), false},
	} {
		if got := sum(test.a) == sum(test.b); got != test.want {
			t.Errorf("%s: equal %v, want %v", test.name, got, test.want)
		}
	}
	if New(Limits{}).Sum(leaf).Hash == New(Limits{}).Sum(other).Hash {
		t.Error("without Shape two contents are equal")
	}
}
