package report

import (
	"strings"
	"testing"
)

// The place of a finding is in a file of the package that its frame is of: others may have a file of
// the same name.
func TestPlace(t *testing.T) {
	page := Page{State: &State{Package: "m.test/q.v3"}, Sources: map[string][]byte{"list.go": nil, "m.test/in/list.go": nil}}
	for _, tt := range []struct {
		stack, file string
		line        int
	}{
		{"other.test/list.Get\n\t/mod/list/list.go:7\nm.test/q%2ev3.(*T[...]).F.func1\n\t/src/q/list.go:3 +0x1\n", "list.go", 3},
		{"m.test/in.Get\n\t/src/in/list.go:5\nm.test/q%2ev3.F\n\t/src/q/list.go:3\n", "m.test/in/list.go", 5},
		{"m.test/q%2ev3_test.adapter.F.func1\n\t/src/q/list.go:3\n", "list.go", 3},
		{"main.F\n\tC:\\src\\q\\list.go:3\n", "list.go", 3},
		{"list.Get\n\t/go/src/list/list.go:7\n", "", 0},
	} {
		if file, line, ok := page.place(&Finding{Stack: tt.stack}); file != tt.file || line != tt.line || ok != (file != "") {
			t.Errorf("%q: %s:%d, %v; want %s:%d", tt.stack, file, line, ok, tt.file, tt.line)
		}
	}
}

// A finding stands beside its line, and in a list; several packages have an index.
func TestFindings(t *testing.T) {
	state := &State{Package: "m.test/q", Files: []File{{Name: "q.go"}}}
	page := Page{State: state, Sources: map[string][]byte{"q.go": []byte("package q\n\nfunc F() {}\n")}, Findings: []Finding{
		{Signature: "panic:index:F", Tier: "error", Message: "F panics", Stack: "runtime.x\n\t/go/src/runtime/x.go:9\nm.test/q.F\n\t/src/q/q.go:3 +0x1\n"},
		{Signature: "hang:busy:G", Tier: "suspect", Message: "G <hangs>"},
		{Signature: "panic:index:H", Tier: "error", Message: "gone", Stack: "m.test/q.H\n\t/src/q/q.go:33\n"},
		{Signature: "panic:index:I", Tier: "panic", Message: "no line", Stack: "m.test/q.I\n\t/src/q/q.go:0\n"},
	}}
	var b strings.Builder
	if err := HTML(&b, []Page{page, {State: &State{Package: "m.test/r"}}}); err != nil {
		t.Fatal(err)
	}
	for text, n := range map[string]int{
		`<code>panic:index:F</code>, <a href="#p1f1L3">q.go:3</a>`: 1, `G &lt;hangs&gt; <code>hang:busy:G</code></li>`: 1, `<code>panic:index:H</code></li>`: 1, `<code>panic:index:I</code></li>`: 1,
		`<span class="note finding">error: panic:index:F</span>`: 1, `<li><a href="#p1">m.test/q</a> –, 4 found</li>`: 1, `<li><a href="#p2">m.test/r</a> –</li>`: 1,
	} {
		if got := strings.Count(b.String(), text); got != n {
			t.Errorf("%d times %s, want %d in\n%s", got, text, n, &b)
		}
	}
}
