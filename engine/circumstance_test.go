package engine

import (
	"strings"
	"testing"

	"foray.test/engine/predicate"
	"foray.test/engine/seq"
)

func TestCircumstances(t *testing.T) {
	table := fakeTable()
	put := func(s seq.Sequence, n int) int64 { return s[n].Args[1].Lit.Value.(int64) }
	for _, tt := range []struct {
		name, want string
		fails      func(s seq.Sequence) bool
	}{
		{"anything", "fails for any argument 1 of Put, any argument 1 of Put in step 2: 19 of 19 runs with one literal changed failed", func(seq.Sequence) bool { return true }},
		{"one constant", "fails if argument 1 of Put < 0: 17 of 17; otherwise 0 of 13", func(s seq.Sequence) bool { return put(s, 2) < 0 }},
		{"two literals", "fails if argument 1 of Put < argument 1 of Put in step 2: 23 of 23; otherwise 0 of 7", func(s seq.Sequence) bool { return put(s, 2) < put(s, 1) }},
		{"nothing else", "fails only if argument 1 of Put is -3 and argument 1 of Put in step 2 is 5: 0 of 19 runs with one literal changed failed", func(s seq.Sequence) bool { return put(s, 2) == -3 && put(s, 1) == 5 }},
		{"either of two", "fails for any argument 1 of Put, any argument 1 of Put in step 2: 19 of 19 runs with one literal changed failed", func(s seq.Sequence) bool { return put(s, 2) == -3 || put(s, 1) == 5 }},
		{"more than the sequence", "", func(seq.Sequence) bool { return false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parseFake(t, table, "v0 := bag.New(); v0.Put(5); v0.Put(-3)")
			got := circumstances(table, NewPool(table), s, func(s seq.Sequence) (fails, ok bool) { return tt.fails(s), true })
			if got.when != tt.want {
				t.Errorf("circumstances = %q, want %q", got.when, tt.want)
			}
		})
	}
}

// A text that fails is told apart from its length.
func TestCircumstancesOfTexts(t *testing.T) {
	table := &seq.Table{
		Types: []seq.Type{{}, {Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{1}}},
		Ops:   []seq.Operation{{Name: "p.Parse", Short: "Parse", Template: "p.Parse($0)", Declaration: seq.Declaration{Names: []string{"s"}}, Params: []seq.TypeID{1}, API: true}},
	}
	for _, tt := range []struct {
		want  string
		fails func(text string) bool
	}{
		{`fails if s of Parse contains "TZ=": 3 of 3; otherwise 0 of 9`, func(text string) bool { return strings.Contains(text, "TZ=") }},
		{`fails if s of Parse begins with "TZ=": 2 of 2; otherwise 0 of 10`, func(text string) bool { return strings.HasPrefix(text, "TZ=") }},
		{`fails if s of Parse ends with "TZ=": 2 of 2; otherwise 0 of 10`, func(text string) bool { return strings.HasSuffix(text, "TZ=") }},
		{"fails if len(s of Parse) >= 3: 5 of 5; otherwise 0 of 7", func(text string) bool { return len(text) >= 3 }},
		{`fails only if s of Parse is "TZ=": 0 of 11 runs with one literal changed failed`, func(text string) bool { return text == "TZ=" }},
	} {
		s := seq.Sequence{{Op: 0, Args: []seq.Arg{seq.Lit(&seq.Literal{Type: 1, Value: "TZ="})}}}
		got := circumstances(table, NewPool(table), s, func(s seq.Sequence) (fails, ok bool) { return tt.fails(s[0].Args[0].Lit.Value.(string)), true })
		if got.when != tt.want {
			t.Errorf("circumstances = %q, want %q", got.when, tt.want)
		}
	}
}

