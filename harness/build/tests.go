package build

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// RecordPath is the import path of harness/record in a test binary.
const RecordPath = RuntimePath + "/harness/record"

// BuildTests builds the test binary of a package, as go test does, with rewritten sources in
// place of its own, below dir. They may import [RecordPath].
func BuildTests(ctx context.Context, t *Target, rewritten map[string][]byte, dir string) (binary string, err error) {
	b := &builder{Config: Config{Target: *t, Rewritten: rewritten}, tests: true}
	if b.Cache, err = cacheDir(""); err != nil {
		return "", err
	}
	files := embedded()
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return path.Dir(name) != "harness/record" })
	if b.runtime, err = runtimeSources(files, 0, false); err != nil {
		return "", err
	}
	l := &layer{dir: filepath.Join(dir, "files"), replace: map[string]string{}}
	o, err := b.prepare(ctx, l)
	if err != nil {
		return "", err
	}
	ds, err := b.compileOnce(ctx, l, o, nil, dir, false)
	if err != nil && len(ds) > 0 && ctx.Err() == nil {
		return "", &CompileError{Path: t.Path, Pos: ds[0].pos(), Msg: ds[0].msg}
	}
	return filepath.Join(dir, binaryFile), err
}

// withTestModules returns the target as it is to be built with its tests. The go.mod that
// governs a package of the module cache need not have the modules that only its tests import.
// Then the target has a copy of that file, in dir, to which the go command has added them.
func (t *Target) withTestModules(ctx context.Context, dir string) (*Target, error) {
	if t.Where != ModuleCache || t.GoWork != "" || t.GoMod == "" {
		return t, nil
	}
	if mod := flagValue(t.Flags, &t.Go, "modfile"); mod != "" {
		return t, nil
	}
	copied := filepath.Join(dir, "go.mod")
	for _, ext := range []string{".mod", ".sum"} {
		data, err := os.ReadFile(t.GoMod[:len(t.GoMod)-len(".mod")] + ext)
		if errors.Is(err, fs.ErrNotExist) && ext == ".sum" {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "go"+ext), data, 0o666)
		}
		if err != nil {
			return nil, err
		}
	}
	c := *t
	_, c.Flags = CutFlag(c.Flags, "mod")
	c.Flags = append(c.Flags[:len(c.Flags):len(c.Flags)], "-modfile="+copied)
	g := goCmd{dir: t.WorkDir, env: t.Env}
	if _, _, err := g.output(ctx, append(append([]string{"list", "-deps", "-test", "-mod=mod", "-f="}, c.Flags...), "--", t.Path)...); err != nil {
		return nil, err
	}
	c.GoMod = copied
	return &c, nil
}

// testsNeedMore reports whether the test files import a package of the same module that the
// package itself does not depend on.
func (t *Target) testsNeedMore() bool {
	for _, name := range slices.Concat(t.TestGoFiles, t.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			continue // the go command reports it better
		}
		for _, im := range f.Imports {
			path, _ := strconv.Unquote(im.Path.Value)
			rest, ok := strings.CutPrefix(path, t.Module.Path+"/")
			dir := filepath.Join(t.Module.Dir, filepath.FromSlash(rest))
			if ok && !slices.ContainsFunc(t.Siblings, func(s Sibling) bool { return s.Dir == dir }) {
				return true
			}
		}
	}
	return false
}

// TestStamp returns a key that changes with the package, as Stamp does, with its test files
// and with the files below its testdata.
func (t *Target) TestStamp(extra ...string) string {
	files := append(t.TestGoFiles[:len(t.TestGoFiles):len(t.TestGoFiles)], t.XTestGoFiles...)
	const most = 2000
	_ = filepath.WalkDir(filepath.Join(t.Dir, "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(files) >= most {
			return filepath.SkipAll
		}
		if d.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	extra = append(extra, strconv.Itoa(len(files)))
	for _, name := range files {
		extra = append(extra, name, fileStamp(name))
	}
	return t.Stamp(extra...)
}
