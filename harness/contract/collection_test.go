package contract

import (
	"errors"
	"testing"
)

var collectionPlantings = []Planting{
	{`v0 := planted.NewTable(); v0.Put(3, "a")`, "put-get"},
	{`v0 := planted.NewSafe(); v0.Put("a", 7)`, "put-get"},
	{`v0 := planted.NewShop(); v0.Put("a", 7)`, "put-get"},
	{`v0 := planted.NewBox(); v0.Put("a", 7)`, "put-get"},
	{`v0 := planted.NewShop(); v0.Put("a", 1); v0.Delete("a")`, "remove-gone"},
	{`v0 := planted.NewDict(); v0.Put("", 1); v0.Delete("")`, "remove-gone"},
	{`v0 := planted.NewBag(); v0.Add("a", "b")`, "add-has"},
	{`v0 := planted.NewShift(); v0.Add(1); v0.Add(2); v0.Add(3)`, "add-keeps-others"},
	{`v0 := planted.NewIndex(); v0.Add(1); v0.Add(2); v0.Add(3); v0.Remove(2)`, "remove-keeps-others"},
	{`v0 := planted.NewPile(); v0.Pile(1); v0.Pile(1); v0.Pile(1); v0.Clear()`, "clear-empty"},
}

var collectionCases = []lawCase{
	{"put-get", "good", "NewPot Put Get", nil, "NewPot(); Put(v0, 1, 2)", true},
	{"put-get", "zero is lost", "NewPot Get", ops("(*T).Put(int, int)", func(a []any) any { return many{} }), "NewPot(); Put(v0, 0, 2)", false},
	{"put-get", "wrong value", "NewPot Get", ops("(*T).Put(int, int)", func(a []any) any { po(a).vals[at(a, 1)] = 7; return many{} }), "NewPot(); Put(v0, 1, 2)", false},
	{"put-get", "refused", "NewPot Get", ops("(*T).Put(int, int) bool", func(a []any) any { return false }), "NewPot(); Put(v0, 1, 2)", true},
	{"put-get", "index of a list", "NewPot Get", ops("(*T).Set(int, int)", func(a []any) any { return many{} }, "(*T).Append(int)", func(a []any) any { return many{} }), "NewPot(); Set(v0, 1, 2)", true},
	{"put-get", "panics", "NewPot Put", ops("(*T).Get(int) (int, bool)", panics), "NewPot(); Put(v0, 1, 2)", true},
	{"add-has", "good", "NewPot Add Has", nil, "NewPot(); Add(v0, 1)", true},
	{"add-has", "not there", "NewPot Has", ops("(*T).Add(int)", func(a []any) any { return many{} }), "NewPot(); Add(v0, 1)", false},
	{"add-has", "an error", "NewPot Has", ops("(*T).Add(int) error", func(a []any) any { return many{errors.New("full")} }), "NewPot(); Add(v0, 1)", true},
	{"add-keeps-others", "good", "NewPot Add Has Keys", nil, "NewPot(); Add(v0, 1); Add(v0, 2)", true},
	{"add-keeps-others", "one only", "NewPot Has Keys", ops("(*T).Add(int)", func(a []any) any { po(a).keys = []int{at(a, 1)}; return many{} }), "NewPot(); Add(v0, 1); Add(v0, 2)", false},
	{"remove-gone", "good", "NewPot Put Get Remove Has", nil, "NewPot(); Put(v0, 1, 2); Remove(v0, 1)", true},
	{"remove-gone", "gone from another, which is returned as an interface", "NewPot Put Get Has", ops("(*T).Remove(int) any", func([]any) any { return &pot{} }), "NewPot(); Put(v0, 1, 2); Remove(v0, 1)", true},
	{"remove-gone", "still there, and a number is returned", "NewPot Put Get Has", ops("(*T).Remove(int) any", func([]any) any { return 2 }), "NewPot(); Put(v0, 1, 2); Remove(v0, 1)", false},
	{"remove-gone", "still there", "NewPot Put Get Has", ops("(*T).Remove(int)", func(a []any) any { return many{} }), "NewPot(); Put(v0, 1, 2); Remove(v0, 1)", false},
	{"remove-keeps-others", "good", "NewPot Add Remove Has Keys", nil, "NewPot(); Add(v0, 1); Add(v0, 2); Remove(v0, 1)", true},
	{"remove-keeps-others", "loses what prints the same", "NewPot Has", ops("(*T).Keys() []any", func(a []any) any { return []any{uint8(1)} }, "(*T).Has(any) bool", func(a []any) any { return po(a).n == 0 },
		"(*T).Add(any)", func(a []any) any { return many{} }, "(*T).Remove(any)", func(a []any) any { po(a).n++; return many{} }), "NewPot(); Remove(v0, 1)", true},
	{"remove-keeps-others", "loses what was not found before", "NewPot Add Remove Keys", ops("(*T).Has(int) bool", func(a []any) any { return false }), "NewPot(); Add(v0, 1); Add(v0, 2); Remove(v0, 1)", true},
	{"remove-keeps-others", "loses another", "NewPot Add Has Keys", ops("(*T).Remove(int)", func(a []any) any { po(a).keys = nil; return many{} }), "NewPot(); Add(v0, 1); Add(v0, 2); Remove(v0, 1)", false},
	{"clear-empty", "good", "NewPot Add Clear Len", nil, "NewPot(); Add(v0, 1); Clear(v0)", true},
	{"clear-empty", "keeps one", "NewPot Add Len", ops("(*T).Clear()", func(a []any) any { return many{} }), "NewPot(); Add(v0, 1); Clear(v0)", false},
	{"add-has", "another value is returned", "NewPot Has", ops("(*T).Add(int) *p.T", func(a []any) any { return &pot{} }), "NewPot(); Add(v0, 1)", true},
	{"put-get", "what is not nil is lost", "NewPot", ops("(*T).Put(int, any)", idle, "(*T).Get(int) (any, bool)", absent), "NewPot(); Put(v0, 1, 2)", false},
	{"put-get", "nil is lost", "NewPot", ops("(*T).Put(int, any)", idle, "(*T).Get(int) (any, bool)", absent), "NewPot(); Put(v0, 1, nil)", true},
	{"add-has", "nil is lost", "NewPot", ops("(*T).Set(int, any)", idle, "(*T).Has(int) bool", func([]any) any { return false }), "NewPot(); Set(v0, 1, nil)", true},
	{"add-keeps-others", "nil takes one away", "NewPot Add Has Keys", ops("(*T).Set(int, any)", func(a []any) any { po(a).keys = nil; return many{} }), "NewPot(); Add(v0, 2); Set(v0, 1, nil)", true},
}

