package build

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// replaceModule makes the files of a module of the module cache replaceable. A
// replace line in an overlaid go.mod (go.work in a workspace) points the module
// at a directory that exists only in the overlay. There it has the files of the
// cache. The go command opens assembly, C and embedded files without regard to
// the overlay, and the cover tool all files that it rewrites. A module that
// needs this is copied there instead, once.
func (b *builder) replaceModule(ctx context.Context, l *layer, o *layout) error {
	t := &b.Target
	m := t.Module
	if m == nil || m.Dir == "" {
		return fmt.Errorf("%s: no module for %s", t.Path, t.Dir)
	}
	rel, err := filepath.Rel(t.Go.ModCache, m.Dir)
	if err != nil {
		return err
	}
	o.from, o.to = m.Dir, filepath.Join(b.Cache, "module", rel)
	needsCopy := b.Cover || b.linksTests() && t.testsNeed(t.SameModule) // the cover tool opens the files that it rewrites
	for _, s := range t.Siblings {
		needsCopy = needsCopy || s.Copy
	}
	if needsCopy {
		o.to = filepath.Join(b.Cache, "copy", rel)
		if err := copyModule(m.Dir, o.to); err != nil {
			return err
		}
	}
	for _, s := range t.Siblings {
		for _, f := range s.GoFiles {
			l.replace[o.at(f)] = f
		}
	}
	if b.linksTests() {
		for _, f := range slices.Concat(t.TestGoFiles, t.XTestGoFiles) {
			l.replace[o.at(f)] = f
		}
	}
	if err := b.replacedModFile(ctx, l, o); err != nil {
		return err
	}
	_, o.flags = CutFlag(o.flags, "mod")
	o.flags = append(o.flags, "-mod=readonly")
	governs, verb := t.GoMod, "mod"
	if t.GoWork != "" {
		governs, verb = t.GoWork, "work"
	}
	if governs == "" {
		return fmt.Errorf("%s: no go.mod governs the build", t.Path)
	}
	return b.addReplace(ctx, l, governs, verb, o.to)
}

// replacedModFile adds the module's go.mod to the directory that replaces the module.
// A fork that replaces the module keeps its own module path in its go.mod, which
// is accepted for a version and not for a directory.
func (b *builder) replacedModFile(ctx context.Context, l *layer, o *layout) error {
	m := b.Target.Module
	file := m.GoMod
	if m.Replace != nil && m.Replace.GoMod != "" {
		file = m.Replace.GoMod
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name := filepath.Join(o.to, "go.mod")
	if err := l.put(name, data); err != nil {
		return err
	}
	if m.Replace == nil || m.Replace.Path == m.Path {
		return nil
	}
	return b.edit(ctx, "mod", "-module="+m.Path, l.replace[name])
}

// addReplace overlays file, a go.mod or go.work, with a copy that replaces the
// module of the package under test by dir.
func (b *builder) addReplace(ctx context.Context, l *layer, file, verb, dir string) error {
	m := b.Target.Module
	source := file
	if s := l.replace[file]; s != "" {
		source = s // the user's own overlay
	}
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := l.put(file, data); err != nil {
		return err
	}
	copied := l.replace[file]
	if bytes.Contains(data, []byte("replace")) {
		err := b.edit(ctx, verb, "-dropreplace="+m.Path, "-dropreplace="+m.Path+"@"+m.Version, copied)
		if err != nil {
			return err
		}
		if data, err = os.ReadFile(copied); err != nil {
			return err
		}
	}
	data = fmt.Appendf(data, "\nreplace %s %s => %s\n", m.Path, m.Version, strconv.Quote(dir))
	return os.WriteFile(copied, data, 0o666)
}

func (b *builder) edit(ctx context.Context, verb string, args ...string) error {
	g := goCmd{dir: b.Target.WorkDir, env: b.Target.Env}
	_, _, err := g.output(ctx, append([]string{verb, "edit"}, args...)...)
	return err
}

// copyPrefix begins the name of a copy that is not complete.
const copyPrefix = ".copy-"

// copyModule copies the module at src to dst, tests aside, unless that is done. Its time tells
// when it was used last.
func copyModule(src, dst string) error {
	if fileExists(dst) {
		_ = os.Chtimes(dst, time.Time{}, time.Now())
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dst), 0o777); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dst), copyPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(tmp, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		if !d.Type().IsRegular() || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o666)
	})
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, dst); err != nil && !fileExists(dst) {
		return err
	}
	return nil
}
