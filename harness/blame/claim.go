package blame

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// claimOf returns the claim of a finding of a kind, a crash or a call that does not return.
func (s *scene) claimOf(kind string) engine.Claim {
	switch {
	case kind == engine.KindHang:
		return engine.ClaimHang
	case s.class == rangeFunc, s.class == mapRace: // Go forbids it, whatever the caller does
		return engine.ClaimPromise
	case kind == engine.KindPanic && (s.promisedError() != "" || s.deniesPanics() != ""):
		return engine.ClaimPromise
	case kind != engine.KindExit && s.refuses():
		return engine.ClaimRefusal
	}
	return engine.ClaimCrash
}

// refuses reports whether the call reports bad input by an error, and may fail of its input.
// Nil, the type of an argument, and an object that the caller wrote are no input, and neither is
// a size for which there is no memory.
func (s *scene) refuses() bool {
	if s.thrownAs() == alloc && s.anyInt(func(n int64) bool { return n > huge || n < 0 }) {
		return false
	}
	computed := s.outOfRange() || s.thrownAs() == alloc || s.class == divide
	typed := !computed && s.givesType()
	return (parses(s.Table, s.op) && !typed || computed && s.decodes()) && !s.nilInput() && !s.configured() && !s.takesWritten()
}

// givesType reports whether the call was given an argument of any type, or a reflect.Type. A
// variadic parameter may be given none.
func (s *scene) givesType() bool {
	return s.anyArg(func(i int, _ ArgFact) bool { return bringsType(&s.Table.Types[s.op.Param(i)]) })
}

// bringsType reports whether a parameter of type ty brings a type that the call is to deal with.
func bringsType(ty *seq.Type) bool { return ty.IsAny() || ty.Is("reflect", "Type") }

// decodes reports whether the call reads input that its receiver was made with, and can report
// the input as wrong, as NewDecoder(r).Decode() does. It takes nothing else, except for a
// target of type any. The maker takes no number: that may be one that does not fit the input.
func (s *scene) decodes() bool {
	recv, ok := s.receiverSlot()
	if !ok || s.op.Kind != seq.Method || !s.op.API || !s.op.ReturnsError || s.hist.taints[recv] != 0 {
		return false
	}
	if slices.ContainsFunc(s.op.Params[1:], func(id seq.TypeID) bool { return !s.Table.Types[id].IsAny() }) {
		return false
	}
	from := s.hist.Ancestors(recv)
	from[recv] = true
	for n := range from {
		made := s.hist.op(s.hist.from[n])
		if made.API && made.Kind == seq.Func && !slices.ContainsFunc(made.Params, s.number) && slices.ContainsFunc(made.Params, func(id seq.TypeID) bool {
			return s.Table.Types[id].IsBytes() || s.Table.Types[id].Is("io", "Reader")
		}) {
			return true
		}
	}
	return false
}

// configured reports whether the receiver has fields that the caller wrote. A literal without
// fields counts in two cases. The call fails of an empty input though it looks at no element of
// it, or of a pointer that a constructor would have set. What decodes is called on any value.
func (s *scene) configured() bool {
	recv, ok := s.receiverSlot()
	if !ok || s.op.Kind != seq.Method {
		return false
	}
	if made := s.hist.op(s.hist.from[s.hist.pointedAt(recv)]); made.Kind != seq.Composite || made.Shape != seq.Empty || s.outOfRange() {
		return s.hist.taints[recv]&TaintWritten != 0
	}
	if s.class == nilDeref && !strings.HasPrefix(s.name, "Unmarshal") && s.name != "GobDecode" && s.name != "Scan" {
		return true
	}
	return !s.anyArg(func(i int, a ArgFact) bool { return i > 0 && s.Table.Types[s.op.Param(i)].IsText() && a.Len > 0 })
}

// takesWritten reports whether the call was given a pointer to a struct of the package with
// fields that the caller wrote, as to its receiver. A struct itself is a list of options.
func (s *scene) takesWritten() bool {
	for i, a := range s.lastArgs() {
		if a.Lit != nil || i == 0 && s.op.Kind == seq.Method {
			continue
		}
		if ty := &s.Table.Types[s.op.Param(i)]; ty.IsPointer() && ty.Path == s.Table.Package && s.hist.taints[a.Slot]&TaintWritten != 0 {
			return true
		}
	}
	return false
}

// nilInput reports whether the call was given nil for a source of its input.
func (s *scene) nilInput() bool {
	return s.anyArg(func(i int, a ArgFact) bool {
		return a.Nil && i < len(s.op.Params) && s.Table.Types[s.op.Params[i]].Interface
	})
}

// noJSON reports whether a method that package json calls was given text that is no JSON.
func (s *scene) noJSON() bool {
	if s.op.Kind != seq.Method || s.name != "UnmarshalJSON" || s.Table.Types[s.op.Params[0]].Std&seq.StdJSONUnmarshaler == 0 || !s.slots {
		return false
	}
	a := s.Steps[len(s.Steps)-1].Args[1]
	if a.Lit != nil {
		text, is := a.Lit.Value.(string)
		return a.Lit.Value == nil || is && !json.Valid([]byte(text))
	}
	v, _ := s.hist.value(int(a.Slot))
	text := reflect.ValueOf(v) // whose type may have a name
	return text.Kind() == reflect.Slice && text.Type().Elem().Kind() == reflect.Uint8 && !json.Valid(text.Bytes())
}
