package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Problem is a file that the store did not find as it should be.
type Problem struct {
	File string // where it was found, under the store's directory: "entries/4f2a…"
	// Moved is the new path of the file, likewise. It is empty if the file
	// stayed: a later foray's file, or one that could not be read or moved.
	Moved string
	Err   error // the problem itself
}

// String returns the problem as one line for the user.
func (p Problem) String() string {
	if p.Moved == "" {
		return fmt.Sprintf("%s: %v", printable(p.File), p.Err)
	}
	return fmt.Sprintf("%s: %v: moved to %s", printable(p.File), p.Err, printable(p.Moved))
}

// printable quotes the name of a file that would do harm to a terminal or span lines.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Load returns all entries, ordered by ID, and the problems with other files.
//
// A file is an entry even if its name is not the hash of its statements.
// Someone may have written or edited it by hand, or damage may have left valid
// Go. Load renames it to the hash and keeps its text. Files without statements,
// torn files, directories, links and devices go to quarantine. Files of a later
// version and unreadable files stay where they are. Load skips names that start
// with a dot and reports all other such files as a Problem. In a directory that
// it cannot write, it only reports.
func (s *Store) Load() ([]Entry, []Problem, error) {
	var (
		entries  []Entry
		problems []Problem
		dir      = filepath.Join(s.dir, entriesDir)
		seen     = make(map[string]bool)
	)
	// Files get new names while this goes on, from settle and from other
	// processes: look again until there is nothing new. Ten is a precaution,
	// against a writer that is faster than this.
	for range 10 {
		list, err := s.fs.ReadDir(dir)
		if err != nil {
			return nil, nil, failed(err, "load %q", s.dir)
		}
		var names []string
		for _, d := range list {
			if strings.HasPrefix(d.Name(), ".") {
				s.sweep(dir, d)
			} else if !seen[d.Name()] {
				seen[d.Name()] = true
				names = append(names, d.Name())
			}
		}
		if len(names) == 0 {
			break
		}
		found, wrong := s.loadFiles(names)
		entries = append(entries, found...)
		problems = append(problems, wrong...)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	entries = slices.CompactFunc(entries, func(a, b Entry) bool { return a.ID == b.ID })
	return entries, problems, nil
}

// loadFiles reads the named files of entries, and settles those that are wrong.
func (s *Store) loadFiles(names []string) (entries []Entry, problems []Problem) {
	read := make([]Entry, len(names))
	errs := make([]error, len(names))
	s.each(len(names), func(i int) error {
		read[i], errs[i] = s.examine(names[i])
		return nil
	})
	for i, e := range read {
		if errs[i] != nil || e.ID != names[i] {
			var problem *Problem
			e, problem = s.settle(names[i])
			if problem != nil && !errors.Is(problem.Err, fs.ErrNotExist) {
				problems = append(problems, *problem)
			}
		}
		if e.ID != "" {
			entries = append(entries, e)
		}
	}
	return entries, problems
}

// A uselessError is a file that is no entry and cannot become one.
type uselessError struct{ error }

func (e uselessError) Unwrap() error { return e.error }

// examine reads a file of entries. The entry it returns has the ID that its
// statements give, which may not be the file's name. Files to be set aside are a
// uselessError.
func (s *Store) examine(name string) (Entry, error) {
	return s.readEntry(filepath.Join(s.dir, entriesDir, name))
}

// readEntry reads the file of an entry, wherever it is.
func (s *Store) readEntry(path string) (Entry, error) {
	data, err := s.readRegular(path, maxEntry)
	if err != nil {
		return Entry{}, err
	}
	e, err := decode(data)
	if newer := (newerError{}); errors.As(err, &newer) {
		return Entry{}, err
	}
	if name := filepath.Base(path); err == nil && e.ID != name {
		err = unhashed(name, data, e)
	}
	if err != nil {
		return Entry{}, uselessError{err}
	}
	return e, nil
}

// readRegular reads a file of a directory of ours. One that is not worth opening is a
// uselessError.
func (s *Store) readRegular(path string, limit int64) ([]byte, error) {
	info, err := s.fs.Lstat(path)
	if err == nil {
		err = regular(info, limit)
	}
	if err != nil {
		return nil, err
	}
	return s.fs.ReadFile(path, limit)
}

// regular says why a file of a directory of ours is not worth opening.
func regular(info fs.FileInfo, limit int64) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return uselessError{errors.New("a directory")}
	case mode&fs.ModeSymlink != 0:
		return uselessError{errors.New("a symbolic link")}
	case !mode.IsRegular():
		return uselessError{errors.New("a device, pipe or socket")}
	case info.Size() > limit:
		return uselessError{fmt.Errorf("%d bytes, want at most %d", info.Size(), limit)}
	}
	return nil
}

// unhashed checks an entry with a name that is not the hash of its statements.
func unhashed(name string, data []byte, e Entry) error {
	if isID(name) && !bytes.HasSuffix(data, []byte("\n")) {
		return errors.New("torn: no newline at the end")
	}
	return checkGo(e.Statements)
}

