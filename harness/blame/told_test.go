package blame

import (
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// The types of the operations below.
const (
	textType = seq.TypeID(iota)
	bytesType
	ownType
	otherType
)

func toldTable(ops ...seq.Operation) *seq.Table {
	return &seq.Table{Package: "a.org/p", Ops: ops, Types: []seq.Type{
		{Literal: seq.String}, {Form: seq.Form{Kind: seq.SliceType, Elem: "byte"}}, {Form: seq.Form{Path: "a.org/p"}}, {Form: seq.Form{Path: "b.org/q"}},
	}}
}

// A call that runs on is told as a panic is, but for one that needs a text.
func TestTold(t *testing.T) {
	table := toldTable(seq.Operation{Kind: seq.Func, API: true, Params: []seq.TypeID{textType}})
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
	table := toldTable(
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
