package profile

import (
	"encoding/json"
	"go/constant"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foray.test/engine/seq"
)

// table has New(n int) *Q, (*Q).Put(s string, i int), and Copy(dst, src []byte) (int, error).
func table() *seq.Table {
	return &seq.Table{
		Package: "m.test/q", Name: "q",
		Types: []seq.Type{
			{},
			{Name: "*q.Q", Nilable: true, Form: seq.Form{Kind: seq.PointerType, Path: "m.test/q", Base: "Q"}},
			{Name: "int", Literal: seq.Int, Bits: 64},
			{Name: "string", Literal: seq.String},
			{Name: "[]byte", Nilable: true, Form: seq.Form{Kind: seq.SliceType, Elem: "byte"}},
			{Name: "error", Nilable: true, Interface: true},
		},
		Ops: []seq.Operation{
			{Name: "New", Short: "New", Member: "New", API: true, Params: []seq.TypeID{2}, Results: []seq.TypeID{1}, Declaration: seq.Declaration{Names: []string{"n"}}},
			{Name: "Put", Short: "(*Q).Put", Member: "(*Q).Put", Kind: seq.Method, API: true, Params: []seq.TypeID{1, 3, 2}, Declaration: seq.Declaration{Names: []string{"q", "s", "i"}}},
			{Name: "Copy", Short: "Copy", Member: "Copy", API: true, Params: []seq.TypeID{4, 4}, Results: []seq.TypeID{2, 5}, ReturnsError: true, Declaration: seq.Declaration{Names: []string{"dst", "src"}}},
			{Name: "literal", Short: "q.Q{}"},
		},
	}
}

func number(n int64) Value { return Constant(constant.MakeInt64(n)) }
func word(s string) Value  { return Constant(constant.MakeString(s)) }

var known, null = Value{Known: true}, Value{Known: true, Nil: true}

// calls adds calls of some arguments, made once each by a run of the tests.
func calls(o *Operation, args ...[]Value) {
	o.Ran = &Calls{Places: 1}
	for _, list := range args {
		o.Ran.Add(Call{Args: list})
	}
}

