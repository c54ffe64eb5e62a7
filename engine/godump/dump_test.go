package godump

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestParseReal parses dumps that Go 1.26 has printed: with GOTRACEBACK=crash, from
// runtime.Stack and from the leak profile.
func TestParseReal(t *testing.T) {
	for _, tt := range []struct {
		file    string
		id      uint64 // of a goroutine in it
		want    Goroutine
		creator string
		frame   Frame // one of its frames
	}{
		{"panic.txt", 21, Goroutine{State: "running"}, "main.(*Pool[...]).Start", Frame{"main.(*Pool[...]).Start.func1", "example.org/p/main.go", 19}},
		{"panic.txt", 1, Goroutine{State: "sync.Mutex.Lock"}, "", Frame{"sync.(*Mutex).Lock", "sync/mutex.go", 46}},
		{"sigquit.txt", 17, Goroutine{State: "GC sweep wait"}, "runtime.gcenable", Frame{"runtime.gcenable.gowrap1", "runtime/mgc.go", 214}},
		{"stack.txt", 6, Goroutine{State: "chan receive (nil chan)"}, "main.main", Frame{"main.main.func4", "example.org/p/main.go", 49}},
		{"leak.txt", 19, Goroutine{State: "chan send", Leaked: true}, "main.Leak", Frame{"main.Leak.func1", "example.org/p/main.go", 32}},
		{"overflow.txt", 1, Goroutine{State: "running"}, "", Frame{"main.recurse", "example.org/p/main.go", 29}},
	} {
		list := Parse(read(t, tt.file))
		i := slices.IndexFunc(list, func(g Goroutine) bool { return g.ID == tt.id })
		if i < 0 {
			t.Errorf("%s: no goroutine %d in %+v", tt.file, tt.id, list)
			continue
		}
		g := list[i]
		if g.State != tt.want.State || g.Leaked != tt.want.Leaked || g.Creator() != tt.creator {
			t.Errorf("%s: goroutine %d is %q, leaked %v, created by %q; want %+v by %q", tt.file, g.ID, g.State, g.Leaked, g.Creator(), tt.want, tt.creator)
		}
		if !slices.Contains(g.Frames(), tt.frame) || !g.Calls(tt.frame.Func) {
			t.Errorf("%s: goroutine %d has frames %v, want %v among them", tt.file, g.ID, g.Frames(), tt.frame)
		}
		if g.Calls("Lock") || g.Calls("") {
			t.Errorf("%s: a part of a name is taken for a function", tt.file)
		}
		for _, f := range g.Frames() {
			if strings.HasSuffix(f.Func, ")") && !strings.HasPrefix(f.Func, "...") || f.File == "" || f.Line == 0 {
				t.Errorf("%s: frame %+v", tt.file, f)
			}
		}
	}
}

