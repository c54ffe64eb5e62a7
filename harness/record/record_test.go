package record

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

// recording has calls recorded until the test ends, and returns what reads the events.
func recording(t *testing.T) func() []string {
	t.Helper()
	l, read := tempLog(t)
	out, calls, variables = l, 0, nil
	clear(busy)
	sites.Clear()
	for i := range looks[:8] {
		looks[i].left.Store(maxLooks)
	}
	on.Store(true)
	t.Cleanup(func() { on.Store(false) })
	return read
}

// probed is a function with a probe, as coverage/instrument writes it.
func probed(arg int, body func()) (result int) {
	if c := Enter(3); c != nil {
		c.Take(arg)
		defer func() { c.Leave(result) }()
	}
	if body != nil {
		body()
	}
	return -arg
}

// recovers is one that recovers a panic itself.
func recovers() (result int) {
	if c := Enter(4); c != nil {
		c.Take()
		defer func() { c.Leave(result) }()
	}
	defer func() { recover() }()
	panic(1)
}

// TestCalls shows which calls are recorded, and how they end.
func TestCalls(t *testing.T) {
	value := 7
	for _, tt := range []struct {
		name string
		run  func()
		want string
	}{
		{"a call", func() { probed(1, nil) }, "E 1 3: int 1|R 1 3: int -1"},
		{"two", func() { probed(1, nil); probed(2, nil) }, "E 1 3: int 1|R 1 3: int -1|E 2 3: int 2|R 2 3: int -2"},
		{"a call that it makes", func() { probed(1, func() { probed(2, nil) }) }, "E 1 3: int 1|R 1 3: int -1"},
		{"a call that it makes in another goroutine", func() {
			probed(1, func() {
				done := make(chan bool)
				go func() { defer close(done); probed(2, nil) }()
				<-done
			})
		}, "E 1 3: int 1|E 2 3: int 2|R 2 3: int -2|R 1 3: int -1"},
		{"a panic, and a call after it", func() {
			func() {
				defer func() { recover() }()
				probed(1, func() { panic(1) })
			}()
			probed(2, nil)
		}, "E 1 3: int 1|P 1 3: |E 2 3: int 2|R 2 3: int -2"},
		{"the end of its goroutine", func() {
			done := make(chan bool)
			go func() { defer close(done); probed(1, runtime.Goexit) }()
			<-done
		}, "E 1 3: int 1|P 1 3: "},
		{"a panic that it recovers", func() { recovers() }, "E 1 4: |R 1 4: int 0"},
		{"code of another package that calls", func() { _ = slices.IndexFunc([]int{5}, called) }, "E 1 5: int 5|R 1 5: bool true"},
		{"code of the package that calls", inside, ""},
		{"a variable", func() { Variable("V", &value); probed(1, nil) }, `V 0 0: string "V", int 7|E 1 3: int 1|R 1 3: int -1`},
	} {
		events := recording(t)
		tt.run()
		if got := strings.Join(events(), "|"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func called(arg int) (result bool) {
	if c := Enter(5); c != nil {
		c.Take(arg)
		defer func() { c.Leave(result) }()
	}
	return true
}

// TestBounds shows that one place, one function and all together have so many calls recorded.
func TestBounds(t *testing.T) {
	events := recording(t)
	for range maxAtSite + 9 {
		probed(1, nil)
	}
	if n := len(events()); n != 2*maxAtSite {
		t.Errorf("%d events of one place, want %d", n, 2*maxAtSite)
	}
	probed(1, nil)
	if n := len(events()); n != 2*maxAtSite+2 {
		t.Error("another place has no calls")
	}
	events = recording(t)
	calls = maxCalls - 1
	probed(1, nil)
	probed(2, nil)
	if n := len(events()); n != 2 {
		t.Errorf("%d events, want 2: there was room for one call", n)
	}
}

// TestLook shows that a function has no new looks before its time has come.
func TestLook(t *testing.T) {
	const function = 7
	l := &looks[function]
	count := func(n int) (seen int) {
		for range n {
			if look(function) {
				seen++
			}
		}
		return seen
	}
	l.left.Store(2)
	l.since.Store(1 << 62) // in a time to come
	if n := count(200); n != 2 {
		t.Errorf("%d looks, want 2", n)
	}
	l.since.Store(0)
	if n := count(200); n < 200-64 {
		t.Errorf("%d looks of 200 when the time has come", n)
	}
}

// The function that follows counts as code of the package, not of its tests.
//
//line inside.go:1
func inside() { probed(1, nil) }
