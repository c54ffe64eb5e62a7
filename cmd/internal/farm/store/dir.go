package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Dir is a Store in a directory, on a disk that several processes may share.
//
// An object is written to a temporary file, synced, and then linked to its name,
// which fails if the name is taken; the directory is synced last. A manifest is a
// directory with a file for each revision, numbered. The next revision is made in the
// same way, so that of two writers one fails.
type Dir struct {
	root  string
	nonce string
	temps atomic.Uint64
	mu    sync.Mutex
	made  map[string]bool // directories that are durable
	// kept is how many old revisions of a manifest stay. A writer that was stopped for
	// longer than that many swaps notices it by their numbers.
	kept int
}

// OpenDir opens the store in a directory, and makes the directory if it is missing.
func OpenDir(dir string) (*Dir, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var random [6]byte
	rand.Read(random[:])
	d := &Dir{root: root, nonce: fmt.Sprintf("%x", random), made: map[string]bool{}, kept: 64}
	return d, failed("open", root, d.mkdir(root))
}

// tempPrefix starts the names of unfinished files. No name of an object starts so.
const tempPrefix = ".tmp-"

// Put implements [Store].
func (d *Dir) Put(_ context.Context, name string, data []byte) (bool, error) {
	if err := checkPut(name, data); err != nil {
		return false, err
	}
	file := d.file(name)
	if _, err := os.Lstat(file); err == nil {
		// Its writer may be about to sync the directory, or may have died before.
		return false, failed("put", name, syncDir(filepath.Dir(file)))
	}
	err := d.create(file, data)
	if errors.Is(err, fs.ErrExist) {
		return false, failed("put", name, syncDir(filepath.Dir(file)))
	}
	return err == nil, failed("put", name, err)
}

// Get implements [Store].
func (d *Dir) Get(_ context.Context, name string) ([]byte, Revision, error) {
	if err := Check(name); err != nil {
		return nil, "", err
	}
	if !IsManifest(name) {
		data, err := read(d.file(name))
		return data, "", failed("get", name, err)
	}
	for range 10 { // a revision may go while it is read, if others swap fast
		list, err := d.revisions(name)
		if err != nil {
			return nil, "", failed("get", name, err)
		}
		if len(list) == 0 {
			return nil, "", failed("get", name, fs.ErrNotExist)
		}
		last := list[len(list)-1]
		data, err := read(d.revisionFile(name, last))
		if err == nil {
			return data, Revision(strconv.Itoa(last)), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", failed("get", name, err)
		}
	}
	return nil, "", failed("get", name, errors.New("it changes faster than it can be read"))
}

// List implements [Store].
func (d *Dir) List(ctx context.Context, prefix string) ([]string, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	var names []string
	err := filepath.WalkDir(d.file(strings.TrimSuffix(prefix, "/")), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if strings.HasPrefix(e.Name(), ".") {
			return nil
		}
		rel, err := filepath.Rel(d.root, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case IsManifest(name) && e.IsDir():
			names = append(names, name)
			return fs.SkipDir
		case e.Type().IsRegular() && !IsManifest(name):
			names = append(names, name)
		}
		return ctx.Err()
	})
	slices.Sort(names)
	return names, failed("list", prefix, err)
}

// Swap implements [Store].
func (d *Dir) Swap(_ context.Context, name string, data []byte, old Revision) (Revision, error) {
	if err := checkSwap(name, data); err != nil {
		return "", err
	}
	n := 0
	if old != "" {
		var err error
		if n, err = strconv.Atoi(string(old)); err != nil || n <= 0 {
			return "", fmt.Errorf("store: swap %s: revision %q is none of a directory", name, old)
		}
	}
	list, err := d.revisions(name)
	if err != nil {
		return "", failed("swap", name, err)
	}
	if len(list) > 0 && list[len(list)-1] != n || len(list) == 0 && n > 0 {
		return "", failed("swap", name, ErrConflict)
	}
	err = d.create(d.revisionFile(name, n+1), data)
	if errors.Is(err, fs.ErrExist) {
		err = ErrConflict
	}
	if err == nil {
		err = d.confirm(name, n+1)
	}
	if err != nil {
		return "", failed("swap", name, err)
	}
	return Revision(strconv.Itoa(n + 1)), nil
}

// confirm makes sure that revision n of a manifest is not one that others have made and
// removed long ago, and removes old revisions.
func (d *Dir) confirm(name string, n int) error {
	list, err := d.revisions(name)
	if err != nil {
		return err
	}
	if last := list[len(list)-1]; last >= n+d.kept/2 {
		return errors.Join(ErrConflict, os.Remove(d.revisionFile(name, n)))
	}
	for _, was := range list {
		if was > n-d.kept {
			break
		}
		if err := os.Remove(d.revisionFile(name, was)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Delete implements [Store].
func (d *Dir) Delete(_ context.Context, name string) error {
	if err := checkDelete(name); err != nil {
		return err
	}
	err := os.Remove(d.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return failed("delete", name, err)
}

// file returns the file of an object, or the directory of a manifest.
func (d *Dir) file(name string) string { return filepath.Join(d.root, filepath.FromSlash(name)) }

func (d *Dir) revisionFile(name string, n int) string {
	return filepath.Join(d.file(name), fmt.Sprintf("%012d", n))
}

// revisions returns the numbers of the revisions of a manifest, in order.
func (d *Dir) revisions(name string) ([]int, error) {
	list, err := os.ReadDir(d.file(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var numbers []int
	for _, e := range list {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// create makes a file durable under a name that must not be taken: the error is
// fs.ErrExist if it is.
func (d *Dir) create(file string, data []byte) error {
	dir := filepath.Dir(file)
	if err := d.mkdir(dir); err != nil {
		return err
	}
	temp := filepath.Join(dir, fmt.Sprintf("%s%s-%d", tempPrefix, d.nonce, d.temps.Add(1)))
	defer os.Remove(temp)
	if err := writeSynced(temp, data); err != nil {
		return err
	}
	if err := os.Link(temp, file); err != nil {
		return err
	}
	return syncDir(dir)
}

// mkdir makes a directory and its parents durable.
func (d *Dir) mkdir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made[dir] {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	// Also of those that were there: their maker may have died before its sync.
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		if err := syncDir(at); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		if !strings.HasPrefix(at, d.root) || filepath.Dir(at) == at {
			break
		}
	}
	d.made[dir] = true
	return nil
}

func writeSynced(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be synced there
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // some file systems offer no such thing
	}
	return errors.Join(err, f.Close())
}

// read returns the content of a regular file of at most MaxObject bytes.
func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxObject+1))
	if err == nil && len(data) > MaxObject {
		err = fmt.Errorf("more than %d bytes", MaxObject)
	}
	return data, err
}
