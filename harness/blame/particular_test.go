package blame

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// The types of the operations below.
const (
	numberType = seq.TypeID(iota)
	textType
	bytesType
	readerType
	ownType
	bufferType
	otherType
	intsType
)

func particularTable(ops ...seq.Operation) *seq.Table {
	return &seq.Table{Package: "a.org/p", Ops: ops, Types: []seq.Type{
		{Literal: seq.Int}, {Literal: seq.String}, {Form: seq.Form{Kind: seq.SliceType, Elem: "byte"}}, {Form: seq.Form{Path: "io", Base: "Reader"}},
		{Form: seq.Form{Path: "a.org/p"}}, {Form: seq.Form{Path: "bytes"}}, {Form: seq.Form{Path: "b.org/q"}}, {Form: seq.Form{Kind: seq.SliceType, Elem: "int"}},
	}}
}

func TestParticular(t *testing.T) {
	call := func(params ...seq.TypeID) seq.Operation {
		return seq.Operation{Kind: seq.Func, API: true, Params: params}
	}
	made := func(kind seq.Kind, shape seq.Shape, result seq.TypeID) seq.Operation {
		return seq.Operation{Kind: kind, Shape: shape, Results: []seq.TypeID{result}}
	}
	// Each operation is called once, with literals of the given value.
	for _, tt := range []struct {
		name  string
		ops   []seq.Operation
		value any
		want  bool
	}{
		{"a number", []seq.Operation{call(numberType)}, int64(300), false},
		{"empty text", []seq.Operation{call(textType)}, "", false},
		{"a character", []seq.Operation{call(textType)}, "0", false},
		{"text", []seq.Operation{call(textType)}, "00", true},
		{"a character of two bytes", []seq.Operation{call(textType)}, "é", true},
		{"text for a standard package", []seq.Operation{{Kind: seq.Standard, Params: []seq.TypeID{textType}, Results: []seq.TypeID{readerType}}, call(readerType)}, "00", true},
		{"four calls", []seq.Operation{call(), call(), call(), call()}, nil, false},
		{"nil", []seq.Operation{call(textType), call(textType)}, nil, false},
		{"a buffer", []seq.Operation{made(seq.Composite, seq.Empty, bufferType), call(textType)}, "00", true},
		{"a buffer with fields", []seq.Operation{made(seq.Composite, seq.Filled, bufferType), call(textType)}, "00", false},
		{"a struct of the package", []seq.Operation{made(seq.Composite, seq.Empty, ownType), call(textType)}, "00", false},
		{"the address of one", []seq.Operation{made(seq.Composite, seq.Address, ownType), call(textType)}, "00", true},
		{"a struct of another module", []seq.Operation{made(seq.Composite, seq.New, otherType), call(textType)}, "00", false},
		{"a list", []seq.Operation{made(seq.Elements, seq.Filled, intsType), call(textType)}, "00", false},
		{"a function", []seq.Operation{made(seq.FuncLit, seq.Constant, intsType), call(textType)}, "00", false},
		{"a field", []seq.Operation{{Kind: seq.FieldSet}, call(textType)}, "00", false},
		{"a method Close", []seq.Operation{{Kind: seq.Method, API: true, Member: "(*T).Close", Base: "Close", Params: []seq.TypeID{textType}}}, "00", false},
		{"bytes, one by one", []seq.Operation{{Kind: seq.Elements, Params: []seq.TypeID{numberType, numberType}, Results: []seq.TypeID{bytesType}}}, int64(1), true},
		{"a single byte", []seq.Operation{{Kind: seq.Elements, Params: []seq.TypeID{numberType}, Results: []seq.TypeID{bytesType}}}, int64(1), false},
	} {
		table := particularTable(tt.ops...)
		var s seq.Sequence
		for i := range tt.ops {
			st := seq.Step{Op: seq.OpID(i)}
			for range tt.ops[i].Params {
				st.Args = append(st.Args, seq.Lit(&seq.Literal{Value: tt.value}))
			}
			s = append(s, st)
		}
		if got := Particular(table, s, "other"); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Calls of which no text matters are no particular ones.
func TestParticularByRule(t *testing.T) {
	table := particularTable(seq.Operation{Kind: seq.Func, API: true, Params: []seq.TypeID{textType}})
	s := seq.Sequence{{Args: []seq.Arg{seq.Lit(&seq.Literal{Value: "00"})}}}
	for rule, want := range map[string]bool{"other": true, engine.RuleAnyText: false, ruleNoText: false} {
		if got := Particular(table, s, rule); got != want {
			t.Errorf("by rule %s: %v, want %v", rule, got, want)
		}
	}
}

// An object that is given to its own method is no particular call; that it is given to a
// function twice makes no difference.
func TestGivenToItself(t *testing.T) {
	ops := []seq.Operation{
		{Kind: seq.Func, API: true, Params: []seq.TypeID{textType}, Results: []seq.TypeID{ownType}},
		{Kind: seq.Method, API: true, Params: []seq.TypeID{ownType, ownType}},
		{Kind: seq.Func, API: true, Params: []seq.TypeID{ownType, ownType}},
	}
	table := particularTable(ops...)
	made := seq.Step{Args: []seq.Arg{seq.Lit(&seq.Literal{Value: "00"})}}
	for op, want := range map[seq.OpID]bool{1: false, 2: true} {
		s := seq.Sequence{made, {Op: op, Args: []seq.Arg{{Slot: 0}, {Slot: 0}}}}
		if got := Particular(table, s, "other"); got != want {
			t.Errorf("operation %d: %v, want %v", op, got, want)
		}
	}
}

// A call that runs on is told as a panic is, but for one that needs a text.
func TestTold(t *testing.T) {
	table := particularTable(seq.Operation{Kind: seq.Func, API: true, Params: []seq.TypeID{textType}})
	of := func(text string) seq.Sequence {
		return seq.Sequence{{Args: []seq.Arg{seq.Lit(&seq.Literal{Value: text})}}}
	}
	for _, tt := range []struct {
		kind, class, text string
		want              engine.Tier
	}{
		{engine.KindHang, "busy", "", engine.Panic},
		{engine.KindHang, "busy", "00", engine.Error},
		{engine.KindHang, engine.ClassBlocked, "", engine.Error},
		{engine.KindMemory, "memory", "", engine.Error},
	} {
		v := engine.Verdict{Claim: engine.ClaimHang, Kind: tt.kind, Tier: engine.Error, Rule: "other", Signature: engine.Signature{Kind: tt.kind, Class: tt.class}}
		v.Settle(v.Ruling(), Told(table, &v, of(tt.text)))
		if v.Tier != tt.want {
			t.Errorf("%s of class %s, with %q: tier %v, want %v", tt.kind, tt.class, tt.text, v.Tier, tt.want)
		}
	}
	v := engine.Verdict{Claim: engine.ClaimHang, Kind: engine.KindHang, Tier: engine.Suspect, Rule: "large", Signature: engine.Signature{Kind: engine.KindHang, Class: "busy"}}
	if v.Settle(v.Ruling(), Told(table, &v, of(""))); v.Tier != engine.Suspect {
		t.Errorf("a suspect has tier %v now", v.Tier)
	}
}

// Text that was parsed without an error may be a program, unless the call that runs on reads text.
func TestParsedText(t *testing.T) {
	table := particularTable(
		seq.Operation{Kind: seq.Func, API: true, ReturnsError: true, Params: []seq.TypeID{bytesType}, Results: []seq.TypeID{ownType, otherType}}, // Parse
		seq.Operation{Kind: seq.Func, API: true, ReturnsError: true, Params: []seq.TypeID{bytesType}, Results: []seq.TypeID{otherType}},          // Put
		seq.Operation{Kind: seq.Func, API: true, Params: []seq.TypeID{ownType}},                                                                  // Run
		seq.Operation{Kind: seq.Func, API: true, Params: []seq.TypeID{ownType, textType}},                                                        // Eval
		seq.Operation{Kind: seq.Standard, Params: []seq.TypeID{textType}, Results: []seq.TypeID{bytesType}},                                      // []byte
	)
	text, empty, slot := seq.Lit(&seq.Literal{Value: "00"}), seq.Lit(&seq.Literal{Value: ""}), seq.Slot
	bytes := seq.Step{Op: 4, Args: []seq.Arg{text}}
	for name, tt := range map[string]struct {
		s    seq.Sequence
		want engine.Tier
	}{
		"parsed and run":              {seq.Sequence{bytes, {Op: 0, Args: []seq.Arg{slot(0)}}, {Op: 2, Args: []seq.Arg{slot(1)}}}, engine.Panic},
		"parsed":                      {seq.Sequence{bytes, {Op: 0, Args: []seq.Arg{slot(0)}}}, engine.Error},
		"parsed, and run with text":   {seq.Sequence{bytes, {Op: 0, Args: []seq.Arg{slot(0)}}, {Op: 3, Args: []seq.Arg{slot(1), empty}}}, engine.Error},
		"given to a call before":      {seq.Sequence{bytes, {Op: 1, Args: []seq.Arg{slot(0)}}, {Op: 2, Args: []seq.Arg{slot(1)}}}, engine.Error},
		"given to one, and to others": {seq.Sequence{{Op: 0, Args: []seq.Arg{text}}, {Op: 1, Args: []seq.Arg{text}}, {Op: 2, Args: []seq.Arg{slot(0)}}}, engine.Error},
	} {
		v := engine.Verdict{Claim: engine.ClaimHang, Kind: engine.KindHang, Tier: engine.Error, Rule: "other", Signature: engine.Signature{Kind: engine.KindHang, Class: "busy"}}
		if v.Settle(v.Ruling(), Told(table, &v, tt.s)); v.Tier != tt.want {
			t.Errorf("%s: tier %v, want %v", name, v.Tier, tt.want)
		}
	}
}
