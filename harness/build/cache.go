package build

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"foray.test/harness/owned"
)

// sources are the files of this package. It decides how a worker is made from its
// inputs, so a change of it must not find a worker that it made before.
//
//go:embed *.go
var sources embed.FS

// builderDigest hashes the sources of this package, without its tests.
var builderDigest = sync.OnceValue(func() string { return digestOf(sources) })

func digestOf(dir fs.FS) string {
	d := newDigest()
	names, err := fs.Glob(dir, "*.go") // in order
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(dir, name)
		if err != nil {
			panic(err)
		}
		d.field("builder", name, string(src))
	}
	return d.sum()
}

// The files of a worker in the cache. They appear in one step, with their
// directory, so a worker with a directory is complete.
var binaryFile = executable("worker.test")

const (
	tableFile = "table.gob"
	metaFile  = "meta.json"

	conditionsFile = "conditions.json"
	generatedDir   = "generated" // the sources of the adapters
)

// executable returns the file name of a program, as the system wants it to end.
func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// keepFor is how long an unused worker stays in the cache: as long as files in
// the build cache of the go command.
const keepFor = 5 * 24 * time.Hour

// A digest is a hash of named fields.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) field(name string, values ...string) {
	fmt.Fprintf(d.h, "%s %d\n", name, len(values))
	for _, v := range values {
		fmt.Fprintf(d.h, "%d:%s\n", len(v), v)
	}
}

func (d digest) files(name string, files map[string][]byte) {
	for _, k := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[k])
		d.field(name, k, string(sum[:]))
	}
}

func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }

// Stamp returns a key for a worker of t, which changes with anything that goes
// into it. The key covers:
//
//   - the toolchain, the build flags and the running program;
//   - sizes and times of the files of the package, and of its dependencies outside
//     of GOROOT and the module cache;
//   - versions of dependencies inside of them;
//   - extra, for the other inputs of the caller's table and rewriting.
//
// Stamp reads no files.
func (t *Target) Stamp(extra ...string) string {
	d := newDigest()
	t.describe(d)
	if exe, err := os.Executable(); err == nil {
		d.field("program", exe, fileStamp(exe))
	}
	d.field("extra", extra...)
	return d.sum()
}

// describe adds to d the inputs from which the go command builds the package.
func (t *Target) describe(d digest) {
	d.field("builder", builderDigest())
	d.field("go", t.Go.Version, t.Go.Root)
	for _, k := range slices.Sorted(maps.Keys(t.Go.Settings)) {
		d.field("env", k, t.Go.Settings[k])
	}
	d.field("flags", t.Flags...)
	d.field("package", t.Path, t.Name, t.Dir, t.WorkDir, t.GoMod, t.GoWork, strconv.Itoa(int(t.Where)))
	d.field("modules", t.Modules...)
	inputs := t.Inputs
	if o := flagValue(t.Flags, &t.Go, "overlay"); o != "" {
		o = abs(o, t.WorkDir)
		inputs = append(inputs[:len(inputs):len(inputs)], o)
		inputs = slices.AppendSeq(inputs, maps.Values(t.Overlay))
	}
	inputs = slices.Clone(inputs)
	slices.Sort(inputs)
	for _, name := range slices.Compact(inputs) {
		d.field("file", name, fileStamp(name))
	}
}

// fileStamp returns the size and time of a file, which change with its content.
func fileStamp(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return "-"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// meta is stored beside a worker.
type meta struct {
	Dropped []Dropped `json:",omitempty"`
	Around  bool      `json:",omitempty"`
	Dir     string
}

// started is stored under a stamp.
type started struct {
	Key   string
	Extra []byte
}

// Lookup returns the worker that was built under stamp, and the Extra of its
// Config. With it an unchanged start needs no types, no rewriting and no build.
func Lookup(cache, stamp string) (w *Worker, extra []byte, ok bool) {
	cache, err := cacheDir(cache)
	if err != nil {
		return nil, nil, false
	}
	data, err := os.ReadFile(filepath.Join(cache, "start", stamp))
	if err != nil {
		return nil, nil, false
	}
	var s started
	if json.Unmarshal(data, &s) != nil {
		return nil, nil, false
	}
	w, ok = openWorker(cache, s.Key)
	return w, s.Extra, ok
}

func cacheDir(dir string) (string, error) {
	if dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "foray"), err
}

