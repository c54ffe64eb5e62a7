package instrument_test

import (
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
