package instrument_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"foray.test/coverage/instrument"
)

// BenchmarkRewrite leaves parsing and type-checking out.
func BenchmarkRewrite(b *testing.B) {
	for _, path := range []string{"container/list", "encoding/json"} {
		b.Run("package="+path, func(b *testing.B) {
			exports := make(map[string]string)
			var target listed
			for _, l := range goList(b, ".", path) {
				exports[l.ImportPath] = l.Export
				target = l // dependencies come first
			}
			p := load(b, target, exports)
			bytes := 0
			for _, src := range p.Sources {
				bytes += len(src)
			}
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := instrument.Rewrite(p, probePath, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkForms compares the forms of a red-black tree, by the calls on it: ns/step
// against that of form=plain, which is not instrumented. Each binary runs once for
// b.N steps, so that starting it does not count.
func BenchmarkForms(b *testing.B) {
	const tree = "./testdata/tree"
	build := func(b *testing.B, flags ...string) string {
		binary := filepath.Join(b.TempDir(), "tree")
		goCommand(b, ".", append(append([]string{"build", "-o", binary}, flags...), tree)...)
		return binary
	}
	instrumented := func(b *testing.B, analysis bool, prepare, begin string) string {
		overlay, conds := rewriteForm(b, analysis, ".", tree)
		file, err := filepath.Abs(tree + "/mode.go")
		if err != nil {
			b.Fatal(err)
		}
		overlay[file] = fmt.Appendf(nil, "package main\n\nimport %q\n\nconst conditions = %d\n\nfunc prepare() { %s }\nfunc begin() { clear(probe.Hits[:]); %s }\n",
			probePath, len(conds), prepare, begin)
		return build(b, overlayFlag(b, overlay))
	}
	analysed := func(mode, begin string) func(b *testing.B) string {
		return func(b *testing.B) string {
			return instrumented(b, true, `
	probe.Sums = make([]probe.Sum, conditions)
	probe.Log = make([]probe.Entry, 1<<15)
	probe.Bytes = make([]byte, 1<<20)
	probe.Mode = probe.`+mode, "probe.Fuel = 1 << 30; "+begin)
		}
	}
	const forget = "clear(probe.Sums); probe.Logged, probe.Filled = 0, 0"
	for _, form := range []struct {
		name  string
		build func(b *testing.B) string
	}{
		{"plain", func(b *testing.B) string { return build(b) }},
		{"normal", func(b *testing.B) string { return instrumented(b, false, "", "") }},
		{"nothing", analysed("ModeNothing", "")},
		{"hashes", analysed("ModeHashes", forget)},
		{"visits", analysed("ModeVisits", forget)},
	} {
		b.Run("form="+form.name, func(b *testing.B) {
			binary := form.build(b)
			b.ResetTimer()
			out, err := exec.Command(binary, strconv.Itoa(b.N)).Output()
			if err != nil {
				b.Fatal(err)
			}
			var ns, sum int
			if _, err := fmt.Sscan(string(out), &ns, &sum); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(ns)/float64(b.N), "ns/step")
		})
	}
}
