package build

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// overlaysRoot reports whether the go command finds packages of the standard
// library that exist only in an overlay. Before Go 1.26 it looks for them on
// disk, although it then reads the files of the overlay.
func (tc *Toolchain) overlaysRoot() bool {
	return version.Compare(tc.Language(), "go1.26") >= 0
}

// linkRoot makes a GOROOT of links to one that cannot be overlaid. The go
// command refuses overlays of the module cache, where downloaded toolchains
// are. Older go commands also require the runtime's packages to be on disk.
func (b *builder) linkRoot(o *layout) error {
	t := &b.Target
	root := filepath.Join(b.Cache, "goroot", b.stamp("links", t.Go.Root)[:16])
	err := linkEntries(t.Go.Root, root, "src")
	if err == nil {
		err = linkEntries(filepath.Join(t.Go.Root, "src"), filepath.Join(root, "src"), "")
	}
	if err == nil && !t.Go.overlaysRoot() {
		err = standIns(filepath.Join(root, "src", RuntimePath), b.runtime)
	}
	if err != nil {
		return fmt.Errorf("GOROOT %s: %w", t.Go.Root, err)
	}
	o.root, o.bin = root, filepath.Join(root, "bin", "go")
	env := t.Env
	if env == nil {
		env = os.Environ()
	}
	o.env = append(env[:len(env):len(env)], "GOROOT="+root, "GOTOOLCHAIN=local")
	if t.Where == Std {
		o.from, o.to = t.Go.Root, root
	}
	return nil
}

// linkEntries makes dir a directory of links to the entries of from, but for one.
func linkEntries(from, dir, except string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	list, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() == except {
			continue
		}
		err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// standIns makes a directory for each package of the runtime with empty files.
// The overlay supplies their content.
func standIns(dir string, runtime map[string][]byte) error {
	for name := range runtime {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(path.Dir(name))), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			return err
		}
	}
	return nil
}
