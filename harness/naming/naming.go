// Package naming reads operations as a programmer does: by the words of their names and the
// phrases of their documentation. "RemoveAt" has the words "remove" and "at", so its integers
// are positions.
package naming

import (
	"slices"
	"strings"
	"unicode"

	"foray.test/engine/seq"
)

// Set returns the set of the words of s.
func Set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// Words returns the words of a mixed-caps name in lower case: "RemoveAt2" has
// "remove", "at"; "RLock" has "r", "lock", "rlock" (a prefix letter stays joined as well).
func Words(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if w := strings.Trim(strings.ToLower(name[start:end]), "0123456789_"); w != "" {
			out = append(out, w)
		}
		start = end
	}
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	for i := 1; i < len(name); i++ {
		switch {
		case upper(name[i]) && !upper(name[i-1]), name[i] == '_':
			flush(i)
		case upper(name[i]) && i+1 < len(name) && lower(name[i+1]):
			flush(i)
		}
	}
	flush(len(name))
	if len(out) > 1 && len(out[0]) == 1 {
		out = append(out, out[0]+out[1])
	}
	return out
}

// HasWord reports whether some word of name is in set.
func HasWord(set map[string]bool, name string) bool {
	return slices.ContainsFunc(Words(name), func(w string) bool { return set[w] })
}

// IsMust reports whether name is that of a function that panics instead of
// returning an error: "MustParse".
func IsMust(name string) bool { return strings.HasPrefix(strings.ToLower(name), "must") }

// Base returns the function or method name of a member: "(*List).PushBack" → "PushBack".
func Base(member string) string { return member[strings.LastIndexByte(member, '.')+1:] }

// Of returns the name that describes op: its member's, or "Call" for the call of
// a function value.
func Of(op *seq.Operation) string {
	switch {
	case op.Member != "":
		return op.Base
	case op.Kind == seq.Call:
		return "Call"
	}
	return ""
}

// OneOf reports whether name is among names, which blanks separate.
func OneOf(names, name string) bool {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return true
		}
	}
	return false
}

// Says reports whether the documentation of op has one of these phrases, in lower case.
func Says(op *seq.Operation, phrases ...string) bool {
	return HasPhrase(op.Doc, phrases...)
}

// HasPhrase reports whether a text has one of these phrases, in lower case.
func HasPhrase(text string, phrases ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

// Mentions reports whether a text has name as a word of its own.
func Mentions(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name)
}
