package store

import (
	"cmp"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A disk is a file system in memory that knows which state a power cut would
// leave. The content of a file is durable once it was synced. A change of names
// is durable once one of the directories it touches was synced after it. A
// rename happens whole or not at all. Nothing else is promised: later changes
// may survive and earlier ones not, and a file that was not synced may come
// back empty, torn, or full of zeros.
type disk struct {
	mu   sync.Mutex
	root *node
	log  []*change
	ops  int      // calls so far
	seen []string // all calls so far
	// fault, if not nil, is asked at each call, and may fail it.
	fault func(op int, what string) error
}

// A node is a file or directory. Names of directories are in memory here; the
// log knows which of them are durable.
type node struct {
	mode    fs.FileMode
	names   map[string]*node // of a directory
	data    []byte
	synced  []byte
	modTime time.Time
}

// A change is one or two names set (or, with no node, removed) at once.
type change struct {
	sets    []nameSet
	durable bool
}

type nameSet struct {
	dir  *node
	name string
	node *node
}

var errPowerCut = errors.New("power cut")

func newDisk() *disk {
	return &disk{root: &node{mode: fs.ModeDir, names: map[string]*node{}}}
}

// powerCut makes every call from op on fail.
func (d *disk) powerCut(op int) {
	d.fault = func(n int, _ string) error {
		if n >= op {
			return errPowerCut
		}
		return nil
	}
}

// afterCut returns the disk as it may be after a power cut now. With a nil r,
// only synced data survives.
func (d *disk) afterCut(r *rand.Rand) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := newDisk()
	twins := map[*node]*node{d.root: c.root}
	twin := func(n *node) *node {
		if n == nil || twins[n] != nil {
			return twins[n]
		}
		t := &node{mode: n.mode, modTime: n.modTime, data: remains(n, r)}
		t.synced = t.data
		if n.mode.IsDir() {
			t.names = map[string]*node{}
		}
		twins[n] = t
		return t
	}
	for _, ch := range d.log {
		if !ch.durable && (r == nil || r.IntN(2) == 0) {
			continue
		}
		for _, set := range ch.sets {
			c.set(&change{sets: []nameSet{{twin(set.dir), set.name, twin(set.node)}}, durable: true})
		}
	}
	return c
}

// remains returns the part of the content of n that survives.
func remains(n *node, r *rand.Rand) []byte {
	if r == nil || slices.Equal(n.data, n.synced) {
		return n.synced
	}
	switch r.IntN(4) {
	case 0:
		return nil
	case 1:
		return make([]byte, len(n.data))
	case 2:
		return n.data[:r.IntN(len(n.data)+1)]
	}
	return n.data
}

func (d *disk) set(ch *change) {
	for _, s := range ch.sets {
		if s.node == nil {
			delete(s.dir.names, s.name)
		} else {
			s.dir.names[s.name] = s.node
		}
	}
	d.log = append(d.log, ch)
}

