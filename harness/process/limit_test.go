package process

import (
	"runtime/debug"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// The stack of a recursion is bounded by the longest text that it may read: of a sequence that is to
// run, or of all that a search may make.
func TestLimitStack(t *testing.T) {
	const own = 1 << 30
	limit := debug.SetMaxStack(own)
	defer debug.SetMaxStack(limit)
	given := func(texts ...string) func(*worker) {
		s := seq.Sequence{{}}
		for _, text := range texts {
			s[0].Args = append(s[0].Args, seq.Lit(&seq.Literal{Value: text}), seq.Lit(&seq.Literal{Value: int64(1 << 40)}), seq.Slot(0))
		}
		return func(w *worker) { w.begin(&wire.Exec{}, s) }
	}
	search := func(bytes int) func(*worker) {
		return func(w *worker) {
			m := start(wire.Start{Sequences: 1})
			m.Start.Params.StringBytes = bytes
			w.start(m.Start)
		}
	}
	for _, tt := range []struct {
		name  string
		begin func(*worker)
		want  int
	}{
		{"no text", given(), leastStack},
		{"texts", given("a", strings.Repeat("b", 1000), "c"), leastStack + 1000*stackPerByte},
		{"a text of a megabyte", given(strings.Repeat("b", 1<<20)), leastStack + mostText*stackPerByte},
		{"search", search(engine.DefaultParams().StringBytes), leastStack + engine.DefaultParams().StringBytes*stackPerByte},
		{"search with long texts", search(4 << 10), leastStack + 4<<10*stackPerByte},
	} {
		w := newTestWorker(new(strings.Builder), nil)
		w.own()
		tt.begin(w)
		if got := debug.SetMaxStack(own); got != tt.want {
			t.Errorf("%s: %d bytes of stack, want %d", tt.name, got, tt.want)
		}
	}
}
