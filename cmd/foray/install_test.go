package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// TestInstall installs the command from a module proxy that holds this tree as a release, as
// docs/release.md makes one. It then has a module require that release for a fuzz test.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	skipLong(t)
	if runtime.GOOS == "windows" {
		t.Skip("file names of proxies differ")
	}
	t.Parallel()
	const version = "v0.1.0" // which cmd/go.mod requires
	proxy, bin, cache, work := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	publish(t, proxy, module.Version{Path: "foray.test", Version: version}, filepath.Join("..", ".."))
	publish(t, proxy, module.Version{Path: "foray.test/cmd", Version: version}, "..")
	env := goEnv(t)
	// Other modules come from those that were downloaded to build this test.
	sources := "file://" + proxy + ",file://" + filepath.Join(env["GOMODCACHE"], "cache", "download") + ",off"
	// What was compiled without the name of its directory is found in the build cache.
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOCACHE="+env["GOCACHE"], "GOMODCACHE="+cache, "GOPROXY="+sources, "GOSUMDB=off", "GONOPROXY=none", "GOPRIVATE=",
			"GOBIN="+bin, "GOWORK=off", "GOFLAGS=-modcacherw -trimpath -vet=off", "GOGC=400", "GOTOOLCHAIN=local", "XDG_CACHE_HOME="+filepath.Join(work, "cache"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	// Without the farm: its modules take a minute to compile, and are downloaded by the same way.
	run(work, "go", "install", "-tags=nofarm", "foray.test/cmd/foray@"+version)
	foray := filepath.Join(bin, "foray")
	if got := run(work, foray, "version"); !strings.HasPrefix(got, "foray "+version+" ") {
		t.Errorf("version %q", got)
	}
	shop := filepath.Join(work, "shop")
	for name, text := range map[string]string{
		"go.mod":  "module m.test/shop\n\ngo 1.24\n",
		"shop.go": "// Package shop counts.\npackage shop\n\n// A Count counts.\ntype Count struct{ n int }\n\n// Add adds n and returns the sum.\nfunc (c *Count) Add(n int) int {\n\tc.n += n\n\treturn c.n\n}\n",
	} {
		if err := os.MkdirAll(shop, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(shop, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	said := run(shop, foray, "init", ".")
	edit := "go mod edit -go=" + goLine + " -require=foray.test@" + version
	if !strings.Contains(said, "\t"+edit+"\n") {
		t.Fatalf("init says\n%swant %s", said, edit)
	}
	run(shop, "sh", "-c", edit+" && go mod tidy && go test .")
	if err := os.Remove(filepath.Join(shop, fuzzTestFile)); err != nil {
		t.Fatal(err)
	}
	run(shop, "go", "mod", "edit", "-droprequire=foray.test")
	run(shop, foray, "init", "-module", ".")
	run(filepath.Join(shop, "internal", "fuzz"), "sh", "-c", "go mod tidy && go test ./...")
}

// publish puts a module in dir into the file system of a proxy.
func publish(t *testing.T, proxy string, m module.Version, dir string) {
	t.Helper()
	base := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(base, 0o777); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]string{"Version": m.Version})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"list": []byte(m.Version + "\n"), m.Version + ".info": info, m.Version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(base, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(base, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := modzip.CreateFromDir(f, m, dir); err != nil {
		t.Fatal(err)
	}
}