// step counts a call and finds its file. The node is nil if there is none.
func (d *disk) step(op, name string) (dir *node, base string, n *node, err error) {
	d.ops++
	what := op + " " + name
	d.seen = append(d.seen, what)
	if d.fault != nil {
		if err := d.fault(d.ops, what); err != nil {
			return nil, "", nil, &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	dir, base, n = d.find(name)
	if dir == nil {
		err = &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return dir, base, n, err
}

func (d *disk) find(name string) (dir *node, base string, n *node) {
	dirName, base := path.Split(path.Clean(filepath.ToSlash(name)))
	dir = d.root
	for elem := range strings.SplitSeq(strings.Trim(dirName, "/"), "/") {
		if elem == "" {
			continue
		}
		if dir = dir.names[elem]; dir == nil {
			return nil, "", nil
		}
	}
	return dir, base, dir.names[base]
}

func (d *disk) Mkdir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, n, err := d.step("mkdir", name)
	if err != nil {
		return err
	}
	if n != nil {
		return fs.ErrExist
	}
	d.set(&change{sets: []nameSet{{dir, base, &node{mode: fs.ModeDir | 0o777, names: map[string]*node{}}}}})
	return nil
}

func (d *disk) Create(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, n, err := d.step("create", name)
	if err != nil {
		return nil, err
	}
	if n != nil {
		return nil, fs.ErrExist
	}
	n = &node{mode: 0o666}
	d.set(&change{sets: []nameSet{{dir, base, n}}})
	return &openFile{d, name, n}, nil
}

// An openFile is a file being written.
type openFile struct {
	d    *disk
	name string
	n    *node
}

func (f *openFile) Write(p []byte) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if _, _, _, err := f.d.step("write", f.name); err != nil {
		f.n.data = slices.Concat(f.n.data, p[:len(p)/2])
		return len(p) / 2, err
	}
	f.n.data = slices.Concat(f.n.data, p)
	return len(p), nil
}

func (f *openFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	_, _, _, err := f.d.step("sync", f.name)
	if err == nil {
		f.n.synced = f.n.data
	}
	return err
}

func (f *openFile) Close() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	_, _, _, err := f.d.step("close", f.name)
	return err
}

func (d *disk) ReadFile(name string, limit int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _, n, err := d.step("read", name)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.data[:min(int64(len(n.data)), limit+1)]), nil
}

func (d *disk) ReadDir(name string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _, n, err := d.step("readdir", name)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	var list []fs.DirEntry
	for base, child := range n.names {
		list = append(list, fs.FileInfoToDirEntry(info{base, child}))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, nil
}

func (d *disk) Lstat(name string) (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, base, n, err := d.step("lstat", name)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return info{base, n}, nil
}

func (d *disk) Rename(oldname, newname string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	oldDir, oldBase, n, err := d.step("rename", oldname)
	if err != nil {
		return err
	}
	newDir, newBase, old := d.find(newname)
	if n == nil || newDir == nil {
		return fs.ErrNotExist
	}
	if old != nil && (old.mode.IsDir() || n.mode.IsDir()) {
		return fs.ErrExist
	}
	d.set(&change{sets: []nameSet{{oldDir, oldBase, nil}, {newDir, newBase, n}}})
	return nil
}

func (d *disk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, n, err := d.step("remove", name)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return err
	}
	d.set(&change{sets: []nameSet{{dir, base, nil}}})
	return nil
}

func (d *disk) Sync(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _, n, err := d.step("sync", name)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err == nil {
		n.synced = n.data
	}
	return err
}

func (d *disk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _, n, err := d.step("syncdir", name)
	if err != nil {
		return err
	}
	if path.Clean(name) == "/" {
		n = d.root
	}
	if n == nil {
		return fs.ErrNotExist
	}
	for _, ch := range d.log {
		for _, s := range ch.sets {
			ch.durable = ch.durable || s.dir == n
		}
	}
	return nil
}

// put places a file, durably, past the store.
func (d *disk) put(name, data string) *node {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir, base, _ := d.find(name)
	n := &node{mode: 0o666, data: []byte(data), synced: []byte(data)}
	d.set(&change{sets: []nameSet{{dir, base, n}}, durable: true})
	return n
}

// files returns the content of all files under a directory, by path.
func (d *disk) files(name string) map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[string]string{}
	var walk func(prefix string, n *node)
	walk = func(prefix string, n *node) {
		for base, child := range n.names {
			if child.mode.IsDir() {
				walk(prefix+base+"/", child)
			} else {
				found[prefix+base] = string(child.data)
			}
		}
	}
	if _, _, n := d.find(name); n != nil {
		walk("", n)
	}
	return found
}

type info struct {
	name string
	n    *node
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return int64(len(i.n.data)) }
func (i info) Mode() fs.FileMode  { return i.n.mode }
func (i info) ModTime() time.Time { return i.n.modTime }
func (i info) IsDir() bool        { return i.n.mode.IsDir() }
func (i info) Sys() any           { return nil }

// The faults that disks have.
var faults = []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EACCES}
