package emit

import (
	"strings"
	"testing"

	"foray.test/engine"
	"foray.test/engine/seq"
)

const goMod = "module example.com/buggy\n\ngo 1.21\n"

// buggySource has one bug of each kind, or none in its form "fixed".
const buggySource = `package buggy

import (
	"os"
	"runtime/debug"
)

func init() { debug.SetMaxStack(16 << 20) } // to fill a stack of a gigabyte takes seconds

var fixed = os.Getenv("FORM") == "fixed"

type Box struct{ list []int }

func New() *Box { return &Box{} }

func (b *Box) Put(v int) {
	if v != 3 || fixed {
		b.list = append(b.list, v)
	}
}

func (b *Box) Len() int { return len(b.list) }

func (b *Box) First() int {
	if len(b.list) == 0 && fixed {
		return 0
	}
	return b.list[0]
}

func (b *Box) Wait() {
	for !fixed {
	}
}

func (b *Box) Close(code int) {
	if !fixed {
		os.Exit(code)
	}
}

func (b *Box) Grow() int {
	for n := 1; !fixed; n *= 2 {
		b.list = make([]int, n)
	}
	return len(b.list)
}

func (b *Box) Leave() {
	if c := make(chan int); !fixed {
		go func() { c <- 1 }()
	}
}

func spawn(f func()) { go f() }

// Lose may be inlined into its caller, and its function literal with it.
func (b *Box) Lose() {
	if c := make(chan int); !fixed {
		spawn(func() { c <- 1 })
	}
}

func (b *Box) Deep() int {
	if !fixed {
		return b.Deep() + 1
	}
	return 0
}
`

func buggyAPI(name string) *api {
	a := newAPI("example.com/buggy", name)
	ptr := "*" + name + ".Box"
	a.op(seq.Func, name+".New()", "New", "-> "+ptr)
	a.op(seq.Method, "$0.Put($1)", "(*Box).Put", ptr+", int ->")
	a.op(seq.Method, "$0.Len()", "(*Box).Len", ptr+" -> int")
	a.op(seq.Method, "$0.First()", "(*Box).First", ptr+" -> int")
	a.op(seq.Method, "$0.Wait()", "(*Box).Wait", ptr+" ->")
	a.op(seq.Method, "$0.Close($1)", "(*Box).Close", ptr+", int ->")
	a.op(seq.Method, "$0.Grow()", "(*Box).Grow", ptr+" -> int")
	a.op(seq.Method, "$0.Deep()", "(*Box).Deep", ptr+" -> int")
	a.op(seq.Method, "$0.Leave()", "(*Box).Leave", ptr+" ->")
	a.op(seq.Method, "$0.Lose()", "(*Box).Lose", ptr+" ->")
	return a
}

// buggyFindings are the bugs of buggySource.
func buggyFindings(t *testing.T, a *api) []Finding {
	text := func(s string) string { return strings.ReplaceAll(s, "buggy.", a.Name+".") }
	contract := a.finding(t, engine.KindContract, text("v0 := buggy.New(); v0.Put(3)"))
	contract.Verdict.Contract, contract.Verdict.Assert, contract.Verdict.Slots = "counts", "$0.Len() == 1", []int32{0}
	// A call of the contract panics.
	within := a.finding(t, engine.KindPanic, text("v0 := buggy.New()"))
	within.Verdict.Contract, within.Verdict.Assert, within.Verdict.Slots = "starts", "$0.First() == 0", []int32{0}
	leak := a.finding(t, engine.KindLeak, text("v0 := buggy.New(); v0.Leave()"))
	leak.Verdict.Stack = "example.com/buggy.(*Box).Leave.func1\n\t/p/lib.go:30\n"
	lost := a.finding(t, engine.KindLeak, text("v0 := buggy.New(); v0.Lose(); v0.Lose()"))
	lost.Verdict.Stack = "example.com/buggy_test.forayOp9.(*Box).Lose.func1\n\t/p/lib.go:50\n"
	return []Finding{
		a.finding(t, engine.KindPanic, text("v0 := buggy.New(); v1 := v0.First()")),
		contract,
		within,
		a.finding(t, engine.KindExit, text("v0 := buggy.New(); v0.Close(0)")),
		a.finding(t, engine.KindExit, text("v0 := buggy.New(); v0.Close(7)")),
		a.finding(t, engine.KindHang, text("v0 := buggy.New(); v0.Wait()")),
		a.finding(t, engine.KindMemory, text("v0 := buggy.New(); v1 := v0.Grow()")),
		a.finding(t, engine.KindFatal, text("v0 := buggy.New(); v1 := v0.Deep()")),
		leak, lost,
	}
}

