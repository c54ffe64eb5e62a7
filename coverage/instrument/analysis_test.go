package instrument_test

import (
	"go/format"
	"reflect"
	"strings"
	"testing"

	"foray.test/coverage"
	"foray.test/coverage/instrument"
)

// analysisPrelude declares the names that the code of TestAnalysis uses.
const analysisPrelude = `package p
import ("bytes"; "io"; "strings")
type flag bool
type word string
type point struct{ x, y int }
var (
	a, b int
	u8 uint8
	f32 float32
	x bool
	q flag
	s, t string
	w word
	bs []byte
	list []int
	m map[string]int
	mb map[int]bool
	mp map[word]*point
	p1, p2 *point
	err error
	e any
	ch chan int
	fn func()
	pt point
)
func g() int { return 1 }
var _, _, _, _ = bytes.Equal, io.EOF, strings.Index, g
`

func TestAnalysis(t *testing.T) {
	tests := []struct {
		name     string
		in, want string // statements; P is the probe
		ops      string // Op of the conditions
	}{
		{
			name: "integers",
			in:   `if a < b { }; if a == -1 { }; if u8 >= 'a' { }; if len(s) != cap(list) { }`,
			want: `if P.IntLt(0, 0, P.Int64(a) , P.Int64(b)) { }; if P.IntEq(1, 2, P.Int64(a) , P.Int64(-1)) { }; if P.UintGe(2, 4, P.Uint64(u8) , P.Uint64('a')) { }; if P.IntNe(3, 6, P.Int64(len(s)) , P.Int64(cap(list))) { }`,
			ops:  "< == >= !=",
		},
		{
			name: "floats are rounded as they were",
			in:   `if f32 <= 0.1 { }`,
			want: `if P.FloatLe(0, 0, P.Float64(P.Float32(f32)) , P.Float64(P.Float32(0.1))) { }`,
			ops:  "<=",
		},
		{
			name: "strings",
			in:   `if s == "x" || w > word(t) { }`,
			want: `if P.StringEq(0, 0, P.Text(s) , P.Text("x")) || P.StringGt(1, 2, P.Text(w) , P.Text(word(t))) { }`,
			ops:  "== >",
		},
		{
			name: "pointers, interfaces, nil",
			in:   `if p1 == p2 { }; if p1 != nil { }; if err == io.EOF { }; if err != nil { }; if e == pt { }; if bs == nil { }; if nil != fn { }`,
			want: `if P.PointerEq(0, 0, P.Pointer(p1) , P.Pointer(p2)) { }; if P.PointerNe(1, 2, P.Pointer(p1) , P.Pointer(nil)) { }; if P.AnyEq(2, 4, err , io.EOF) { }; if P.AnyNe(3, 6, err , nil) { }; if P.AnyEq(4, 8, e , pt) { }; if P.Nil(5, 10, bs == nil) { }; if P.NotNil(6, 12, nil != fn) { }`,
			ops:  "== != == != == == !=",
		},
		{
			name: "no operands",
			in:   `if x { }; if q { }; if pt == (point{}) { }; if ch == nil { }; if x == (a < b) { }; if 1<<a > u8 { }`,
			want: `if P.Visit(0, 0, x) { }; if P.VisitBool(1, 2, q) { }; if P.Visit(2, 4, pt == (point{})) { }; if P.Nil(3, 6, ch == nil) { }; if P.Visit(4, 8, x == (P.IntLt(5, 10, P.Int64(a) , P.Int64(b)))) { }; if P.Visit(6, 12, 1<<a > u8) { }`,
			ops:  "- - - == - < -",
		},
		{
			name: "named boolean type",
			in:   `q = a < b`,
			want: `q = (P.IntLt(0, 0, P.Int64(a) , P.Int64(b)) == (0 == 0))`,
			ops:  "<",
		},
		{
			name: "calls beside operands",
			in:   `n := a; l := a; func() { l++ }(); if g() == 3 { }; if g() == n { }; if g() == l { }; if g() == a { }; if g() < g() { }; if list[0] == g() { }`,
			want: `n := a; l := a; func() { l++ }(); if P.IntEq(0, 0, P.Int64(g()) , P.Int64(3)) { }; if P.IntEq(1, 2, P.Int64(g()) , P.Int64(n)) { }; if P.Visit(2, 4, g() == l) { }; if P.Visit(3, 6, g() == a) { }; if P.IntLt(4, 8, P.Int64(g()) , P.Int64(g())) { }; if P.Visit(5, 10, list[0] == g()) { }`,
			ops:  "== == == == < ==",
		},
		{
			name: "calls that compare",
			in:   `if strings.HasPrefix(s, "x") && !bytes.Equal(bs, []byte(s)) { }; if strings.Index(s, t) >= 0 { }; if bytes.Compare(bs, nil) < 0 { }; if strings.ContainsRune(s, 'x') { }`,
			want: `if P.CallTexts(0, 0, strings.HasPrefix, s, "x") && !P.CallBytes(1, 2, bytes.Equal, bs, []byte(s)) { }; if P.CompareTexts(2, 4, P.Ge, strings.Index, s, t , 0) { }; if P.CompareBytes(3, 6, P.Lt, bytes.Compare, bs, nil , 0) { }; if P.Visit(4, 8, strings.ContainsRune(s, 'x')) { }`,
			ops:  "HasPrefix == Index < -",
		},
		{
			name: "map reads",
			in:   `if _, ok := m[s]; ok { }; v, ok := m[s+t]; g := v; g++; if mb[a] { }; if p := mp[w]; p != nil { }; _ = ok`,
			want: `if _, ok := m[P.NoteText(0, s)]; P.VisitKey(0, 0, ok) { }; v, ok := m[P.NoteText(1, s+t)]; P.VisitKey(1, 2, ok); g := v; g++; if P.VisitKey(2, 4, mb[P.NoteInt(2, a)]) { }; if p := mp[P.NoteText(3, w)]; P.VisitKey(3, 6, p != nil) { }; _ = ok`,
			ops:  "- - - !=",
		},
		{
			name: "a variable that is assigned again",
			in:   `v, ok := m[s]; v, ok = 1, x; if ok { g := v; g++ }`,
			want: `v, ok := m[s]; v, ok = 1, x; if P.Visit(0, 0, ok) { g := v; g++ }`,
			ops:  "-",
		},
		{
			name: "assertion",
			in:   `if v, ok := e.(int); ok { v++ }`,
			want: `if v, ok := P.NoteType(0, e).(int); P.VisitNoted(0, 0, ok) { v++ }`,
			ops:  "-",
		},
		{
			name: "switch",
			in:   `switch a { case 1, 'a': case b: }; switch s { case "x": default: }; switch v := e.(type) { case int: v++ }; switch x { case true: }`,
			want: `switch P.NoteInt(0, a) { default: P.TakeNoted(0, 2); case 1, 'a': P.TakeNoted(0, 0); case b: P.TakeNoted(0, 1); }; switch P.NoteText(1, s) { case "x": P.TakeNoted(1, 3); default: P.TakeNoted(1, 4); }; switch v := P.NoteType(2, e).(type) { default: P.TakeNoted(2, 6); case int: P.TakeNoted(2, 5); v++ }; switch x { default: P.Take(3, 8); case true: P.Take(3, 7); }`,
			ops:  "- - - -",
		},
		{
			name: "loops",
			in:   `for a < b { }; for { break }; for range list { }; for range ch { }; for range 3 { }; goto L; L: a++`,
			want: `for P.IntLt(0, 0, P.Int64(a) , P.Int64(b)) { }; for { P.Burn(); break }; for range P.RangeSlice(1, 2, list) { P.Burn(); }; P.Take(2, 4); for range ch { P.Take(2, 5); }; for range 3 { P.Burn(); }; P.Burn(); goto L; L: a++`,
			ops:  "< - -",
		},
		{
			name: "entries of functions that call",
			in:   `f := func() int { return g() }; h := func() int { return a }; _, _ = f, h`,
			want: `f := func() int { P.Burn(); return g() }; h := func() int { return a }; _, _ = f, h`,
		},
		{
			name: "entries behind deferred calls",
			in:   `f := func() { defer g(); defer func() { g() }(); g() }; h := func() { defer g() }; _, _ = f, h`,
			want: `f := func() { defer g(); defer func() { P.Burn(); g() }(); P.Burn();; g() }; h := func() { defer g(); P.Burn(); }; _, _ = f, h`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := analysisPrelude + "func F() {\n" + tt.in + "\n}\n"
			normal := rewriteString(t, "", in)
			res := rewriteAnalysis(t, "", in)
			if !reflect.DeepEqual(res.Conditions, normal.Conditions) {
				t.Errorf("conditions:\n%v\nof the normal form:\n%v", res.Conditions, normal.Conditions)
			}
			got := string(res.Sources["/src/p.go"])
			if got == "" {
				got = in
			}
			_, got, _ = strings.Cut(got, "func F() {")
			got = strings.TrimPrefix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(got), "}")), "foray_probe.Burn();")
			got = strings.TrimSpace(strings.ReplaceAll(got, "foray_probe.", "P."))
			if got != tt.want {
				t.Errorf("Rewrite:\ngot  %s\nwant %s", got, tt.want)
			}
			if got := opsOf(res.Conditions); got != tt.ops {
				t.Errorf("Op: got %s, want %s", got, tt.ops)
			}
		})
	}
}

