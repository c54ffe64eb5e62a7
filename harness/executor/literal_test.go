package executor

import (
	"strings"
	"testing"

	"foray.test/engine"
)

// The code below has the form of generated adapters.

//line foray_adapters_test.go:1
func forayOp7(_, out []any) { out[0] = func(a any) int { return a.(int) } }

func forayOp8(in, _ []any) { apply(in[0].(func(any) int)) }

func forayOp9(in, _ []any) { _ = in[0].(func(any) int) }

//line literal_test.go:21
//go:noinline
func apply(f func(any) int) { f("no number") }

// TestLiteralsHaveFrames: a panic in a func literal of an adapter has the literal's
// frame, and an adapter is not taken for the code under test.
func TestLiteralsHaveFrames(t *testing.T) {
	x := newFixture(t, 1, 1, engine.Params{}).exec
	out := make([]any, 1)
	forayOp7(nil, out)
	for _, tt := range []struct {
		call Adapter
		in   any
		want []string // ends of the names of the frames
	}{
		{forayOp8, out[0], []string{".forayOp7.func1", ".apply"}},
		{forayOp9, "no function", nil},
	} {
		if x.panicked = (panicRecord{}); x.call(tt.call, []any{tt.in}, nil) {
			t.Fatal("nothing panics")
		}
		frames := x.panicked.frames()
		if len(frames) != len(tt.want) {
			t.Fatalf("frames %v, want %q", frames, tt.want)
		}
		for i, f := range frames {
			if !strings.HasSuffix(f.Func, tt.want[i]) {
				t.Errorf("frame %d is %s, want %s", i, f.Func, tt.want[i])
			}
		}
	}
}
