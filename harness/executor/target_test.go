package executor

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/wire"
)

// A failure or panic of a fuzz function is an error for any input. A skipped input is
// none.
func TestTargetFailures(t *testing.T) {
	table := &seq.Table{
		Package: "example.org/p", Name: "p",
		Types: []seq.Type{{}, {Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{1}}},
		Ops:   []seq.Operation{{Name: "p.FuzzX", Short: "FuzzX", Kind: seq.Func, API: true, Template: "FuzzX($0)", Params: []seq.TypeID{1}}},
	}
	adapter := func(in, _ []any) {
		switch in[0] {
		case "fail":
			panic(&Failure{Output: "    x_test.go:3: no good\n"})
		case "panic":
			panic(&Failure{Panic: "no good", PCs: callers(), Until: "testing."})
		case "skip":
			panic(seq.Thrown)
		}
	}
	x := New(table, Bindings{Target: true, Ops: []Adapter{adapter}, Types: []reflect.Type{nil, reflect.TypeFor[string]()}}, new(wire.Shared), Options{})
	for _, tt := range []struct {
		in        string
		status    engine.Status
		signature string
		message   string
	}{
		{"ok", engine.Normal, "", ""},
		{"skip", engine.Failed, "", ""},
		{"fail", engine.Broken, "fail:FuzzX at x_test.go:3", "x_test.go:3: no good"},
		{"panic", engine.Broken, "panic:", "FuzzX panics: no good"},
		{"ok", engine.Normal, "", ""},
	} {
		lit := &seq.Literal{Type: 1, Value: tt.in}
		x.Box(lit)
		s := seq.Sequence{{Args: []seq.Arg{seq.Lit(lit)}}}
		x.Begin(engine.RunOptions{})
		if status := x.Append(s[0]).Status; status != tt.status {
			t.Errorf("%s: status %d, want %d", tt.in, status, tt.status)
		}
		v := x.End(s, nil).Verdict
		if tt.signature == "" {
			if v != nil {
				t.Errorf("%s: verdict %+v, want none", tt.in, v)
			}
			continue
		}
		if v == nil || v.Tier != engine.Error || !strings.HasPrefix(v.Signature.String(), tt.signature) || v.Message != tt.message || v.Reason != "" {
			t.Errorf("%s: verdict %+v, want an error with signature %q and message %q", tt.in, v, tt.signature, tt.message)
		}
		if strings.Contains(v.Stack, "testing.") {
			t.Errorf("%s: stack %q goes on behind the call", tt.in, v.Stack)
		}
	}
}

// callers returns the frames that a deferred function of a caller would see.
func callers() []uintptr {
	var pcs [64]uintptr
	func() {
		defer func() {
			_ = recover()
			runtime.Callers(1, pcs[:])
		}()
		panic("no good")
	}()
	return pcs[:]
}
