package catalog

import (
	"go/types"
	"regexp"
	"slices"
	"testing"

	"foray.test/engine/seq"
)

// TestDanger finds why F is not called.
func TestDanger(t *testing.T) {
	for _, tt := range []struct{ name, source, member, want string }{
		{"exit", "import \"os\"\nfunc F() { os.Exit(1) }", "F", "os.Exit"},
		{"harmless", "import \"os\"\nfunc F() string { return os.Getenv(\"A\") }", "F", ""},
		{"method", "import \"os\"\nfunc F() { var f *os.File; f.Chmod(0) }", "F", "(*os.File).Chmod"},
		{"harmless method", "import \"os\"\nfunc F() { var f *os.File; f.Close() }", "F", ""},
		{"as a value", "import \"os\"\nfunc F() func(string) error { return os.Remove }", "F", "os.Remove"},
		{"in a literal", "import \"os\"\nfunc F() { func() { os.Remove(\"\") }() }", "F", "os.Remove"},
		{"standard input", "import \"os\"\nfunc F() { os.Stdin.Close() }", "F", "os.Stdin"},
		{"standard output", "import \"os\"\nfunc F() { os.Stdout.Name() }", "F", ""},
		{"longer name", "import \"log\"\nfunc F() { log.Fatalf(\"\") }", "F", "log.Fatalf"},
		{"first of two", "import \"os\"\nfunc F() { os.Remove(\"\"); os.Exit(1) }", "F", "os.Remove"},
		{"a call away", "import \"os\"\nfunc F() { g() }\nfunc g() { os.Exit(1) }", "F", "os.Exit"},
		{"four calls away", "import \"os\"\nfunc F() { a() }\nfunc a() { b() }\nfunc b() { c() }\nfunc c() { d() }\nfunc d() { os.Exit(1) }", "F", "os.Exit"},
		{"five calls away", "import \"os\"\nfunc F() { a() }\nfunc a() { b() }\nfunc b() { c() }\nfunc c() { d() }\nfunc d() { e() }\nfunc e() { os.Exit(1) }", "F", ""},
		{"descriptor", "import \"os\"\nfunc F(fd int) { os.NewFile(uintptr(fd), \"\").Close() }", "F", "os.NewFile"},
		{"recursive", "func F() { g() }\nfunc g() { F() }", "F", ""},
		{"of a generic type", "import \"os\"\ntype T[E any] struct{ e E }\nfunc (t T[E]) F() { t.g() }\nfunc (T[E]) g() { os.Exit(1) }", "(T).F", "os.Exit"},
		{"behind an interface", "import \"os\"\ntype i interface{ g() }\ntype t int\nfunc (t) g() { os.Exit(1) }\nfunc F() { var x i = t(0); x.g() }", "F", "os.Exit"},
		{"behind an interface of another type", "import \"os\"\ntype i interface{ g() }\ntype t int\nfunc (t) g(n int) { os.Exit(1) }\nfunc F() { var x i; if x != nil { x.g() } }", "F", ""},
		{"raw pointer", "import \"unsafe\"\nfunc F(p unsafe.Pointer) {}", "F", "takes a raw pointer"},
		{"address", "func F(addr uintptr) {}", "F", "takes a raw pointer"},
		{"number", "func F(n uintptr) {}", "F", ""},
		{"test", "import \"testing\"\nfunc F(t *testing.T) {}", "F", "no value of type testing.T can be made"},
		{"test or benchmark", "import \"testing\"\nfunc F(t testing.TB) {}", "F", "no value of type testing.TB can be made"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := exclusion(findSource(t, tt.source), tt.member); got != tt.want {
				t.Errorf("excluded because %q, want %q", got, tt.want)
			}
		})
	}
}

