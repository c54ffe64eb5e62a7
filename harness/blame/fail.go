package blame

import (
	"regexp"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// maxOutput is the most bytes kept of the output of a fuzz function.
const maxOutput = 4 << 10

// Fail judges a fuzz function, operation op, that failed with the output of package
// testing. Failures have one cause if their last messages come from the same line; the
// texts differ from input to input.
func Fail(t *seq.Table, op seq.OpID, output string) engine.Verdict {
	name := t.Ops[op].Short
	lines := messages(output)
	at := ""
	for _, l := range lines {
		if m := placed.FindString(l); m != "" {
			at = " at " + strings.TrimSuffix(m, ":")
		}
	}
	text := strings.Join(lines, "\n")
	if text == "" {
		text = name + " fails without a message"
	}
	if len(text) > maxOutput {
		text = strings.ToValidUTF8(text[:maxOutput], "") + " …"
	}
	v := engine.Verdict{
		Claim: engine.ClaimOwn, Kind: engine.KindFail, Op: op,
		Signature: engine.Signature{Kind: engine.KindFail, Where: name + at}, Message: text,
	}
	return *v.Settle(engine.Ruling{Tier: engine.Error, Rule: "fail"}, engine.Ruling{})
}

// placed matches the file and line that package testing puts before a message.
var placed = regexp.MustCompile(`^[^ \t:]+\.go:\d+:`)

// messages returns the lines of the output, without those of package testing itself and
// without the common indentation.
func messages(output string) []string {
	var lines []string
	indent := -1
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		text := strings.TrimLeft(line, " ")
		if text == "" || strings.HasPrefix(text, "--- ") || strings.HasPrefix(text, "=== ") {
			continue
		}
		if n := len(line) - len(text); indent < 0 || n < indent {
			indent = n
		}
		lines = append(lines, line)
	}
	for i, line := range lines {
		lines[i] = line[indent:]
	}
	return lines
}