// Emitted tests fail while the bugs are there, and pass once they are not.
func TestEmittedTestsFailAndPass(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	for _, name := range []string{"buggy", "main"} {
		a := buggyAPI(name)
		findings := buggyFindings(t, a)
		library := buggySource
		if name == "main" {
			findings = findings[:3]
			library = strings.Replace(library, "package buggy", "package main", 1) + "\nfunc main() {}\n"
		}
		src, err := File(a.Table, findings)
		if err != nil {
			t.Fatal(err)
		}
		forms := []struct{ name, line, other string }{{"broken", "--- FAIL: ", "--- PASS: "}, {"fixed", "--- PASS: ", "--- FAIL: "}}
		outputs := goTest(t, map[string]string{"go.mod": goMod, "lib.go": library, "foray_fail_test.go": patient(t, string(src))}, "broken", "fixed")
		for i, form := range forms {
			out := outputs[i]
			if got := strings.Count(out, form.line+"TestForay"); got != len(findings) || strings.Contains(out, form.other) {
				t.Errorf("package %s, %s: %d tests with %q, want %d\n%s\n%s", name, form.name, got, form.line, len(findings), out, src)
			}
		}
		if name != "buggy" {
			continue
		}
		for _, want := range []string{"panic: runtime error: index out of range", "counts does not hold: v0.Len() == 1", "exit status 7",
			"test timed out after 1s", "bytes of memory", "stack overflow"} {
			if !strings.Contains(outputs[0], want) {
				t.Errorf("output without %q:\n%s", want, outputs[0])
			}
		}
	}
}

// patient returns an emitted test with other limits: a call that hangs may take a second, or
// twenty minutes if it is fixed, no other call is stopped because the machine is slow, and 300 MiB
// are too much memory.
func patient(t *testing.T, src string) string {
	t.Helper()
	const hangs, returns = `"-test.timeout=9s"`, "10*time.Second"
	for _, limit := range []string{hangs, returns} {
		if strings.Contains(src, childEnv) && !strings.Contains(src, limit) {
			t.Errorf("no limit %s in\n%s", limit, src)
		}
	}
	byForm := `"-test.timeout="+map[bool]string{false: "1s", true: "20m"}[os.Getenv("` + formEnv + `") == "fixed"]`
	return strings.NewReplacer(hangs, byForm, returns, "30*time.Minute", "1<<30", "300<<20").Replace(src)
}

// Emitted tests of the standard library, in a module of anyone's.
func TestEmittedStandardLibraryTests(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	lists := listAPI()
	ok := lists.finding(t, engine.KindContract, "v0 := list.New(); v1 := v0.PushBack(1)")
	ok.Verdict.Contract, ok.Verdict.Assert, ok.Verdict.Slots = "length", "$0.Len() == 1", []int32{0}
	ok.Options.Name = "TestHolds"
	bad := ok
	bad.Verdict.Assert = "$0.Len() == 2"
	bad.Options.Name = "TestBroken"
	listFile, err := File(lists.Table, []Finding{ok, bad})
	if err != nil {
		t.Fatal(err)
	}
	stringsAPI := newAPI("strings", "strings")
	stringsAPI.op(seq.Func, "strings.Repeat($0, $1)", "Repeat", "string, int -> string")
	repeat := stringsAPI.finding(t, engine.KindPanic, `v0 := strings.Repeat("x", 2); v1 := strings.Repeat(v0, -1)`)
	repeat.Options = Options{Name: "TestRepeat", Package: "list"}
	stringsFile, err := File(stringsAPI.Table, []Finding{repeat})
	if err != nil {
		t.Fatal(err)
	}
	out := goTest(t, map[string]string{
		"go.mod": goMod, "list_test.go": string(listFile), "strings_test.go": string(stringsFile), "doc.go": "package list\n",
	}, "")[0]
	for _, want := range []string{"--- PASS: TestHolds", "--- FAIL: TestBroken", "--- FAIL: TestRepeat", "strings: negative Repeat count"} {
		if !strings.Contains(out, want) {
			t.Errorf("output without %q:\n%s", want, out)
		}
	}
}
