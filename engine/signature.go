package engine

import (
	"slices"
	"strings"
)

// A Signature is equal for verdicts of the same cause. It has no line numbers. Its text,
// [Signature.String], is what users read, list as known, and find in stored findings:
//
//	panic:index:(*T).F                      Kind, Class and Where
//	panic:explicit:bad degree:NewWithFree   Kind, Class, Text and Where
//	contract:size-not-negative:(*List).Len  Class is the name of the contract
//	race:(*T).Add|(*T).Len                  Kind and Where
type Signature struct {
	Kind  string // one of [Kinds]; empty for a verdict that is never reported
	Class string // the class of the panic or death, or the contract
	Text  string // the normalized message of the panic, or what a blocked call waits for
	Where string // the operation's member, or the innermost function of the package
}

// The classes whose signatures have a text, even if it is empty.
const (
	ClassExplicit = "explicit" // the code called panic itself
	ClassRuntime  = "runtime"  // a run-time error of no other class
	ClassBlocked  = "blocked"  // the call waits
	ClassFault    = "fault"    // the runtime ended the process for a reason of no other class
)

// ClassOverflow is the class of a stack overflow, which the runtime ends the process for.
const ClassOverflow = "stack-overflow"

// Classes of run-time errors of which a number may be the cause, as package blame names
// them.
const (
	classIndex = "index"
	classSlice = "slice"
)

func hasText(kind, class string) bool {
	switch class {
	case ClassExplicit, ClassRuntime, ClassBlocked, ClassFault:
		return kind != KindContract
	}
	return false
}

func hasClass(kind string) bool { return kind != KindRace && kind != KindLeak && kind != KindFail }

// String returns the signature as reports and stored findings spell it.
func (s Signature) String() string {
	switch {
	case s.Kind == "":
		return s.Where
	case !hasClass(s.Kind):
		return s.Kind + ":" + s.Where
	case hasText(s.Kind, s.Class):
		return s.Kind + ":" + s.Class + ":" + s.Text + ":" + s.Where
	}
	return s.Kind + ":" + s.Class + ":" + s.Where
}

// OutOfBounds reports whether an index or a slice expression is out of range.
func (s Signature) OutOfBounds() bool {
	return s.Kind == KindPanic && (s.Class == classIndex || s.Class == classSlice)
}

// ParseSignature returns the signature that has a text. A text of no known form is a
// signature without a kind.
func ParseSignature(text string) Signature {
	none := Signature{Where: text}
	kind, rest, ok := strings.Cut(text, ":")
	if !ok || !slices.Contains(Kinds, kind) {
		return none
	}
	s := Signature{Kind: kind, Where: rest}
	if !hasClass(kind) {
		return s
	}
	if s.Class, s.Where, ok = strings.Cut(rest, ":"); !ok {
		return none
	}
	if hasText(kind, s.Class) {
		at := strings.LastIndexByte(s.Where, ':') // a function's name has none
		if at < 0 {
			return none
		}
		s.Text, s.Where = s.Where[:at], s.Where[at+1:]
	}
	return s
}

// MarshalText and UnmarshalText make the signature its text in JSON.
func (s Signature) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is the inverse of MarshalText.
func (s *Signature) UnmarshalText(text []byte) error {
	*s = ParseSignature(string(text))
	return nil
}
