package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
)

// browser returns what runs a headless Chromium with arguments, and skips the test if none is
// installed.
func browser(t *testing.T) func(args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		t.Skip("no Chromium in PATH: apt-get install chromium")
	}
	profile := t.TempDir()
	run := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		// The sandbox cannot be had as root, and the pages are our own.
		fixed := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + profile}
		cmd := exec.CommandContext(ctx, program, append(fixed, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+profile)
		out, err := cmd.Output()
		return string(out), err
	}
	if out, err := run("--dump-dom", "about:blank"); err != nil || !strings.Contains(out, "<html>") {
		t.Skipf("%s does not run here: %v", program, err)
	}
	return func(args ...string) string {
		t.Helper()
		out, err := run(args...)
		if err != nil {
			t.Fatalf("%s %q: %v", program, args, err)
		}
		return out
	}
}

// measure is a script that writes into the title what is wrong with a page: an element that
// makes it scroll sideways, and texts that contrast too little with what is behind them
// (WCAG 2.2, 1.4.3).
const measure = `<script>
const wrong = [];
for (const e of [document.documentElement, document.querySelector("main")])
	if (e.scrollWidth > e.clientWidth) wrong.push(e.tagName + " scrolls: " + e.scrollWidth + " > " + e.clientWidth);
function light(color) {
	const part = color.match(/[\d.]+/g).slice(0, 3).map(Number).map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
	return .2126 * part[0] + .7152 * part[1] + .0722 * part[2];
}
const back = light(getComputedStyle(document.body).backgroundColor);
for (const e of document.body.querySelectorAll("*")) {
	if (e.tagName === "SCRIPT" || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
	const fore = light(getComputedStyle(e).color);
	const contrast = (Math.max(fore, back) + .05) / (Math.min(fore, back) + .05);
	if (contrast < 4.5) wrong.push(e.tagName + " has contrast " + contrast.toFixed(1) + ": " + e.textContent.slice(0, 20));
}
const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.title = "measured " + innerWidth + " " + scheme + (back < .5 ? " on dark" : " on light") + ": " + wrong.join("; ") + ".";
</script>`

// long is a view with texts that are hard to fit, and a target that cannot run.
func long() *farm.View {
	v := view(5)
	name := "example.com/" + strings.Repeat("long", 30)
	v.Targets[0].Name, v.Targets[1].Name = name, name+".FuzzOther"
	v.Targets[1].Known = &ledger.Target{Problem: name + "/file.go:1:2: " + evil}
	f := &v.Findings[0]
	f.Operation, f.Message, f.Signature = "(*Type[int, string])."+strings.Repeat("Method", 30), strings.Repeat("message", 40), strings.Repeat("signature:", 30)
	f.Reason, f.Flaky = strings.Repeat("why", 90), true
	v.Poison = []record.Poison{{Job: record.Job{Target: record.Target{Package: name}}, Problem: "3 workers were lost while they ran it"}}
	v.Owner.Workers = []farm.WorkerSeen{{Name: strings.Repeat("host", 40), Last: f.Last, Objects: 1000}}
	return v
}

// In a real browser, narrow and wide, light and dark, no page scrolls sideways and all texts
// can be read. Nothing of a page needs its script.
func TestBrowser(t *testing.T) {
	run := browser(t)
	s := New(func(context.Context, *ledger.Finding) (*record.Report, error) {
		return &record.Report{Sequence: strings.Repeat("v0 := F() ", 40), Test: "package m // " + strings.Repeat(evil, 20), Document: strings.Repeat("word ", 90) + strings.Repeat("w", 200)}, nil
	}, func(v *farm.View) string { return "jobs: 5, " + strings.Repeat("counted: 1, ", 20) },
		func(*farm.View, *ledger.Finding, *record.Report) string { return "patch" })
	s.Show(long())
	pages := s.Handler()
	hidden := regexp.MustCompile(`<a id="more"[^>]* hidden`)
	// The copy of a page below /measured has no script but the one that measures it.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.Path, "/measured")
		if !ok {
			pages.ServeHTTP(w, r)
			return
		}
		r.URL.Path = path
		rec := httptest.NewRecorder()
		pages.ServeHTTP(rec, r)
		body := regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(rec.Body.String(), "")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.Replace(body, "</body>", measure+"</body>", 1))
	}))
	defer server.Close()
	for path, want := range map[string]string{
		"/": "FuzzOther", "/target/" + s.view.Targets[0].ID(): "on the frontier", "/finding/0123456789abcdef": "v0 := F()",
	} {
		for _, look := range []struct {
			width  int
			scheme string
		}{{500, "dark"}, {1280, "light"}} {
			args := []string{fmt.Sprintf("--window-size=%d,900", look.width), "--dump-dom", server.URL + "/measured" + path}
			if look.scheme == "dark" {
				args = append([]string{"--force-dark-mode"}, args...)
			}
			dom := run(args...)
			if !strings.Contains(dom, want) || !hidden.MatchString(dom) {
				t.Errorf("%s without its script: no %q, or news, in\n%s", path, want, dom)
			}
			got := regexp.MustCompile(`<title>(.*?)</title>`).FindStringSubmatch(dom)
			if title := fmt.Sprintf("measured %d %s on %[2]s: .", look.width, look.scheme); got == nil || got[1] != title {
				t.Errorf("%s: got %q, want %q", path, got, title)
			}
		}
	}
}
