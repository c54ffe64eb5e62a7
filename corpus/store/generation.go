package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A generation is the list of entries that a corpus had before it was distilled.
// As entries never change, and those that left lie in quarantine, the list is all
// there is to keep of it.
const (
	generationHeader = "foray generation v1"
	maxGeneration    = 64 << 20 // bytes: two million entries
)

// distilled begins the reasons of entries that left by distilling.
const distilled = "distilled: "

// Distill begins a new generation: it adds entries and sets others aside. First
// it writes down the list of entries, for [Store.Undo]. So at any instant each
// of them is in entries or in quarantine. Entries that come in meanwhile stay.
// The caller holds the lock.
func (s *Store) Distill(add []Entry, leave []Departure) error {
	return failed(s.distill(add, leave), "distill %q", s.dir)
}

func (s *Store) distill(add []Entry, leave []Departure) error {
	ids, err := s.ids()
	if err != nil {
		return err
	}
	numbers, err := s.generations()
	if err != nil {
		return err
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	dir := filepath.Join(s.dir, generationsDir)
	if err := s.mkdir(dir); err != nil {
		return err
	}
	if err := s.fs.SyncDir(s.dir); err != nil {
		return err
	}
	list := generationHeader + "\n" + strings.Join(ids, "\n") + "\n"
	if err := s.replace(dir, strconv.Itoa(next), []byte(list)); err != nil {
		return err
	}
	if err := s.Put(add...); err != nil {
		return err
	}
	return s.setAsideAll(leave, distilled)
}

// ids returns the names of the files of entries that are called like one, in order.
func (s *Store) ids() ([]string, error) {
	list, err := s.fs.ReadDir(filepath.Join(s.dir, entriesDir))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range list {
		if isID(d.Name()) {
			ids = append(ids, d.Name())
		}
	}
	return ids, nil
}

// generations returns the numbers of the generations that are kept, in order.
func (s *Store) generations() ([]int, error) {
	list, err := s.fs.ReadDir(filepath.Join(s.dir, generationsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var numbers []int
	for _, d := range list {
		if n, err := strconv.Atoi(d.Name()); err == nil && n > 0 && strconv.Itoa(n) == d.Name() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// Undo brings back the entries of the last generation and forgets it. Entries
// added since stay. It returns how many came back, and in lost how many are no
// longer in quarantine. The error is [fs.ErrNotExist] if there is no
// generation. If one of them is damaged, the error names its file, and the
// generation stays. The caller holds the lock.
func (s *Store) Undo() (back, lost int, err error) {
	back, lost, err = s.undo()
	return back, lost, failed(err, "undo %q", s.dir)
}

func (s *Store) undo() (back, lost int, err error) {
	numbers, err := s.generations()
	if err != nil {
		return 0, 0, err
	}
	if len(numbers) == 0 {
		return 0, 0, fmt.Errorf("no generation: %w", fs.ErrNotExist)
	}
	last := filepath.Join(s.dir, generationsDir, strconv.Itoa(numbers[len(numbers)-1]))
	ids, err := s.readGeneration(last)
	if err != nil {
		return 0, 0, err
	}
	byID, err := s.left()
	if err != nil {
		return 0, 0, err
	}
	var damaged error // the first
	for _, id := range ids {
		switch _, err := s.fs.Lstat(filepath.Join(s.dir, entriesDir, id)); {
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return back, lost, err
		}
		a, ok := byID[id]
		if !ok {
			lost++
			continue
		}
		err := s.Restore(a)
		switch useless := (uselessError{}); {
		case err == nil:
			back++
		case errors.As(err, &useless):
			damaged = cmp.Or(damaged, err)
		default:
			return back, lost, err
		}
	}
	if damaged != nil {
		return back, lost, damaged
	}
	if err := s.fs.Remove(last); err != nil {
		return back, lost, err
	}
	return back, lost, s.fs.SyncDir(filepath.Dir(last))
}

// left returns the entries that left by distilling, by ID.
func (s *Store) left() (map[string]Aside, error) {
	aside, err := s.Quarantined()
	byID := make(map[string]Aside, len(aside))
	for _, a := range aside {
		if id, _, _ := strings.Cut(a.Name, "."); isID(id) && a.Distilled() {
			byID[id] = a
		}
	}
	return byID, err
}

func (s *Store) readGeneration(file string) ([]string, error) {
	data, err := s.readRegular(file, maxGeneration)
	if err != nil {
		return nil, err
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	if first != generationHeader {
		return nil, fmt.Errorf("%s: %.40q, want %q", filepath.Base(file), first, generationHeader)
	}
	ids := strings.Fields(rest)
	if i := slices.IndexFunc(ids, func(id string) bool { return !isID(id) }); i >= 0 {
		return nil, fmt.Errorf("%s: line %d: %.40q is not an entry", filepath.Base(file), i+2, ids[i])
	}
	return ids, nil
}

// Prune forgets all generations but the present one and deletes the entries
// that Distill set aside. It returns how many it deleted. The caller holds the
// lock.
func (s *Store) Prune() (entries int, err error) {
	entries, err = s.prune()
	return entries, failed(err, "prune %q", s.dir)
}

func (s *Store) prune() (entries int, err error) {
	aside, err := s.Quarantined()
	if err != nil {
		return 0, err
	}
	for _, a := range aside {
		if !a.Distilled() {
			continue
		}
		if err := s.forget(a.Name); err != nil {
			return entries, err
		}
		entries++
	}
	numbers, err := s.generations()
	if err != nil || len(numbers) == 0 {
		return entries, err
	}
	dir := filepath.Join(s.dir, generationsDir)
	for _, n := range numbers {
		if err := s.fs.Remove(filepath.Join(dir, strconv.Itoa(n))); ignoreMissing(err) != nil {
			return entries, err
		}
	}
	return entries, errors.Join(s.fs.SyncDir(filepath.Join(s.dir, quarantineDir)), s.fs.SyncDir(dir))
}