// TestParseCounts: no goroutine is lost, whatever stands between them.
func TestParseCounts(t *testing.T) {
	for _, name := range []string{"panic.txt", "sigquit.txt", "stack.txt", "leak.txt", "overflow.txt", "map.txt"} {
		text := read(t, name)
		if got, want := len(Parse(text)), strings.Count("\n"+text, "\ngoroutine "); got != want || got == 0 {
			t.Errorf("%s: %d goroutines, want %d", name, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, dump string
		want       []Goroutine
		frames     []Frame // of the first
	}{
		{"empty", "", nil, nil},
		{"garbage", "goroutine x\n\tat y\n)\n", nil, nil},
		{"a torn header", "goroutine 7 [run", nil, nil},
		{"no state", "goroutine 7 ]:\n", nil, nil},
		{"no number", "goroutine seven [running]:\n", nil, nil},
		{"a place without a call", "goroutine 7 [running]:\n\tgoroutine running on other thread; stack unavailable\n",
			[]Goroutine{{ID: 7, State: "running", Text: "goroutine 7 [running]:\n\tgoroutine running on other thread; stack unavailable"}}, nil},
		{"a state with more", "goroutine 7 gp=0x1 m=nil [sync.RWMutex.Lock, 3 minutes, locked to thread]:\np.(*T).Do({0x1, 0x2}, ...)\n\t/a b/p.go:12 +0x1b\n",
			[]Goroutine{{ID: 7, State: "sync.RWMutex.Lock", Text: "goroutine 7 gp=0x1 m=nil [sync.RWMutex.Lock, 3 minutes, locked to thread]:\np.(*T).Do({0x1, 0x2}, ...)\n\t/a b/p.go:12 +0x1b"}},
			[]Frame{{"p.(*T).Do", "/a b/p.go", 12}}},
		{"headers without a blank line between", "goroutine 7 [running]:\ngoroutine 8 [select]:\n",
			[]Goroutine{{ID: 7, State: "running", Text: "goroutine 7 [running]:"}, {ID: 8, State: "select", Text: "goroutine 8 [select]:"}}, nil},
		{"a bubble", "goroutine 7 [chan receive (durable)]:\n", []Goroutine{{ID: 7, State: "chan receive", Text: "goroutine 7 [chan receive (durable)]:"}}, nil},
	} {
		got := Parse(tt.dump)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: Parse = %+v, want %+v", tt.name, got, tt.want)
			continue
		}
		if len(got) > 0 && !reflect.DeepEqual(got[0].Frames(), tt.frames) {
			t.Errorf("%s: frames %+v, want %+v", tt.name, got[0].Frames(), tt.frames)
		}
	}
}

func TestRunsFor(t *testing.T) {
	const dump = "goroutine 1 [chan receive]:\n\n" +
		"goroutine 7 [select]:\ncreated by p.F in goroutine 1\n\t/p.go:1 +0x1\n\n" +
		"goroutine 8 [running]:\ncreated by p.G in goroutine 7\n\t/p.go:2 +0x1\n\n" +
		"goroutine 9 [runnable]:\ncreated by p.H in goroutine 3\n\t/p.go:3 +0x1\n\n" +
		"goroutine 10 [running]:\ncreated by p.H in goroutine 10\n\n"
	for id, want := range map[uint64]uint64{1: 8, 7: 8, 8: 0, 3: 9, 4: 0, 10: 0} {
		got := uint64(0)
		if g := RunsFor(Parse(dump), id); g != nil {
			got = g.ID
		}
		if got != want {
			t.Errorf("goroutine %d runs for %d, want %d", got, id, want)
		}
	}
}

func TestParseRace(t *testing.T) {
	const report = "noise\nWARNING: DATA RACE\nWrite at 0x00c000112018 by goroutine 8:\n  p.(*T).Add()\n      /src/p/t.go:12 +0x44\n\nPrevious read at 0x00c000112018 by goroutine 7:\n  p.(*T).Len()\n      /src/p/t.go:17 +0x30\n\nGoroutine 8 (running) created at:\n  main.main()\n      /m.go:1 +0x1\n======\nPrevious read at 0x1 by main goroutine:\n"
	want := []Access{{"write", []Frame{{"p.(*T).Add", "/src/p/t.go", 12}}}, {"read", []Frame{{"p.(*T).Len", "/src/p/t.go", 17}}}}
	if got := ParseRace(report); !reflect.DeepEqual(got, want) {
		t.Errorf("ParseRace = %+v, want %+v", got, want)
	}
	if got := ParseRace("exit status 66"); got != nil {
		t.Errorf("without a report: %+v", got)
	}
}

func TestMember(t *testing.T) {
	for in, want := range map[string]string{
		"example.org/p%2ev2.(*T[...]).M.func1":      "(*T).M",
		"github.com/robfig/cron/v3.(*Cron).Start":   "(*Cron).Start",
		"github.com/samber/lo.Async2[...].func1":    "Async2",
		"example.org/p.(*T[...]).M.func1.2":         "(*T).M",
		"example.org/p.F":                           "F",
		"example.org/p.F[...].func2.1":              "F",
		"example.org/p.F.func2.G[...].func1":        "G",
		"example.org/p.F-range1":                    "F",
		"example.org/p.F.gowrap1":                   "F",
		"example.org/p.T.M-fm":                      "T.M",
		"example.org/p_test.glob..func12.Zip.func4": "Zip",
		"example.org/p_test.a12.Zip[...].func4":     "Zip",
		"example.org/p.(*T).func1":                  "(*T)",
		"example.org/p.(*T).M.(*U).N.func1":         "(*U).N",
		"example.org/p.(*T).M.F.func1":              "F",
		"example.org/p.F.F.func1.func2":             "F",
		"strings.Repeat":                            "Repeat",
		"main.main":                                 "main",
		"":                                          "",
	} {
		if got := Member(in); got != want {
			t.Errorf("Member(%q) = %q, want %q", in, got, want)
		}
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"(*T).M", "T.M", true}, {"(T).M", "T.M", true}, {"(*T).M", "(*U).M", false}, {"(*T).M", "(*T).Ma", false}, {"Ma", "M", false}, {"(*T)", "T", true}, {"", "", true}, {"", "F", false},
	} {
		if SameMember(tt.a, tt.b) != tt.want {
			t.Errorf("SameMember(%q, %q) is not %v", tt.a, tt.b, tt.want)
		}
	}
}

// TestMemberOfClosure sees how the compiler names closures.
func TestMemberOfClosure(t *testing.T) {
	var got string
	func() {
		func() {
			pc, _, _, _ := runtime.Caller(0)
			got = Member(runtime.FuncForPC(pc).Name())
		}()
	}()
	if got != "TestMemberOfClosure" {
		t.Errorf("got %q", got)
	}
}

func TestSplit(t *testing.T) {
	for in, want := range map[string][2]string{
		"example.org/p%2ev2.(*T[...]).M": {"example.org/p.v2", "(*T[...]).M"},
		"strings.Repeat":                 {"strings", "Repeat"},
		"a.b/c.F.func1":                  {"a.b/c", "F.func1"},
	} {
		path, name := Split(in)
		if [2]string{path, name} != want {
			t.Errorf("Split(%q) = %q, %q, want %q", in, path, name, want)
		}
		if strings.Contains(in, "%") && !strings.HasPrefix(in, EscapePath(path)+".") {
			t.Errorf("EscapePath(%q) = %q", path, EscapePath(path))
		}
	}
}

// FuzzParse: a dump comes from a process that may write anything.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"panic.txt", "stack.txt", "leak.txt", "overflow.txt"} {
		f.Add(read(f, name))
	}
	f.Add("goroutine 7 [running]:\n\t\ngoroutine 8 []:\np.(\n")
	f.Fuzz(func(t *testing.T, dump string) {
		list := Parse(dump)
		for _, g := range list {
			if !strings.Contains(dump, g.Text) || !strings.HasPrefix(g.Text, "goroutine ") {
				t.Errorf("text %q", g.Text)
			}
			if again := Parse(g.Text); len(again) != 1 || again[0] != g {
				t.Errorf("parsed alone, %+v is %+v", g, again)
			}
			for _, fr := range g.Frames() {
				Member(fr.Func)
				Split(fr.Func)
			}
			g.Creator()
		}
		ParseRace(dump)
	})
}

func TestSameMemberAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		if !SameMember("(*T).Method", "T.Method") {
			t.Error("they are not the same")
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
