package blame

import (
	"regexp"
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// crashLimits are limits of a crash that breaks no promise. They ask whether the sequence is
// plain: a caller who reads no more than signatures and documentation might write it. Of the
// judged crashes with such a sign 9 of 79 were bugs, of the others that were shown 58 of 140
// (docs/bench/labels.tsv).
var crashLimits = []rule{
	doubtful("built", "a struct, or a list of lists, was put together from values that may not fit each other", (*scene).built),
	doubtful("type", "a value of any type was given, or a reflect.Type, and the call fails of the type", (*scene).mistyped),
	doubtful("short", "a list was given that is shorter than the call reads, as for a slice", (*scene).tooShort),
}

// built reports whether an object involved has to do with a value that the sequence put
// together. That is a struct of the package with fields set, or lists or maps in a list or a
// map. A list of numbers or of the package's values may have any elements, as text may.
func (s *scene) built() bool {
	return s.hist.relatedOp(func(op *seq.Operation) bool {
		switch op.Kind {
		case seq.FieldSet:
			return true
		case seq.Composite:
			return op.Shape == seq.Filled && s.Table.Types[op.Results[0]].Path == s.Table.Package
		case seq.Elements:
			return slices.ContainsFunc(op.Params, func(id seq.TypeID) bool {
				ty := &s.Table.Types[id]
				return !ty.IsBytes() && (ty.Kind == seq.SliceType || ty.Kind == seq.MapType)
			})
		}
		return false
	})
}

// reflectedIndex matches how package reflect panics of an index or a length, for any type.
var reflectedIndex = regexp.MustCompile(`\b(slice|array|string) (index|length) out of (range|bounds)`)

// mistyped reports whether a type assertion or package reflect panics, of an argument that may be
// of any type, or is one. The zero Value of package reflect stands for nil, which has no type. A type
// assertion may be about what an earlier call was given; one that fails of nil is about a nil.
func (s *scene) mistyped() bool {
	reflects := s.class == explicit && s.thrownAs() == otherRuntime && !strings.Contains(s.text, "zero Value") && !reflectedIndex.MatchString(s.text)
	if s.class != assertion && !reflects {
		return false
	}
	fails := assertedType(s.text)
	if fails != "" && s.givesAs(fails) {
		return true
	}
	return fails != "nil" && s.anyArg(func(i int, a ArgFact) bool {
		return i < len(s.op.Params) && bringsType(&s.Table.Types[s.op.Params[i]]) && !a.Nil
	})
}

// assertedType returns the dynamic type of the value of which a type assertion fails, as the runtime
// writes it, "nil" if it has none. It returns "" for another text.
func assertedType(text string) string {
	_, text, _ = strings.Cut(text, "interface conversion: ")
	before, after, _ := strings.Cut(text, " is ")
	if strings.Contains(after, ": missing method ") {
		return before
	}
	name, _, _ := strings.Cut(after, ", not ")
	return name
}

// givesAs reports whether a value of a dynamic type, "nil" for none, was given as one of any type.
// The step that fails may give it, or an earlier one on an object involved.
func (s *scene) givesAs(typ string) bool {
	return typ == "nil" && s.givesNilElem() || s.hist.anyRelated(func(step int) bool {
		op := s.hist.op(step)
		for j, a := range s.Steps[step].Args {
			if s.Table.Types[op.Param(j)].IsAny() && s.hist.dynamicType(a) == typ {
				return true
			}
		}
		return false
	})
}

// tooShort reports whether the call looked beyond the end of a list that it was given. The
// elements of text are input, and so is what the receiver holds.
func (s *scene) tooShort() bool {
	if !s.outOfRange() {
		return false
	}
	length := s.length
	if n := len(s.nums); length < 0 && n == 2 && s.nums[1] < s.nums[0] { // [4:2]: the end is the length
		length = s.nums[1]
	}
	return s.anyArg(func(i int, a ArgFact) bool {
		receiver := i == 0 && s.op.Kind == seq.Method
		return !receiver && a.Value == nil && i < len(s.op.Params) && s.Table.Types[s.op.Param(i)].Literally(seq.SliceType) && int64(a.Len) == length
	})
}
