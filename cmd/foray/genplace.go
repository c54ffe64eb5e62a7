package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
)

// place is where the tests of a package go: its directory or, for one that is not
// the user's, a module of its own.
type place struct {
	target *build.Target
	dir    string // where the files go
	tryDir string // where they are tried, with an overlay
	env    []string
	module map[string][]byte // go.mod and go.sum of a module of its own
}

// newPlace finds the place for the tests of target.
func newPlace(ctx context.Context, target *build.Target, alone bool, o *options) (*place, error) {
	p := &place{target: target, dir: target.Dir, tryDir: target.Dir, env: target.Env}
	own := target.Where == build.MainModule || target.Where == build.Workspace
	switch {
	case own && o.out != "":
		return nil, &load.Error{Place: target.Path, Msg: "-o is for packages outside of the main module", Hint: "without -o the tests are written beside the package, in " + o.relative(target.Dir)}
	case own:
		return p, nil
	case o.out == "":
		return nil, &load.Error{Place: target.Path, Msg: "not in the main module: its tests cannot stand beside it", Hint: "-o DIR writes a module with the tests into DIR"}
	}
	dir, err := filepath.Abs(o.out)
	if err != nil {
		return nil, err
	}
	if !alone {
		dir = filepath.Join(dir, filepath.FromSlash(target.Path))
	}
	p.dir = dir
	if err := p.mayWriteModule(o); err != nil {
		return nil, err
	}
	return p, p.makeModule(ctx, o)
}

// mayWriteModule reports as an error that there is a module which gen has not made.
func (p *place) mayWriteModule(o *options) error {
	data, err := os.ReadFile(filepath.Join(p.dir, "go.mod"))
	if err == nil && !bytes.HasPrefix(data, []byte(genMark)) {
		return &load.Error{Place: o.relative(p.dir), Msg: "holds a module that foray gen has not written", Hint: "-o names a directory of its own"}
	}
	return nil
}

// makeModule makes a module that requires what the package needs, where the tests
// are tried. The one in which the package was found says which versions.
func (p *place) makeModule(ctx context.Context, o *options) error {
	tmp, err := o.temps.make()
	if err != nil {
		return err
	}
	if tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return err
	}
	t := p.target
	mod := fmt.Sprintf("%s\n\nmodule foray.test/gen\n\ngo %s\n", genMark, strings.TrimPrefix(t.Go.Language(), "go"))
	p.module = map[string][]byte{}
	if t.Where != build.Std {
		if mod, err = requiring(mod, t); err != nil {
			return &load.Error{Place: t.Path, Msg: err.Error()}
		}
		sum, err := os.ReadFile(strings.TrimSuffix(t.GoMod, ".mod") + ".sum")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if len(sum) > 0 {
			p.module["go.sum"] = sum
		}
	}
	p.module["go.mod"] = []byte(mod)
	p.tryDir = tmp
	env := t.Env
	if env == nil {
		env = os.Environ()
	}
	p.env = append(env[:len(env):len(env)], "GOWORK=off", "GOFLAGS=-mod=mod")
	for name, data := range p.module {
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o666); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// requiring adds to a go.mod what that of the target's module requires.
func requiring(mod string, t *build.Target) (string, error) {
	if t.GoMod == "" || t.Module == nil {
		return "", fmt.Errorf("no go.mod says what it requires")
	}
	data, err := os.ReadFile(t.GoMod)
	if err != nil {
		return "", err
	}
	block := false
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "require ("):
			block = true
		case block && text == ")":
			block = false
		case text == "":
		case block:
			mod += "\nrequire " + text
		case strings.HasPrefix(text, "require "):
			mod += "\n" + text
		}
	}
	return mod + "\n", nil
}

// mayWrite reports as an error that a file is there which gen has not written.
func (p *place) mayWrite(name string, o *options) error {
	file := filepath.Join(p.dir, name)
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !bytes.HasPrefix(data, []byte(genMark+"\n")):
		return &load.Error{Place: o.relative(file), Msg: "not written by foray gen, and so not overwritten", Hint: "move it out of the way; a file of gen begins with " + genMark}
	}
	return nil
}

// taken returns the names that the external tests of the package declare, but for
// those in files of gen.
func (p *place) taken() []string {
	var names []string
	if p.module != nil {
		return nil
	}
	for _, file := range p.target.XTestGoFiles {
		if base := filepath.Base(file); base == failFile || base == regressionFile {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler will have the word
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// plain reports whether the tests are in a language without type parameters to
// lean on: any is comparable from 1.20 on.
func (p *place) plain() bool {
	if p.module != nil || p.target.Module == nil {
		return false
	}
	minor := 0
	n, _ := fmt.Sscanf(p.target.Module.GoVersion, "1.%d", &minor)
	return p.target.Module.GoVersion == "" || n == 1 && minor < 20
}

// write writes a file in one go, with the module that it needs, and returns its name.
func (p *place) write(name string, src []byte) (string, error) {
	for base, data := range p.module {
		if _, err := p.put(base, data); err != nil {
			return "", err
		}
	}
	return p.put(name, src)
}

func (p *place) put(name string, data []byte) (string, error) {
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(p.dir, ".foray-")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return "", err
	}
	file := filepath.Join(p.dir, name)
	return file, os.Rename(f.Name(), file)
}

// testFunction is a test function in a file, with its first and last line.
type testFunction struct {
	name        string
	first, last int
}

// testFunctions returns the test functions of a file, in order.
func testFunctions(src []byte) []testFunction {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		panic(fmt.Sprintf("gen: a file of its own does not parse: %v", err))
	}
	var list []testFunction
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
			list = append(list, testFunction{fn.Name.Name, fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line})
		}
	}
	return list
}