// A text is no matter if the call fails of any that is not empty, whoever makes the reader. The
// text that another call of the package was given counts if the last call reads none.
func TestAnyText(t *testing.T) {
	table := &seq.Table{
		Types: []seq.Type{{}, {Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{1}}, {Name: "*strings.Reader", Assignable: []seq.TypeID{2}},
			{Name: "byte", Literal: seq.Uint, Basic: true, Assignable: []seq.TypeID{3}}, {Name: "[]byte", Form: seq.Form{Kind: seq.SliceType, Elem: "byte"}, Assignable: []seq.TypeID{4}}},
		Ops: []seq.Operation{
			{Name: "p.Parse", Short: "Parse", Template: "p.Parse($0)", Params: []seq.TypeID{1}, API: true},
			{Name: "strings.NewReader", Short: "strings.NewReader", Template: "strings.NewReader($0)", Kind: seq.Standard, Params: []seq.TypeID{1}, Results: []seq.TypeID{2}},
			{Name: "p.Open", Short: "Open", Template: "p.Open($0)", Params: []seq.TypeID{1}, Results: []seq.TypeID{2}, API: true},
			{Name: "p.Read", Short: "Read", Template: "p.Read($0)", Params: []seq.TypeID{2}, API: true},
			{Short: "[]byte{$*}", Template: "[]byte{$*}", Kind: seq.Elements, Params: []seq.TypeID{3}, Results: []seq.TypeID{4}, Variadic: true},
			{Name: "p.Write", Short: "Write", Template: "p.Write($0)", Params: []seq.TypeID{4}, API: true},
			{Short: "[]byte($0)", Template: "[]byte($0)", Kind: seq.Convert, Params: []seq.TypeID{1}, Results: []seq.TypeID{4}},
		},
	}
	text := seq.Lit(&seq.Literal{Type: 1, Value: "ab"})
	direct, read, opened := seq.Sequence{{Op: 0, Args: []seq.Arg{text}}}, seq.Sequence{{Op: 1, Args: []seq.Arg{text}}, {Op: 3, Args: []seq.Arg{{Slot: 0}}}},
		seq.Sequence{{Op: 2, Args: []seq.Arg{text}}, {Op: 3, Args: []seq.Arg{{Slot: 0}}}}
	both := append(seq.Sequence{opened[0]}, seq.Step{Op: 0, Args: []seq.Arg{text}})
	besides := append(opened[:1:1], seq.Step{Op: 2, Args: []seq.Arg{seq.Lit(&seq.Literal{Type: 1, Value: ""})}}, opened[1])
	always := func(string) bool { return true }
	for _, tt := range []struct {
		name  string
		s     seq.Sequence
		fails func(text string) bool
		most  int  // runs
		want  bool // of any text
		long  bool // of any that is as long
	}{
		{"any", direct, always, 99, true, true},
		{"any but the empty one", direct, func(text string) bool { return text != "" }, 99, true, true},
		{"any of two bytes", direct, func(text string) bool { return len(text) > 1 }, 99, false, true},
		{"all but one", direct, func(text string) bool { return text != "0123456789abcdef" }, 99, false, false},
		{"any of a reader", read, always, 99, true, true},
		{"any of an object", opened, always, 99, true, true},
		{"one of an object", opened, func(text string) bool { return text == "ab" }, 99, false, false},
		{"any of an object, and an empty one", besides, always, 99, true, true},
		{"one of an object, any of a reader", both, func(text string) bool { return text == "ab" }, 99, true, true},
		{"any byte", seq.Sequence{{Op: 4, Args: []seq.Arg{seq.Lit(&seq.Literal{Type: 3, Value: uint64(9)})}}, {Op: 5, Args: []seq.Arg{{Slot: 0}}}}, always, 99, true, true},
		{"any bytes, of none", seq.Sequence{{Op: 4}, {Op: 5, Args: []seq.Arg{{Slot: 0}}}}, always, 99, true, true},
		{"no bytes", seq.Sequence{{Op: 4}, {Op: 5, Args: []seq.Arg{{Slot: 0}}}}, func(text string) bool { return text == "" }, 99, false, false},
		{"too few were tried", direct, always, 3, false, false},
	} {
		runs := 0
		got := circumstances(table, NewPool(table), tt.s, func(s seq.Sequence) (fails, ok bool) {
			runs++
			text, _ := s[0].Args[0].Lit.Value.(string)
			fails = tt.fails(text) && (len(s) < 3 || s[1].Args[0].Lit.Value == "") // what is besides must be empty
			return fails, runs <= tt.most
		})
		if got.anyText != tt.want || got.anyLong != tt.long || (tt.want || tt.long) && got.when == "" {
			t.Errorf("%s: any text is %t, want %t; as long %t, want %t; %q", tt.name, got.anyText, tt.want, got.anyLong, tt.long, got.when)
		}
	}
}

