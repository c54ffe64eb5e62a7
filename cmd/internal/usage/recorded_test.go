package usage

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/engine/confine"
	"foray.test/engine/seq"
	"foray.test/harness/catalog"
	"foray.test/harness/record"
)

// jobSource is a package of which reading the tests tells little.
const jobSource = `package job

import (
	"bytes"
	"errors"
	"io"
	"time"
)

type Kind struct{ name string }

var Urgent = Kind{"urgent"}

type base struct{ jobs []string }

func (b *base) Add(name string, _ Kind) int { b.jobs = append(b.jobs, name); return len(b.jobs) }

type List struct{ *base }

func NewList(limit int) (*List, error) {
	if limit < 0 {
		return nil, errors.New("negative limit")
	}
	return &List{&base{}}, nil
}

func (l *List) First() string { return l.jobs[0] }

func (l *List) Each(f func(string) bool) {
	for _, j := range l.jobs {
		if !f(j) {
			return
		}
	}
}

// Twice calls another function of the package.
func (l *List) Twice(name string) { l.Add(name, Urgent); l.Add(name, Urgent) }

type Options struct {
	Limit int
	Tags  []string
}

func (o *Options) Check() error { return nil }

func Load(r io.Reader, at time.Time) ([]byte, error) { return io.ReadAll(r) }

func Sum(list ...int) (sum int) {
	for _, n := range list {
		sum += n
	}
	return
}

func Show(b []byte) string { return string(b) }

func Write(w io.Writer) {}

func Fail(code int, w io.Writer) {}

func Clear(b *bytes.Buffer) {}

func Fill(to any) {}

type settings struct{ limit int }

type Option func(*settings)

func WithLimit(n int) Option { return func(s *settings) { s.limit = n } }

var Presets = map[string]Option{"none": func(*settings) {}}

func NewWith(first Option, rest ...Option) *Options { return &Options{} }

type Stamp struct{ n int }

func NewStamp(n int) *Stamp { return &Stamp{n} }

func (s Stamp) Number() int { return s.n }

type Page struct{ First *Options }

func NewPage() *Page { return &Page{&Options{}} }

func NewPages() []*Page { return []*Page{{}, {&Options{}}} }

type Hooks struct{ On func(string) bool }

func Watch(h Hooks) {}
`

// recordTests runs the tests of a package.
func recordTests(t *testing.T, source, tests string, files ...string) (*Usage, *seq.Table) {
	t.Helper()
	return recordOf(t, loadJob(t, source, tests, files...))
}

