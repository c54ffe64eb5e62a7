package emit

import (
	"slices"
	"strings"
	"unicode"

	"foray.test/engine/regression"
	"foray.test/engine/seq"
)

// name returns a unique name for a test, after its last calls:
// TestList_PushBackThenRemove for calls that change a List, TestTree_Put if
// only one does. A second test of the same calls adds an observer:
// TestTree_PutThenSize. The name gets longer, and then a number, until it is
// unique.
func (w *regressionWriter) name(t *regression.Test) string {
	typ, changes, shows := w.callNames(t)
	if len(changes) == 0 {
		changes, shows = shows, nil
	}
	if len(changes) == 0 {
		changes = []string{"Calls"}
	}
	prefix := "Test"
	if typ != "" {
		prefix += typ + "_"
	}
	names := []string{last(changes, 2), last(changes, 3)}
	if len(changes) == 1 && len(shows) > 0 {
		names[1] = changes[0] + "Then" + shows[len(shows)-1]
	}
	for _, name := range names {
		if name = prefix + name; !w.taken[name] {
			w.taken[name] = true
			return name
		}
	}
	return unusedName(prefix+names[0], w.taken)
}

// last joins the last n of words, or all if there are fewer.
func last(words []string, n int) string {
	return strings.Join(words[max(0, len(words)-n):], "Then")
}

// callNames returns the names of the calls that change values, without immediate
// repetitions, and of the pure calls with assertions. typ is the receiver type
// of the last method among the first, or else of the last call.
func (w *regressionWriter) callNames(t *regression.Test) (typ string, changes, shows []string) {
	shown := ""
	for i := range t.Steps {
		op := &w.t.Ops[t.Steps[i].Op]
		if !op.API && op.Kind != seq.FieldGet {
			continue
		}
		recv, member := memberNames(w.t, op)
		switch {
		case !t.Pure[i] && !(op.Kind == seq.Func && len(op.Results) > 0 && len(op.Params) == 0):
			changes = append(changes, member)
			typ = recv
		case t.Asserts[i] != nil || t.Calls[i] != nil:
			shows = append(shows, member)
			shown = recv
		}
	}
	if len(changes) == 0 {
		typ = shown
	}
	return typ, slices.Compact(changes), slices.Compact(shows)
}

// memberNames returns the exported names in the member of an operation: "List"
// and "PushBack" of (*List).PushBack.
func memberNames(t *seq.Table, op *seq.Operation) (typ, member string) {
	switch op.Kind {
	case seq.Range:
		return "", "Range"
	case seq.Call:
		return "", "Call"
	case seq.FieldGet:
		return word(t.Types[op.Params[0]].Base), op.Vars[0]
	case seq.Method:
		typ = word(t.Types[op.Params[0]].Base)
	}
	return typ, word(op.Base)
}

// word returns the letters and digits of text, the first of each run in upper case.
func word(text string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		r := []rune(part)
		r[0] = unicode.ToUpper(r[0])
		b.WriteString(string(r))
	}
	return b.String()
}
