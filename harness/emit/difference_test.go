package emit

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/difference"
	"foray.test/engine/seq"
)

func TestDifference(t *testing.T) {
	basic := func(text string) difference.Value { return difference.Value{Kind: difference.Basic, Text: text} }
	list := func(texts ...string) difference.Value {
		v := difference.Value{Kind: difference.List}
		for _, text := range texts {
			v.Parts = append(v.Parts, difference.Part{Path: "[0]", Value: basic(text)})
		}
		return v
	}
	null := difference.Value{Kind: difference.Nil}
	dynamic := func(text string) difference.Value {
		v := basic(text)
		v.Dynamic = true
		return v
	}
	panics := func(text string) difference.Value {
		return difference.Value{Kind: difference.Text, Text: "panic: " + text}
	}
	result := func(class string, i int, a, b difference.Value, way ...difference.Part) difference.Difference {
		return difference.Difference{Class: class, Place: difference.InResult, Index: i, Old: a, New: b, Way: way}
	}
	at := func(path string) difference.Part { return difference.Part{Path: path} }
	none := difference.Run{}
	for _, test := range []struct {
		name, text    string
		d             difference.Difference
		before, after difference.Run
		want          string // that the test holds
	}{
		{"number", "v0 := list.New(); v1 := v0.Len()", result(difference.ValueChanges, 0, basic("1"), basic("2")), none, none,
			"v0 := list.New()\n\tif got := v0.Len(); got != 1 {"},
		{"in an interface", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.Remove(v1)", result(difference.ValueChanges, 0, basic("1"), basic("2")), none, none,
			`if got := v0.Remove(v1); fmt.Sprint(got) != "1" {`},
		{"nil", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.Remove(v1)", result(difference.ValueChanges, 0, null, basic("2")), none, none,
			"if got := v0.Remove(v1); got != nil {"},
		{"not nil", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.Remove(v1)", result(difference.ValueChanges, 0, basic("2"), null), none, none,
			"if got := v0.Remove(v1); got == nil {"},
		{"truth", "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.Remove(v1); v3, v3b := v2.(int)", result(difference.ValueChanges, 1, basic("true"), basic("false")), none, none,
			"if _, got := v2.(int); !got {"},
		{"field", "v0 := list.New(); v1 := v0.PushBack(1)", result(difference.ValueChanges, 0, dynamic("1"), dynamic("2"), at(".Value")), none, none,
			`fmt.Sprint(got.Value) != "1"`},
		{"zero field", "v0 := list.New(); v1 := v0.PushBack(1)", result(difference.ValueChanges, 0, difference.Value{Kind: difference.Zero}, basic("2"), at(".Value")), none, none,
			"!reflect.ValueOf(got.Value).IsZero()"},
		{"what a call changed", "v0 := []int{1, 2}; v1 := v0[0]",
			difference.Difference{Class: difference.OrderChanges, Place: difference.InSlot, Step: 1, Old: list("1", "2"), New: list("2", "1")}, none, none,
			`if fmt.Sprint(v0) != "[1 2]" {`},
		{"panic appears", "v0 := list.New(); v1 := v0.Len()", difference.Difference{Class: difference.PanicAppears, Old: basic("1")}, none, none,
			"t.Fatalf(\"panic: %v"},
		{"panic disappears", "v0 := list.New(); v1 := v0.Len()",
			difference.Difference{Class: difference.PanicDisappears, Old: difference.Value{Kind: difference.Text, Text: "panic: boom"}}, none, none,
			"if r := recover(); r == nil {"},
		{"panic changes", "v0 := list.New(); v1 := v0.Len()",
			difference.Difference{Class: difference.PanicChanges, Old: difference.Value{Kind: difference.Text, Text: "panic: at 0x…"}}, none, none,
			`!strings.Contains(fmt.Sprint(r), "at 0x")`},
		{"panic of another type", "v0 := list.New(); v1 := v0.Len()", difference.Difference{Class: difference.PanicChanges, Old: panics("a value of type int")}, none, none,
			`r == nil || fmt.Sprintf("%T", r) != "int"`},
		{"panic that source cannot have", "v0 := list.New(); v1 := v0.Len()", difference.Difference{Class: difference.PanicDisappears, Old: panics("\x00\xff")}, none, none,
			"v1: panic: \ufffd\ufffd\n"},
		{"panic appears, before the old version dies", "v0 := list.New(); v1 := v0.Len()", difference.Difference{Class: difference.PanicAppears, Old: basic("1")},
			difference.Run{Death: "exits 3", Kind: engine.KindExit, DiedIn: 2}, none, "t.Fatalf(\"panic: %v"},
		{"exit where it panicked", "v0 := list.New(); v1 := v0.Len()", difference.Difference{Class: difference.PanicChanges, Old: panics("boom")}, none,
			difference.Run{Death: "exits 3", Kind: engine.KindExit, DiedIn: 1}, `!strings.Contains(fmt.Sprint(r), "boom")`},
		{"hang appears", "v0 := list.New(); v1 := v0.Len()", difference.Difference{Class: difference.TimeChanges}, none,
			difference.Run{Death: "does not return", Kind: engine.KindHang, DiedIn: 1}, "10*time.Second"},
		{"hang disappears", "v0 := list.New(); v1 := v0.Len()", difference.Difference{Class: difference.TimeChanges},
			difference.Run{Death: "does not return", Kind: engine.KindHang, DiedIn: 1}, none, "3*time.Second"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := listAPI()
			s := a.parse(t, test.text)
			if test.d.Place != difference.InSlot {
				test.d.Step = len(s) - 1
			}
			got, err := Difference(a.Table, s, test.d, s[len(s)-1].Op, test.before, test.after, Versions{"v1", "v2"}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), test.want) {
				t.Errorf("no %q in\n%s", test.want, got)
			}
		})
	}
}