// Code that TestExits finds functions in: they end the process for a setting.
const settings = `package q
import ("os"; "log")
type Mode int
const (Continue Mode = iota; ExitOnError; FatalToo)
type T struct{ mode Mode; name string }
func New(m Mode) *T { return &T{mode: m} }
var Default = New(ExitOnError)
var Later *T
func init() { Later = New(ExitOnError) }
var Usage = func() { Default.Switch() }
var Named = map[Mode]string{ExitOnError: "exit"}
func (t *T) Switch() { switch t.mode { case ExitOnError: os.Exit(1) } }
func (t *T) If(n int) { if n > 0 && t.mode == ExitOnError { end() } }
func (t *T) Either() { if t.mode == ExitOnError || t.mode == FatalToo { end() } }
func (t *T) Else() { if t.mode == ExitOnError { return }; end() }
func (t *T) Or(n int) { if n > 0 || t.mode == ExitOnError { end() } }
func (t *T) Removes() { if t.mode == ExitOnError { os.Remove(t.name); end() } }
func (t *T) Nested() { switch t.mode { case Continue: if t.mode == ExitOnError { end() } } }
func (t *T) Away() { t.Switch() }
func Parameter(m Mode) { switch { case m >= ExitOnError: log.Fatal() } }
func Local(n int) { m := Mode(n); if m == ExitOnError { os.Exit(1) } }
func Text(s string) { if s == "exit" { os.Exit(1) } }
func Decided() { Parameter(ExitOnError) }
func ByDefault() { Default.Switch() }
func ByLater() { Later.Switch() }
func Help() { Usage() }
func Print() string { return Named[Continue] }
func end() { os.Exit(1) }
`

// A function that ends the process for a setting only is called, and marked. The setting is not composed.
func TestExits(t *testing.T) {
	cache.load(t, ".", "log")
	c := find(t, checkSource(t, "example.com/q", settings).Input)
	for member, want := range map[string]string{
		"(*T).Switch": "", "(*T).If": "", "(*T).Either": "", "(*T).Else": "os.Exit", "(*T).Or": "os.Exit", "(*T).Removes": "os.Remove", "(*T).Nested": "",
		"(*T).Away": "", "Parameter": "", "Local": "os.Exit", "Text": "os.Exit", "Decided": "log.Fatal", "ByDefault": "os.Exit", "ByLater": "os.Exit", "Print": "", "New": "", "Help": "",
	} {
		if got := exclusion(c, member); got != want {
			t.Errorf("%s: excluded because %q, want %q", member, got, want)
		} else if got == "" {
			if exits := operationOf(t, c, member).Pre.Exits; exits == (member == "Print" || member == "New" || member == "Help") {
				t.Errorf("%s: exits %v", member, exits)
			}
		}
	}
	var made []string
	for i := range c.Table.Ops {
		if op := &c.Table.Ops[i]; op.Kind == seq.Const || op.Kind == seq.VarGet || op.Kind == seq.Convert {
			made = append(made, op.Template)
		}
	}
	if want := []string{"qpkg.Named", "qpkg.Usage", "qpkg.Continue"}; !slices.Equal(made, want) {
		t.Errorf("values made by %q, want %q", made, want)
	}
	if mode := c.Table.Types[operationOf(t, c, "New").Params[0]]; mode.Literal != seq.NoLiteral {
		t.Errorf("literals of %s are %v", mode.Name, mode.Literal)
	}
}

// Of a type of another package, the constants are composed that are not named for ending the process.
func TestExitsElsewhere(t *testing.T) {
	cache.load(t, ".", "flag")
	c := find(t, checkSource(t, "example.com/q", "package q\nimport \"flag\"\nfunc F(h flag.ErrorHandling) {}").Input)
	var made []string
	for i := range c.Table.Ops {
		if op := &c.Table.Ops[i]; !op.API {
			made = append(made, op.Template)
		}
	}
	if want := []string{"flag.ContinueOnError", "flag.PanicOnError"}; !slices.Equal(made, want) {
		t.Errorf("values made by %q, want %q", made, want)
	}
	if h := c.Table.Types[operationOf(t, c, "F").Params[0]]; h.Literal != seq.NoLiteral {
		t.Errorf("literals of %s are %v", h.Name, h.Literal)
	}
}

// A function that the user allows is called whatever it does, but needs arguments.
func TestAllow(t *testing.T) {
	s := checkSource(t, "example.com/q", `package q
import ("os"; "testing")
type T struct{ n int }
func (t *T) Exit() { os.Exit(t.n) }
func (t *T) Quit() { os.Exit(t.n) }
func Exit(t *testing.T) { os.Exit(1) }
`)
	s.Allow = regexp.MustCompile(`Exit$`)
	c := find(t, s.Input)
	for member, want := range map[string]string{
		"(*T).Exit": "", "(*T).Quit": "os.Exit", "Exit": "no value of type testing.T can be made",
	} {
		if got := exclusion(c, member); got != want {
			t.Errorf("%s: excluded because %q, want %q", member, got, want)
		}
	}
}

