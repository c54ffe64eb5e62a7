package target

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foray.test/engine/wire"
)

// runFrames runs calls of ff as a worker does. Frames are real tests of package
// testing. It returns the results and in how many frames they came about.
func runFrames(t testing.TB, ff any, calls [][]any) (results []result, frames int) {
	t.Helper()
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stdout = null // where testing would report frames that fail
		defer null.Close()
	}
	fn := reflect.ValueOf(Wrap(ff))
	run := func(args []any) error {
		frames++
		ok := testing.RunTests(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "frame", F: func(t *testing.T) {
			in := []reflect.Value{reflect.ValueOf(t)}
			for _, a := range args {
				in = append(in, reflect.ValueOf(a))
			}
			fn.Call(in)
		}}})
		if !ok {
			return errors.New("--- FAIL: frame")
		}
		return nil
	}
	err := current.serve(run, func(call func([]any) result) error {
		for _, args := range calls {
			results = append(results, call(args))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results, frames
}

func TestResults(t *testing.T) {
	target := func(t *testing.T, s string) {
		switch s {
		case "fatal":
			t.Fatal("no good")
		case "error":
			t.Error("no good")
		case "skip":
			t.Skip()
		case "panic":
			panic("no good")
		case "log":
			t.Log(s)
		case "helper":
			t.Helper()
		case "cleanup that fails":
			t.Cleanup(func() { t.Error("late") })
		case "subtest that fails":
			t.Run("sub", func(t *testing.T) { t.Fail() })
		case "directory":
			if err := os.WriteFile(filepath.Join(t.TempDir(), "f"), nil, 0o666); err != nil {
				t.Error(err)
			}
		case "environment":
			if os.Getenv("FORAY_TEST_TARGET") != "" {
				t.Error("left from the call before")
			}
			t.Setenv("FORAY_TEST_TARGET", "1")
		case "goexit in a panic":
			defer func() { _ = recover(); t.FailNow() }()
			panic("first")
		case "harmless":
			_, _, _ = t.Name(), t.Failed(), t.Context()
		}
	}
	tests := []struct {
		calls  string // separated by commas
		want   string // a letter for each: . ok, F failed, P panicked, S skipped
		frames int
	}{
		{"a,b,c,harmless,d", ".....", 1},
		{"a,fatal,b,fatal,fatal,c", ".F.FF.", 4},
		{"error,a", "F.", 2},
		{"skip,a,skip", "S.S", 2},
		{"panic,panic,a", "PP.", 1},
		{"log,helper,a", "...", 3},
		{"cleanup that fails,a,subtest that fails,a", "F.F.", 3},
		{"directory,directory,environment,environment,a", ".....", 5},
		{"goexit in a panic,a", "F.", 2},
		{"", "", 0},
	}
	for _, tt := range tests {
		var calls [][]any
		for s := range strings.SplitSeq(tt.calls, ",") {
			if tt.calls != "" {
				calls = append(calls, []any{s})
			}
		}
		results, frames := runFrames(t, target, calls)
		got := ""
		for _, r := range results {
			switch {
			case r.failure != nil && r.failure.Panic != nil:
				got += "P"
			case r.failure != nil:
				got += "F"
			case r.skipped:
				got += "S"
			default:
				got += "."
			}
		}
		if got != tt.want || frames != tt.frames {
			t.Errorf("%s: results %q in %d frames, want %q in %d", tt.calls, got, frames, tt.want, tt.frames)
		}
	}
}

// A panic's frames are those of the target, and the first outside of it is of
// this package: there a reader stops.
func TestPanicFrames(t *testing.T) {
	results, _ := runFrames(t, func(*testing.T, int8) { panic(7) }, [][]any{{int8(1)}})
	f := results[0].failure
	if f == nil || f.Panic != 7 || len(f.PCs) == 0 {
		t.Fatalf("failure = %+v, want the panic 7 with its frames", f)
	}
	if name := reflect.TypeFor[runner]().PkgPath(); f.Until != name+"." {
		t.Errorf("until %q, want %q", f.Until, name+".")
	}
}

// No call can spoil the bytes of the next, nor append into the memory after
// them.
func TestOwnBytes(t *testing.T) {
	shared := make([]byte, 3, 64)
	copy(shared, "abc")
	target := func(t *testing.T, b, c []byte) {
		if string(b) != "abc" || cap(b) != 3 || string(c) != "abc" {
			t.Errorf("got %q with room for %d", b, cap(b))
		}
		b[0], c[0] = 'x', 'y'
	}
	reflected := func(t *testing.T, _ bool, b []byte) { target(t, b, []byte("abc")) }
	for _, tt := range []struct {
		ff   any
		args []any
	}{{target, []any{shared, shared}}, {reflected, []any{true, shared}}} {
		results, frames := runFrames(t, tt.ff, [][]any{tt.args, tt.args})
		if results[0].failure != nil || results[1].failure != nil || frames != 1 {
			t.Errorf("%T: calls see each other's bytes", tt.ff)
		}
	}
}

// Every signature gets its arguments, whether it is called as it is or by reflection.
func TestSignatures(t *testing.T) {
	var got []any
	tests := []struct {
		ff   any
		args []any
	}{
		{func(_ *testing.T, a []byte) { got = []any{string(a)} }, []any{[]byte("a")}},
		{func(_ *testing.T, a string) { got = []any{a} }, []any{"a"}},
		{func(_ *testing.T, a, b []byte) { got = []any{string(a), string(b)} }, []any{[]byte("a"), []byte("b")}},
		{func(_ *testing.T, a, b string) { got = []any{a, b} }, []any{"a", "b"}},
		{func(_ *testing.T, a string, b int) { got = []any{a, b} }, []any{"a", 1}},
		{func(_ *testing.T, a []byte, b int) { got = []any{string(a), b} }, []any{[]byte("a"), 1}},
		{func(_ *testing.T, a rune, b byte, c float32, d bool) { got = []any{a, b, c, d} }, []any{'a', byte(1), float32(2), true}},
	}
	for _, tt := range tests {
		runFrames(t, tt.ff, [][]any{tt.args})
		for i, a := range tt.args {
			if b, ok := a.([]byte); ok {
				a = string(b)
			}
			if i >= len(got) || got[i] != a {
				t.Errorf("%T got %v, want %v", tt.ff, got, tt.args)
			}
		}
	}
}

// The sign of a go-fuzz function's result ranks its input.
func TestGoFuzz(t *testing.T) {
	fn := GoFuzz(func(data []byte) int {
		switch string(data) {
		case "good":
			return 1
		case "better":
			return 7
		case "bad":
			return -1
		case "panic":
			panic("no good")
		}
		return 0
	})
	for _, tt := range []struct {
		calls string
		want  int8
	}{{"good", 1}, {"better", 1}, {"bad", -1}, {"other", 0}, {"bad,other", 0}, {"good,panic", 0}} {
		var calls [][]any
		for s := range strings.SplitSeq(tt.calls, ",") {
			calls = append(calls, []any{[]byte(s)})
		}
		runFrames(t, fn, calls)
		if current.rank != tt.want {
			t.Errorf("after %s the rank is %d, want %d", tt.calls, current.rank, tt.want)
		}
	}
}

func TestWrapLeavesBadFunctions(t *testing.T) {
	for _, ff := range []any{1, func() {}, func(string) {}, func(*testing.T) {}, func(*testing.T, int) int { return 0 }, func(*testing.T, ...int) {}} {
		if w := Wrap(ff); reflect.ValueOf(w).Kind() == reflect.Func && reflect.ValueOf(w).Pointer() != reflect.ValueOf(ff).Pointer() {
			t.Errorf("Wrap(%T) wraps it; what f.Fuzz refuses is its to refuse", ff)
		}
	}
}

func TestDescribe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "d")
	t.Setenv(wire.EnvDescribe, file)
	seeds := [][]any{{[]byte("x\x00"), 'é', byte('a'), float32(0.5), true}, nil}
	var types []reflect.Type
	for _, v := range seeds[0] {
		types = append(types, reflect.TypeOf(v))
	}
	if err := Describe(seeds, types); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d Description
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Types, " "); got != "[]byte int32 uint8 float32 bool" {
		t.Errorf("types %s", got)
	}
	want := "go test fuzz v1\n[]byte(\"x\\x00\")\nrune('é')\nbyte('a')\nfloat32(0.5)\nbool(true)\n"
	if len(d.Seeds) != 1 || string(d.Seeds[0]) != want {
		t.Errorf("seeds %q, want %q", d.Seeds, want)
	}
}

func BenchmarkCall(b *testing.B) {
	for _, bb := range []struct {
		name string
		ff   any
		arg  any
	}{
		{"untouched", func(t *testing.T, s []byte) {}, []byte("x")},
		{"reflected", func(t *testing.T, i int8) {}, int8(1)},
		{"skipped", func(t *testing.T, s []byte) { t.Skip() }, []byte("x")},
		{"helper", func(t *testing.T, s []byte) { t.Helper() }, []byte("x")},
	} {
		b.Run(bb.name, func(b *testing.B) {
			args := []any{bb.arg}
			calls := make([][]any, b.N)
			for i := range calls {
				calls[i] = args
			}
			b.ReportAllocs()
			b.ResetTimer()
			runFrames(b, bb.ff, calls)
		})
	}
}
