package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// openers open a store of each kind. The S3 server lives in this process.
func openers(t *testing.T) map[string]func() Store {
	address := serveS3(t, func(w http.ResponseWriter, r *http.Request, real http.Handler) { real.ServeHTTP(w, r) })
	dir := t.TempDir()
	open := func(address string) func() Store {
		return func() Store {
			s, err := Open(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	return map[string]func() Store{"directory": open(dir), "bucket": open(address)}
}

func TestObjects(t *testing.T) {
	for kind, open := range openers(t) {
		t.Run(kind, func(t *testing.T) {
			ctx, s := t.Context(), open()
			for i, want := range []bool{true, false} {
				added, err := s.Put(ctx, "entries/a/1", fmt.Appendf(nil, "content %d", i))
				if err != nil || added != want {
					t.Errorf("put %d: %v, %v; want %v", i, added, err, want)
				}
			}
			if data, rev, err := open().Get(ctx, "entries/a/1"); string(data) != "content 0" || rev != "" || err != nil {
				t.Errorf("get %q, %q, %v; want what was put first", data, rev, err)
			}
			if _, _, err := s.Get(ctx, "entries/a/2"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("get of nothing: %v", err)
			}
			if _, err := s.Put(ctx, "entries/b/1", []byte("x")); err != nil {
				t.Error(err)
			}
			for prefix, want := range map[string][]string{"entries/": {"entries/a/1", "entries/b/1"}, "entries/a/": {"entries/a/1"}, "runs/": nil} {
				if got, err := s.List(ctx, prefix); err != nil || !slices.Equal(got, want) {
					t.Errorf("list %s: %q, %v; want %q", prefix, got, err, want)
				}
			}
			if err := errors.Join(s.Delete(ctx, "entries/b/1"), s.Delete(ctx, "entries/b/1")); err != nil {
				t.Errorf("delete twice: %v", err)
			}
			if got, err := s.List(ctx, "entries/"); err != nil || len(got) != 1 {
				t.Errorf("after delete: %q, %v", got, err)
			}
		})
	}
}

func TestManifests(t *testing.T) {
	for kind, open := range openers(t) {
		t.Run(kind, func(t *testing.T) {
			ctx, s, other := t.Context(), open(), open()
			first, err := s.Swap(ctx, "manifest/m", []byte("one"), "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := other.Swap(ctx, "manifest/m", []byte("two"), ""); !errors.Is(err, ErrConflict) {
				t.Errorf("swap of what should be missing: %v", err)
			}
			second, err := other.Swap(ctx, "manifest/m", []byte("two"), first)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Swap(ctx, "manifest/m", []byte("stale"), first); !errors.Is(err, ErrConflict) {
				t.Errorf("swap of an old revision: %v", err)
			}
			// The same content again is another revision.
			third, err := s.Swap(ctx, "manifest/m", []byte("one"), second)
			if err != nil || third == first {
				t.Errorf("revision %q, %v; want another than %q", third, err, first)
			}
			data, rev, err := other.Get(ctx, "manifest/m")
			if string(data) != "one" || rev != third || err != nil {
				t.Errorf("get %q at %q, %v; want one at %q", data, rev, err, third)
			}
			if got, err := s.List(ctx, "manifest/"); err != nil || !slices.Equal(got, []string{"manifest/m"}) {
				t.Errorf("list: %q, %v", got, err)
			}
			if _, _, err := s.Get(ctx, "manifest/none"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("get of nothing: %v", err)
			}
		})
	}
}

// Many writers that each add one to a number, by swapping, lose none.
func TestSwapsAreFenced(t *testing.T) {
	for kind, open := range openers(t) {
		t.Run(kind, func(t *testing.T) {
			const writers, each = 4, 25
			ctx := t.Context()
			var wg sync.WaitGroup
			for range writers {
				s := open()
				wg.Go(func() {
					for range each {
						if err := grow(ctx, s); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			data, _, err := open().Get(ctx, "manifest/n")
			if err != nil || len(data) != writers*each {
				t.Errorf("%d bytes, %v; want %d", len(data), err, writers*each)
			}
		})
	}
}

// grow makes a manifest one byte longer, however often others are faster.
func grow(ctx context.Context, s Store) error {
	for {
		data, rev, err := s.Get(ctx, "manifest/n")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_, err = s.Swap(ctx, "manifest/n", append(data, 'x'), rev)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// A writer that was stopped for longer than old revisions are kept is refused all the same.
func TestVeryStaleSwap(t *testing.T) {
	s, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.kept = 4
	var first, rev Revision
	for i := range 20 {
		if rev, err = s.Swap(t.Context(), "manifest/m", fmt.Append(nil, i), rev); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = rev
		}
	}
	if list, _ := s.revisions("manifest/m"); len(list) > s.kept+1 {
		t.Errorf("%d revisions kept, want about %d", len(list), s.kept)
	}
	if _, err := s.Swap(t.Context(), "manifest/m", []byte("x"), first); !errors.Is(err, ErrConflict) {
		t.Errorf("stale swap: %v", err)
	}
	// It had looked before it was stopped: the name of its revision is free again.
	if err := s.create(s.revisionFile("manifest/m", 2), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.confirm("manifest/m", 2); !errors.Is(err, ErrConflict) {
		t.Errorf("confirm of a stale revision: %v", err)
	}
	if data, _, err := s.Get(t.Context(), "manifest/m"); string(data) != "19" || err != nil {
		t.Errorf("got %q, %v; want 19", data, err)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "a", "a/", "/a", "../a", "a/../b", "a/.b", "a/b c", "a/b\\c", "a//b", "a/" + strings.Repeat("x", 300), "manifest/a\x00"} {
		if Check(name) == nil {
			t.Errorf("%q is a name", name)
		}
	}
	for kind, open := range openers(t) {
		t.Run(kind, func(t *testing.T) {
			ctx, s := t.Context(), open()
			_, putManifest := s.Put(ctx, "manifest/m", []byte("x"))
			_, swapObject := s.Swap(ctx, "entries/a/1", []byte("x"), "")
			_, large := s.Put(ctx, "entries/a/1", bytes.Repeat([]byte("x"), MaxObject+1))
			_, empty := s.Put(ctx, "entries/a/1", nil)
			for what, err := range map[string]error{
				"put of a manifest": putManifest, "swap of an object": swapObject, "a large object": large, "an empty object": empty, "delete of a manifest": s.Delete(ctx, "manifest/m"),
			} {
				if err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{file, "gs://bucket", "s3://"} {
		if _, err := Open(t.Context(), address); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want an error in one line", address, err)
		}
	}
}

// A reader sees an object whole or not at all, and a leftover of a dead writer never.
func TestUnfinishedFiles(t *testing.T) {
	s, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "runs/a/1", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file("runs/a/")+"/"+tempPrefix+"dead-1", []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := s.List(t.Context(), "runs/"); err != nil || !slices.Equal(got, []string{"runs/a/1"}) {
		t.Errorf("list: %q, %v", got, err)
	}
}

// The answer to a swap is lost. The client asks again, and the server refuses, as the swap was made
// the first time. Swap reports no conflict.
func TestAnswerLost(t *testing.T) {
	lost := 0
	s := openFaulty(t, func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		if r.Method != http.MethodPut || lost > 0 {
			real.ServeHTTP(w, r)
			return
		}
		lost++
		real.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
	rev, err := s.Swap(t.Context(), "manifest/m", []byte("one"), "")
	if err != nil || lost != 1 {
		t.Fatalf("%v after %d lost answers; want no error after one", err, lost)
	}
	lost = 0
	if rev, err = s.Swap(t.Context(), "manifest/m", []byte("two"), rev); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Swap(t.Context(), "manifest/m", []byte("three"), rev); err != nil {
		t.Errorf("the revision of the swap with the lost answer: %v", err)
	}
}

// While another writer is at work on an object, the server refuses to say which of them comes
// first. That writer may yet fail: the object is put again.
func TestPutWhileOthersWrite(t *testing.T) {
	refused := 0
	s := openFaulty(t, func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		if r.Method != http.MethodPut || refused > 0 {
			real.ServeHTTP(w, r)
			return
		}
		refused++
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, "<Error><Code>ConditionalRequestConflict</Code><Message>A conflicting operation occurred.</Message></Error>")
	})
	added, err := s.Put(t.Context(), "entries/a/1", []byte("x"))
	if data, _, getErr := s.Get(t.Context(), "entries/a/1"); err != nil || !added || string(data) != "x" {
		t.Errorf("put: %v, %v; stored is %q, %v; want x", added, err, data, getErr)
	}
}

// openFaulty opens a store at a server of which serve may spoil answers.
func openFaulty(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, real http.Handler)) Store {
	t.Helper()
	s, err := Open(t.Context(), serveS3(t, serve))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serveS3 returns the address of a store at a server in this process. serve answers requests, and
// may have real do so.
func serveS3(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, real http.Handler)) string {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	backend := s3mem.New()
	if err := backend.CreateBucket("farm"); err != nil {
		t.Fatal(err)
	}
	real := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, real) }))
	t.Cleanup(server.Close)
	return "s3://farm/night?insecure=true&region=us-east-1&endpoint=" + strings.TrimPrefix(server.URL, "http://")
}

// A server that denies something is told in one line, with the operation and the object.
func TestDenied(t *testing.T) {
	var denied func(*http.Request) bool
	address := serveS3(t, func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		if !denied(r) {
			real.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<Error><Code>InvalidAccessKeyId</Code><Message>There is no such key.</Message></Error>")
	})
	open := func(bucket string) (Store, error) {
		return Open(t.Context(), strings.Replace(address, "//farm/", "//"+bucket+"/", 1))
	}
	denied = func(*http.Request) bool { return false }
	if _, err := open("none"); err == nil || !strings.Contains(err.Error(), "no such bucket") {
		t.Errorf("a bucket that is not there: %v", err)
	}
	s, err := open("farm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "runs/a/1", []byte("x")); err != nil {
		t.Fatal(err)
	}
	method := func(name string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Method == name }
	}
	for _, tt := range []struct {
		what   string
		denied func(*http.Request) bool
		do     func() error
	}{
		{"open s3://farm/night", method("HEAD"), func() error { _, err := open("farm"); return err }},
		{"put runs/a/2", method("PUT"), func() error { _, err := s.Put(t.Context(), "runs/a/2", []byte("x")); return err }},
		{"get runs/a/1", method("GET"), func() error { _, _, err := s.Get(t.Context(), "runs/a/1"); return err }},
		{"list runs/", method("GET"), func() error { _, err := s.List(t.Context(), "runs/"); return err }},
		{"swap manifest/m", method("PUT"), func() error { _, err := s.Swap(t.Context(), "manifest/m", []byte("x"), ""); return err }},
		{"delete runs/a/1", method("DELETE"), func() error { return s.Delete(t.Context(), "runs/a/1") }},
	} {
		denied = tt.denied
		err := tt.do()
		if !errors.Is(err, fs.ErrPermission) || !strings.HasPrefix(err.Error(), "store: "+tt.what) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want that it is denied", tt.what, err)
		}
	}
	denied = func(*http.Request) bool { return false }
	if names, err := s.List(t.Context(), "runs/"); err != nil || !slices.Equal(names, []string{"runs/a/1"}) {
		t.Errorf("afterwards %q, %v; want what was there", names, err)
	}
}
