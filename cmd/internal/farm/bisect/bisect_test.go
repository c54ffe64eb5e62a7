package bisect

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foray.test/cmd/internal/farm/record"
)

// repository makes a repository whose commits have the given parents, by number, and returns
// it cloned, with the hashes. The last commit is HEAD. files returns the files of a commit.
func repository(t *testing.T, parents [][]int, files func(i int) map[string]string) (*Repo, []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	var in strings.Builder
	for i, from := range parents {
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter A <a@m.test> %d +0000\ndata <<E\ncommit %d\nE\n", i+1, 1_700_000_000+i*60, i)
		for j, p := range from {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(j, 1)], p+1)
		}
		if len(from) == 0 && i > 0 {
			t.Fatal("a second root")
		}
		for name, content := range files(i) {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
		}
		in.WriteString("\n")
	}
	marks := filepath.Join(dir, "marks")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"fast-import", "--quiet", "--export-marks=" + marks}, {"reset", "-q", "--hard"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(in.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	data, err := os.ReadFile(marks)
	if err != nil {
		t.Fatal(err)
	}
	hashes := make([]string, len(parents))
	for line := range strings.Lines(string(data)) {
		var i int
		var hash string
		if _, err := fmt.Sscanf(line, ":%d %s", &i, &hash); err != nil {
			t.Fatal(err)
		}
		hashes[i-1] = hash
	}
	repo, err := Clone(t.Context(), dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return repo, hashes
}

// number is the content of commits that nothing is built of.
func number(i int) map[string]string { return map[string]string{"n": fmt.Sprint(i)} }

// line returns the parents of n commits in a row.
func line(n int) [][]int {
	list := [][]int{nil}
	for i := range n - 1 {
		list = append(list, []int{i})
	}
	return list
}

// scripted returns the verdicts of commits from a text with a letter for each: p, f, u.
func scripted(hashes []string, verdicts string, tried map[string]int) func(context.Context, string) (record.Verdict, error) {
	return func(_ context.Context, commit string) (record.Verdict, error) {
		tried[commit]++
		i := slices.Index(hashes, commit)
		return map[byte]record.Verdict{'p': record.Passes, 'f': record.Fails, 'u': record.Untestable}[verdicts[i]], nil
	}
}

func TestSearch(t *testing.T) {
	for _, tt := range []struct {
		name     string
		parents  [][]int
		verdicts string
		good     int // -1: not known
		first    int // -1: a problem
		before   record.Verdict
		or       int
	}{
		{"between a good and a bad one", line(9), "pppppffff", 0, 5, record.Passes, 0},
		{"just the last", line(9), "ppppppppf", 0, 8, record.Passes, 0},
		{"no good one known", line(9), "ppffffffff", -1, 2, record.Passes, 0},
		{"the good one fails", line(9), "pppppffff", 6, 5, record.Passes, 0},
		{"the good one cannot be tried", line(9), "ppupfffff", 2, 4, record.Passes, 0},
		{"since ever", line(6), "ffffff", -1, 0, "", 0},
		{"the API is new", line(9), "uuuufffff", -1, 4, record.Untestable, 0},
		{"some do not compile", line(12), "ppppuufuffff", 0, 6, record.Passes, 2},
		{"one elsewhere does not compile", line(12), "ppupppffffff", 0, 6, record.Passes, 0},
		{"it passes now", line(4), "pppp", 0, -1, "", 0},
		{"it cannot be tried now", line(4), "pppu", 0, -1, "", 0},
		// 0 ── 1 ── 2 ── 5 ── 6
		//       └── 3 ── 4 ──┘
		{"in a branch that was merged", [][]int{nil, {0}, {1}, {1}, {3}, {2, 4}, {5}}, "ppppfff", 0, 4, record.Passes, 0},
		{"by the merge", [][]int{nil, {0}, {1}, {1}, {3}, {2, 4}, {5}}, "pppppff", 0, 5, record.Passes, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			repo, hashes := repository(t, tt.parents, number)
			tried := map[string]int{}
			s := Search{Repo: repo, Bad: "HEAD", Try: scripted(hashes, tt.verdicts, tried)}
			if tt.good >= 0 {
				s.Good = hashes[tt.good]
			}
			got, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if tt.first < 0 {
				if got.Problem == "" || got.First.Hash != "" {
					t.Errorf("got %v, want a problem", got)
				}
				return
			}
			if got.First.Hash != hashes[tt.first] || got.Before != tt.before || len(got.Or) != tt.or || got.First.Subject != fmt.Sprint("commit ", tt.first) {
				t.Errorf("got %+v; want commit %d %s, before it %q, %d others", got, tt.first, hashes[tt.first], tt.before, tt.or)
			}
		})
	}
}

// A search that is interrupted after each try, and remembers, finds the same and tries no
// commit twice. History and verdicts are random.
func TestSearchResumes(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 4 {
		n := 8 + r.IntN(12)
		parents := line(n)
		for i := 2; i < n; i++ { // some merges of a branch of one commit
			if r.IntN(4) == 0 && len(parents[i-1]) == 1 {
				parents[i] = []int{i - 1, parents[i-1][0]}
			}
		}
		first := 1 + r.IntN(n-1)
		verdicts := strings.Repeat("p", first) + strings.Repeat("f", n-first)
		repo, hashes := repository(t, parents, number)
		tried, known := map[string]int{}, map[string]record.Verdict{}
		ask := scripted(hashes, verdicts, tried)
		stop := errors.New("interrupted")
		for starts := 1; ; starts++ {
			fresh := 0
			s := Search{Repo: repo, Bad: "HEAD", Try: func(ctx context.Context, commit string) (record.Verdict, error) {
				if v, ok := known[commit]; ok {
					return v, nil
				}
				if fresh++; fresh > 1 {
					return "", stop
				}
				v, err := ask(ctx, commit)
				known[commit] = v
				return v, err
			}}
			got, err := s.Run(t.Context())
			if errors.Is(err, stop) && starts <= n {
				continue
			}
			if err != nil || got.First.Hash != hashes[first] {
				t.Errorf("parents %v, verdicts %s: got %v, %v; want commit %d", parents, verdicts, got, err, first)
			}
			break
		}
		for commit, times := range tried {
			if times > 1 {
				t.Errorf("%s was tried %d times", commit, times)
			}
		}
	}
}

// The test of a finding runs at commits where the package has other tests, or does not
// compile, or is not there.
func TestTrial(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	const head, fine = "package p\n\nfunc F(n int) int {", " return n }\n"
	sources := []map[string]string{
		{"m/go.mod": "module m.test/m\n\ngo 1.24\n"},
		{"m/p/p.go": "package p\n"},
		{"m/p/p.go": head + fine, "m/p/p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestForayF(t *testing.T) { t.Fatal() }\n\nfunc FuzzF(f *testing.F) { f.Fuzz(func(t *testing.T, n int) { F(n) }) }\n"},
		{"m/p/p.go": head + "\n\tif n == 7 {\n\t\tpanic(n)\n\t}\n" + fine, "m/p/testdata/fuzz/FuzzF/other": "go test fuzz v1\nint(7)\n"},
		{"m/p/p.go": head + "}\n"},
	}
	repo, hashes := repository(t, line(len(sources)), func(i int) map[string]string { return sources[i] })
	repo.prefix = "m/"
	report := &record.Report{Test: "package p_test\n\nimport (\n\t\"testing\"\n\n\t\"m.test/m/p\"\n)\n\nfunc TestForayF(t *testing.T) { p.F(7) }\n", Input: []byte("go test fuzz v1\nint(7)\n")}
	again := &record.Report{Test: "package p_test\n\nimport (\n\t\"os\"\n\t\"os/exec\"\n\t\"strings\"\n\t\"testing\"\n\n\t\"m.test/m/p\"\n)\n\nfunc TestForayF(t *testing.T) {\n" +
		"\tif os.Getenv(\"FORAY_CHILD\") == \"TestForayF\" {\n\t\tp.F(7)\n\t\tprintln(\"returned\")\n\t\treturn\n\t}\n\tcmd := exec.Command(os.Args[0], \"-test.run=^TestForayF$\")\n\tcmd.Env = append(os.Environ(), \"FORAY_CHILD=TestForayF\")\n" +
		"\tif out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), \"returned\") {\n\t\tt.Fatal(string(out))\n\t}\n}\n"}
	for _, tt := range []struct {
		fuzz   string
		report *record.Report
		want   []record.Verdict
	}{
		{"", report, []record.Verdict{record.Untestable, record.Untestable, record.Passes, record.Fails, record.Untestable}},
		{"", again, []record.Verdict{2: record.Passes, 3: record.Fails}}, // it runs itself, by its name
		{"FuzzF", report, []record.Verdict{2: record.Passes, 3: record.Fails, 4: record.Untestable}},
	} {
		trial := &Trial{Repo: repo, Dir: "p", Fuzz: tt.fuzz, Report: tt.report, Temp: t.TempDir(), Runs: 2}
		if err := trial.Usable(); err != nil {
			t.Fatal(err)
		}
		for i, verdict := range tt.want {
			if verdict == "" {
				continue
			}
			if got, err := trial.Try(t.Context(), hashes[i]); err != nil || got.Verdict != verdict || got.Commit != hashes[i] {
				t.Errorf("%s: commit %d: got %+v, %v; want that it %s", tt.fuzz, i, got, err, verdict)
			}
		}
	}
	for _, trial := range []Trial{{Dir: "p"}, {Dir: "p", Report: &record.Report{}}, {Report: report}, {Dir: "p", Fuzz: "F", Report: &record.Report{Test: report.Test}}} {
		if trial.Usable() == nil {
			t.Errorf("%+v: no complaint", trial)
		}
	}
}

// A hook of git runs with variables that name its repository. The clone is another one all the same.
func TestInHook(t *testing.T) {
	repo, hashes := repository(t, line(3), number)
	t.Setenv("GIT_DIR", filepath.Join(repo.origin, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(repo.origin, ".git", "index"))
	again, err := Clone(t.Context(), repo.origin, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := again.checkout(t.Context(), hashes[0])
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "n")); err != nil || string(data) != "0" {
		t.Errorf("checked out %q, %v; want the first commit", data, err)
	}
	if head, err := os.ReadFile(filepath.Join(repo.origin, ".git", "HEAD")); err != nil || string(head) != "ref: refs/heads/main\n" {
		t.Errorf("the original is at %q, %v; want it left as it was", head, err)
	}
}
