package contract

import (
	"slices"
	"strings"

	"foray.test/engine/seq"
)

// The lists below are words in lower case. An operation with such a word in its name
// has the stated purpose, where the table has no other evidence.
var (
	// Its integers are positions in a collection.
	indexWords = set("at byte char chop col column cut delete drop elem element fix get index insert item less limit move nth peek pick " +
		"put range remove replace row rune select set skip slice splice sub subslice substr substring swap take truncate update window")
	// It reads input from anywhere.
	parseWords = set("compile decode decompress from lex load parse read scan tokenize unescape unmarshal unpack unquote")
	// It waits by design, or holds others up until its counterpart is called.
	lockWords   = set("acquire begin hold lock rlock transaction tx txn")
	unlockWords = set("done release runlock rollback commit unlock")
	waitWords   = set("accept await join listen receive recv run serve subscribe wait")
	// Fields and parameters with such names are the begin and the end of a range.
	beginWords  = set("begin from lo low min off offset pos start")
	finishWords = set("end finish hi high len length max stop to until")
	// A parameter with such a name is the length of another parameter.
	lengthWords = set("len length")
	// A parameter with such a name is an element of a container.
	elementWords = set("data elem element item k key v val value x y")
	// A parameter with such a name is a function that compares two values for equality.
	equalWords = set("eq equal equality equals")
	// It ends the process.
	exitWords = set("abort die exit fatal fatalf fatalln main quit")
	// It moves an iterator, or puts it somewhere without moving onto an element.
	moveWords  = set("advance call first last move next prev previous seek")
	placeWords = set("begin end reset rewind")
	// It makes a usable value of a zero one.
	initWords = set("decode factorize fit init initialize setup unmarshal")
	// It checks its arguments, and panics if they are wrong.
	checkWords = []string{"assert", "check", "must", "valid", "require", "ensure", "verify"}
	// Its caller vouches for the arguments.
	uncheckedWords = set("unchecked unsafe")
)

func set(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// words returns the words of a mixed-caps name in lower case: "RemoveAt2" has
// "remove", "at"; "RLock" has "r", "lock", "rlock" (a prefix letter stays joined as well).
func words(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if w := strings.Trim(strings.ToLower(name[start:end]), "0123456789_"); w != "" {
			out = append(out, w)
		}
		start = end
	}
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	for i := 1; i < len(name); i++ {
		switch {
		case upper(name[i]) && !upper(name[i-1]), name[i] == '_':
			flush(i)
		case upper(name[i]) && i+1 < len(name) && letter(name[i+1]) && !upper(name[i+1]) && name[i+1] != '_':
			flush(i)
		}
	}
	flush(len(name))
	if len(out) > 1 && len(out[0]) == 1 {
		out = append(out, out[0]+out[1])
	}
	return out
}

// any1 reports whether some word of name is in set.
func any1(set map[string]bool, name string) bool {
	for _, w := range words(name) {
		if set[w] {
			return true
		}
	}
	return false
}

// mustWord reports whether name is that of a function that panics instead of
// returning an error: "MustParse".
func mustWord(name string) bool { return strings.HasPrefix(strings.ToLower(name), "must") }

// base returns the function or method name of a member: "(*List).PushBack" → "PushBack".
func base(member string) string { return member[strings.LastIndexByte(member, '.')+1:] }

// opName returns the name that describes op: its member's, or "Call" for the call of
// a function value.
func opName(op *seq.Operation) string {
	switch {
	case op.Member != "":
		return base(op.Member)
	case op.Kind == seq.Call:
		return "Call"
	}
	return ""
}

// basic reports whether literals of type id can be written. Any call may take any
// value of it, wherever it came from.
func basic(t *seq.Table, id seq.TypeID) bool { return t.Types[id].Literal != seq.NoLiteral }

// hasReceiver reports whether the first argument of op is a receiver, or is in the
// place of one.
func hasReceiver(op *seq.Operation) bool {
	switch op.Kind {
	case seq.Method, seq.FieldSet, seq.FieldGet, seq.Index, seq.Chan, seq.Call, seq.Range:
		return len(op.Params) > 0
	}
	return false
}

// parses reports whether op takes text or bytes from anywhere and can report them as
// wrong. Then no such input excuses a panic.
func parses(t *seq.Table, op *seq.Operation) bool {
	if !op.ReturnsError || !op.API {
		return false
	}
	params := op.Params
	if op.Kind == seq.Method {
		params = params[1:]
	}
	if len(params) == 0 {
		return false
	}
	if !t.Types[params[0]].IsText() || fills(t, op) {
		return false
	}
	if any1(parseWords, opName(op)) {
		return true
	}
	for _, p := range params {
		if t.Types[p].IsAny() {
			return false
		}
	}
	return true
}

// fills reports whether op fills the first bytes that it is given. It is a method of package
// io, or has the form of the functions of encoding/hex: Decode(dst, src []byte) (int, error).
// Others take them the other way round.
func fills(t *seq.Table, op *seq.Operation) bool {
	if i := slices.Index(op.Names, "dst"); i >= 0 && t.Types[op.Params[i]].IsBytes() {
		return i == len(op.Params)-2 && op.Params[i+1] == op.Params[i]
	}
	if op.Kind != seq.Method {
		return false
	}
	std := t.Types[op.Params[0]].Std
	return std&seq.StdReader != 0 && base(op.Member) == "Read" || std&seq.StdReaderAt != 0 && base(op.Member) == "ReadAt"
}

// named reports whether name is among names, which blanks separate.
func named(names, name string) bool {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return true
		}
	}
	return false
}

// says reports whether the documentation of op has one of these phrases, in lower case.
func says(op *seq.Operation, phrases ...string) bool {
	doc := strings.ToLower(op.Doc)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(doc, p) })
}