func absent([]any) any { return many{nil, false} }

// The documentation says whether an empty key is one, and has a meaning of its own.
func TestPutGetDocumentedKeys(t *testing.T) {
	b, f := lawTable(t, "NewPot", ops("(*T).Put(string, int)", func([]any) any { return many{} }, "(*T).Get(string) (int, bool)", func([]any) any { return many{7, true} }))
	get := &b.Table.Ops[b.Find("Get")]
	for _, test := range []struct {
		doc, key string
		broken   bool
	}{
		{"Get returns the value at key.", "", true},
		{"Get returns the value at key. If key is empty, it is 7.", "", false},
		{"Get returns the value at key. If key is empty, it is 7.", "a", true},
	} {
		get.Doc = test.doc
		v, held := uphold(b, f, boxed(b, `NewPot(); Put(v0, "`+test.key+`", 2)`), "put-get")
		if !held || (v != nil) != test.broken {
			t.Errorf("%q, key %q: held %v, verdict %+v, want broken: %v", test.doc, test.key, held, v, test.broken)
		}
	}
	get.Doc = "Get returns the value at key."
	put := &b.Table.Ops[b.Find("Put")]
	put.Doc = "An empty key is ignored."
	if v, held := uphold(b, f, boxed(b, `NewPot(); Put(v0, "", 2)`), "put-get"); !held || v != nil {
		t.Errorf("an empty key that is ignored: held %v, verdict %+v", held, v)
	}
}
