package blame

import (
	"reflect"
	"strings"
	"testing"

	"foray.test/engine/seq/seqtest"
)

// frames reads "(*T).get < (*T).Get": functions of the package; "/strings.Repeat"
// is of another, "_lit.func1" one of ours.
func frames(text string) []Frame {
	var fs []Frame
	for _, f := range strings.Split(text, " < ") {
		switch {
		case f == "":
		case f[0] == '/':
			fs = append(fs, Frame{Func: f[1:], File: "/goroot/x.go", Line: 3})
		case f[0] == '_':
			fs = append(fs, Frame{Func: "example.org/p%2ev2_test." + f[1:], File: "/tmp/foray_test.go", Line: 3})
		default:
			fs = append(fs, Frame{Func: "example.org/p%2ev2." + f, File: "/src/p.go", Line: 7})
		}
	}
	return fs
}

// rt is a run-time error with a text of the runtime's.
type rt string

func (e rt) Error() string { return string(e) }
func (e rt) RuntimeError() {}

// facts builds the facts of a case. Its arguments are the literals of the last step
// and the values of the known slots.
func facts(b *seqtest.Builder, steps string, values []any, value any, stack string) Facts {
	s := b.Steps(steps)
	last := s[len(s)-1]
	f := Facts{Table: &b.Table, Op: last.Op, Value: value, Frames: frames(stack), Steps: s, Values: values}
	for _, a := range last.Args {
		switch {
		case a.Lit != nil:
			f.Args = append(f.Args, Describe(a.Lit.Value))
		case int(a.Slot) < len(values):
			f.Args = append(f.Args, Describe(values[a.Slot]))
		default:
			f.Args = append(f.Args, ArgFact{})
		}
	}
	return f
}

// without returns rules but for number i.
func without(rules []rule, i int) []rule {
	return append(append([]rule(nil), rules[:i]...), rules[i+1:]...)
}

func checkEqual(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}
