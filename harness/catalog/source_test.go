package catalog

import (
	"reflect"
	"strings"
	"testing"
)

// Operations have the build constraints of the files that declare them.
func TestBuildConstraints(t *testing.T) {
	for head, want := range map[string][]string{
		"": nil, "//go:build extra && !js\n\n": {"extra && !js"}, "// Package p is one.\n//\n// See //go:build x.\n": nil,
	} {
		c := find(t, checkSource(t, "p", head+"package p\n\n//go:build late\n\nfunc F() {}\n\ntype T struct{ N int }\n\nvar V int\n\ntype K int\n\nconst C K = 1\n").Input)
		placed := 0
		for _, op := range c.Table.Ops {
			if op.File == "" {
				continue
			}
			if placed++; !reflect.DeepEqual(op.Build, want) {
				t.Errorf("%q: %s has the constraints %q, want %q", head, op.Short, op.Build, want)
			}
		}
		if placed < 5 {
			t.Errorf("%d operations have a file", placed)
		}
	}
	for name, want := range map[string][]string{
		"/linux/a.go": nil, "linux.go": nil, "a_linux.go": {"linux"}, "a_amd64.go": {"amd64"}, "a_b_linux_amd64.go": {"amd64", "linux"}, "a_amd64_linux.go": {"linux"},
		"linux_amd64.go": {"amd64"}, "a_darwin.go": nil, "a_linux_b.go": nil,
	} {
		if got := nameConstraints(name, [2]string{"linux", "amd64"}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A file needs the constraints of the files that declare what it names.
func TestConstraints(t *testing.T) {
	beside := map[string][]byte{
		"tagged.go":  []byte("//go:build extra && !js\n\npackage p\n\ntype T struct{}\n\nfunc (T) Len() int { return 0 }\n"),
		"a_linux.go": []byte("package p\n\nvar V int\n"),
		"other.go":   []byte("//go:build other\n\npackage p\n\ntype U struct{}\n\nvar _ = U{}\n\nfunc init() {}\n"),
		"broken.go":  []byte("package p\n\nfunc W() {\n"),
	}
	for src, want := range map[string][]string{
		"var x T": {"extra && !js"}, "var x = V": {"linux"}, "var x = []any{V, T{}}": {"linux", "extra && !js"}, "var x interface{ Len() int }": nil, "var x = W": nil, "var x =": nil,
		"var _ = 1\n\nfunc init() {}": nil,
	} {
		if got := Constraints([]byte("package p\n\n"+src+"\n"), beside, [2]string{"linux", "amd64"}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// TestDocumentationIsWhole: an exception may stand in the last of many sentences.
func TestDocumentationIsWhole(t *testing.T) {
	long := strings.Repeat("It takes care of this and of that, too. ", 40)
	c := find(t, checkSource(t, "p", "package p\n\n// F does it. "+long+"Blank tags are ignored.\nfunc F(tag string) {}\n").Input)
	for _, op := range c.Table.Ops {
		if want := "F does it. " + long + "Blank tags are ignored."; op.Member == "F" && op.Doc != want {
			t.Errorf("documentation of %d bytes, want %d", len(op.Doc), len(want))
		}
	}
}
