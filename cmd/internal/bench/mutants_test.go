package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A schema does as the file does if no mutant is chosen, and else as the file with
// the change.
func TestSchema(t *testing.T) {
	const src = `package main

import "fmt"

const limit = 3

type list[T any] struct{ all []T }

func (l *list[T]) at(_ string, i int) T {
	return l.all[i+1]
}

func (list[T]) less(int, int) bool { return 1 < 0 }

func few[T any, U any](x U, all ...T) bool {
	if len(all) == limit {
		return false
	}
	return len(all) < 2
}

func (l *list[T]) cut() {
	l.all = l.all[1:]
}

func main() {
	l := list[int]{[]int{4, 5, 6, 7, 8, 9}}
	l.cut()
	fmt.Print(l.at("", 0), l.less(0, 0), few("", 1, 2))
}
`
	s, err := newSchema("p", "p.go", []byte(src), 1)
	if err != nil {
		t.Fatal(err)
	}
	var list []string // changes of functions but main
	for _, fn := range s.functions[:4] {
		for _, m := range fn.mutants {
			list = append(list, m.place+" "+m.from+" "+m.to)
		}
	}
	want := []string{
		"p.go:10:17 1 2", "p.go:13:47 < <=", "p.go:13:47 < >=", "p.go:13:45 1 2", "p.go:13:49 0 1",
		"p.go:16:14 == !=", "p.go:19:18 < <=", "p.go:19:18 < >=", "p.go:19:20 2 3", "p.go:23:16 1 2",
	}
	if !slices.Equal(list, want) {
		t.Errorf("mutants %q, want %q", list, want)
	}
	text, spans := s.text(func(number int) bool { return number <= len(list) })
	if lines := strings.Split(text, "\n"); spans[1].number != 2 || !strings.HasPrefix(lines[spans[1].first-1], "func (unnamed1 list[T]) mutant2(") {
		t.Errorf("mutant %d is said to begin in line %d, in %s", spans[1].number, spans[1].first, text)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"p.go": text, "number.go": schemaSwitch("main"), "go.mod": "module p\n\ngo 1.21\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "p", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, text)
	}
	for number, want := range []string{"6 false false", "7 false false", "6 false false", "6 true false", "6 false false", "6 false false", "6 false false", "6 false true", "6 false true", "6 false true", "7 false false"} {
		run := exec.Command(filepath.Join(dir, "p"))
		run.Env = append(os.Environ(), schemaEnv+"="+strconv.Itoa(number))
		out, err := run.Output()
		if err != nil || string(out) != want {
			t.Errorf("mutant %d prints %q, %v, want %q", number, out, err, want)
		}
	}
}

func TestComplains(t *testing.T) {
	const out = "# p\n../source/p.go:12:4: invalid operation\n\tother declaration\n./q.go:30:1: syntax error\n"
	spans := map[string][]span{"p.go": {{10, 11, 1}, {12, 14, 2}, {30, 31, 3}}}
	for number, want := range map[int]bool{1: false, 2: true, 3: false} {
		if got := complains(out, spans, number); got != want {
			t.Errorf("complains of mutant %d: %v, want %v", number, got, want)
		}
	}
}

func TestMutantSummary(t *testing.T) {
	columns := []string{"package", "result", "equivalent"}
	row := func(cells ...string) record { return record{columns, cells} }
	rows := mutantSummary([]record{
		row("container/list", killed, ""), row("container/list", alive, ""), row("container/list", alive, "by hand"), row(redBlackTree, killed, ""),
	})
	want := [][]string{{redBlackTree, "1", "0", "1", "100.0"}, {"container/list", "3", "1", "1", "50.0"}, {"github.com/google/btree@v1.1.3", "0", "0", "0", ""}, {keyTotal, "4", "1", "2", "66.7"}}
	for i, w := range want {
		if !slices.Equal(rows[i+1], w) {
			t.Errorf("row %d: %q, want %q", i, rows[i+1], w)
		}
	}
}
