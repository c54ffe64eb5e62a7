package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// reasonSuffix ends the name of the file that says why another is in quarantine.
const reasonSuffix = ".reason"

// maxReason is how much of such a file is read.
const maxReason = 64 << 10

// A Departure is an entry that is to leave the corpus.
type Departure struct {
	ID     string
	Reason string // one line
}

// Quarantine sets entries aside, durably, each with its reason in a file beside it.
// Those that are not there are left out: another process was faster.
func (s *Store) Quarantine(leave ...Departure) error {
	for _, d := range leave {
		if !isID(d.ID) {
			return fmt.Errorf("corpus: quarantine %q: not an entry", d.ID)
		}
	}
	return failed(s.setAsideAll(leave, ""), "quarantine")
}

// setAsideAll is setAside for many entries, at the cost of three syncs of
// directories. Those that are not there are left out. Prefix begins the reasons.
func (s *Store) setAsideAll(leave []Departure, prefix string) error {
	dir, entries := filepath.Join(s.dir, quarantineDir), filepath.Join(s.dir, entriesDir)
	names := make([]string, len(leave)) // in quarantine; empty if missing
	err := s.each(len(leave), func(i int) error {
		from := filepath.Join(entries, leave[i].ID)
		if _, err := s.fs.Lstat(from); err != nil {
			return ignoreMissing(err)
		}
		name, err := s.vacant(leave[i].ID, from)
		if err != nil {
			return err
		}
		temp, err := s.writeTemp(dir, reasonText(entriesDir+"/"+leave[i].ID, prefix+leave[i].Reason))
		if err != nil {
			return err
		}
		if err := s.fs.Rename(temp, filepath.Join(dir, name+reasonSuffix)); err != nil {
			s.fs.Remove(temp)
			return err
		}
		names[i] = name
		return nil
	})
	if err == nil {
		err = s.fs.SyncDir(dir)
	}
	if err != nil {
		return err
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		if err := ignoreMissing(s.fs.Rename(filepath.Join(entries, leave[i].ID), filepath.Join(dir, name))); err != nil {
			return err
		}
	}
	if err := s.fs.SyncDir(dir); err != nil {
		return err
	}
	return s.fs.SyncDir(entries)
}

// An Aside is a file in quarantine.
type Aside struct {
	Name   string // of the file in quarantine
	File   string // where it was, under the store's directory; empty if that is not known
	Reason string // why it is here, likewise
}

// Distilled reports whether [Store.Distill] has set the file aside.
func (a *Aside) Distilled() bool { return strings.HasPrefix(a.Reason, distilled) }

// reasonText returns the content of a file that says why file is in quarantine.
func reasonText(file, reason string) []byte {
	return fmt.Appendf(nil, "%q: %s\n", file, reason)
}

// readReason parses the output of reasonText.
func readReason(data []byte) (file, reason string) {
	text := strings.TrimSpace(string(data))
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", text
	}
	file, _ = strconv.Unquote(quoted)
	return file, strings.TrimPrefix(text[len(quoted):], ": ")
}

// Quarantined lists the files in quarantine, ordered by name.
func (s *Store) Quarantined() ([]Aside, error) {
	dir := filepath.Join(s.dir, quarantineDir)
	list, err := s.fs.ReadDir(dir)
	if ignoreMissing(err) != nil {
		return nil, failed(err, "load %q", s.dir)
	}
	var aside []Aside
	for _, d := range list {
		name := d.Name()
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, reasonSuffix) {
			continue
		}
		a := Aside{Name: name}
		if a.File, a.Reason, err = s.reason(filepath.Join(dir, name+reasonSuffix)); err != nil {
			return nil, failed(err, "load %q", s.dir)
		}
		aside = append(aside, a)
	}
	return aside, nil
}

// reason reads a file that says why another is in quarantine, if it is one.
func (s *Store) reason(path string) (file, reason string, err error) {
	info, err := s.fs.Lstat(path)
	if err != nil || regular(info, maxReason) != nil {
		return "", "", ignoreMissing(err)
	}
	data, err := s.fs.ReadFile(path, maxReason)
	if err != nil {
		return "", "", ignoreMissing(err)
	}
	file, reason = readReason(data)
	return file, reason, nil
}

// Entry reads a file in quarantine as an entry.
func (s *Store) Entry(a Aside) (Entry, error) {
	e, err := s.readEntry(filepath.Join(s.dir, quarantineDir, a.Name))
	return e, failed(err, "quarantine/%s", a.Name)
}

// Restore puts a file in quarantine back among the entries, durably.
func (s *Store) Restore(a Aside) error {
	e, err := s.Entry(a)
	if err != nil {
		return err
	}
	if err := s.Put(e); err != nil {
		return err
	}
	return failed(s.forget(a.Name), "quarantine/%s", a.Name)
}

// forget removes a file from quarantine, with its reason.
func (s *Store) forget(name string) error {
	path := filepath.Join(s.dir, quarantineDir, name)
	return errors.Join(ignoreMissing(s.fs.Remove(path)), ignoreMissing(s.fs.Remove(path+reasonSuffix)))
}

// Stat holds the sizes of a corpus, as far as they show without parsing
// entries.
type Stat struct {
	Entries     int
	Bytes       int64 // of the files of entries
	Quarantined int
	Generations int // that are kept beside the present one
}

// Stat counts the files in the store.
func (s *Store) Stat() (Stat, error) {
	var st Stat
	list, err := s.fs.ReadDir(filepath.Join(s.dir, entriesDir))
	if ignoreMissing(err) != nil {
		return st, failed(err, "load %q", s.dir)
	}
	for _, d := range list {
		if strings.HasPrefix(d.Name(), ".") {
			continue
		}
		st.Entries++
		if info, err := d.Info(); err == nil {
			st.Bytes += info.Size()
		}
	}
	aside, err := s.Quarantined()
	if err != nil {
		return st, err
	}
	numbers, err := s.generations()
	if err != nil {
		return st, failed(err, "load %q", s.dir)
	}
	st.Quarantined, st.Generations = len(aside), len(numbers)
	return st, nil
}
