package owned

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const parentVar = "FORAY_OWNED_PARENT"

// TestMain makes this binary a process that owns a directory until it is killed.
func TestMain(m *testing.M) {
	if parent := os.Getenv(parentVar); parent != "" {
		dir, _, err := Make(parent, "d-")
		if err != nil {
			panic(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777); err != nil {
			panic(err)
		}
		os.Stdout.WriteString(dir + "\n")
		time.Sleep(time.Hour) // until it is killed; a process that cannot go on would end by itself
	}
	os.Exit(m.Run())
}

// TestSweep: the directory of a live process stays, that of a dead one goes, and so does no
// other.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	for _, other := range []string{"d-other", "e-1"} {
		if err := os.Mkdir(filepath.Join(parent, other), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	own, release, err := Make(parent, "d-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), parentVar+"="+parent)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	theirs := strings.TrimSpace(line)
	if n := Sweep(parent, "d-"); n != 0 {
		t.Errorf("%d directories of live processes were removed", n)
	}
	if _, err := os.Stat(filepath.Join(theirs, "a", "b")); err != nil {
		t.Errorf("of the directory of a live process: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if n := Sweep(parent, "d-"); n != 1 {
		t.Errorf("%d directories were removed, want the one of the dead process", n)
	}
	if _, err := os.Stat(theirs); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", theirs, err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
	release()
	if list, err := os.ReadDir(parent); err != nil || len(list) != 2 {
		t.Errorf("left: %v (%v), want the two others", list, err)
	}
}

// A file has the permissions that it had, or those of any new file; it takes its name or leaves
// nothing.
func TestWriteFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	perm := func(name string) os.FileMode {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	file, plain, full := filepath.Join(dir, "file"), filepath.Join(dir, "plain"), filepath.Join(dir, "full")
	if err := WriteFile(file, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(plain, nil, 0o666), os.MkdirAll(filepath.Join(full, "x"), 0o777)); err != nil {
		t.Fatal(err)
	}
	if got, want := perm(file), perm(plain); got != want {
		t.Errorf("the new file is %v, want %v as any other", got, want)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	before := perm(file)
	if err := WriteFile(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "new" || perm(file) != before {
		t.Errorf("the file holds %q and is %v (%v), want new and %v", data, perm(file), err, before)
	}
	if err := WriteFile(full, nil); err == nil {
		t.Error("a directory became a file")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
		t.Errorf("there are %v (%v), want the two files and the directory", list, err)
	}
}
