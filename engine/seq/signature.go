package seq

import (
	"fmt"
	"slices"
	"strings"
)

// Calls returns the names and signatures of the API functions and methods that s
// calls, sorted, each once, without the path of their package:
// "(*Queue).Put func(int) bool". An entry stores them for [Table.SignatureChanges].
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

// call returns the name and signature of an operation, empty unless it calls the API.
func (t *Table) call(id OpID) string {
	op := &t.Ops[id]
	if !op.API || op.Kind != Func && op.Kind != Method {
		return ""
	}
	return strings.ReplaceAll(op.Name, t.Package+".", "")
}

// SignatureChanges removes from s, which was read under t, the steps with an operation
// that has another signature in calls, and the steps that depend on them. [Table.Calls]
// made calls, perhaps under an older table. A step stays if calls does not name its
// operation: text that means several operations may be read as another one.
func (t *Table) SignatureChanges(s Sequence, calls []string) (Sequence, []Dropped) {
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
	return RemoveFunc(t, s, func(i int) bool { return slices.Contains(changed, i) }), dropped
}

// cutSignature splits a string of [Table.Calls] into the name and the signature.
func cutSignature(call string) (name, signature string) {
	if i := strings.Index(call, " func("); i >= 0 {
		return call[:i], call[i+1:]
	}
	return call, ""
}

// Requalify returns text, statements that use a package named old, with name as the
// qualifier instead. It changes nothing in strings, runes and comments.
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
			isSelected := strings.HasSuffix(text[:i], ".") && !strings.HasSuffix(text[:i], "...")
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
