package concolic

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const formatSource = `package p

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
	"unsafe"
)

var Out io.Writer = os.Stdout

// The package initializes a variable with one that is not interpreted.
func Global(n int) int {
	if Out == nil {
		return 0
	}
	return n
}

func Make(n int) (length int) {
	defer func() {
		if recover() != nil {
			length = -1
		}
	}()
	return len(make([]uint64, n))
}

type form int

func (f form) String() string { return fmt.Sprintf("form(%d)", f) }

func Sprint(n int, s string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d%%|%5d|%s|%q|%v|%x", n, n, s, s, form(n), form(n))
	fmt.Fprintln(&b, n, s)
	b.WriteString(fmt.Sprint(n, form(n)))
	b.WriteString(fmt.Sprintf("%[2]s %[1]v|%v", n, s, []byte(s)))
	return b.String()
}

type cause struct{ n int }

func (c *cause) Error() string { return "cause" }

func As(n int) int {
	var c *cause
	if errors.As(fmt.Errorf("%w", &cause{n}), &c) && !errors.As(io.EOF, &c) {
		return c.n
	}
	return -1
}

func Wrap(n int) string {
	err := fmt.Errorf("at %d: %w", n, io.EOF)
	if errors.Is(err, io.EOF) && !errors.Is(fmt.Errorf("at %v", io.EOF), io.EOF) {
		return err.Error()
	}
	return ""
}

// Symbols survive a verb that writes a string as it is.
func Symbol(s string) int {
	if fmt.Sprintf("<%s>%v", s, s) == "<ab>ab" {
		return 1
	}
	return 0
}

func noescape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return unsafe.Pointer(x ^ 0)
}

type pair struct {
	a int
	b []uint64
}

type twin struct {
	c int
	d []uint64
}

func Unsafe(n int) int {
	a := [2]int{n, 2}
	list := (*[2]int)(noescape(unsafe.Pointer(&a[0])))[:]
	list[1]++
	p := pair{n, nil}
	(*twin)(unsafe.Pointer(&p)).c += a[1]
	f := 1.5
	if *(*uint64)(unsafe.Pointer(&f)) != math.Float64bits(f) {
		return -1
	}
	b := []byte("ab")
	if s := *(*string)(unsafe.Pointer(&b)); s != "ab" {
		return -2
	}
	return p.a
}

func odd[T int8 | int64](x T) bool {
	if x%2 != 0 {
		return true
	}
	return false
}

func Generic(n int64) bool { return odd(n) != odd(int8(n)) }

func Now() bool { return time.Now().IsZero() }
`

// loadSource loads a package of one file.
func loadSource(t *testing.T, source string) (*Program, *Machine) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m.test/p\n\ngo 1.24\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := Load(Config{Dir: dir, Patterns: []string{"m.test/p"}})
	if err != nil {
		t.Fatal(err)
	}
	return prog, prog.NewMachine(Limits{})
}

// Models of fmt print what fmt does; pointers are converted between types that are alike.
func TestFormat(t *testing.T) {
	prog, m := loadSource(t, formatSource)
	printed := func(n int, s string) string {
		form := fmt.Sprintf("form(%d)", n)
		return fmt.Sprintf("%d%%|%5d|%s|%q|%v|%x", n, n, s, s, form, form) + fmt.Sprintln(n, s) + fmt.Sprint(n, " ", form) +
			fmt.Sprintf("%[2]s %[1]v|%v", n, s, []byte(s))
	}
	for _, tt := range []struct {
		name string
		args []any
		want string
	}{
		{"Sprint", []any{int64(-12), "x"}, strconv.Quote(printed(-12, "x"))},
		{"Wrap", []any{int64(3)}, strconv.Quote("at 3: EOF")},
		{"As", []any{int64(3)}, "3"},
		{"Symbol", []any{"ab"}, "1"},
		{"Unsafe", []any{int64(40)}, "43"},
		{"Generic", []any{int64(5)}, "false"},
		{"Now", nil, "false"},
		{"Global", []any{int64(6)}, "6"},
		{"Make", []any{int64(3)}, "3"},
		{"Make", []any{int64(1<<45 + 1)}, "-1"},
	} {
		in, err := m.NewInput(prog.Targets[0].Func(tt.name), Shape{})
		if err != nil {
			t.Fatal(err)
		}
		run := m.Run(in, in.Model(tt.args))
		if got := strings.Join(run.Results, ","); got != tt.want || run.Reason != ReasonNone {
			t.Errorf("%s: got %s (%v %s), want %s", tt.name, got, run.Reason, run.Detail, tt.want)
		}
		if tt.name == "Symbol" && len(run.Path) == 0 {
			t.Errorf("%s: no branch depends on the input", tt.name)
		}
	}
}

// Instances of a function have the sites of the function.
func TestInstances(t *testing.T) {
	prog, m := loadSource(t, formatSource)
	in, err := m.NewInput(prog.Targets[0].Func("Generic"), Shape{})
	if err != nil {
		t.Fatal(err)
	}
	m.Run(in, in.Zero())
	n := 0
	for i := range m.Sites {
		if s := &m.Sites[i]; s.Kind == If && strings.HasPrefix(s.Function.Name(), "odd[") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d sites for one condition", n)
	}
}

func TestTags(t *testing.T) {
	for _, tt := range [][2]string{
		{"", "-tags=purego,math_big_pure_go"},
		{"-race -tags=a", "-race -tags=a,purego,math_big_pure_go"},
		{"--tags a,b -v", "--tags a,b,purego,math_big_pure_go -v"},
	} {
		if got := strings.Join(withTags(strings.Fields(tt[0])), " "); got != tt[1] {
			t.Errorf("%q: %q, want %q", tt[0], got, tt[1])
		}
	}
}