// Texts that have to be the same may be any text together.
func TestSameText(t *testing.T) {
	table := &seq.Table{
		Types: []seq.Type{{}, {Name: "string", Literal: seq.String, Basic: true, Assignable: []seq.TypeID{1}}},
		Ops:   []seq.Operation{{Name: "p.Put", Short: "Put", Template: "p.Put($0)", Declaration: seq.Declaration{Names: []string{"s"}}, Params: []seq.TypeID{1}, API: true}},
	}
	step := seq.Step{Args: []seq.Arg{seq.Lit(&seq.Literal{Type: 1, Value: "ab"})}}
	text := func(s seq.Sequence, i int) string { return s[i].Args[0].Lit.Value.(string) }
	got := circumstances(table, NewPool(table), seq.Sequence{step, step}, func(s seq.Sequence) (fails, ok bool) { return text(s, 0) == text(s, 1), true })
	if want := "fails for any s of Put equal to s of Put in step 1: 20 of 40 runs with one literal changed failed"; got.when != want || !got.anyText {
		t.Errorf("circumstances = %q, of any text %t; want %q", got.when, got.anyText, want)
	}
	got = circumstances(table, NewPool(table), seq.Sequence{step, step}, func(s seq.Sequence) (fails, ok bool) { return text(s, 0) == "ab" && text(s, 1) == "ab", true })
	if got.anyText || !strings.HasPrefix(got.when, `fails only if s of Put is "ab" and s of Put in step 1 is "ab"`) {
		t.Errorf("circumstances = %q, of any text %t", got.when, got.anyText)
	}
}

// A panic of any text is no failure to report bad input, in a fresh process too. A hang, and a
// panic that claims something else, keep their tier.
func TestExcuseText(t *testing.T) {
	for _, tt := range []struct {
		kind  string
		claim Claim
		want  Tier
		rule  string
	}{{KindPanic, ClaimRefusal, Panic, RuleAnyText}, {KindMemory, ClaimRefusal, Error, "parser"}, {KindPanic, ClaimPromise, Error, "parser"}, {KindPanic, ClaimCrash, Panic, RuleAnyText}} {
		v := &Verdict{Kind: tt.kind, Claim: tt.claim, Signature: Signature{Kind: tt.kind, Class: "index", Where: "F"}}
		v.Settle(Ruling{Tier: Error, Rule: "parser"}, Ruling{})
		v.excuseText(around{when: "fails for any s of F", anyText: true, anyLong: true})
		again := &Verdict{Kind: tt.kind, Claim: tt.claim, Signature: v.Signature}
		again.Settle(Ruling{Tier: Error, Rule: "parser"}, Ruling{})
		again.Inherit(v)
		if v.Tier != tt.want || again.Tier != tt.want || v.Rule != tt.rule || again.Rule != tt.rule {
			t.Errorf("%s of claim %s: %v by %s, and %v by %s in a fresh process, want %v by %s", tt.kind, tt.claim, v.Tier, v.Rule, again.Tier, again.Rule, tt.want, tt.rule)
		}
	}
}

// The runs are bounded, by itself and by its caller.
func TestCircumstancesBounds(t *testing.T) {
	table := fakeTable()
	s := parseFake(t, table, "v0 := bag.New(); v0.Put(1); v0.Put(2); v0.Put(3); v0.Put(4); v0.Put(5); v0.Put(6)")
	runs := 0
	circumstances(table, NewPool(table), s, func(seq.Sequence) (fails, ok bool) { runs++; return true, true })
	if runs > maxAround {
		t.Errorf("%d runs, want at most %d", runs, maxAround)
	}
	runs = 0
	circumstances(table, NewPool(table), s, func(seq.Sequence) (fails, ok bool) { runs++; return true, runs < 5 })
	if runs != 5 {
		t.Errorf("%d runs, want 5", runs)
	}
}

// A number is like a position if the call returns with those of one range around zero only.
func TestPositional(t *testing.T) {
	table := fakeTable()
	put := func(s seq.Sequence) int64 { return s[len(s)-1].Args[1].Lit.Value.(int64) }
	for _, tt := range []struct {
		name, text string
		fails      func(n int64) bool
		want       bool
	}{
		{"above a length", "v0 := bag.New(); v0.Put(1)", func(n int64) bool { return n >= 1 }, true},
		{"outside of a range", "v0 := bag.New(); v0.Put(9)", func(n int64) bool { return n < 0 || n > 3 }, true},
		{"negative", "v0 := bag.New(); v0.Put(-1)", func(n int64) bool { return n < 0 }, true},
		{"zero, too", "v0 := bag.New(); v0.Put(0)", func(n int64) bool { return n <= 0 }, false},
		{"any", "v0 := bag.New(); v0.Put(0)", func(n int64) bool { return true }, false},
		{"one value", "v0 := bag.New(); v0.Put(5)", func(n int64) bool { return n == 5 }, false},
		{"every other", "v0 := bag.New(); v0.Put(5)", func(n int64) bool { return n%2 != 0 }, false},
		{"in an earlier call", "v0 := bag.New(); v0.Put(9); v1 := v0.Get()", func(n int64) bool { return n > 3 }, false},
	} {
		s := parseFake(t, table, tt.text)
		number := put
		if len(s) == 3 {
			number = func(s seq.Sequence) int64 { return put(s[:2]) }
		}
		got := circumstances(table, NewPool(table), s, func(s seq.Sequence) (fails, ok bool) { return tt.fails(number(s)), true }).position
		if got != tt.want {
			t.Errorf("%s: position is %t, want %t", tt.name, got, tt.want)
		}
	}
}

