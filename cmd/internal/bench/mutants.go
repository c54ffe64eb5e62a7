package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mutated are the packages whose mutants regression tests are to kill.
var mutated = []string{redBlackTree, "container/list", "github.com/google/btree@v1.1.3"}

func setupMutants(fs *flag.FlagSet) func(context.Context, *bench) error {
	each := fs.Duration("t", 15*time.Second, "fuzz each package for so `long`")
	seed := fs.Uint64("seed", 1, "start the random source, and the choice of mutants, at `n`")
	n := fs.Int("n", 200, "try so many `mutants` of all packages together")
	return func(ctx context.Context, b *bench) error { return benchMutants(ctx, b, *each, *seed, *n) }
}

// A mutant is a source file with one comparison or integer constant changed.
type mutant struct {
	pkg, file, place string // file: absolute; place: base name, line, column
	from, to         string // the text that is replaced
	offset           int
}

// apply returns the source with the change.
func (m mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.offset], []byte(m.to), src[m.offset+len(m.from):])
}

// What a comparison is changed to: the other side of its boundary, and its contrary.
var comparisons = map[token.Token][]string{
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="},
}

// mutants returns all mutants of a source file: comparisons changed, and integer
// constants in function bodies made larger by one.
func mutants(pkg, file string, src []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []mutant
	add := func(pos token.Pos, from, to string) {
		p := fset.Position(pos)
		list = append(list, mutant{pkg, file, fmt.Sprintf("%s:%d:%d", filepath.Base(file), p.Line, p.Column), from, to, p.Offset})
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				for _, to := range comparisons[n.Op] {
					add(n.OpPos, n.Op.String(), to)
				}
			case *ast.BasicLit:
				if v, err := strconv.ParseUint(n.Value, 0, 62); n.Kind == token.INT && err == nil {
					add(n.Pos(), n.Value, strconv.FormatUint(v+1, 10))
				}
			}
			return true
		})
	}
	return list, nil
}

func benchMutants(ctx context.Context, b *bench, each time.Duration, seed uint64, n int) error {
	t, err := b.table("mutants", 4, "package", "place", "from", "to", "result")
	if err != nil {
		return err
	}
	var labs []*lab
	defer func() {
		for _, l := range labs {
			_ = os.RemoveAll(l.dir) // of the cache: what is left is in no one's way
		}
	}()
	var all []mutant
	for _, pkg := range b.choose(mutated) {
		l, err := newLab(ctx, b, pkg, each, seed)
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		labs = append(labs, l)
		all = append(all, l.mutants...)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	tried := 0
	for _, m := range all {
		if tried == n {
			break
		}
		i := slices.IndexFunc(labs, func(l *lab) bool { return l.pkg == m.pkg })
		result, err := labs[i].try(ctx, m)
		if err != nil {
			return err
		}
		if result == notCompiled {
			continue
		}
		tried++
		if err := t.put([]string{m.pkg, m.place, m.from, m.to}, []string{result}); err != nil {
			return err
		}
		b.logf("[%d/%d] %s %s: %s to %s: %s", tried, n, m.pkg, m.place, m.from, m.to, result)
	}
	b.summary(mutantSummary(t.records()))
	return b.complete(t)
}

// What becomes of a mutant.
const (
	killed      = "killed"
	alive       = "alive"
	notCompiled = "does not compile"
)

func mutantSummary(records []record) [][]string {
	rows := [][]string{{"package", "mutants", "killed", "%"}}
	line := func(name string, list []record) {
		n := 0
		for _, r := range list {
			if r.get("result") == killed {
				n++
			}
		}
		rows = append(rows, []string{name, count(len(list)), count(n), share(float64(n), float64(len(list)))})
	}
	for _, pkg := range mutated {
		line(pkg, slices.DeleteFunc(slices.Clone(records), func(r record) bool { return r.get("package") != pkg }))
	}
	line(keyTotal, records)
	return rows
}

// A lab holds a package whose source can be changed, and regression tests of it.
type lab struct {
	pkg, dir, module string
	overlay          bool // files are changed by an overlay, not in place
	mutants          []mutant
}

func newLab(ctx context.Context, b *bench, pkg string, each time.Duration, seed uint64) (*lab, error) {
	g, err := b.generated(ctx, pkg, each, seed)
	if err != nil {
		return nil, err
	}
	l := &lab{pkg: pkg, dir: g.dir, module: g.module()}
	if g.problem != "" {
		return l, errors.New(g.problem)
	}
	path, version, at := strings.Cut(pkg, "@")
	env := []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	if l.overlay = !at; at {
		out, err := goOutput(ctx, l.module, env, "list", "-f", "{{.Module.Path}}\t{{.Module.Dir}}", path)
		if err != nil {
			return l, err
		}
		mod, src, _ := strings.Cut(strings.TrimSpace(out), "\t")
		if err := os.CopyFS(filepath.Join(l.dir, "source"), os.DirFS(src)); err != nil {
			return l, err
		}
		if _, err := goOutput(ctx, l.module, env, "mod", "edit", "-replace="+mod+"@"+version+"=../source"); err != nil {
			return l, err
		}
	}
	out, err := goOutput(ctx, l.module, env, "list", "-f", `{{.Dir}}{{range .GoFiles}}{{"\t"}}{{.}}{{end}}`, path)
	if err != nil {
		return l, err
	}
	names := strings.Split(strings.TrimSpace(out), "\t")
	for _, name := range names[1:] {
		file := filepath.Join(names[0], name)
		src, err := os.ReadFile(file)
		if err != nil {
			return l, err
		}
		list, err := mutants(pkg, file, src)
		if err != nil {
			return l, err
		}
		l.mutants = append(l.mutants, list...)
	}
	if state, err := l.test(ctx, ""); err != nil || state != alive {
		return l, fmt.Errorf("tests of the package as it is: %s: %w", state, err)
	}
	return l, nil
}

// try runs the tests on a mutant.
func (l *lab) try(ctx context.Context, m mutant) (string, error) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	if l.overlay {
		file := filepath.Join(l.dir, filepath.Base(m.file))
		if err := os.WriteFile(file, m.apply(src), 0o666); err != nil {
			return "", err
		}
		overlay := filepath.Join(l.dir, "overlay.json")
		if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, m.file, file), 0o666); err != nil {
			return "", err
		}
		return l.test(ctx, overlay)
	}
	// The copy has the permissions of the module cache: read-only.
	if err := errors.Join(os.Chmod(m.file, 0o644), os.WriteFile(m.file, m.apply(src), 0o644)); err != nil {
		return "", err
	}
	result, err := l.test(ctx, "")
	return result, errors.Join(err, os.WriteFile(m.file, src, 0o644))
}

// mutantTime is how long the tests of a mutant may take: it may loop for ever.
const mutantTime = 20 * time.Second

// test compiles and runs the tests.
func (l *lab) test(ctx context.Context, overlay string) (string, error) {
	env := []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	binary := filepath.Join(l.dir, "mutant.test")
	args := []string{"test", "-c", "-vet=off", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	if _, err := goOutput(ctx, l.module, env, append(args, ".")...); err != nil {
		return notCompiled, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, mutantTime)
	defer cancel()
	// A mutant may take memory without end: no more than 4 GB of addresses.
	cmd := exec.CommandContext(limited, "sh", "-c", `ulimit -v 4000000; exec "$0" -test.failfast`, binary)
	cmd.Dir = l.module
	if err := cmd.Run(); err != nil {
		return killed, ctx.Err()
	}
	return alive, nil
}
