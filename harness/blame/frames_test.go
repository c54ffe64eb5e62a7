package blame

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

func TestWhose(t *testing.T) {
	b := testTable()
	for _, test := range []struct {
		f    Frame
		want place
	}{
		{Frame{Func: "example.org/p%2ev2.F"}, within},
		{Frame{Func: "example.org/p%2ev2/sub.F"}, elsewhere},
		{Frame{Func: "example.org/p%2ev2_test.a1", File: "/tmp/foray_test.go"}, ours},
		{Frame{Func: "example.org/p%2ev2_test.a1.F.func1", File: "/src/p.go"}, within},
		{Frame{Func: "runtime.gopanic"}, runtimes},
		{Frame{Func: "internal/runtime/maps.fatal"}, runtimes},
		{Frame{Func: "strings.Repeat"}, elsewhere},
		{Frame{Func: "rt/harness/target.(*runner).call"}, ours},
		{Frame{Func: "rt/harness/target.invoker.func2"}, ours},
		{Frame{Func: "rt/harness/target.(*runner).serve"}, elsewhere},
	} {
		checkEqual(t, test.f.Func, whose(&b.Table, test.f), test.want)
	}
}

func TestSignature(t *testing.T) {
	b := testTable()
	for _, test := range []struct {
		name, steps string
		value       any
		stack, want string
	}{
		{"a helper that many reach", "New(1); Do(v0)", negative1, "(*node[...]).walk.func1 < (*T).Do", "panic:index:(*node).walk"},
		{"the same from elsewhere", "New(1); Rotate(v0, 2)", negative1, "(*node[...]).walk.func3 < (*T).turn < (*T).Rotate", "panic:index:(*node).walk"},
		{"below another package", "New(1); Do(v0)", negative1, "/slices.Sort < (*T).sort < (*T).Do", "panic:index:(*T).sort"},
		{"text is part of an explicit one", "New(1); Do(v0)", "bad size 17", "(*T).fix < (*T).Do", "panic:explicit:bad size N:(*T).fix"},
		{"a checking helper is its caller's", "New(1); Do(v0)", "bad", "checkSize < (*T).Do", "panic:explicit:bad:checkSize<(*T).Do"},
		{"no frame of the package", "New(1); Do(v0)", nilText, "", "panic:nil:(*T).Do"},
		{"package reflect, of one kind", "New(1); Put(v0, 1)", "reflect: call of reflect.Value.Field on int Value", "/reflect.Value.Field < (*T).Put", "panic:explicit:reflect call of reflect.Value.Field:(*T).Put"},
		{"package reflect, of no value", "New(1); Put(v0, 1)", "reflect: call of reflect.Value.Field on zero Value", "/reflect.Value.Field < (*T).Put", "panic:explicit:reflect call of reflect.Value.Field on zero Value:(*T).Put"},
		{"the iterator's maker is blamed", "New(1); All(v0); Range(v1)", ranged, "", "panic:range-func:(*T).All"},
	} {
		v := Panic(facts(b, test.steps, nil, test.value, test.stack))
		checkEqual(t, test.name, v.Signature.String(), test.want)
	}
	// The text of a reader made by foray is no part of the cause; the same text from
	// elsewhere is.
	told := func(kind seq.Kind) string {
		f := facts(b, "New(1); Do(v0)", nil, errors.New("overflow"), "(*T).Do")
		made := seq.Operation{Kind: kind, Name: "made", Params: []seq.TypeID{0}, Results: []seq.TypeID{0}}
		table := *f.Table
		table.Ops = append(slices.Clone(table.Ops), made)
		f.Table = &table
		st := seq.Step{Op: seq.OpID(len(table.Ops) - 1), Args: []seq.Arg{seq.Lit(&seq.Literal{Value: "overflow"})}}
		f.Steps = slices.Insert(f.Steps, len(f.Steps)-1, st)
		return Panic(f).Signature.String()
	}
	checkEqual(t, "an error of ours", told(seq.Standard), "panic:explicit:what an argument says:(*T).Do")
	checkEqual(t, "an error like a text of ours", told(seq.Func), "panic:explicit:overflow:(*T).Do")
	v := Panic(facts(b, "New(1); All(v0); Range(v1)", nil, ranged, ""))
	checkEqual(t, "blamed", v.Op, b.Find("All"))
}

func TestVerdictText(t *testing.T) {
	b := testTable()
	v := Panic(facts(b, "New(1); AtDoc(v0, 9)", nil, errors.New("first\nsecond"), "(*T).AtDoc"))
	checkEqual(t, "message", v.Message, "(*T).AtDoc panics: first …")
	checkEqual(t, "document", v.Reason, "(*T).AtDoc: AtDoc panics if i is out of range.")
	checkEqual(t, "stack", v.Stack, "example.org/p%2ev2.(*T).AtDoc\n\t/src/p.go:7\n")
	if m := Panic(facts(b, "New(1); Do(v0)", nil, strings.Repeat("x", 5000), "(*T).Do")).Message; len(m) > 400 {
		t.Errorf("message of %d bytes", len(m))
	}
}

// A text that repeats an argument has one cause for all arguments.
func TestRepeatedText(t *testing.T) {
	b := testTable()
	signature := func(given, text string) string {
		return Panic(facts(b, "Parse("+strconv.Quote(given)+")", nil, text, "helper < Parse")).Signature.String()
	}
	want := "panic:explicit:not available (make sure it is imported):helper"
	for _, given := range []string{"", "x", "sha256", "a b", "(", "make", "é"} {
		checkEqual(t, given, signature(given, given+" not available (make sure it is imported)"), want)
	}
	for _, given := range []string{"no", "set it", "x"} {
		checkEqual(t, given+" in quotes", signature(given, "no digit in "+strconv.Quote(given)), "panic:explicit:no digit in Q:helper")
	}
	checkEqual(t, "a letter", signature("t", "a bad t of it"), "panic:explicit:a bad t of it:helper")
	checkEqual(t, "a letter at the end", signature("t", "that is a bad t"), "panic:explicit:that is a bad:helper")
	checkEqual(t, "a sign at the end", signature("/", "bad path: /"), "panic:explicit:bad path:helper")
	two := facts(b, `Parse("ab"); Parse("abc")`, nil, "ab flag redefined: abc", "helper < Parse")
	checkEqual(t, "one twice", Panic(facts(b, `Parse("ab"); Parse("ab")`, nil, "ab flag redefined: ab", "helper < Parse")).Signature.String(), "panic:explicit:flag redefined:helper")
	made := facts(b, `Parse("ab"); Parse(v0)`, []any{"the result"}, "the result is bad", "helper < Parse")
	checkEqual(t, "a result", Panic(made).Signature.String(), "panic:explicit:is bad:helper")
	checkEqual(t, "two strings", Panic(two).Signature.String(), "panic:explicit:flag redefined:helper")
	checkEqual(t, "a sign", signature("(", "none (of it)"), "panic:explicit:none (of it):helper")
	checkEqual(t, "within a word", signature("vail", "not available"), "panic:explicit:not available:helper")
	checkEqual(t, "a number", signature("-1", "bad type: -1"), "panic:explicit:bad type N:helper")
	checkEqual(t, "in the midst", signature("ab", "cab: ab is none"), "panic:explicit:cab is none:helper")
}
