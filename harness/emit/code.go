package emit

import (
	"fmt"
	"go/format"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// A Snippet is the code of a finding as people see it. In a function of a package that
// imports Imports, below Decls, Code compiles. It is part of the JSON of findings.
type Snippet struct {
	Imports []string `json:"imports,omitempty"`      // paths, or a name and the quoted path: std "fmt"
	Decls   string   `json:"declarations,omitempty"` // usually empty
	Code    string   `json:"code,omitempty"`         // statements
}

// Text returns the code after a line with the imports beside that of a package, and after
// the declarations.
func (s *Snippet) Text(path string) string {
	text := ""
	if others := slices.DeleteFunc(slices.Clone(s.Imports), func(spec string) bool { return spec == path }); len(others) > 0 {
		text = "// imports " + strings.Join(others, ", ") + "\n"
	}
	if s.Decls != "" {
		text += s.Decls + "\n\n"
	}
	return text + s.Code
}

// Code returns the statements that show v. Where a contract does not hold after them, the
// last prints the expression that is false.
func Code(t *seq.Table, s seq.Sequence, v *engine.Verdict) (Snippet, error) {
	w := newWriter(t)
	code, err := w.code(s, v)
	if err != nil {
		return Snippet{}, err
	}
	if text, err := format.Source([]byte(code)); err == nil {
		code = string(text)
	}
	names, decls, err := w.needs("func _() {\n" + code + "}\n")
	if err != nil {
		return Snippet{}, err
	}
	std, other := w.specs(names.qualifiers)
	return Snippet{Imports: slices.Concat(std, other), Decls: strings.TrimSpace(decls), Code: strings.TrimRight(code, "\n") + "\n"}, nil
}

func (w *writer) code(s seq.Sequence, v *engine.Verdict) (string, error) {
	switch {
	case v.Kind == engine.KindRace:
		if first, both, err := Fork(w.t, s, v.Fork); err == nil {
			return first + "// and then, in two goroutines at once:\n" + both, nil
		}
		return Shown(w.t, s, v), nil
	case v.Assert == "":
		return Shown(w.t, s, v), nil
	}
	code, assert, err := assertion(w.t, s, v)
	if err != nil {
		return "", err
	}
	fails := "false"
	if v.Kind == engine.KindPanic {
		fails = "panics"
	}
	return code + fmt.Sprintf("%sPrintln(%s) // %s\n", w.pkg("fmt"), assert, fails), nil
}