func TestAnalysisTypeParameters(t *testing.T) {
	const in = `package p
func F[I ~int | ~int8, S ~string, N ~int | ~float64, C comparable, P *int](i, j I, s S, n N, c, d C, m map[C]bool) {
	if i < j { }
	if s == "x" { }
	if n > 1 { }
	if c != d { }
	if m[c] { }
	switch c { case d: }
}
`
	want := []string{
		"if P.IntLt(0, 0, P.Int64(i) , P.Int64(j)) { }", `if P.StringEq(1, 2, P.Text(s) , P.Text("x")) { }`, "if P.OfGt(2, 4, n , 1) { }",
		"if P.OfNe(3, 6, c , d) { }", "if P.VisitKey(4, 8, m[P.NoteAny(4, c)]) { }", "switch P.NoteAny(5, c) {",
	}
	res := rewriteAnalysis(t, "", in)
	got := strings.ReplaceAll(string(res.Sources["/src/p.go"]), "foray_probe.", "P.")
	for _, line := range want {
		if !strings.Contains(got, line) {
			t.Errorf("got\n%s\nwithout %s", got, line)
		}
	}
}

func TestCases(t *testing.T) {
	res := rewriteString(t, "", `package p
const c = "k" + "x"
func F(a int, u uint64, s string, f float64, b int) {
	switch a { case 1, 'a', -3: case b: default: }
	switch u { case 1<<63: case 0x10: }
	switch s { case c: case "\x00é": }
	switch f { case 0.5: }
	switch a { case b: }
}
`)
	want := [][][]string{
		{{"1", "97", "-3"}, nil, nil}, {{"9223372036854775808"}, {"16"}, nil}, {{`"kx"`}, {`"\x00é"`}, nil}, {{"0.5"}, nil}, nil,
	}
	for i, c := range res.Conditions {
		if !reflect.DeepEqual(c.Cases, want[i]) {
			t.Errorf("%s: Cases %q, want %q", c.Text, c.Cases, want[i])
		}
	}
}

// rewriteAnalysis is rewriteString for the analysis form.
func rewriteAnalysis(t *testing.T, version, src string) *instrument.Result {
	t.Helper()
	p := parse(t, version, src)
	p.Analysis = true
	res, err := instrument.Rewrite(p, "probe", 0)
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, res.Conditions, res.Sides)
	if changed, ok := res.Sources["/src/p.go"]; ok {
		if _, err := format.Source(changed); err != nil {
			t.Errorf("%v\n%s", err, changed)
		}
		parse(t, version, string(changed))
	}
	return res
}

// opsOf lists the Op of conditions, a dash for none.
func opsOf(conds []coverage.Condition) string {
	var ops []string
	for _, c := range conds {
		if c.Op == "" {
			c.Op = "-"
		}
		ops = append(ops, c.Op)
	}
	return strings.Join(ops, " ")
}