// keepGenerated keeps the generated files of a worker in its directory.
func keepGenerated(dir string, files map[string][]byte) error {
	dir = filepath.Join(dir, generatedDir)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for name, src := range files {
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// generated returns the files stored by keepGenerated.
func (w *Worker) generated() (map[string][]byte, error) {
	dir := filepath.Join(filepath.Dir(w.Path), generatedDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// openWorker returns the worker of key, and notes that it is in use.
func openWorker(cache, key string) (*Worker, bool) {
	dir := filepath.Join(cache, "worker", key)
	data, err := os.ReadFile(filepath.Join(dir, metaFile))
	if err != nil {
		return nil, false
	}
	var m meta
	if json.Unmarshal(data, &m) != nil || !fileExists(filepath.Join(dir, binaryFile)) {
		return nil, false
	}
	now := time.Now()
	os.Chtimes(dir, now, now)
	return &Worker{
		Path: filepath.Join(dir, binaryFile), TablePath: filepath.Join(dir, tableFile), ConditionsPath: filepath.Join(dir, conditionsFile),
		Dropped: m.Dropped, Around: m.Around, Dir: m.Dir, Key: key,
	}, true
}

// remember notes that stamp leads to the worker of key.
func remember(cache, stamp, key string, extra []byte) error {
	data, err := json.Marshal(started{key, extra})
	if err != nil {
		return err
	}
	return owned.WriteFile(filepath.Join(cache, "start", stamp), data)
}

// Keep keeps data under a key, for as long as a worker that is not used.
func Keep(key string, data []byte) error {
	cache, err := cacheDir("")
	if err != nil {
		return err
	}
	return owned.WriteFile(filepath.Join(cache, "usage", key), data)
}

// Kept returns the data under a key.
func Kept(key string) ([]byte, bool) {
	cache, err := cacheDir("")
	if err != nil {
		return nil, false
	}
	file := filepath.Join(cache, "usage", key)
	data, err := os.ReadFile(file)
	now := time.Now()
	os.Chtimes(file, now, now)
	return data, err == nil
}

// keepRuntime keeps the runtime, its sizeFile aside, in a directory of the cache, and
// returns that. Workers share it: a directory of some 240 files for each would take
// longer to write and remove than a small worker takes to link. A file that is missing
// or damaged is written anew.
func (b *builder) keepRuntime() (string, error) {
	files := maps.Clone(b.runtime)
	delete(files, sizeFile)
	d := newDigest()
	d.files("runtime", files)
	dir := filepath.Join(b.Cache, "runtime", d.sum())
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	now := time.Now()
	os.Chtimes(dir, now, now)
	for name, src := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, src) {
			continue
		}
		if err := owned.WriteFile(file, src); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// MaxCache is how many bytes of workers and copied modules the cache holds. A worker takes
// some 15 MB.
const MaxCache = 2 << 30

// trim removes files that have not been used for long, and the workers and copied modules that
// were used least recently if there are too many.
func trim(cache string) {
	old := copies(cache)
	for _, kind := range []string{"worker", "start", "runtime", "usage", "tmp"} {
		entries, _ := os.ReadDir(filepath.Join(cache, kind))
		for _, e := range entries {
			old = append(old, filepath.Join(cache, kind, e.Name()))
		}
	}
	for _, name := range old {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > keepFor {
			os.RemoveAll(name)
		}
	}
	removeUnused(cache, MaxCache)
}

// copies returns the directories of copied modules, and of copies that were not finished.
func copies(cache string) (list []string) {
	_ = filepath.WalkDir(filepath.Join(cache, "copy"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (strings.Contains(d.Name(), "@") || strings.HasPrefix(d.Name(), copyPrefix)) {
			list = append(list, path)
			return fs.SkipDir
		}
		return nil // what cannot be read stays
	})
	return list
}

// removeUnused removes the workers and copied modules that were used least recently, until the
// others take no more than so many bytes. It returns how many bytes it has removed, about.
func removeUnused(cache string, most int64) (removed int64) {
	type used struct {
		dir   string
		at    time.Time
		bytes int64
	}
	var list []used
	dirs := copies(cache)
	entries, _ := os.ReadDir(filepath.Join(cache, "worker"))
	for _, e := range entries {
		dirs = append(dirs, filepath.Join(cache, "worker", e.Name()))
	}
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); err == nil {
			list = append(list, used{dir, info.ModTime(), sizeOf(dir)})
		}
	}
	slices.SortFunc(list, func(a, b used) int { return b.at.Compare(a.at) })
	kept := int64(0)
	for _, u := range list {
		if kept += u.bytes; kept > most && os.RemoveAll(u.dir) == nil {
			removed += u.bytes
		}
	}
	return removed
}

// sizeOf returns the bytes of the files below a directory.
func sizeOf(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}

// Clean removes the workers and copied modules of a cache that were used least recently, but for
// so many bytes, and what builds of dead processes left. An empty name is the user's cache. It
// returns how many bytes of workers and modules it has removed.
func Clean(cache string, keep int64) (removed int64, err error) {
	if cache, err = cacheDir(cache); err != nil {
		return 0, err
	}
	owned.Sweep(filepath.Join(cache, "tmp"), buildPrefix)
	return removeUnused(cache, keep), nil
}
