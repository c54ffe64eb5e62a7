package engine

import (
	"testing"

	"foray.test/corpus"
	"foray.test/engine/seq"
	"foray.test/mutators"
)

// Edits take values from these.
var (
	_ mutators.Literals   = (*Pool)(nil)
	_ mutators.Components = (*corpus.Components)(nil)
)

// Words begin with those of the package itself.
func TestWordsBeginWithMined(t *testing.T) {
	p := NewPool(fakeTable())
	words := p.Words(typeInt)
	if v := words[0].Value; v != int64(4711) {
		t.Errorf("the first word is %v, want the mined 4711", v)
	}
	seen := map[any]bool{}
	for _, l := range words {
		if l.Type != typeInt || l.Pool == 0 {
			t.Errorf("word %v of type %d and number %d, want a literal of the pool of type %d", l.Value, l.Type, l.Pool, typeInt)
		}
		seen[l.Value] = true
	}
	for _, v := range []int64{0, 1, restrictedRange - 1, -1, 256, 1 << 32} {
		if !seen[v] {
			t.Errorf("no word %d", v)
		}
	}
	if got := p.Words(typeBag); len(got) > 0 {
		t.Errorf("%d words of a type without literals", len(got))
	}
	if l := p.Nil(typeBag); l == nil || l.Value != nil {
		t.Errorf("Nil of a pointer: got %v", l)
	}
}

// Where literals of several types may stand, a person would take an int, else a string.
func TestPlainest(t *testing.T) {
	table := &seq.Table{Types: []seq.Type{{}, {Name: "bool"}, {Name: "string"}, {Name: "int"}, {Name: "p.int"}}}
	for _, tt := range []struct {
		takes []seq.TypeID
		want  seq.TypeID
	}{
		{[]seq.TypeID{1, 2, 3}, 3},
		{[]seq.TypeID{1, 2, 4}, 2},
		{[]seq.TypeID{4, 1}, 4},
		{nil, 0},
	} {
		if got := plainest(table, tt.takes); got != tt.want {
			t.Errorf("of %v it is %d, want %d", tt.takes, got, tt.want)
		}
	}
}
