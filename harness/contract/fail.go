package contract

import (
	"regexp"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// maxOutput bounds what is kept of what a fuzz function printed.
const maxOutput = 4 << 10

// Fail judges a fuzz function, operation op, that failed: output is what testing
// printed. Failures are of the same cause if the last message comes from the same
// line: its text differs from input to input.
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
	return engine.Verdict{
		Tier: engine.Error, Kind: engine.KindFail, Op: op,
		Signature: engine.Signature{Kind: engine.KindFail, Where: name + at}, Message: text,
	}
}

// placed is what testing puts before a message.
var placed = regexp.MustCompile(`^[^ \t:]+\.go:\d+:`)

// messages returns the lines that testing printed, without its own and without
// their common indentation.
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
