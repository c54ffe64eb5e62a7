// Package store keeps the corpus of one package on disk: entries, findings,
// files set aside, and state that can be rebuilt.
//
//	entries/4f2a…         one sequence a file, named by the hash of its statements
//	findings/<hash>/      finding.json, and foray_test.go.txt to read
//	quarantine/<name>     files that could not be used, each with <name>.reason
//	generations/<n>       the list of entries before the corpus was distilled
//	state.json            other state kept between runs
//	profile.json          the use that tests make of the package
//	lock                  held by the process that may write state.json and profile.json
//
// An entry is text that a person can write by hand, under any name:
//
//	foray corpus v1
//	// origin: composed
//	// sides: 12
//	// call: (*Queue).Put func(any)
//	v0 := queue.New(2)
//	v0.Put("x")
//
// Entries never change, so any number of processes may add and read at once,
// without a lock. When [Store.Put] returns, its entries survive a power cut.
// The store deletes nothing but its own temporary files. It moves unusable
// files into quarantine and reports each as a [Problem]. Entries that
// [Store.Distill] leaves out stay in quarantine until [Store.Prune].
//
// The store does not know the meaning of statements and does not choose which
// entries to keep.
package store

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The names under a store's directory.
const (
	entriesDir     = "entries"
	findingsDir    = "findings"
	quarantineDir  = "quarantine"
	generationsDir = "generations"
	stateFile      = "state.json"
	profileFile    = "profile.json"
	lockFile       = "lock"
)

// tempPrefix starts the names of files that are not finished. No reader looks at
// names that start with a dot.
const tempPrefix = ".tmp-"

// tempAge is the age at which a temporary file counts as the leftover of a dead
// process. Live ones last for one commit. Their process may run on another
// machine, so that its number means nothing here.
const tempAge = 24 * time.Hour

// A Store is the directory of one package's corpus. Its methods may be called
// from several goroutines, and other processes may use the directory meanwhile.
type Store struct {
	dir      string
	fs       fileSystem
	now      func() time.Time
	parallel int           // files written, or read, at once
	view     bool          // nothing is to be made or moved
	nonce    string        // in the names of temporary files
	temps    atomic.Uint64 // temporary files made so far
}

// Open opens the store in dir and makes its missing parts. An existing store
// can be opened and read without permission to write. If a part has to be made,
// the error is [fs.ErrPermission].
func Open(dir string) (*Store, error) {
	return open(dir, osFS{})
}

// View opens the store in dir for reading. It makes and moves nothing; unusable
// files stay in place, each reported as a [Problem]. The error is
// [fs.ErrNotExist] if there is no store. Only methods that read may be called.
func View(dir string) (*Store, error) {
	s := newStore(dir, osFS{})
	s.view = true
	if _, err := s.fs.ReadDir(filepath.Join(s.dir, entriesDir)); err != nil {
		return nil, failed(err, "open %q", s.dir)
	}
	return s, nil
}

// Viewed reports whether s was opened by [View].
func (s *Store) Viewed() bool { return s.view }

func newStore(dir string, fsys fileSystem) *Store {
	var random [6]byte
	rand.Read(random[:])
	return &Store{
		dir: filepath.Clean(dir),
		fs:  fsys,
		now: time.Now,
		// With 1, 4, 16 and 64 files at once, batches of 100 ran at 0.9, 1.1,
		// 1.2 and 1.2 times the rate of BenchmarkBare. These are medians of 7
		// on ext4, on a busy machine.
		parallel: 16,
		nonce:    fmt.Sprintf("%x", random),
	}
}

func open(dir string, fsys fileSystem) (*Store, error) {
	s := newStore(dir, fsys)
	for _, name := range []string{entriesDir, findingsDir, quarantineDir} {
		err := s.mkdir(filepath.Join(s.dir, name))
		if err == nil {
			err = s.noLink(name)
		}
		if err != nil {
			return nil, failed(err, "open %q", s.dir)
		}
	}
	if err := s.noLink(generationsDir); ignoreMissing(err) != nil {
		return nil, failed(err, "open %q", s.dir)
	}
	if err := s.syncUp(); err != nil {
		return nil, failed(err, "open %q", s.dir)
	}
	return s, nil
}

// noLink returns an error if a part of the store is a symbolic link: files elsewhere are not
// the store's to move.
func (s *Store) noLink(name string) error {
	info, err := s.fs.Lstat(filepath.Join(s.dir, name))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = fmt.Errorf("%s is a symbolic link: the store moves only files of its own", name)
	}
	return err
}

// Exposed names the directories of the store that other users may write to: they can put
// files there, and links.
func (s *Store) Exposed() []string {
	var list []string
	for _, name := range []string{".", entriesDir, findingsDir, quarantineDir} {
		info, err := s.fs.Lstat(filepath.Join(s.dir, name))
		if err == nil && info.IsDir() && othersMayWrite(info) {
			list = append(list, filepath.Join(s.dir, name))
		}
	}
	return list
}

// syncUp makes the names of the store's directories durable. It does so for all of
// them, made now or not: another process may have died before its sync.
func (s *Store) syncUp() error {
	for dir := s.dir; ; dir = filepath.Dir(dir) {
		err := s.fs.SyncDir(dir)
		if errors.Is(err, fs.ErrPermission) && dir != s.dir {
			return nil // above here nothing is ours to make
		}
		if err != nil || filepath.Dir(dir) == dir {
			return err
		}
	}
}

