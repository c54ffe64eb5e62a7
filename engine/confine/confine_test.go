package confine

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test binary is also the confined process: it does the deed in this
// variable.
const deed = "FORAY_CONFINE_DEED"

func TestMain(m *testing.M) {
	if name := os.Getenv(deed); name != "" {
		do := others[name]
		if do == nil {
			do = deeds[name].do
		}
		if err := do(os.Args[1]); err != nil {
			os.Stdout.WriteString(err.Error())
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// run starts cmd within the bounds of [Start] and waits for it.
func run(cmd *exec.Cmd, dirs ...string) error {
	c, err := Start(cmd, dirs...)
	if err != nil {
		return err
	}
	return c.Wait()
}

// A deedOf is something done to a directory that holds the file "f" and the directory "d".
type deedOf struct {
	do      func(dir string) error
	outside bool // it is done to a directory that is none of those given, too
}

var deeds = map[string]deedOf{
	"write":    {do: func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), []byte("x"), 0o666) }},
	"rewrite":  {do: func(dir string) error { return os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o666) }},
	"append":   {do: appendTo},
	"truncate": {do: func(dir string) error { return os.Truncate(filepath.Join(dir, "f"), 0) }},
	"remove":   {do: func(dir string) error { return os.Remove(filepath.Join(dir, "f")) }},
	"all":      {do: func(dir string) error { return os.RemoveAll(filepath.Join(dir, "d")) }},
	"mkdir":    {do: func(dir string) error { return os.Mkdir(filepath.Join(dir, "new"), 0o777) }},
	"rename":   {do: func(dir string) error { return os.Rename(filepath.Join(dir, "f"), filepath.Join(dir, "g")) }},
	"link":     {do: func(dir string) error { return os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "g")) }},
	"symlink":  {do: func(dir string) error { return os.Symlink("f", filepath.Join(dir, "g")) }},
	"child": {do: func(dir string) error {
		return exec.Command("sh", "-c", "echo x > '"+filepath.Join(dir, "new")+"'").Run()
	}},
	"thread": {do: func(dir string) error {
		err := make(chan error)
		go func() { err <- os.Remove(filepath.Join(dir, "f")) }()
		return <-err
	}},
	"read": {outside: true, do: func(dir string) error { _, err := os.ReadFile(filepath.Join(dir, "f")); return err }},
	"list": {outside: true, do: func(dir string) error { _, err := os.ReadDir(dir); return err }},
	"null": {outside: true, do: func(string) error { return os.WriteFile(os.DevNull, []byte("x"), 0o666) }},
}

// others are done to something else: an address, a process.
var others = map[string]func(to string) error{}

func appendTo(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "f"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close())
}

// do has a confined process, with access to some directories, do a deed to dir,
// or to another object.
func do(t *testing.T, name, dir string, given ...string) (said string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), deed+"="+name)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err = run(cmd, given...)
	return out.String(), err
}

func place(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "f"), []byte("kept"), 0o600), os.MkdirAll(filepath.Join(dir, "d", "e"), 0o777)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// look returns the names below dir, and the contents and modes of files.
func look(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(strings.TrimPrefix(path, dir) + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			b.WriteString(" " + string(data))
			if err != nil {
				return err
			}
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func needSupport(t *testing.T) {
	t.Helper()
	if !Supported() {
		t.Skip("nothing confines processes here")
	}
}

func TestConfine(t *testing.T) {
	needSupport(t)
	for name, d := range deeds {
		t.Run(name, func(t *testing.T) {
			inside, outside := place(t), place(t)
			if said, err := do(t, name, inside, inside); err != nil {
				t.Errorf("in a directory that was given: %v: %s", err, said)
			}
			before := look(t, outside)
			said, err := do(t, name, outside, inside)
			if (err == nil) != d.outside {
				t.Errorf("in another directory: %v: %s", err, said)
			}
			if after := look(t, outside); after != before {
				t.Errorf("what lay in another directory has changed from\n%sto\n%s", before, after)
			}
		})
	}
}

// The child is restricted; its parent and the parent's other children are not.
func TestParentIsFree(t *testing.T) {
	if _, err := exec.LookPath("true"); err != nil {
		t.Skip(err)
	}
	for range 4 {
		if err := run(exec.Command("true"), t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	dir := place(t)
	done := make(chan error)
	for range 8 {
		go func() { done <- os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o666) }()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := exec.Command("rm", filepath.Join(dir, "f")).Run(); err != nil {
		t.Errorf("a process that is not confined: %v", err)
	}
}

func TestMissingDirectory(t *testing.T) {
	needSupport(t)
	if err := run(exec.Command("true"), filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want that the directory does not exist", err)
	}
}

// BenchmarkRun compares starting a process that ends at once with and without bounds.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	b.Run("confined", func(b *testing.B) {
		for b.Loop() {
			if err := run(exec.Command("true"), dir); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("free", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
