package naming

import (
	"regexp"
	"slices"
	"strings"
)

// Documentation gives its caller a duty by these phrases. Those of vouching name the caller, or
// leave the state of a value to it.
const (
	vouching = `\bcallers? (must|should)\b|\bshould be avoided\b`
	demands  = `\bmust (be|not|have|only|point|contain|already|satisfy)\b|\b(is|are) undefined\b|\bundefined behaviou?r\b|` +
		`\bcaller is responsible for\b|\bcaller'?s'? responsibility\b|\b(is|are) expected to be\b|` +
		`\bit is an error (to|if)\b|\b(should|may|can) (only be|not be) (called|used)\b`
)

var (
	duties  = regexp.MustCompile(`(?i)` + vouching + `|` + demands)
	vouches = regexp.MustCompile(`(?i)` + vouching + `|\bresponsible\b`)
	asks    = regexp.MustCompile(`(?i)\bmust\b|\bcaller should\b|\bshould be avoided\b|\bresponsible\b`) // "callers should" is mostly advice
)

// IsDuty reports whether a sentence of documentation gives the caller a duty.
func IsDuty(sentence string) bool { return duties.MatchString(sentence) }

// LeavesDuty reports whether a sentence that gives a duty, or tells of a panic, asks something of
// the caller that the call does not check. A call that checks it is documented to panic.
func LeavesDuty(sentence string) bool {
	return asks.MatchString(sentence) && !HasPhrase(sentence, "panic")
}

// Vouches reports whether a sentence that leaves a duty leaves the state of a value to the caller.
// That an argument must not be nil is no such thing: nil is seen.
func Vouches(sentence string) bool { return vouches.MatchString(sentence) }

// accusations are in the messages of panics that no caller should see.
var accusations = []string{
	"unreachable", "internal error", "impossible", "should not happen", "should never happen", "shouldn't happen", "can't happen", "not reached", "unexpected state",
	"assertion failed", "please report", "bug:", "bug in",
}

// AccusesItself reports whether the text of a panic says that it is a bug of its package.
func AccusesItself(text string) bool {
	text = strings.ToLower(text)
	return text == "bug" || slices.ContainsFunc(accusations, func(phrase string) bool {
		i := strings.Index(text, phrase) // "debug:" is not "bug:"
		return i == 0 || i > 0 && (text[i-1] < 'a' || text[i-1] > 'z') && text[i-1] != '_'
	})
}

// suspicion matches words for values that contradict each other. They may speak of the arguments.
var suspicion = regexp.MustCompile(`(?i)\b(internal|bug|corrupt\w*|invariant|inconsistent)\b`)

// MayAccuseItself reports whether a text says so, or may. Then it tells no precondition.
func MayAccuseItself(text string) bool { return AccusesItself(text) || suspicion.MatchString(text) }
