package gentest

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"foray.test/cmd/internal/load"
	"foray.test/harness/build"
	"foray.test/harness/catalog"
	"foray.test/harness/emit"
	"foray.test/harness/owned"
)

// A Place is where the tests of a package go: its directory or, if the package is outside of
// the main module, a module of their own.
type Place struct {
	target *build.Target
	dir    string // of the files
	tryDir string // where they are tried, with an overlay
	env    []string
	module map[string][]byte // go.mod and go.sum of a module of their own
}

// NewPlace returns the place for the tests of a package. out names the directory of a module
// of their own; it must be empty if the package is in the main module. temp is an empty
// directory.
func NewPlace(target *build.Target, out, temp string) (*Place, error) {
	p := &Place{target: target, dir: target.Dir, tryDir: target.Dir, env: target.Env}
	own := target.Own()
	switch {
	case own && out != "":
		return nil, &load.Error{Place: target.Path, Msg: "-o is for packages outside of the main module", Hint: "without -o the tests are written beside the package"}
	case own:
		return p, nil
	case out == "":
		return nil, &load.Error{Place: target.Path, Msg: "not in the main module: gen cannot write tests beside it", Hint: "-o DIR writes a module with the tests into DIR"}
	}
	p.dir = out
	data, err := os.ReadFile(filepath.Join(p.dir, "go.mod"))
	if err == nil && !bytes.HasPrefix(data, []byte(mark)) {
		return nil, &load.Error{Place: out, Msg: "holds a module that foray gen has not written", Hint: "-o names a directory of its own"}
	}
	return p, p.makeModule(temp)
}

// makeModule makes a module in temp, where the tests are tried. It requires the versions that
// govern where the package was found.
func (p *Place) makeModule(temp string) error {
	tmp, err := filepath.EvalSymlinks(temp)
	if err != nil {
		return err
	}
	t := p.target
	p.module = map[string][]byte{}
	p.module["go.mod"], err = modFile(t)
	if err != nil {
		return &load.Error{Place: t.Path, Msg: err.Error()}
	}
	if t.Where != build.Std {
		sum, err := sums(t)
		if err != nil {
			return err
		}
		if len(sum) > 0 {
			p.module["go.sum"] = sum
		}
	}
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
	return nil
}

// modFile returns the go.mod of a module with tests of a package. It has the requirements,
// replacements and exclusions of the go.mod that governs where the package was found.
func modFile(t *build.Target) ([]byte, error) {
	f := new(modfile.File)
	err := errors.Join(f.AddModuleStmt("foray.test/gen"), f.AddGoStmt(strings.TrimPrefix(t.Go.Language(), "go")))
	if t.Where != build.Std {
		err = errors.Join(err, inherit(f, t))
	}
	if err != nil {
		return nil, err
	}
	data, err := f.Format()
	return append([]byte(mark+"\n\n"), data...), err
}

// inherit copies the requirements that govern where a package was found. Directories that
// replace modules are named by absolute paths.
func inherit(f *modfile.File, t *build.Target) error {
	if t.GoMod == "" && t.GoWork == "" || t.Module == nil {
		return errors.New("no go.mod says which versions it requires")
	}
	files, work, err := governing(t)
	if err != nil {
		return err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		from, err := modfile.Parse(name, data, nil)
		if err != nil {
			return err
		}
		for _, r := range from.Require {
			require(f, r)
		}
		for _, x := range from.Exclude {
			err = errors.Join(err, f.AddExclude(x.Mod.Path, x.Mod.Version))
		}
		if err := errors.Join(err, addReplaces(f, name, from.Replace)); err != nil {
			return err
		}
	}
	err = addReplaces(f, t.GoWork, work) // they win
	f.Cleanup()
	return err
}