// A number is like no position if zero was not tried, as when no more runs were left.
func TestPositionalWithoutZero(t *testing.T) {
	sample := func(n int64, fails bool) predicate.Sample { return predicate.Sample{Values: []int64{n}, Fails: fails} }
	list := []predicate.Sample{sample(9, true), sample(1, false), sample(10, true), sample(100, true)}
	if positional(list, 0) {
		t.Error("a position, though zero was not tried")
	}
	if !positional(append(list, sample(0, false)), 0) {
		t.Error("no position, though it returns with zero and one and fails above")
	}
}

// A crash of an index that a number decides is a suspect, in a fresh process too; other
// claims and classes keep their tier.
func TestExcusePosition(t *testing.T) {
	for _, tt := range []struct {
		class string
		claim Claim
		want  Tier
	}{{"index", ClaimCrash, Suspect}, {"slice", ClaimCrash, Suspect}, {"nil", ClaimCrash, Panic}, {"index", ClaimRefusal, Error}} {
		v := &Verdict{Kind: KindPanic, Claim: tt.claim, Signature: Signature{Kind: KindPanic, Class: tt.class, Where: "F"}}
		v.Settle(Ruling{Tier: Error, Rule: "other"}, Ruling{})
		v.excusePosition("fails if i >= 1")
		again := &Verdict{Kind: KindPanic, Claim: tt.claim, Signature: v.Signature}
		again.Settle(Ruling{Tier: Error, Rule: "other"}, Ruling{})
		again.Inherit(v)
		if v.Tier != tt.want || again.Tier != tt.want {
			t.Errorf("%s of claim %s: %v, and %v in a fresh process, want %v", tt.class, tt.claim, v.Tier, again.Tier, tt.want)
		}
	}
}

func TestPlaceName(t *testing.T) {
	table := &seq.Table{Types: []seq.Type{{}, {Name: "int"}, {Name: "*p.Error"}, {Name: "[]byte"}, {Name: "[2]int"}, {Name: "any"}}}
	number := []seq.TypeID{1, 1}
	for _, tt := range []struct {
		op   seq.Operation
		want string
	}{
		{seq.Operation{Short: "Put", Template: "p.Put($0, $1)", Declaration: seq.Declaration{Names: []string{"key", "n"}}, API: true, Params: number}, "n of Put"},
		{seq.Operation{Short: "Put", Template: "p.Put($0, $1)", API: true, Params: number}, "argument 1 of Put"},
		{seq.Operation{Short: "&p.Error{Text: $0, Offset: $1}", Template: "&p.Error{Text: $0, Offset: $1}", Vars: []string{"Text", "Offset"}, Params: number, Results: []seq.TypeID{2}}, "Offset of p.Error"},
		{seq.Operation{Short: "[2]int{$0, $1}", Template: "[2]int{$0, $1}", Params: number, Results: []seq.TypeID{4}}, "element 1 of [2]int"},
		{seq.Operation{Short: "node{$0, &node{$1}}", Template: "node{$0, &node{$1}}", Params: number, Results: []seq.TypeID{5}}, "$1 of node{$0, &node{$1}}"},
	} {
		if got := placeName(table, &tt.op, 1); got != tt.want {
			t.Errorf("argument 1 of %s = %q, want %q", tt.op.Short, got, tt.want)
		}
	}
	text := seq.Operation{Short: "[]byte($0)", Template: "[]byte($0)", Params: number[:1], Results: []seq.TypeID{3}}
	if got := placeName(table, &text, 0); got != "the []byte" {
		t.Errorf("the argument of %s = %q, want %q", text.Short, got, "the []byte")
	}
	if got, want := failsForAny([]string{"the []byte", "n of Put"}), "fails for any []byte, any n of Put"; got != want {
		t.Errorf("the literals that may be anything: %q, want %q", got, want)
	}
}