// settle reads a file of entries and puts it where it belongs. It returns the
// entry, if the file is one, and any problem. It goes by the file's present
// content, since another process may have settled it after it was listed. If
// the file is gone, the problem is [fs.ErrNotExist].
func (s *Store) settle(name string) (Entry, *Problem) {
	e, err := s.examine(name)
	if err == nil && e.ID == name {
		return e, nil
	}
	problem := &Problem{File: entriesDir + "/" + name, Err: err}
	if s.view {
		if err == nil {
			return e, nil // under another name
		}
		return e, problem
	}
	switch useless := (uselessError{}); {
	case err == nil:
		problem.Err = fmt.Errorf("the name is not the hash of the statements, %s", e.ID)
		problem.Moved, err = s.refile(name, e.ID)
	case errors.As(err, &useless):
		problem.Moved, err = s.setAside(problem.File, name, problem.Err.Error())
	default:
		return e, problem
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, &Problem{File: problem.File, Err: err}
	}
	if err != nil {
		problem.Err = fmt.Errorf("%w, and moving it failed: %w", problem.Err, err)
	}
	return e, problem
}

// refile gives an entry file its right name. If that is taken by the same
// statements, the file goes to quarantine; if by others, they make room.
func (s *Store) refile(name, id string) (moved string, err error) {
	dir := filepath.Join(s.dir, entriesDir)
	other, err := s.examine(id)
	var useless uselessError
	var newer newerError
	switch {
	case err == nil && other.ID == id:
		return s.setAside(entriesDir+"/"+name, name, "the same statements as entry "+id)
	case err == nil:
		err = s.stepAside(id, "edited-"+other.ID)
	case errors.As(err, &useless), errors.As(err, &newer):
		_, err = s.setAside(entriesDir+"/"+id, id, err.Error())
	}
	if ignoreMissing(err) != nil {
		return "", err
	}
	if err := s.fs.Sync(filepath.Join(dir, name)); err != nil {
		return "", err
	}
	if err := s.fs.Rename(filepath.Join(dir, name), filepath.Join(dir, id)); err != nil {
		return "", err
	}
	return entriesDir + "/" + id, s.fs.SyncDir(dir)
}

// stepAside renames an entry file whose name is the hash of other statements.
// The next listing finds it and gives it the right name. Doing so at once might
// not end.
func (s *Store) stepAside(name, to string) error {
	dir := filepath.Join(s.dir, entriesDir)
	if _, err := s.fs.Lstat(filepath.Join(dir, to)); err == nil {
		_, err := s.setAside(entriesDir+"/"+name, name, "the same statements as "+to)
		return err
	}
	return s.fs.Rename(filepath.Join(dir, name), filepath.Join(dir, to))
}

// setAside moves file, a path under the store's directory, into quarantine under
// name or one made from it, and returns where it is now.
func (s *Store) setAside(file, name, reason string) (moved string, err error) {
	from := filepath.Join(s.dir, filepath.FromSlash(file))
	dir := filepath.Join(s.dir, quarantineDir)
	if _, err := s.fs.Lstat(from); err != nil {
		return "", err
	}
	to, err := s.vacant(name, from)
	if err != nil {
		return "", err
	}
	if err := s.replace(dir, to+reasonSuffix, reasonText(file, reason)); err != nil {
		return "", err
	}
	if err := s.fs.Rename(from, filepath.Join(dir, to)); err != nil {
		return "", err
	}
	moved = quarantineDir + "/" + to
	// The new name first: better twice there than not at all.
	if err := s.fs.SyncDir(dir); err != nil {
		return moved, err
	}
	return moved, s.fs.SyncDir(filepath.Dir(from))
}

// vacant returns an unused name in quarantine for the file from: name, or one made
// from it.
func (s *Store) vacant(name, from string) (string, error) {
	if len(name) > 100 { // leave room for the suffix
		name = name[:60] + "-" + hash(name)
	}
	if strings.HasSuffix(name, reasonSuffix) {
		name += "_"
	}
	to := name
	for n := 2; ; n++ {
		ok, err := s.free(filepath.Join(s.dir, quarantineDir, to), from)
		if ok || err != nil {
			return to, err
		}
		to = fmt.Sprintf("%s.%d", name, n)
	}
}

// free reports whether from may be renamed to to without losing anything: to is
// not there, or a file with the same content.
func (s *Store) free(to, from string) (bool, error) {
	there, err := s.fs.Lstat(to)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	info, err := s.fs.Lstat(from)
	if err != nil {
		return false, err
	}
	if regular(there, maxEntry) != nil || regular(info, maxEntry) != nil || there.Size() != info.Size() {
		return false, nil
	}
	a, err := s.fs.ReadFile(to, maxEntry)
	if err != nil {
		return false, err
	}
	b, err := s.fs.ReadFile(from, maxEntry)
	return bytes.Equal(a, b), err
}