// mkdir makes a directory and its parents. The caller syncs.
func (s *Store) mkdir(name string) error {
	err := s.fs.Mkdir(name)
	parent := filepath.Dir(name)
	if errors.Is(err, fs.ErrNotExist) && parent != name {
		if err := s.mkdir(parent); err != nil {
			return err
		}
		err = s.fs.Mkdir(name)
	}
	if errors.Is(err, fs.ErrExist) {
		if info, err := s.fs.Lstat(name); err != nil {
			return err
		} else if info.Mode().IsRegular() {
			return fmt.Errorf("%s is not a directory", name)
		}
		return nil
	}
	if err != nil {
		if info, statErr := s.fs.Lstat(name); statErr == nil && info.IsDir() {
			return nil // read-only systems say so before they say that it exists
		}
	}
	return err
}

// Put stores entries. When it returns nil they are durable. A batch costs one
// sync of the directory, and its files are synced in parallel, so a few large
// batches are faster than many small ones. Entries that are stored already stay
// as they are.
//
// After an error some of the entries may be stored, each whole, and earlier
// entries are untouched. Calling Put again with the same entries is fine.
func (s *Store) Put(entries ...Entry) error {
	batch, err := encodeAll(entries)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir, entriesDir)
	err = s.each(len(batch), func(i int) error {
		p := &batch[i]
		there, err := s.settled(p.id)
		if err == nil && !there {
			p.temp, err = s.writeTemp(dir, p.data)
		}
		return failed(err, "entry %s", p.id)
	})
	if nameErr := s.nameAll(dir, batch); err == nil { // those that were written stay, if the disk was full for others
		err = nameErr
	}
	if err != nil {
		_ = s.fs.SyncDir(dir)
		for _, p := range batch {
			if p.temp != "" {
				s.fs.Remove(p.temp) // at best: an old one is swept later
			}
		}
		return err
	}
	return failed(s.fs.SyncDir(dir), "put")
}

// A pending entry is one on its way to disk.
type pending struct {
	id   string
	data []byte
	temp string // the file it was written to; empty before, after, and if it is there
}

// encodeAll returns the files of entries, each ID once.
func encodeAll(entries []Entry) ([]pending, error) {
	batch := make([]pending, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for _, e := range entries {
		id, data, err := encode(e)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			batch = append(batch, pending{id: id, data: data})
		}
	}
	return batch, nil
}

func (s *Store) nameAll(dir string, batch []pending) error {
	for i := range batch {
		p := &batch[i]
		if p.temp == "" {
			continue
		}
		if err := s.fs.Rename(p.temp, filepath.Join(dir, p.id)); err != nil {
			return failed(err, "entry %s", p.id)
		}
		p.temp = ""
	}
	return nil
}

// settled reports whether entry id is stored. It moves any other file of that
// name out of the way, even one of a later version: Put then writes the same
// sequence.
func (s *Store) settled(id string) (bool, error) {
	path := filepath.Join(s.dir, entriesDir, id)
	if _, err := s.fs.Lstat(path); err != nil {
		return false, ignoreMissing(err)
	}
	_, problem := s.settle(id)
	newer := newerError{}
	switch {
	case problem == nil:
		// It may be someone's copy, or renamed a moment ago: make sure of it.
		err := s.fs.Sync(path)
		return err == nil, ignoreMissing(err)
	case problem.Moved != "":
		return false, nil
	case errors.As(problem.Err, &newer):
		_, err := s.setAside(problem.File, id, problem.Err.Error())
		return false, ignoreMissing(err)
	}
	return false, ignoreMissing(problem.Err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeTemp writes data to a new temporary file in dir, synced, and returns its path.
func (s *Store) writeTemp(dir string, data []byte) (string, error) {
	name := filepath.Join(dir, fmt.Sprintf("%s%s-%d", tempPrefix, s.nonce, s.temps.Add(1)))
	f, err := s.fs.Create(name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		s.fs.Remove(name)
		return "", err
	}
	return name, nil
}

// replace makes data the content of dir/name, durably and at once.
func (s *Store) replace(dir, name string, data []byte) error {
	temp, err := s.writeTemp(dir, data)
	if err != nil {
		return err
	}
	if err := s.fs.Rename(temp, filepath.Join(dir, name)); err != nil {
		s.fs.Remove(temp)
		return err
	}
	return s.fs.SyncDir(dir)
}

// sweep removes a temporary file that a dead process left.
func (s *Store) sweep(dir string, d fs.DirEntry) {
	if s.view || !strings.HasPrefix(d.Name(), tempPrefix) || !d.Type().IsRegular() {
		return
	}
	if info, err := d.Info(); err == nil && s.now().Sub(info.ModTime()) > tempAge {
		s.fs.Remove(filepath.Join(dir, d.Name()))
	}
}

// each calls f for 0 to n-1, several at a time, until one fails, and returns the
// first error by number.
func (s *Store) each(n int, f func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range min(s.parallel, n) {
		wg.Go(func() {
			for !stop.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = f(i); errs[i] != nil {
					stop.Store(true)
				}
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}