// A difference that no Go expression shows has no test.
func TestDifferenceNone(t *testing.T) {
	a := listAPI()
	s := a.parse(t, "v0 := list.New(); v1 := v0.PushBack(1); v2 := v0.Remove(v1)")
	cut := difference.Value{Kind: difference.Cut}
	for name, d := range map[string]difference.Difference{
		"nothing to compare":   {Class: difference.ValueChanges, Place: difference.InResult, Step: 2, Old: cut, New: cut},
		"behind an interface":  {Class: difference.ValueChanges, Place: difference.InResult, Step: 2, Way: []difference.Part{{Path: ".F"}}},
		"an outcome by itself": {Class: difference.ErrorChanges, Step: 2},
	} {
		if got, err := Difference(a.Table, s, d, s[2].Op, difference.Run{}, difference.Run{}, Versions{}, Options{}); err == nil {
			t.Errorf("%s: no error, but\n%s", name, got)
		}
	}
	// Of a process both look alike.
	d := difference.Difference{Class: difference.PanicChanges, Step: 2, New: difference.Value{Kind: difference.Text, Text: "panic: boom"}}
	exits := difference.Run{Death: "exits 3", Kind: engine.KindExit, DiedIn: 2}
	if got, err := Difference(a.Table, s, d, s[2].Op, exits, difference.Run{}, Versions{}, Options{}); err == nil {
		t.Errorf("a panic where it exited: no error, but\n%s", got)
	}
}

func TestSignature(t *testing.T) {
	a := listAPI()
	for short, want := range map[string]string{
		"New":            "var _ func() *list.List = list.New\n",
		"(*List).Len":    "var _ func(*list.List) int = (*list.List).Len\n",
		"(*List).Remove": "var _ func(*list.List, *list.Element) any = (*list.List).Remove\n",
		"Element.Value":  "",
	} {
		for i := range a.Ops {
			if a.Ops[i].Short != short {
				continue
			}
			got, err := Signature(a.Table, seq.OpID(i), Options{Package: "queue", Raise: true})
			if (err != nil) != (want == "") || !strings.Contains(string(got), want) {
				t.Errorf("%s: %v, want %q in\n%s", short, err, want, got)
			}
			if head := "//go:build go1.23\n\npackage queue_test\n"; err == nil && !strings.HasPrefix(string(got), head) {
				t.Errorf("%s: want %q at the beginning of\n%s", short, head, got)
			}
			break
		}
	}
}
