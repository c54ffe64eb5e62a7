package build

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// overlay is the file that the go command's -overlay takes: for a file name the
// file that holds its content, or nothing to hide it.
type overlay struct {
	Replace map[string]string
}

// A layer collects the overlay of one worker. Contents are written below dir, a
// directory of our own.
type layer struct {
	dir     string
	replace map[string]string
	n       int
}

// put lays content over the file name. The base name of the file that holds it is
// kept, because the compiler names that one in its messages.
func (l *layer) put(name string, content []byte) error {
	l.n++
	file := filepath.Join(l.dir, strconv.Itoa(l.n), filepath.Base(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(file, content, 0o666); err != nil {
		return err
	}
	l.replace[name] = file
	return nil
}

// write writes the overlay file and returns its name.
func (l *layer) write() (string, error) {
	data, err := json.Marshal(overlay{l.replace})
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(l.dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o666)
}

// original returns the name of the file that holder replaces.
func (l *layer) original(holder string) string {
	for name, file := range l.replace {
		if file == holder {
			return name
		}
	}
	return holder
}

// layout says where things lie in the eyes of the go command that builds a worker.
type layout struct {
	dir   string // of the package under test
	root  string // GOROOT
	from  string // names below this directory …
	to    string // … are those below this one
	bin   string // the go command
	env   []string
	flags []string
}

// at returns the name under which the go command knows file.
func (o *layout) at(file string) string {
	if o.from != "" && within(file, o.from) {
		rel, _ := filepath.Rel(o.from, file)
		return filepath.Join(o.to, rel)
	}
	return file
}

// prepare lays out everything but the adapters: the runtime, the rewritten
// sources, and a replaceable copy of the package's files where they are not
// replaceable.
func (b *builder) prepare(ctx context.Context, l *layer) (*layout, error) {
	if b.linksTests() {
		tests, err := b.Target.withTestModules(ctx, filepath.Dir(l.dir))
		if err != nil {
			return nil, err
		}
		b.Target = *tests
	}
	t := &b.Target
	o := &layout{dir: t.Dir, root: t.Go.Root, env: t.Env}
	maps.Copy(l.replace, t.Overlay)
	_, o.flags = CutFlag(t.Flags, "overlay")
	if within(t.Go.Root, t.Go.ModCache) || !t.Go.overlaysRoot() {
		if err := b.linkRoot(o); err != nil {
			return nil, err
		}
	}
	if t.Where == ModuleCache {
		if err := b.replaceModule(ctx, l, o); err != nil {
			return nil, err
		}
	}
	o.dir = o.at(t.Dir)
	if err := b.layRuntime(l, o); err != nil {
		return nil, err
	}
	if b.Fuzz {
		if err := b.takeOver(l, o); err != nil {
			return nil, err
		}
	}
	if b.linksTests() {
		if err := moveTests(l, t, o); err != nil {
			return nil, err
		}
	} else {
		hideTests(l, t, o)
	}
	for name, src := range b.Rewritten {
		if err := l.put(o.at(name), src); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// layRuntime lays the runtime over GOROOT.
func (b *builder) layRuntime(l *layer, o *layout) error {
	dir, err := b.keepRuntime()
	if err != nil {
		return err
	}
	root := filepath.Join(o.root, "src", RuntimePath)
	for name, src := range b.runtime {
		name = filepath.FromSlash(name)
		if name != filepath.FromSlash(sizeFile) {
			l.replace[filepath.Join(root, name)] = filepath.Join(dir, name)
		} else if err := l.put(filepath.Join(root, name), src); err != nil {
			return err
		}
	}
	return nil
}

// linksTests reports whether the worker has the test files of the package.
func (b *builder) linksTests() bool { return b.tests || b.Fuzz && len(b.GoFuzz) == 0 }

// moveTests overlays the user's test files that import packages of this module.
// The new files import the runtime, so that a worker has one copy of each
// package.
func moveTests(l *layer, t *Target, o *layout) error {
	for _, name := range slices.Concat(t.TestGoFiles, t.XTestGoFiles) {
		src, err := t.ReadFile(name)
		if err != nil {
			return err
		}
		moved, err := moveImports(name, src)
		if err != nil || bytes.Equal(moved, src) {
			continue // the go command reports syntax errors better
		}
		if err := l.put(o.at(name), moved); err != nil {
			return err
		}
	}
	return nil
}

// hideTests hides the user's test files but those of Kept: their declarations may clash with the
// adapters, and their imports may be missing.
func hideTests(l *layer, t *Target, o *layout) {
	if t.Where == ModuleCache {
		return // the go command sees only the files named below
	}
	tests, _ := filepath.Glob(filepath.Join(globEscape(t.Dir), "*_test.go"))
	for name := range l.replace {
		if filepath.Dir(name) == t.Dir && strings.HasSuffix(name, "_test.go") {
			tests = append(tests, name)
		}
	}
	for _, name := range tests {
		if !slices.Contains(t.Kept, name) {
			l.replace[o.at(name)] = ""
		}
	}
}

func globEscape(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}
