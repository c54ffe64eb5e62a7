package blame

import (
	"regexp"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// aboutTypes matches sentences about values of a type that will not do: "an unsupported type",
// "if v is not a pointer", "if the types do not match".
var aboutTypes = regexp.MustCompile(`(?i)\bunsupported\b|\btypes?\b.{0,40}(\bnot|n't)\b|\bnot an? (pointer|map)\b`)

var errorWord = regexp.MustCompile(`\b[Ee]rrors?\b|\bErr[A-Z]\w*`)

// docScanner is the promise that a Scanner reports values that it cannot store.
const docScanner = `package database/sql, Scanner: "The src value will be of one of the following types: int64, float64, bool, []byte, string, time.Time, nil. An error should be returned if the value cannot be stored without loss of information"`

// driverTypes are the types of which database/sql gives values to a Scanner.
var driverTypes = []string{"int64", "float64", "bool", "[]uint8", "[]byte", "string", "time.Time", "nil"}

// promisedError is the rule of a panic in place of an error.
var promisedError = stated("promised", engine.Error, (*scene).promisedError)

// promisedError returns the sentence that promises an error in place of this panic, or "". The
// call fails of the type of a value that it was given as any, or of a nil there. Its documentation
// speaks of an error for such values, or package database/sql does. The zero value of a type with a
// constructor, and a result beside an error, are no object to keep a promise to.
func (s *scene) promisedError() string {
	if !s.op.API || !s.op.ReturnsError || !s.givesType() || s.hist.tainted(TaintZero|TaintFailed) || !s.mistyped() && !s.ofNilAny() {
		return ""
	}
	if s.scansValue() {
		return docScanner
	}
	for sentence := range strings.SplitSeq(strings.Join(strings.Fields(s.op.Doc), " "), ". ") {
		if errorWord.MatchString(sentence) && aboutTypes.MatchString(sentence) {
			return s.op.Short + ": " + strings.TrimSuffix(sentence, ".") + "."
		}
	}
	return ""
}

// noPanic matches how documentation promises that a call does not panic. condition matches the words
// of a condition.
var (
	noPanic   = regexp.MustCompile(`(?i)\b(never panics?|(does not|doesn't|will not) panic)\b`)
	condition = regexp.MustCompile(`(?i)\b(if|when|on)\b`)
)

// neverPanics is the rule of a panic of a call that is documented to have none.
var neverPanics = stated("never panics", engine.Error, (*scene).deniesPanics)

// deniesPanics returns the sentence that promises that the call does not panic, or "". It must tell no
// condition, before the promise or right behind it.
func (s *scene) deniesPanics() string {
	if !s.op.API || s.late || !strings.Contains(s.op.Doc, "panic") { // to match takes microseconds
		return ""
	}
	for sentence := range strings.SplitSeq(strings.Join(strings.Fields(s.op.Doc), " "), ". ") {
		at := noPanic.FindStringIndex(sentence)
		if at == nil {
			continue
		}
		behind := sentence[at[1]:]
		if i := strings.IndexAny(behind, ",:;(—"); i >= 0 {
			behind = behind[:i]
		}
		if !condition.MatchString(sentence[:at[0]]) && !condition.MatchString(behind) {
			return s.op.Short + ": " + strings.TrimSuffix(sentence, ".") + "."
		}
	}
	return ""
}

// ofNilAny reports whether a nil is dereferenced, and nil was given as a value of an interface type
// that has one, as of any, or in a list of such.
func (s *scene) ofNilAny() bool {
	return s.class == nilDeref && (s.nilArg(true) || s.givesNilElem())
}

// scansValue reports whether the call is that of a Scanner of package database/sql, by its
// counterpart Value, of a value that a driver may give.
func (s *scene) scansValue() bool {
	if s.name != "Scan" || s.op.Kind != seq.Method || len(s.op.Params) != 2 || !s.slots || !slices.Contains(driverTypes, s.hist.dynamicType(s.lastArgs()[1])) {
		return false
	}
	base := &s.Table.Types[s.op.Params[0]]
	return slices.ContainsFunc(s.Table.Ops, func(op seq.Operation) bool {
		if op.Kind != seq.Method || op.Base != "Value" || len(op.Params) != 1 || len(op.Results) == 0 || !s.Table.Types[op.Results[0]].Is("database/sql/driver", "Value") {
			return false
		}
		of := &s.Table.Types[op.Params[0]]
		return of.Base == base.Base && of.Path == base.Path
	})
}