// governing returns the files of the modules whose requirements hold where a package was
// found: one, or those of a workspace, with the replacements of that.
func governing(t *build.Target) ([]string, []*modfile.Replace, error) {
	if t.GoWork == "" {
		return []string{t.GoMod}, nil, nil
	}
	data, err := os.ReadFile(t.GoWork)
	if err != nil {
		return nil, nil, err
	}
	work, err := modfile.ParseWork(t.GoWork, data, nil)
	if err != nil {
		return nil, nil, err
	}
	var files []string
	for _, u := range work.Use {
		files = append(files, filepath.Join(absolute(t.GoWork, u.Path), "go.mod"))
	}
	return files, work.Replace, nil
}

// require adds a requirement. Of two for one module the higher version holds.
func require(f *modfile.File, r *modfile.Require) {
	i := slices.IndexFunc(f.Require, func(had *modfile.Require) bool { return had.Mod.Path == r.Mod.Path })
	if i < 0 {
		f.AddNewRequire(r.Mod.Path, r.Mod.Version, r.Indirect)
	} else if semver.Compare(r.Mod.Version, f.Require[i].Mod.Version) > 0 {
		_ = f.AddRequire(r.Mod.Path, r.Mod.Version) // in place of it, which cannot fail
	}
}

// addReplaces adds the replacements of a file.
func addReplaces(f *modfile.File, name string, list []*modfile.Replace) error {
	var err error
	for _, r := range list {
		to := r.New.Path
		if modfile.IsDirectoryPath(to) {
			to = absolute(name, to)
		}
		err = errors.Join(err, f.AddReplace(r.Old.Path, r.Old.Version, to, r.New.Version))
	}
	return err
}

// absolute returns the absolute path of a directory that a file names.
func absolute(file, dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(filepath.Dir(file), dir)
}

// sums returns the checksums of all that governs where a package was found.
func sums(t *build.Target) ([]byte, error) {
	files, _, err := governing(t)
	if err != nil {
		return nil, err
	}
	if t.GoWork != "" {
		files = append(files, t.GoWork+".mod") // go.work.sum
	}
	var all []byte
	for _, name := range files {
		data, err := os.ReadFile(strings.TrimSuffix(name, ".mod") + ".sum")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		all = append(all, data...)
	}
	return all, nil
}

// mayWrite reports as an error that gen has not written the file of a base name.
func (p *Place) mayWrite(name string) error {
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !bytes.HasPrefix(data, []byte(mark+"\n")):
		return &load.Error{Place: name, Msg: "not written by foray gen, and so not overwritten", Hint: "move it out of the way; a file of gen begins with " + mark}
	}
	return nil
}

// declared returns the names that the external tests of the package declare, but for files
// of gen.
func (p *Place) declared() []string {
	var names []string
	if p.module != nil {
		return nil
	}
	for _, file := range p.target.XTestGoFiles {
		if base := filepath.Base(file); base == failFile || base == regressionFile {
			continue
		}
		src, _ := p.target.ReadFile(file)
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports it
		}
		for _, d := range f.Decls {
			names = append(names, catalog.Declared(d)...)
		}
	}
	return names
}

// raise reports whether the tests are in a module with a go line older than their language.
func (p *Place) raise() bool { return p.module == nil && p.target.Below(emit.Language) }

// writable reports as an error that no file can be made in the directory of the package.
func (p *Place) writable() error {
	if p.module != nil {
		return nil // which need not be there yet
	}
	f, err := os.CreateTemp(p.dir, ".foray-")
	if err != nil {
		return load.NotWritten("gen", p.target.Path, p.dir, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// write writes a file atomically, with the module that it needs, and returns its name.
func (p *Place) write(name string, src []byte) (string, error) {
	for base, data := range p.module {
		if err := owned.WriteFile(filepath.Join(p.dir, base), data); err != nil {
			return "", err
		}
	}
	file := filepath.Join(p.dir, name)
	return file, owned.WriteFile(file, src)
}

// remove removes a file of that name, which gen has written before.
func (p *Place) remove(name string, _ []byte) (string, error) {
	file := filepath.Join(p.dir, name)
	return file, os.Remove(file)
}
