package blame

import (
	"errors"
	"testing"

	"foray.test/engine/seq"
)

type outcome struct {
	N     int
	Error error
}

type shy struct{ err error }

func TestKeptError(t *testing.T) {
	no := errors.New("no")
	for _, tt := range []struct {
		name string
		v    any
		want bool
	}{
		{"none", outcome{N: 1}, false},
		{"one", outcome{Error: no}, true},
		{"behind a pointer", &outcome{Error: no}, true},
		{"nil pointer", (*outcome)(nil), false},
		{"hidden", &shy{no}, false},
		{"an error itself", no, false},
		{"nil", nil, false},
	} {
		if got := keptError(tt.v); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	b := testTable()
	if got := new(Tainter).Taints(&b.Table, b.Steps("New(1); Child(v0)"), []any{&outcome{}, &outcome{Error: no}}); got[0] != 0 || got[1] != TaintFailed {
		t.Errorf("taints %v, want that of a failed call for the second", got)
	}
}

// What a call was given must not be used after it, if its documentation says so.
func TestUsedAfterEnd(t *testing.T) {
	b := testTable()
	end := func(sig, doc string, kind seq.Kind) {
		b.Add(kind, sig, func(op *seq.Operation) { op.Doc = doc })
	}
	end("PutBack(*p.T)", "PutBack keeps t for others. It must not be used after it was put back.", seq.Func)
	end("(*T).Finish()", "Finish ends it. A T can not be used after it.", seq.Method)
	end("(*T).Hand(*p.T)", "The buffer should not be used after the call.", seq.Method)
	end("(*T).Free()", "Free releases its memory. Do not use a T after it was freed.", seq.Method)
	end("Recycle(*p.T)", "Recycle returns a p.T value to the inner value pool.", seq.Func)
	end("(*T).Close() error", "", seq.Method)
	end("(*T).Reset()", "", seq.Method)
	end("Lend(*p.T)", "Lend lends t, which may be used after it.", seq.Func)
	for steps, want := range map[string]bool{
		"New(1); PutBack(v0)":                         false,
		"New(1); PutBack(v0); New(1); Do(v1)":         false,
		"New(1); PutBack(v0); PutBack(v0)":            true,
		"New(1); Finish(v0); Do(v0)":                  true,
		"New(1); New(2); Hand(v0, v1); Do(v0)":        false,
		"New(1); New(2); Hand(v0, v1); Do(v1)":        true,
		"New(1); Free(v0); Do(v0)":                    true,
		"New(1); Recycle(v0); Do(v0)":                 true,
		"New(1); Lend(v0); Do(v0)":                    false,
		"New(1); Close(v0); Do(v0)":                   true,
		"New(1); Close(v0); Close(v0)":                true,
		"New(1); Close(v0); Reset(v0); Do(v0)":        false,
		"New(1); New(2); Close(v0); Do(v1)":           false,
		"New(1); PutBack(v0); PutBack(v0); New(1)":    true,
		"New(1); New(2); PutBack(v0); Do(v1); New(3)": false,
	} {
		s := b.Steps(steps)
		if got := NewHistory(&b.Table, s, nil, len(s)).vars; got != want {
			t.Errorf("%s: %v, want %v", steps, got, want)
		}
		if got := NewHistory(&b.Table, s, nil, len(s)-1).Doubt().Rule == "variable set"; got != NewHistory(&b.Table, s, nil, len(s)-1).vars {
			t.Errorf("%s: a doubt is %v, want %v", steps, got, want)
		}
	}
}

// The words that a pattern is looked for by leave out no text that it matches.
func TestMemoWords(t *testing.T) {
	for _, tt := range []struct {
		m     *memo
		texts []string
	}{
		{&endings, []string{
			"B must not be used AFTER the call.", "Do not use b after Close", "Put returns b to the Pool", "Free puts the buffer back into a big pool",
			"After the call b may be used.", "Do not use b.", "",
		}},
	} {
		matched := 0
		for _, text := range tt.texts {
			want := tt.m.pattern.MatchString(text)
			if got := tt.m.said(text); got != want {
				t.Errorf("%q: got %v, want %v", text, got, want)
			}
			if want {
				matched++
			}
		}
		if matched != 4 {
			t.Errorf("%d texts match, want 4", matched)
		}
	}
}
