package fuzztarget

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/gofuzz"
	"foray.test/engine"
	"foray.test/engine/seq"
)

// table is that of FuzzParse(data []byte, n int).
func table() *seq.Table {
	return &seq.Table{
		Types: []seq.Type{{Name: "[]byte", Literal: seq.String}, {Name: "int", Literal: seq.Int}},
		Ops:   []seq.Operation{{Name: "p.FuzzParse([]byte, int)", Short: "FuzzParse", Params: []seq.TypeID{0, 1}}},
	}
}

// An input that was written is read again, once, and is the same call.
func TestInputs(t *testing.T) {
	tab := table()
	pool := engine.NewPool(tab)
	found := filepath.Join(t.TempDir(), "found")
	seed := Input{Name: "seed#0", Content: []byte("go test fuzz v1\n[]byte(\"a b\")\nint(-7)\n")}
	steps, err := seed.Parse(tab, pool)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Write(found, Call(tab, steps)); err != nil {
			t.Fatal(err)
		}
	}
	dirs := Dirs{Found: found, All: []string{found, filepath.Join(found, "nowhere")}}
	list, err := dirs.Read([]Input{seed})
	if err != nil || len(list) != 2 || string(list[1].Content) != string(seed.Content) || list[1].File == "" {
		t.Fatalf("read %+v, %v, want the seed and a file of its content", list, err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, want := permissions(t, list[1].File), permissions(t, plain); got != want {
		t.Errorf("the file is %v, want %v as any other", got, want)
	}
	for name, tt := range map[string]struct{ content, want string }{
		"one value":     {"go test fuzz v1\n[]byte(\"a\")\n", "1 value, want 2 for FuzzParse([]byte, int)"},
		"another type":  {"go test fuzz v1\nstring(\"a\")\nint(1)\n", "value 1 has type string, want []byte for FuzzParse([]byte, int)"},
		"no such file":  {"hello", ""},
		"too large":     {strings.Repeat("x", 1<<20), "1048576 bytes, want at most 131072"},
		"not one value": {"go test fuzz v1\nint(1)\n", "1 value, want 2"},
	} {
		in := Input{Content: []byte(tt.content)}
		if _, err := in.Parse(tab, pool); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
	if _, err := (&Input{Content: []byte("go test fuzz v1\nint(1)\n")}).Text(); err == nil || err.Error() != "1 value, the first of type int, want one string" {
		t.Errorf("the text of a number: %v", err)
	}
}

func permissions(t *testing.T, file string) fs.FileMode {
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// A sequence is written as the one string that go test reads, behind backquotes if it may.
func TestSequence(t *testing.T) {
	tab := table()
	tab.Ops[0].Template = "p.FuzzParse($0, $1)"
	for text, want := range map[string]string{
		"a": "`p.FuzzParse([]byte(\"a\"), int(1))`",
		"`": `"p.FuzzParse([]byte(\"` + "`" + `\"), int(1))"`,
	} {
		in := Input{Content: []byte("go test fuzz v1\n[]byte(\"" + text + "\")\nint(1)\n")}
		steps, err := in.Parse(tab, engine.NewPool(tab))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Sequence(tab, steps)); got != "go test fuzz v1\nstring("+want+") // foray 1\n" {
			t.Errorf("%s: got %s", text, got)
		}
	}
}

// A crash is told as go-fuzz tells it, so that a suppression of its silences it.
func TestCrash(t *testing.T) {
	v := &engine.Verdict{Kind: engine.KindPanic, Message: "FuzzParse panics: index out of range …", Stack: "p.parse\n\t/p/p.go:3\np.FuzzParse\n"}
	for own, callers := range map[bool][]string{false: nil, true: gofuzz.Callers} {
		c := Crash(table(), v, own)
		if c.First != "panic: index out of range" || !slices.Equal(c.Functions, append([]string{"p.parse", "p.FuzzParse"}, callers...)) || c.Places[0] != "/p/p.go:3" {
			t.Errorf("of go-fuzz %v: %+v", own, c)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "1"), c.Suppression(), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := Suppressions(dir)
		if err != nil || len(list) != 1 || !list[0].Silences(c) {
			t.Errorf("suppressions %+v, %v", list, err)
		}
	}
	for kind, want := range map[string]string{engine.KindHang: "SIGABRT: abort", engine.KindMemory: "fatal error: runtime: out of memory", engine.KindContract: "FuzzParse panics: index out of range …"} {
		v.Kind = kind
		if c := Crash(table(), v, false); c.First != want {
			t.Errorf("%s: %q, want %q", kind, c.First, want)
		}
	}
	if list, err := Suppressions(filepath.Join(t.TempDir(), "nowhere")); list != nil || err != nil {
		t.Errorf("no directory: %v, %v", list, err)
	}
}