// TestBlocks tells calls that wait for others.
func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		name, source, short string
		want                bool
	}{
		{"name", "func Wait() {}", "Wait", true},
		{"start of a name", "func Waiting() {}", "Waiting", false},
		{"join of threads", "type T struct{}\nfunc (*T) Join() {}", "(*T).Join", true},
		{"join of strings", "type T struct{}\nfunc (*T) Join(s string) {}", "(*T).Join", false},
		{"join of nothing", "func Join() {}", "Join", false},
		{"documented", "// F blocks until c is full.\nfunc F() {}", "F", true},
		{"documented maybe", "// F may block.\nfunc F() {}", "F", true},
		{"documented not", "// F will not block.\nfunc F() {}", "F", false},
		{"documented not, briefly", "// F doesn't block until c is full.\nfunc F() {}", "F", false},
		{"block of text", "// F writes a block of text.\nfunc F() {}", "F", false},
		{"receive", "func F(c chan int) { <-c }", "F", true},
		{"negation", "func F(n int) int { return -n }", "F", false},
		{"send", "func F(c chan int) { c <- 1 }", "F", true},
		{"range", "func F(c chan int) { for range c {} }", "F", true},
		{"range over a slice", "func F(c []int) { for range c {} }", "F", false},
		{"own channel", "func F() { c := make(chan int); go close(c); <-c; for range c {}; c <- 1 }", "F", false},
		{"in a goroutine", "func F(c chan int) { go func() { c <- 1 }() }", "F", false},
		{"in a literal", "func F(c chan int) func() { return func() { c <- 1 } }", "F", false},
		{"select", "func F(c chan int) { select { case <-c: } }", "F", true},
		{"select with default", "func F(c chan int) { select { case <-c: default: } }", "F", false},
		{"a call away", "func F(c chan int) { g(c) }\nfunc g(c chan int) { <-c }", "F", true},
		{"two calls away", "func F(c chan int) { g(c) }\nfunc g(c chan int) { h(c) }\nfunc h(c chan int) { <-c }", "F", false},
		{"sleep", "import \"time\"\nfunc F() { time.Sleep(1) }", "F", true},
		{"group", "import \"sync\"\ntype T struct{ g sync.WaitGroup }\nfunc (t *T) F() { t.g.Wait() }", "(*T).F", true},
		{"own group", "import \"sync\"\nfunc F() { var g sync.WaitGroup; g.Wait() }", "F", false},
		{"directive", "//foray:expect wait for others\nfunc F() {}", "F", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := operationOf(t, findSource(t, tt.source), tt.short).Pre.Blocks; got != tt.want {
				t.Errorf("blocks %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCallback(t *testing.T) {
	cache.load(t, ".", "database/sql/driver")
	s := checkSource(t, "example.com/q", `package q
import ("database/sql/driver"; "fmt")
type A struct{}
func (A) String() string { return "" }
func (A) Format(s fmt.State, verb rune) {}
func (A) Value() (driver.Value, error) { return nil, nil }
func (A) IsZero() bool { return true }
func (A) MarshalXML() error { return nil }
func (A) Len() int { return 0 }
type B struct{}
func (B) String(n int) string { return "" }
func (B) Error() error { return nil }
func (B) Format(s fmt.State) {}
func (B) Value() (int, error) { return 0, nil }
func (B) IsZero() {}
`)
	for key, want := range map[string]bool{
		"A.String": true, "A.Format": true, "A.Value": true, "A.IsZero": true, "A.MarshalXML": false, "A.Len": false,
		"B.String": false, "B.Error": false, "B.Format": false, "B.Value": false, "B.IsZero": false,
	} {
		obj, _, _ := types.LookupFieldOrMethod(s.Types.Scope().Lookup(key[:1]).Type(), true, s.Types, key[2:])
		if got := callback(obj.Name(), obj.(*types.Func).Signature()); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}
