// Package store keeps the objects of a farm, durably, in a directory or a bucket.
//
//	entries/<target>/<hash>     an entry of a corpus
//	findings/<target>/<key>/<hash> a report of a finding
//	runs/<target>/<job>         the result of a job
//	poison/<job>                a job that ended its workers
//	tried/<target>/<key>/<commit> what the test of a finding showed at a commit
//	manifest/<name>             state that is replaced under a revision
//
// There are two kinds of names. An object, under any name but manifest/…, never
// changes once it is there: any number of machines may add objects at once, in any
// order and twice. A manifest is replaced by [Store.Swap], which fails if somebody
// else has replaced it meanwhile.
//
// The package does not know what the bytes mean, but that manifests are JSON.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// MaxObject is the size in bytes of the largest object and manifest. None is empty.
const MaxObject = 8 << 20

// ErrConflict is the error of [Store.Swap] if the manifest has another revision.
var ErrConflict = errors.New("somebody else has replaced it")

// A Revision names one state of a manifest. The empty one says that there is none yet.
type Revision string

// A Store is where a farm keeps all that must not be lost. Its methods may be called
// from several goroutines.
type Store interface {
	// Put stores an object, unless there is one of that name, and reports whether it
	// did. When it returns nil, an object of that name is durable.
	Put(ctx context.Context, name string, data []byte) (added bool, err error)
	// Get returns an object or a manifest, and the revision if it is a manifest. The
	// error is fs.ErrNotExist if there is none.
	Get(ctx context.Context, name string) ([]byte, Revision, error)
	// List returns the names that begin with a prefix that ends in a slash, sorted.
	List(ctx context.Context, prefix string) ([]string, error)
	// Swap replaces a manifest if it still has the revision old. When it returns nil,
	// the new state is durable. The error is ErrConflict if the revision is another.
	Swap(ctx context.Context, name string, data []byte, old Revision) (Revision, error)
	// Delete removes an object. It is no error if there is none.
	Delete(ctx context.Context, name string) error
}

// manifests is the prefix of the names of manifests.
const manifests = "manifest/"

// IsManifest reports whether a name is that of a manifest.
func IsManifest(name string) bool { return strings.HasPrefix(name, manifests) }

// maxName is the longest name in bytes.
const maxName = 250

// Check reports what is wrong with a name: it is made of elements of letters, digits and
// a few signs, which cannot lead out of the store.
func Check(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("store: name of %d bytes, want at most %d", len(name), maxName)
	}
	elems := strings.Split(name, "/")
	if len(elems) < 2 {
		return fmt.Errorf("store: name %q: want a directory and a name", name)
	}
	for _, elem := range elems {
		if elem == "" || elem[0] == '.' || strings.Trim(elem, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
			return fmt.Errorf("store: name %q: element %q: want letters, digits, points, - and _", name, elem)
		}
	}
	return nil
}

// checkPut checks the arguments of Put, checkSwap those of Swap.
func checkPut(name string, data []byte) error {
	if err := checkSize(name, data); err != nil {
		return err
	}
	if IsManifest(name) {
		return fmt.Errorf("store: put %s: a manifest, which only Swap replaces", name)
	}
	return nil
}

func checkSwap(name string, data []byte) error {
	if err := checkSize(name, data); err != nil {
		return err
	}
	if !IsManifest(name) || strings.Count(name, "/") != 1 {
		return fmt.Errorf("store: swap %s: an object, which never changes", name)
	}
	return nil
}

func checkDelete(name string) error {
	if IsManifest(name) {
		return fmt.Errorf("store: delete %s: a manifest", name)
	}
	return Check(name)
}

func checkSize(name string, data []byte) error {
	if len(data) == 0 {
		return fmt.Errorf("store: %s: empty", name)
	}
	if len(data) > MaxObject {
		return fmt.Errorf("store: %s: %d bytes, want at most %d", name, len(data), MaxObject)
	}
	return Check(name)
}

func checkPrefix(prefix string) error {
	if !strings.HasSuffix(prefix, "/") {
		return fmt.Errorf("store: list %q: want a slash at the end", prefix)
	}
	return Check(prefix + "x")
}

// ReadManifest reads the JSON of a manifest into v, which stays as it is if there is none.
func ReadManifest(ctx context.Context, s Store, name string, v any) (Revision, error) {
	data, rev, err := s.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return "", fmt.Errorf("store: %s: %w", name, err)
	}
	return rev, nil
}

// failed names the operation and the object that err happened to.
func failed(op, name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), "store: ") {
		return err
	}
	return fmt.Errorf("store: %s %s: %w", op, name, err)
}
