package blame

import (
	"slices"
	"strings"

	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// The lists below are words in lower case. An operation with such a word in its name
// has the stated purpose, where the table has no other evidence.
var (
	// Its integers are positions in a collection.
	indexWords = naming.Set("at byte char col column cut delete drop elem element get index insert item less limit move peek " +
		"put range remove replace row rune select set skip slice splice sub substring swap take truncate update window")
	// It reads input from anywhere.
	parseWords = naming.Set("decode from load parse read scan unmarshal")
	// It writes its receiver.
	marshalWords = naming.Set("marshal")
	// It waits by design, or holds others up until its counterpart is called.
	lockWords   = naming.Set("acquire begin lock transaction tx txn")
	unlockWords = naming.Set("done release rollback commit unlock")
	waitWords   = naming.Set("accept listen receive recv run serve subscribe wait")
	joinWords   = naming.Set("join") // one that waits joins goroutines, one that runs on texts
	// A parameter with such a name is the length of another parameter.
	lengthWords = naming.Set("len length")
	// It ends the process.
	exitWords = naming.Set("abort die exit fatal fatalf fatalln main quit")
	// It moves an iterator, or puts it somewhere without moving onto an element.
	moveWords  = naming.Set("advance call first last move next prev previous seek")
	placeWords = naming.Set("begin end reset rewind")
	// It makes a usable value of a zero one.
	initWords = naming.Set("decode fit init initialize setup unmarshal")
	// It checks its arguments, and panics if they are wrong.
	checkWords = []string{"assert", "check", "must", "valid", "require", "ensure", "verify"}
	// Its caller vouches for the arguments.
	uncheckedWords = naming.Set("unsafe")
)

// standard reports whether a package is of the standard library, by its path. Types without a path count
// as such.
func standard(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return !strings.Contains(host, ".")
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
	if naming.HasWord(parseWords, naming.Of(op)) {
		return true
	}
	return !slices.ContainsFunc(params, func(p seq.TypeID) bool { return t.Types[p].IsAny() })
}

// fills reports whether op fills the first bytes that it is given. It is a method of package
// io or one that marshals its receiver, or has the form of the functions of encoding/hex:
// Decode(dst, src []byte) (int, error). Others take them the other way round.
func fills(t *seq.Table, op *seq.Operation) bool {
	if i := slices.Index(op.Names, "dst"); i >= 0 && t.Types[op.Params[i]].IsBytes() {
		return i == len(op.Params)-2 && op.Params[i+1] == op.Params[i]
	}
	if op.Kind != seq.Method {
		return false
	}
	std := t.Types[op.Params[0]].Std
	return naming.HasWord(marshalWords, naming.Of(op)) || std&seq.StdReader != 0 && op.Base == "Read" || std&seq.StdReaderAt != 0 && op.Base == "ReadAt"
}
