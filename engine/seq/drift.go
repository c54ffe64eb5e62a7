package seq

import (
	"fmt"
	"slices"
	"strings"
)

// Calls returns what an entry remembers of the functions and methods of the API
// that s calls: their names and signatures, without the path of their own
// package, in order and each once. "(*Queue).Put func(int) bool".
func (t *Table) Calls(s Sequence) []string {
	var calls []string
	for i := range s {
		if call := t.call(s[i].Op); call != "" && !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
	}
	slices.Sort(calls)
	return calls
}

// call returns what Calls says of an operation; nothing of what is no call.
func (t *Table) call(id OpID) string {
	op := &t.Ops[id]
	if !op.API || op.Kind != Func && op.Kind != Method {
		return ""
	}
	return strings.ReplaceAll(op.Name, t.Package+".", "")
}

// Drift removes from s, which was read under t, the steps whose operation has
// another signature than it had when calls was taken by [Table.Calls], perhaps
// under an older table, and what hangs on their results. A step whose name calls
// does not hold stays: text that means several operations may be read as another.
func (t *Table) Drift(s Sequence, calls []string) (Sequence, []Dropped) {
	had := make(map[string][]string, len(calls))
	for _, call := range calls {
		name, signature := cutSignature(call)
		had[name] = append(had[name], signature)
	}
	var dropped []Dropped
	var changed []int
	for i := range s {
		name, signature := cutSignature(t.call(s[i].Op))
		old := had[name]
		if name == "" || len(old) == 0 || slices.Contains(old, signature) {
			continue
		}
		changed = append(changed, i)
		dropped = append(dropped, Dropped{
			Line: i + 1, Col: 1, Text: clip(t.Ops[s[i].Op].Short),
			Reason: fmt.Sprintf("is now %s, was %s", clip(signature), clip(old[0])),
		})
	}
	for _, i := range slices.Backward(changed) { // what hangs on a step is behind it
		s, _ = Remove(t, s, i)
	}
	return s, dropped
}

// cutSignature parts the name of a function from its signature.
func cutSignature(call string) (name, signature string) {
	if i := strings.Index(call, " func("); i >= 0 {
		return call[:i], call[i+1:]
	}
	return call, ""
}

// Requalify returns text, statements under a package named old, as they are
// written under the same package named name: it is what qualifies identifiers that
// changes, nothing within strings, runes and comments.
func Requalify(text, old, name string) string {
	if old == name {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"' || c == '`' || c == '\'' || c == '/':
			end := skipQuoted(text, i)
			b.WriteString(text[i:end])
			i = end
		case isIdentByte(c):
			end := i + 1
			for end < len(text) && isIdentByte(text[end]) {
				end++
			}
			word := text[i:end]
			isSelected := i > 0 && text[i-1] == '.'
			if word == old && !isSelected && end < len(text) && text[end] == '.' {
				word = name
			}
			b.WriteString(word)
			i = end
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}
