// Package rawinput finds raw inputs that other fuzzers have left: files, zip files, the output
// of AFL, the workdir of go-fuzz.
//
//	r := rawinput.Reader{Input: func(data []byte) error { … }}
//	err := r.Read("corpus.zip")
package rawinput

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/gofuzz"
)

// MaxBytes bounds inputs. The journal of a worker has little more room.
const MaxBytes = 128 << 10

// A Reader reads raw inputs.
type Reader struct {
	Input func(data []byte) error
	// Suppression takes a suppression of go-fuzz; nil if they are of no use.
	Suppression func(text []byte) error
	Large       int // inputs that were left out because of their size
}

// ErrNoWorkdir says that a directory is no workdir of go-fuzz.
var ErrNoWorkdir = errors.New("no workdir of go-fuzz: want a directory corpus beside crashers or suppressions")

// ReadWorkdir reads the workdir of go-fuzz.
func (r *Reader) ReadWorkdir(place string) error {
	if _, err := os.Stat(place); err == nil && !gofuzz.IsWorkdir(place) {
		return ErrNoWorkdir
	}
	return r.Read(place)
}

// Read reads a file, the files in a zip file, or the files below a directory.
func (r *Reader) Read(place string) error {
	info, err := os.Stat(place)
	if err != nil {
		if e := (*fs.PathError)(nil); errors.As(err, &e) {
			err = e.Err
		}
		return err
	}
	switch {
	case info.IsDir():
		return r.readDir(place)
	case strings.HasSuffix(place, ".zip"):
		return r.readZip(place)
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	}
	return r.readFile(place)
}

func (r *Reader) readZip(place string) error {
	zr, err := zip.OpenReader(place)
	if err != nil {
		return err
	}
	defer zr.Close()
	for _, f := range zr.File {
		if f.Mode().IsRegular() {
			if err := r.readFrom(f.Open); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// aflDirs are the directories of inputs in the output of AFL, beside its statistics.
var aflDirs = []string{"queue", "crashes", "hangs"}

func (r *Reader) readDir(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "fuzzer_stats")); err == nil {
		for _, sub := range aflDirs {
			if err := r.readDir(filepath.Join(dir, sub)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if gofuzz.IsWorkdir(dir) {
		return r.readWorkdir(dir)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, d := range list {
		path := filepath.Join(dir, d.Name())
		switch {
		case strings.HasPrefix(d.Name(), ".") || d.Name() == "README.txt": // AFL's state, and its remark on crashes
		case d.IsDir():
			err = r.readDir(path)
		case d.Type().IsRegular(): // a link may lead anywhere, and a pipe has no end
			err = r.readFile(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readWorkdir reads the corpus, the crashers and the suppressions of go-fuzz.
func (r *Reader) readWorkdir(dir string) error {
	for _, sub := range []string{gofuzz.Corpus, gofuzz.Crashers, gofuzz.Suppressions} {
		list, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, d := range list {
			path := filepath.Join(dir, sub, d.Name())
			switch {
			case !d.Type().IsRegular() || gofuzz.Describes(d.Name()):
			case sub == gofuzz.Suppressions:
				err = r.readSuppression(path)
			default:
				err = r.readFile(path)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// MaxSuppression bounds a suppression, the stack of a crash as text.
const MaxSuppression = 1 << 20

func (r *Reader) readSuppression(path string) error {
	if r.Suppression == nil {
		return nil
	}
	text, err := corpusadmin.ReadRegular(path, MaxSuppression)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return r.Suppression(text)
}

func (r *Reader) readFile(path string) error {
	return r.readFrom(func() (io.ReadCloser, error) { return os.Open(path) })
}

// readFrom reads one input. It counts one that is too large and leaves it out.
func (r *Reader) readFrom(open func() (io.ReadCloser, error)) error {
	f, err := open()
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return err
	}
	if len(data) > MaxBytes {
		r.Large++
		return nil
	}
	return r.Input(data)
}
