package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/profile"
	"foray.test/cmd/internal/usage"
	"foray.test/harness/build"
)

// sourceStamp returns a checksum of the sources of a package and its tests, the same on every
// machine.
func sourceStamp(t *build.Target) string {
	h := sha256.New()
	for _, name := range slices.Concat(t.GoFiles, t.TestGoFiles, t.XTestGoFiles) {
		data, _ := os.ReadFile(name) // a file that is gone counts by its name
		sum := sha256.Sum256(data)
		h.Write([]byte(filepath.Base(name) + "\x00"))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// profileNow returns the use of the package: places as the source has them now, the rest as earlier
// runs have left it. It is nil for a package without tests that nothing uses.
func (s *subject) profileNow(ctx context.Context, pkg *load.Package) *profile.Profile {
	read := usage.Read(pkg, pkg.CheckTests(ctx), nil, s.table)
	old := s.loadProfile()
	if old == nil && read.Functions == 0 {
		return nil
	}
	if old != nil {
		read.Profile.Merge(old)
	}
	return read.Profile
}

// loadProfile returns the stored use of the package, nil if there is none. An unreadable one is set
// aside, with a warning.
func (s *subject) loadProfile() *profile.Profile {
	p, err := s.readProfile()
	if err != nil {
		s.out.Warn(s.target.Path+": "+err.Error(), "")
	}
	return p
}

func (s *subject) readProfile() (*profile.Profile, error) {
	p := &profile.Profile{Package: s.target.Path}
	switch err := s.store.LoadProfile(p); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return p, nil
}

// rememberProfile merges the use that this run has seen with that of earlier ones, and saves it.
func (s *subject) rememberProfile() {
	used := s.found.Usage
	if used == nil || used.Functions+used.Users == 0 {
		return
	}
	now := used.Profile.Clone()
	if s.ran != nil && s.ran.Profile != nil {
		now.Merge(s.ran.Profile)
	}
	old, err := s.readProfile()
	if err != nil {
		s.out.Warn(s.target.Path+": "+err.Error(), "")
		if isNewer(err) {
			return // a later foray's
		}
	}
	if old != nil {
		now.Merge(old)
	}
	if !s.claimed {
		return // the process with the lock saves
	}
	if err := s.store.SaveProfile(now); err != nil {
		s.out.Warn(s.target.Path+": "+err.Error(), "")
	}
}

// explainTypes prints the use of the types that have methods.
func (s *subject) explainTypes(used *profile.Profile, stamp string) {
	if used == nil {
		return
	}
	seen := map[string]bool{}
	for i := range s.table.Ops {
		name := profile.TypeName(s.table, &s.table.Ops[i])
		if !s.table.Ops[i].API || seen[name] || !used.HasType(name) {
			continue
		}
		seen[name] = true
		t := used.Type(name)
		if lines := t.Lines(stamp); len(lines) > 0 {
			s.out.Print(&event.TypeUse{Package: s.name(), Type: name, Use: lines, Profile: t})
		}
	}
}