func TestLines(t *testing.T) {
	put := func(s string, i int64) []Value { return []Value{known, word(s), number(i)} }
	bytes := func(n, m int) []Value { return []Value{Length(n), Length(m)} }
	for _, tt := range []struct {
		name, op string
		make     func(o *Operation)
		want     string
	}{
		{"no call", "New", func(o *Operation) {}, "no test calls it"},
		{"a run without calls", "New", func(o *Operation) { o.Ran = &Calls{} }, "no test calls it"},
		{"places", "New", func(o *Operation) {
			for _, from := range []string{"m.test/app", Fuzz, Tests} {
				*o.In(from) = Calls{From: from, Places: 1}
			}
		}, "called at 1 place of the tests, 1 of the fuzz targets and 1 of m.test/app"},
		{"never negative, zero", "New", func(o *Operation) { calls(o, []Value{number(0)}, []Value{number(7)}) },
			"no test calls it by its name, never with a negative n | 2 calls from 1 place when the tests ran | n is 0 to 7, zero in 1 of 2"},
		{"never zero or negative", "New", func(o *Operation) { calls(o, []Value{number(3)}, []Value{number(3)}) },
			"no test calls it by its name, never with a zero or negative n | 2 calls from 1 place when the tests ran | n is 3"},
		{"an argument of which nothing is known", "New", func(o *Operation) { calls(o, []Value{number(3)}, []Value{{}}) },
			"no test calls it by its name | 2 calls from 1 place when the tests ran | n is 3 (unknown in 1)"},
		{"one call says never nothing", "New", func(o *Operation) { calls(o, []Value{number(3)}) }, "no test calls it by its name | 1 call from 1 place when the tests ran | n is 3"},
		{"numbers of 64 bits", "New", func(o *Operation) { calls(o, []Value{number(-1 << 63)}, []Value{number(1<<63 - 1)}) },
			"no test calls it by its name | 2 calls from 1 place when the tests ran | n is -9223372036854775808 to 9223372036854775807"},
		{"index", "Put", func(o *Operation) { calls(o, put("abc", 2), put("ab", 0), put("a", 0)) },
			`no test calls it by its name, never with an empty s or a negative i | 3 calls from 1 place when the tests ran | s is 1 to 3 long, "abc", "ab" or "a" | i is 0 to 2, zero in 2 of 3 | i is less than len(s) in all of these`},
		{"position", "Put", func(o *Operation) { calls(o, put("abc", 3), put("ab", 1)) },
			`no test calls it by its name, never with an empty s or a zero or negative i | 2 calls from 1 place when the tests ran | s is 2 to 3 long, "abc" or "ab" | i is 1 to 3 | i is at most len(s) in all of these`},
		{"no relation", "Put", func(o *Operation) { calls(o, put("abc", 3), put("ab", 3)) },
			`no test calls it by its name, never with an empty s or a zero or negative i | 2 calls from 1 place when the tests ran | s is 2 to 3 long, "abc" or "ab" | i is 3`},
		{"below by far", "Put", func(o *Operation) { calls(o, put("abc", 1), put("ab", 0)) },
			`no test calls it by its name, never with an empty s or a negative i | 2 calls from 1 place when the tests ran | s is 2 to 3 long, "abc" or "ab" | i is 0 to 1, zero in 1 of 2`},
		{"lengths that are not known", "Copy", func(o *Operation) {
			long := Length(64)
			long.Cut = true
			calls(o, bytes(1, 1), []Value{long, long})
		}, "no test calls it by its name, never with an empty dst or an empty src | 2 calls from 1 place when the tests ran | dst is 1 to 64 or more long | src is 1 to 64 or more long"},
		{"equal lengths", "Copy", func(o *Operation) { calls(o, bytes(1, 1), bytes(4, 4)) },
			"no test calls it by its name, never with an empty dst or an empty src | 2 calls from 1 place when the tests ran | dst is 1 to 4 long | src is 1 to 4 long | len(dst) is equal to len(src) in all of these"},
		{"equal lengths by chance", "Copy", func(o *Operation) { calls(o, bytes(1, 1), bytes(1, 1)) },
			"no test calls it by its name, never with an empty dst or an empty src | 2 calls from 1 place when the tests ran | dst is 1 long | src is 1 long"},
		{"results", "Copy", func(o *Operation) {
			o.Ran = &Calls{Places: 2}
			o.Ran.Add(Call{Args: bytes(1, 0), Results: []Value{number(4), null}})
			o.Ran.Add(Call{Args: bytes(1, 0), Results: []Value{number(0), known}})
		}, "no test calls it by its name, never with an empty dst | 2 calls from 2 places when the tests ran | dst is 1 long | src is always empty | result 1 is 0 to 4, zero in 1 of 2 | it returned an error in 1 of 2"},
		{"a caught panic", "Put", func(o *Operation) {
			o.In(Tests).Places = 14
			calls(o, put("a", 1), put("b", 2))
			o.Ran.Add(Call{Args: put("", 5), Caught: true})
		}, `called at 14 places of the tests, never with a zero or negative i; a test catches its panic with an empty s and i 5 | 3 calls from 1 place when the tests ran; 1 panics, and the test goes on | s is 1 long, "a" or "b" | i is 1 to 2`},
		{"before", "Put", func(o *Operation) {
			o.Ran = &Calls{Places: 1}
			for _, b := range []Count{{Operation: "New", Made: true}, {Operation: "(*Q).Get"}, {Operation: "(*Q).Get"}} {
				o.Ran.Add(Call{Args: []Value{known, {}, {}}, Before: b})
			}
		}, "no test calls it by its name | 3 calls from 1 place when the tests ran | mostly after (*Q).Get on the same receiver, 2 of 3"},
		{"before, once of many", "New", func(o *Operation) {
			o.Ran = &Calls{Places: 1}
			for _, b := range []string{"A", "B"} {
				o.Ran.Add(Call{Before: Count{Operation: b}})
			}
		}, "no test calls it by its name | 2 calls from 1 place when the tests ran"},
		{"always after what made it", "Put", func(o *Operation) {
			o.Ran = &Calls{Places: 1}
			o.Ran.Add(Call{Before: Count{Operation: "New", Made: true}, Results: []Value{null}})
		}, "no test calls it by its name | 1 call from 1 place when the tests ran | always the first on what New made"},
		{"panics on several texts", "Put", func(o *Operation) {
			o.Ran = &Calls{Places: 1}
			o.Ran.Add(Call{Args: put("x", 1), Caught: true})
			o.Ran.Add(Call{Args: put("y", 1), Caught: true})
		}, `no test calls it by its name, never with an empty s or a zero or negative i; a test catches its panic with s such as "x", "y" and i 1 | 2 calls from 1 place when the tests ran; 2 panic, and the tests go on`},
		{"an earlier run", "New", func(o *Operation) { o.Ran = &Calls{Stamp: "old"} }, "no test calls it | not called when the tests ran, before they or the package changed"},
	} {
		p, _ := New(table())
		o := p.Operation(tt.op)
		tt.make(o)
		if got := strings.Join(o.Lines(""), " | "); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

func TestMerge(t *testing.T) {
	old, _ := New(table())
	old.Operations = append(old.Operations, Operation{Name: "Zap", Ran: &Calls{Times: 1}})
	for from, n := range map[string]int{Tests: 5, "m.test/app": 6, "m.test/gone": 7, "other.test/app": 8} {
		old.Operation("New").In(from).Places = n
	}
	old.Operation("New").Ran = &Calls{Stamp: "a", Times: 3}
	old.Operation("Put").Ran = &Calls{Stamp: "a", Times: 3}
	old.Operation("Copy").Ran = &Calls{Stamp: "a", Times: 3}
	old.Type("Q").Ran = &Objects{Stamp: "a", Values: 3}

	p, _ := New(table())
	p.Users = []string{"m.test/..."}
	p.Operation("New").In(Tests).Places = 1
	p.Operation("New").In("m.test/app").Places = 2
	p.Operation("Put").Ran = &Calls{Stamp: "b", Times: 1}
	p.Operation("Copy").Ran = &Calls{Stamp: "a", Times: 1} // it was cut short
	p.Merge(old)
	var places []string
	for _, c := range p.Operation("New").Read {
		places = append(places, c.From, strings.Repeat("x", c.Places))
	}
	if want := []string{Tests, "x", "m.test/app", "xx", "other.test/app", "xxxxxxxx"}; !slices.Equal(places, want) {
		t.Errorf("places %q, want %q", places, want)
	}
	for name, want := range map[string]int{"New": 3, "Put": 1, "Copy": 3, "Zap": 1} {
		if o := p.Operation(name); o == nil || o.Ran.Times != want {
			t.Errorf("%s: %+v, want %d calls", name, o, want)
		}
	}
	if p.Type("Q").Ran == nil || old.Operation("New").Places() != 26 {
		t.Errorf("type Q %+v; the old profile has %d places of New", p.Type("Q"), old.Operation("New").Places())
	}
}

// Instances of a generic function are told as one.
func TestMember(t *testing.T) {
	tab := table()
	again := tab.Ops[0]
	again.Name = "New[string]"
	tab.Ops = append(tab.Ops, again)
	p, _ := New(tab)
	calls(p.Operation("New"), []Value{number(9)})
	calls(p.Operation("New[string]"), []Value{number(-10)}, []Value{number(11)})
	p.Operation("New").In(Tests).Places = 2
	p.Operation("New[string]").In(Tests).Places = 3
	o := p.Member(tab, "New")
	if o.Places() != 5 || o.Ran.Times != 3 || o.Ran.Args[0].Least != "-10" || o.Ran.Args[0].Greatest != "11" {
		t.Errorf("New: %+v, %+v", o, o.Ran)
	}
	if p.Member(tab, "q.Q{}") != nil {
		t.Error("a literal has a profile")
	}
}

// full is a profile with facts of each kind.
func full() *Profile {
	p, byID := New(table())
	byID[1].In(Tests).Add(Call{Args: []Value{known, word("x"), number(-3)}, Before: Count{Operation: "New", Made: true}})
	byID[1].In("m.test/app").Add(Call{Args: []Value{null, word("y"), number(4)}, Caught: true})
	byID[2].Ran = &Calls{Places: 1}
	byID[2].Ran.Add(Call{Args: []Value{Length(2), Length(2)}, Results: []Value{Constant(constant.MakeFloat64(2.5)), null}})
	p.Type("Q").Ran = &Objects{}
	p.Type("Q").Ran.Add(&Object{Made: "New", First: "(*Q).Put", Last: "(*Q).Put", Calls: 1})
	p.Users = []string{"m.test/..."}
	return p
}

// A change of any byte of the file is noticed, but for white space and the names of keys.
func TestDamaged(t *testing.T) {
	data, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	var got Profile
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(&got, full()) {
		t.Fatalf("%+v (%v), want %+v", got, err, full())
	}
	for i := range data {
		broken := slices.Clone(data)
		broken[i] ^= 1
		read := Profile{Package: "m.test/q"}
		if err := json.Unmarshal(broken, &read); err == nil && !reflect.DeepEqual(&read, full()) {
			t.Errorf("byte %d of %s: %+v", i, data, read)
		}
	}
	for text, want := range map[string]string{
		`{"schema":2,"operations":7}`:                       "schema 2, want at most 1: it is of a later foray, and stays as it is",
		`{"schema":1,"package":"m.test/other"}`:             `it is of package "m.test/other", want "m.test/q"`,
		`{"schema":1,"package":"m.test/q"}`:                 "damaged: the checksum is another",
		`{"schema":1,"package":"m.test/q","types":[{},{}]}`: "types: want each once, in order",
	} {
		p := &Profile{Package: "m.test/q"}
		if err := json.Unmarshal([]byte(text), p); err == nil || err.Error() != want || !reflect.DeepEqual(p, &Profile{Package: "m.test/q"}) {
			t.Errorf("%s: %+v (%v), want %s", text, p, err, want)
		}
	}
}

func FuzzProfile(f *testing.F) {
	data, err := json.Marshal(full())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"package":"p","operations":[{"name":"F","ran":{"times":2,"args":[{"numbers":1,"least":"1","greatest":"2"}],"relations":[{"A":0,"B":9}]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var j profileJSON
		if json.Unmarshal(data, &j) != nil {
			return
		}
		j.Sum, _ = j.sum() // a person may have written it
		data, err := json.Marshal(j)
		if err != nil {
			t.Fatal(err)
		}
		var p, back Profile
		if json.Unmarshal(data, &p) != nil {
			return
		}
		again, err := json.Marshal(&p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(p, back) {
			t.Errorf("%s gives %+v, written and read %+v, %v", data, p, back, err)
		}
		// An accepted profile can be told and merged.
		now, _ := New(table())
		now.Merge(&p)
		for _, p := range []*Profile{&p, now} {
			for i := range p.Operations {
				p.Operations[i].Lines("")
			}
			for i := range p.Types {
				p.Types[i].Lines("")
			}
		}
		now.Member(table(), "New")
	})
}
