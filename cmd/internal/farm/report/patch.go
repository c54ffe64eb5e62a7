package report

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
)

// Patch returns a patch for git apply that adds the tests of findings: a test file for each or,
// of a fuzz target, an input in testdata/fuzz. Findings outside of the module are left out.
func Patch(in Input, findings []ledger.Finding) string {
	var b strings.Builder
	for i := range findings {
		f := &findings[i]
		r := in.Reports[f.Key]
		for j := range in.View.Targets {
			t := &in.View.Targets[j].Target
			if t.ID() != f.Target || t.Dir == "" || r == nil {
				continue
			}
			if name, content := testFile(t, f, r); content != "" {
				added(&b, in.Prefix+path.Join(t.Dir, name), content)
			}
		}
	}
	return b.String()
}

// Open returns the findings that a test is worth having of: they are of tier error or panic,
// and neither fixed nor silenced.
func Open(v *farm.View) []ledger.Finding {
	var list []ledger.Finding
	for i := range v.Findings {
		if f := &v.Findings[i]; fails(f) || panics(f) {
			list = append(list, *f)
		}
	}
	return list
}

// declared matches declarations of a test: itself, and what it has of foray's own.
var declared = regexp.MustCompile(`(?m)^(?:func|type|var) ((?:Test|foray)\w+)`)

// testFile returns the file that shows a finding, with its name below the package. Tests of two
// findings of a package may declare the same names, so the key is added to them.
func testFile(t *record.Target, f *ledger.Finding, r *record.Report) (name, content string) {
	if t.Fuzz != "" {
		return path.Join("testdata", "fuzz", t.Fuzz, f.Key), string(r.Input)
	}
	content = r.Test
	for _, m := range declared.FindAllStringSubmatch(r.Test, -1) { // a test may run itself, by its name
		content = regexp.MustCompile(`\b`+m[1]+`\b`).ReplaceAllString(content, m[1]+"_"+f.Key)
	}
	return "foray_" + f.Key + "_test.go", content
}

// added writes the part of a patch that adds a file.
func added(b *strings.Builder, name, content string) {
	lines := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
	fmt.Fprintf(b, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,%[2]d @@\n", name, len(lines))
	for _, line := range lines {
		b.WriteString("+" + line + "\n")
	}
}
