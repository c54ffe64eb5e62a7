package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
)

const evil = `"><script>alert(1)</script>`

func view(runs int) *farm.View {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	t := record.Target{Package: "m.test/m/queue", Pattern: "m.test/m/queue"}
	known := &ledger.Target{Runs: runs, Counts: record.Counts{Seconds: 120, Sides: 12, SidesCovered: 11, Frontier: 1, Entries: 9, Sequences: 1000}, LastNew: at, Points: []ledger.Point{
		{At: at, Seconds: 60, SidesCovered: 6, Entries: 3}, {At: at, Seconds: 120, SidesCovered: 11, Entries: 9},
	}}
	return &farm.View{
		Runs: runs, Targets: []farm.TargetView{{Target: t, Name: t.String(), Known: known, Weight: 1, Open: 1}, {Target: record.Target{Package: "m.test/late"}, Name: "m.test/late"}},
		Findings: []ledger.Finding{{
			Key: "0123456789abcdef", Target: t.ID(), Seen: record.Seen{Signature: "panic:index:F", Tier: "error", Kind: "panic", Operation: "F", Message: evil, Report: "r"},
			State: ledger.StateReopened, First: at, Last: at, Runs: 2, Bisection: &record.Bisection{First: record.Commit{Hash: "0123456789abcdef", Subject: evil}, Before: record.Untestable}, Changes: []ledger.Change{{State: ledger.StateNew, At: at, Job: "000001.00000001", Revision: "abc"}, {State: ledger.StateFixed, At: at}},
		}},
		Problems: []farm.Problem{{Place: "./broken", Msg: evil}},
	}
}

func serve(t *testing.T) (*Server, *httptest.Server) {
	s := New(func(context.Context, *ledger.Finding) (*record.Report, error) {
		return &record.Report{Sequence: "v0 := F()", Test: "package m // " + evil}, nil
	}, func(v *farm.View) string { return fmt.Sprintf("jobs: %d", v.Runs) },
		func(_ *farm.View, f *ledger.Finding, r *record.Report) string {
			return "patch of " + f.Key + "\n+" + r.Test
		})
	s.Show(view(5))
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return s, server
}

func get(t *testing.T, address string) (string, *http.Response) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body), res
}

func TestPages(t *testing.T) {
	s, server := serve(t)
	target := s.view.Targets[0].ID()
	for path, want := range map[string][]string{
		"/":                               {"m.test/m/queue", "11 of 12", "91.7 %", "no turn yet", "reopened", "./broken", "jobs: 5"},
		"/target/" + target:               {"Branch sides taken", "<svg", "M0 ", "/finding/0123456789abcdef", "1 on the frontier"},
		"/finding/0123456789abcdef":       {"panic:index:F", "package m //", "v0 := F()", "commit <code>abc</code>", "reopened", "since commit 0123456789ab", "cannot be run before", "/finding/0123456789abcdef/patch"},
		"/finding/0123456789abcdef/patch": {"patch of 0123456789abcdef", "+package m //"},
		"/status.json":                    {`"findings": [`, `"signature": "panic:index:F"`, `"first_bad": {`},
		"/style.css":                      {"prefers-color-scheme: dark", "max-width: 40rem"},
	} {
		body, res := get(t, server.URL+path)
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s: no %q in\n%s", path, w, body)
			}
		}
		if res.StatusCode != 200 || !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %s, %v", path, res.Status, res.Header)
		}
		if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") && strings.Contains(body, "<script>alert") {
			t.Errorf("%s: texts of findings are not escaped", path)
		}
	}
	for _, path := range []string{"/target/none", "/finding/none", "/none", "/finding/"} {
		if _, res := get(t, server.URL+path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s, want 404", path, res.Status)
		}
	}
	if res, err := http.Post(server.URL+"/", "text/plain", nil); err != nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %v, %v", res.Status, err)
	}
}

// The state is sent at once, and again when it changes.
func TestLive(t *testing.T) {
	s, server := serve(t)
	res, err := http.Get(server.URL + "/live")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for _, want := range []string{"jobs: 5", "jobs: 6"} {
		data := ""
		for data == "" && lines.Scan() {
			data, _ = strings.CutPrefix(lines.Text(), "data: ")
			if data == lines.Text() {
				data = ""
			}
		}
		if data != want {
			t.Errorf("got %q, want %q", data, want)
		}
		s.Show(view(6))
	}
}

// Each line of the metrics is a comment or a sample of a family that was declared above.
func TestMetrics(t *testing.T) {
	v := view(5)
	v.Targets[0].Name = "a\"b\\c"
	sample := regexp.MustCompile(`^(foray_[a-z_]+)(\{[a-z]+="(?:[^"\\]|\\.)*"\})? [0-9.]+$`)
	declared := map[string]bool{}
	n := 0
	for line := range strings.Lines(string(metricsOf(v))) {
		line = strings.TrimSuffix(line, "\n")
		if fields := strings.Fields(line); fields[0] == "#" {
			declared[fields[2]] = true
			continue
		}
		if m := sample.FindStringSubmatch(line); m == nil || !declared[m[1]] {
			t.Errorf("not a sample of a declared family: %s", line)
		}
		n++
	}
	if n < 14 {
		t.Errorf("%d samples", n)
	}
}

func TestReportIsMissing(t *testing.T) {
	s := New(func(context.Context, *ledger.Finding) (*record.Report, error) {
		return nil, errors.New("it is damaged")
	}, func(*farm.View) string { return "" }, func(*farm.View, *ledger.Finding, *record.Report) string { return "" })
	s.Show(view(1))
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	if body, _ := get(t, server.URL+"/finding/0123456789abcdef"); !strings.Contains(body, "it is damaged") || !strings.Contains(body, "History") {
		t.Errorf("got\n%s", body)
	}
}
