package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// maxState is the largest size in bytes of state that is stored and read.
const maxState = 256 << 20

// SaveState stores v as JSON and replaces the previous state. State can be
// rebuilt from the entries. Only the process that holds the lock should save.
func (s *Store) SaveState(v any) error { return s.save(stateFile, v) }

// SaveProfile stores the use that tests make of the package, as SaveState stores state.
func (s *Store) SaveProfile(v any) error { return s.save(profileFile, v) }

func (s *Store) save(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "\t")
	if err == nil && len(data) > maxState {
		err = fmt.Errorf("%d bytes, want at most %d", len(data), maxState)
	}
	if err == nil {
		err = s.replace(s.dir, name, append(data, '\n'))
	}
	return failed(err, "save %s", strings.TrimSuffix(name, ".json"))
}

// LoadState sets v, a pointer, to the saved state. The error is
// [fs.ErrNotExist] if there is none. Unreadable state is set aside, so that the
// next LoadState finds none. State of a later version stays: decoding it returns an error
// with a method Newer.
func (s *Store) LoadState(v any) error { return s.load(stateFile, v) }

// LoadProfile sets v to the saved use of the package, as LoadState does.
func (s *Store) LoadProfile(v any) error { return s.load(profileFile, v) }

func (s *Store) load(name string, v any) error {
	err := s.decode(name, v)
	if err == nil {
		return nil
	}
	if useless := (uselessError{}); errors.As(err, &useless) && !s.view && !IsNewer(err) {
		if moved, moveErr := s.setAside(name, name, err.Error()); moveErr == nil {
			err = fmt.Errorf("%w: moved to %s", err, moved)
		}
	}
	return failed(err, "load %s", strings.TrimSuffix(name, ".json"))
}

func (s *Store) decode(name string, v any) error {
	data, err := s.readRegular(filepath.Join(s.dir, name), maxState)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return uselessError{err}
	}
	return nil
}

// IsNewer reports whether err says that a file is of a later foray.
func IsNewer(err error) bool {
	var newer interface{ Newer() bool }
	return errors.As(err, &newer) && newer.Newer()
}