// loadJob loads a package with tests.
func loadJob(t *testing.T, source, tests string, files ...string) *load.Package {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"go.mod": "module m.test/job\n\ngo 1.24\n", "job.go": source, "job_test.go": tests}
	for i := 0; i < len(files); i += 2 {
		all[files[i]] = files[i+1]
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := load.Load(t.Context(), load.Config{Dir: dir, Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	return pkgs[0]
}

// recordOf runs the tests of a package.
func recordOf(t *testing.T, p *load.Package) (*Usage, *seq.Table) {
	t.Helper()
	table := tableOf(t, p)
	r, err := StartRecording(t.Context(), p, t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	return useOf(t, r, p, table), table
}

// tableOf returns the table of a package.
func tableOf(t *testing.T, p *load.Package) *seq.Table {
	t.Helper()
	c, err := catalog.Find(catalog.Input{
		Types: p.Types, Fset: p.Fset, Files: p.Files, Info: p.Info, TestFiles: p.TestFiles, Importer: p.Importer,
		Handed: func() catalog.Handed { return Handed(p, p.CheckTests(t.Context())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &c.Table
}

// useOf returns the use that recorded tests made of a package.
func useOf(t *testing.T, r *Recording, p *load.Package, table *seq.Table) *Usage {
	t.Helper()
	u := r.Use(p, p.CheckTests(t.Context()), table, nil)
	for _, text := range u.Sequences {
		if _, err := table.Parse(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	return u
}

// cases are tests that are recorded together, and the sequences that they give.
var cases = []struct {
	name, body string
	want       []string
}{
	{
		"results by identity",
		`x := len(os.Args) + 4; l, _ := job.NewList(x * 0); m, _ := job.NewList(1); l.Twice("a"); m.Twice("b"); l.First()`,
		[]string{`v0, v0b := job.NewList(0); v0.Twice("a"); v1 := v0.First()`, `v0, v0b := job.NewList(1); v0.Twice("b")`},
	},
	{
		"promoted methods, variables",
		`l, _ := job.NewList(1); l.Add(strings.Repeat("x", 3), job.Urgent)`,
		[]string{`v0, v0b := job.NewList(1); v1 := job.Urgent; v2 := v0.Add("xxx", v1)`},
	},
	{
		"contents of a file",
		`f, _ := os.Open("data.txt"); job.Load(f, time.Unix(1e9, 5))`,
		[]string{`v0 := io.Reader(strings.NewReader("some data")); v1 := time.Unix(1000000000, 0).UTC(); v2, v2b := job.Load(v0, v1)`},
	},
	{
		"bytes that a call returned",
		`b, _ := job.Load(strings.NewReader(os.Getenv("none")+"text"), time.Time{}); job.Show(b)`,
		[]string{`v0 := io.Reader(strings.NewReader("text")); v1 := time.Time{}; v2, v2b := job.Load(v0, v1); v3 := job.Show(v2)`},
	},
	{
		"a pointer to a struct, variadic arguments",
		`o := &job.Options{Tags: strings.Fields("a b"), Limit: runtime.NumCPU() * 0}; o.Check(); o.Check(); job.Sum([]int{3, 4}...); job.Sum()`,
		[]string{`v0 := []string{"a", "b"}; v1 := &job.Options{Limit: 0, Tags: v0}; v2 := v1.Check(); v3 := v1.Check()`, "v0 := job.Sum(3, 4)", "v0 := job.Sum()"},
	},
	{
		"a function",
		`l, _ := job.NewList(1); l.Each(func(s string) bool { return s == "a" })`,
		[]string{`v0, v0b := job.NewList(1); v1 := func(s string) bool { return s == "a" }; v0.Each(v1)`},
	},
	{
		"a function that captures a variable",
		`l, _ := job.NewList(9); n := 0; l.Each(func(s string) bool { n++; return s == "a" })`,
		[]string{`v0, v0b := job.NewList(9); v1 := func(a string) bool { return len(a)%2 == 0 }; v0.Each(v1)`},
	},
	{
		"a function in a struct",
		`job.Watch(job.Hooks{On: func(s string) bool { return s == "b" }})`,
		[]string{`v0 := func(s string) bool { return s == "b" }; v1 := job.Hooks{On: v0}; job.Watch(v1)`},
	},
	{
		"a writer",
		`var b strings.Builder; job.Write(&b); job.Write(os.Stdout)`,
		[]string{"v0 := &bytes.Buffer{}; job.Write(v0)"},
	},
	{
		"a pointer to a type of the tests",
		`type own struct{ a int }; job.Fill(&own{len(os.Args)})`,
		[]string{"v0 := &struct{}{}; job.Fill(v0)"},
	},
	{
		"pointers to a struct without a name, to a map, to a number, to any",
		`var s struct{ Q job.Options; N int ` + "`k:\"n\"`" + ` }; s.N = len(strings.Repeat("x", 7)); job.Fill(&s); m := map[string]int(nil); job.Fill(&m); n := 1.5; job.Fill(&n); var a any; job.Fill(&a)`,
		[]string{
			`v0 := []string{}; v1 := job.Options{Limit: 0, Tags: v0}; v2 := &struct{Q job.Options; N int "k:\"n\""}{Q: v1, N: 7}; job.Fill(v2)`,
			"v0 := map[string]int{}; v1 := func(x map[string]int) *map[string]int { return &x }(v0); job.Fill(v1)",
			"v0 := func(x float64) *float64 { return &x }(0.0); job.Fill(v0)",
			"v0 := func(x any) *any { return &x }(nil); job.Fill(v0)",
		},
	},
	{
		"functions that calls return",
		`a, b := job.WithLimit(7), job.WithLimit(8); job.NewWith(b, a)`,
		[]string{"v0 := job.WithLimit(7); v1 := job.WithLimit(8); v2 := job.NewWith(v1, v0)"},
	},
	{
		"a function that nothing makes, among options",
		`job.NewWith(job.WithLimit(9), job.Presets["none"])`,
		[]string{"v0 := job.WithLimit(9); v1 := []job.Option{}; v2 := job.NewWith(v0, v1...)"},
	},
	{
		"parts of a result",
		`job.NewPage().First.Check(); job.NewPages()[1].First.Check()`,
		[]string{"v0 := job.NewPage(); v1 := v0.First; v2 := v1.Check()", "v0 := job.NewPages(); v1 := v0[1]; v2 := v1.First; v3 := v2.Check()"},
	},
	{
		"a reader that others wrap, a buffer that is written to",
		`job.Load(io.LimitReader(iotest.OneByteReader(strings.NewReader("deep")), 9), time.Unix(3, 0)); job.Write(bytes.NewBufferString("old")); job.Fail(3, io.Discard)`,
		[]string{
			"v0 := &bytes.Buffer{}; job.Fail(3, v0)",
			`v0 := io.Reader(strings.NewReader("deep")); v1 := time.Unix(3, 0).UTC(); v2, v2b := job.Load(v0, v1)`,
			`v0 := bytes.NewBufferString("old"); job.Write(v0)`,
		},
	},
	{
		"a map of a type that the table does not have",
		`c := make(chan any, 1); c <- map[string]string{"a": "b"}; job.Fill(<-c); job.Fill(map[string]any{})`,
		[]string{`v0 := map[string]any{"a": "b"}; job.Fill(v0)`, "v0 := map[string]any{}; job.Fill(v0)"},
	},
	{
		"a method of the value that a pointer leads to",
		`job.NewStamp(6).Number()`,
		[]string{"v0 := job.NewStamp(6); v1 := v0.Number()"},
	},
	{
		"a type of a package that only the tests import, with a field that cannot be written",
		`job.Fill(&mock.Env{Name: "n"})`,
		[]string{`v0 := &struct{Name string}{Name: "n"}; job.Fill(v0)`},
	},
	{
		"calls that the package makes of itself, calls that panic",
		`l, _ := job.NewList(2); func() { defer func() { recover() }(); l.First() }()`,
		[]string{"v0, v0b := job.NewList(2)"},
	},
}

func TestRecord(t *testing.T) {
	source := `package job_test

import ("bytes"; "io"; "m.test/job"; "m.test/job/mock"; "os"; "runtime"; "strings"; "testing"; "testing/iotest"; "time")

var _, _, _, _ = os.Args, time.Now, strings.Fields, runtime.NumCPU
`
	var want []string
	for i, tt := range cases {
		source += fmt.Sprintf("\nfunc Test%d(t *testing.T) { %s }\n", i, tt.body)
		want = append(want, tt.want...)
	}
	u, _ := recordTests(t, jobSource, source, "data.txt", "some data", "mock/mock.go", "package mock\n\ntype Env struct { Name string; F func() }\n")
	for _, tt := range cases {
		for _, text := range tt.want {
			if !slices.Contains(u.Sequences, text) {
				t.Errorf("%s: no sequence %s", tt.name, text)
			}
		}
	}
	for _, text := range u.Sequences {
		if !slices.Contains(want, text) {
			t.Errorf("sequence %s", text)
		}
	}
}

func TestRecordOfBadTests(t *testing.T) {
	const tests = `package job

import ("testing"; "os"; "time"; "fmt"; "net"; "log")

func TestA(t *testing.T) { Sum(1) }

func TestB(t *testing.T) {
	switch os.Getenv("FORAY_TEST_CASE") {
	case "exit":
		os.Exit(3)
	case "panic":
		panic(1)
	case "fail":
		t.Fatal(1)
	case "print":
		for range 100000 { fmt.Println(t.Name()) }
	case "print forever":
		for { fmt.Println(t.Name()); fmt.Fprintln(os.Stderr, t.Name()) }
	case "hang":
		select {}
	case "connect":
		if _, err := net.Dial("tcp", os.Getenv("FORAY_TEST_ADDRESS")); err == nil { t.Fatal("connected") }
	case "global state":
		os.Stdout, os.Stderr = nil, nil
		log.SetOutput(nil)
		os.Clearenv()
		os.Chdir("/")
	case "write":
		if os.WriteFile("made", nil, 0o666) == nil { t.Fatal("written") }
	case "kill":
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		time.Sleep(time.Hour)
	}
}
`
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	t.Setenv("FORAY_TEST_ADDRESS", server.Addr().String())
	defer func(d time.Duration) { recordTime = d }(recordTime)
	p := loadJob(t, jobSource, tests)
	table := tableOf(t, p)
	binary, functions, err := buildRecording(t.Context(), p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const stopped = "tests stopped"
	for _, tt := range []struct{ name, note string }{
		{"exit", "tests ended with exit status 3"},
		{"panic", "tests ended with exit status 2"},
		{"fail", "tests ended with exit status 1"},
		{"print", ""},
		{"kill", "tests ended with signal: killed"},
		{"write", ""},
		{"connect", ""},
		{"global state", ""},
		{"hang", stopped},
		{"print forever", stopped},
	} {
		if (tt.name == "write" || tt.name == "connect") && !confine.Supported() {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("FORAY_TEST_CASE", tt.name)
			run := func() *Usage {
				r := &Recording{functions: functions, ended: make(chan struct{})}
				if err := r.start(t.Context(), p, binary, t.TempDir(), false); err != nil {
					t.Fatal(err)
				}
				return useOf(t, r, p, table)
			}
			if tt.note == stopped {
				recordTime = time.Second / 2
			}
			u := run()
			for tt.note == stopped && len(u.Sequences) == 0 && recordTime < 16*time.Second { // the machine is busy
				recordTime *= 2
				u = run()
			}
			note := tt.note
			if note == stopped {
				note = fmt.Sprintf("tests stopped after %v", recordTime)
			}
			if want := []string{"v0 := job.Sum(1)"}; !slices.Equal(u.Sequences, want) || u.Note != note {
				t.Errorf("sequences %q, note %q; want %q, %q", u.Sequences, u.Note, want, note)
			}
		})
	}
}

// A record may end anywhere.
func TestDecodeLog(t *testing.T) {
	event := []byte{7, 'E', 1, 2, 3, 1, 0, 'n'}
	if list := decodeLog(event); len(list) != 1 || list[0].call != 1 || list[0].function != 2 || list[0].site != 3 || list[0].values[0].tag != record.TagNil {
		t.Errorf("events %+v", list)
	}
	for n := range event {
		if list := decodeLog(event[:n]); len(list) != 0 {
			t.Errorf("%d bytes: events %+v", n, list)
		}
	}
	for i := range event {
		for _, b := range []byte{0, 1, 0x7f, 0xff, 'l', 'm', 'r', 'p'} {
			broken := slices.Clone(event)
			broken[i] = b
			decodeLog(broken) // does not panic
		}
	}
}

func TestProfileOfRun(t *testing.T) {
	u, table := recordTests(t, jobSource, `package job

import "testing"

func TestX(t *testing.T) {
	l, _ := NewList(3)
	NewList(-2)
	func() { defer func() { recover() }(); l.First() }()
	l.Twice("")
	l.First()
	Show(make([]byte, 3))
	Show(nil)
	Sum(make([]int, 100)...)
	func() { defer func() { recover() }(); l.Each(nil) }()
	(&Options{}).Check()
}
`)
	u.Profile.SetStamp("x")
	for member, want := range map[string]string{
		"NewList":       "2 calls from 2 places when the tests ran | limit is -2 to 3 | it returned an error in 1 of 2",
		"(*List).First": "2 calls from 2 places when the tests ran; 1 panics, and the test goes on | it always returned empty | always after (*List).Twice on the same receiver",
		"(*List).Each":  "1 call from 1 place when the tests ran; 1 panics, and the test goes on",
		"Show":          `2 calls from 2 places when the tests ran | b is 0 to 3 long, empty in 1 of 2, "\x00\x00\x00" | it returned 0 to 3 long, empty in 1 of 2, "\x00\x00\x00"`,
		"Sum":           "1 call from 1 place when the tests ran | list is 64 or more long | it returned 0",
		"Write":         "",
	} {
		i := slices.IndexFunc(table.Ops, func(op seq.Operation) bool { return op.Member == member })
		if i < 0 {
			t.Errorf("no %s", member)
			continue
		}
		if got := strings.Join(u.operation(&table.Ops[i]).Lines("x")[1:], " | "); got != want {
			t.Errorf("%s: %s\nwant %s", member, got, want)
		}
	}
	want := []string{"1 value when the tests ran: 1 by NewList", "4 method calls on each: first (*List).First on 1, last (*List).Each on 1"}
	if got := u.Profile.Type("List").Lines("x"); !slices.Equal(got, want) {
		t.Errorf("type List: %q, want %q", got, want)
	}
	want = []string{"1 value when the tests ran, before they or the package changed: 1 by no call of the package", "1 method call on each: (*Options).Check on 1"}
	if got := u.Profile.Type("Options").Lines("y"); !slices.Equal(got, want) {
		t.Errorf("type Options: %q, want %q", got, want)
	}
}
