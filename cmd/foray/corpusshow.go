package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/corpus/fuzzfile"
	"foray.test/corpus/store"
	"foray.test/engine/seq"
)

const showDoc = `Show prints entries as Go code: those of foray and those of go test, which keeps
the inputs of a FuzzXxx in files of its own.

  foray corpus show testdata/fuzz/FuzzParse/4f2a91c02be7d3aa
  foray corpus show -pkg container/list 3f9c

A HASH is the name of an entry, or how it begins; it is looked for in the corpus of
the package that -pkg names, in its quarantine, and among the inputs of its fuzz
targets.`

func showFlags(fs *flag.FlagSet, o *options) {
	packageFlags(fs, o)
}

// maxShown bounds a file to be shown.
const maxShown = 4 << 20

// shownEntry is an entry as it is shown; also its JSON form.
type shownEntry struct {
	Schema  int    `json:"schema"`
	Event   string `json:"event"`
	File    string `json:"file"`
	ID      string `json:"id,omitempty"` // of an entry of foray
	Origin  string `json:"origin,omitempty"`
	Sides   int    `json:"sides,omitempty"`
	Target  string `json:"target,omitempty"` // of an input: the FuzzXxx, if its directory tells
	Comment string `json:"comment,omitempty"`
	Code    string `json:"code"`
}

func runShow(ctx context.Context, o *options, out *output) (int, error) {
	if err := o.wants(1, 1<<20, "files or hashes"); err != nil {
		return exitUsage, err
	}
	errs := 0
	var places []string // that hashes are looked for in
	for _, arg := range o.args {
		file := arg
		if info, err := os.Stat(arg); err != nil || info.IsDir() {
			if places == nil {
				if places, err = entryPlaces(ctx, o, out); err != nil {
					return exitUsage, err
				}
			}
			if file, err = findEntry(places, arg); err != nil {
				errs += out.errors(err)
				continue
			}
		}
		e, err := readShown(file)
		if err != nil {
			errs += out.errors(&load.Error{Place: o.relative(file), Msg: err.Error(), Hint: "an entry begins with the line \"foray corpus v1\" or \"go test fuzz v1\""})
			continue
		}
		out.entry(e)
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// entryPlaces returns the directories where entries of the package may lie.
func entryPlaces(ctx context.Context, o *options, out *output) ([]string, error) {
	targets, cache, err := findTargets(ctx, o, out)
	if err != nil {
		return nil, err
	}
	var places []string
	for _, target := range targets {
		s := newSubject(target, o)
		dir, err := s.storeDir(o, cache)
		if err != nil {
			return nil, err
		}
		places = append(places, filepath.Join(dir, "entries"), filepath.Join(dir, "quarantine"))
		for _, pattern := range []string{
			filepath.Join(target.Dir, "testdata", "fuzz", "Fuzz*"), filepath.Join(cache, "fuzz", filepath.FromSlash(target.Path), "Fuzz*"),
			filepath.Join(dir, "Fuzz*"), filepath.Join(dir, "testdata", "fuzz", "Fuzz*"),
		} {
			names, err := filepath.Glob(pattern)
			if err != nil {
				return nil, err
			}
			places = append(places, names...)
		}
	}
	return places, nil
}

// findEntry returns the file whose name begins with hash.
func findEntry(places []string, hash string) (string, error) {
	const least = 4
	if len(hash) < least || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", &load.Error{Place: hash, Msg: "no such file, and no hash", Hint: fmt.Sprintf("a hash is at least %d of the digits 0 to 9 and a to f", least)}
	}
	var found []string
	for _, dir := range places {
		list, err := os.ReadDir(dir)
		if err != nil {
			continue // it need not be there
		}
		for _, d := range list {
			if name := d.Name(); strings.HasPrefix(name, hash) && !strings.HasSuffix(name, ".reason") {
				found = append(found, filepath.Join(dir, name))
			}
		}
	}
	switch {
	case len(found) == 0:
		return "", &load.Error{Place: hash, Msg: "no entry of that name", Hint: "-pkg names the package whose corpus it is in, -outdir where that lies"}
	case len(found) > 1 && filepath.Base(found[0]) != filepath.Base(found[1]):
		return "", &load.Error{Place: hash, Msg: fmt.Sprintf("%s begin like this", plural(len(found), "entry")), Hint: filepath.Base(found[0]) + " is one of them"}
	}
	return found[0], nil
}

// readShown reads a file of foray or of go test.
func readShown(file string) (shownEntry, error) {
	e := shownEntry{Schema: schema, Event: "entry", File: file}
	data, err := readRegular(file, maxShown)
	if err != nil {
		return e, err
	}
	values, err := fuzzfile.Parse(data)
	if err != nil {
		entry, storeErr := store.Parse(data)
		if storeErr != nil {
			return e, storeErr
		}
		e.ID, e.Origin, e.Sides, e.Code = entry.ID, entry.Origin, entry.Sides, entry.Statements
		return e, nil
	}
	if dir := filepath.Base(filepath.Dir(file)); strings.HasPrefix(dir, "Fuzz") {
		e.Target = dir
	}
	if text, comment, err := seq.ReadFuzzFile(data); err == nil {
		if lines, ok := seq.Lines(text); ok {
			e.Comment, e.Code = comment, lines
			return e, nil
		}
	}
	var args strings.Builder
	for _, v := range values {
		args.WriteString(", " + fuzzfile.Literal(v))
	}
	name := e.Target
	if name == "" {
		name = "fuzz"
	}
	e.Code = fmt.Sprintf("%s(t%s)\n", name, args.String())
	return e, nil
}

// readRegular reads a file of at most so many bytes, which must not be a pipe or a
// device, from where nothing may ever come.
func readRegular(file string, most int64) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		if e := (*os.PathError)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%d bytes, want at most %d", info.Size(), most)
	}
	return os.ReadFile(file)
}

// entry prints an entry.
func (o *output) entry(e shownEntry) {
	if o.enc != nil {
		o.event(e)
		return
	}
	about := []string{o.options.relative(e.File)}
	if e.Origin != "" {
		about = append(about, e.Origin)
	}
	if e.Sides > 0 {
		about = append(about, plural(e.Sides, "branch side"))
	}
	if e.Comment != "" {
		about = append(about, e.Comment)
	}
	o.printer.println("// %s\n%s", strings.Join(about, ", "), e.Code)
}
