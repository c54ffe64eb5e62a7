package emit

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// literalOf matches the end of the name of a function literal, with the function that has it.
var literalOf = regexp.MustCompile(`\.(?:[^.\[]|\[\.\.\.\])+\.func[\d.]+$`)

// inStacks returns the text by which the stacks of a process show a function. A literal has
// another name and number where its function was inlined into a caller.
func inStacks(name string) string {
	if end := literalOf.FindString(name); end != "" {
		return end[:strings.LastIndex(end, ".func")] + ".func"
	}
	return "\n" + name + "("
}

// leak returns the body of a test that counts goroutines by the function in
// which the leaked one began. It fails if the calls leave more of them than
// before.
func (w *writer) leak(f Finding) (string, error) {
	began := ""
	for l := range strings.Lines(f.Verdict.Stack) {
		if l[0] != '\t' {
			began = strings.TrimSuffix(l, "\n")
		}
	}
	if began == "" {
		return "", errors.New("a leak without a stack")
	}
	left, before := w.t.VariableName("left"), w.t.VariableName("before")
	enter := w.qualify("\t"+left+" := func() int {\n\t\tall := make([]byte, 1<<20)\n\t\treturn @strings.Count(string(all[:@runtime.Stack(all, true)]), ") + strconv.Quote(inStacks(began)) + ")\n\t}\n\t" + before + " := " + left + "()\n\tfunc() {\n"
	return enter + Shown(w.t, f.Sequence, &f.Verdict) + w.qualify(`	}()
	for i := 0; i < 100; i++ { // a goroutine may need a moment to end
		if @runtime.GC(); `+left+`() <= `+before+` {
			return
		}
		@time.Sleep(10 * @time.Millisecond)
	}
	`) + w.testVar + ".Error(" + strconv.Quote(f.Verdict.Message) + ")\n", nil
}
