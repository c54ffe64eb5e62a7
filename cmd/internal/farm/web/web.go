// Package web shows a farm in a browser, and to Prometheus. Pages are made on the server and
// need no script; a few lines of script reload the parts that change.
//
//	/                 the targets and the findings
//	/target/<id>      one target, with plots over time
//	/finding/<key>    one finding, with its test and history
//	/finding/<key>/patch its test as a patch
//	/live             the state in a line, as server-sent events
//	/metrics          for Prometheus
//	/status.json      all of it
//
// It only reads. Whoever can reach the address can read reports of code under test.
package web

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"foray.test/cmd/internal/farm"
	"foray.test/cmd/internal/farm/ledger"
	"foray.test/cmd/internal/farm/record"
)

//go:embed page.html style.css
var files embed.FS

// A Server shows the last view that it was given.
type Server struct {
	report  func(context.Context, *ledger.Finding) (*record.Report, error)
	line    func(*farm.View) string
	patch   func(*farm.View, *ledger.Finding, *record.Report) string
	pages   *template.Template
	style   []byte
	mu      sync.Mutex
	view    *farm.View
	changed chan struct{} // closed when the view changes
}

// New returns a server. report returns the report of a finding, line the state in a line, and
// patch a patch that adds the test of a finding, "" if there is none.
func New(report func(context.Context, *ledger.Finding) (*record.Report, error), line func(*farm.View) string, patch func(*farm.View, *ledger.Finding, *record.Report) string) *Server {
	funcs := template.FuncMap{
		"plot": plot, "ago": func(t time.Time) string { return t.Local().Format(time.DateTime) }, "dur": dur,
		"percent": func(n, of int) string {
			if of == 0 {
				return ""
			}
			return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
		},
	}
	style, err := files.ReadFile("style.css")
	if err != nil {
		panic(err) // it is in the binary
	}
	return &Server{
		report: report, line: line, patch: patch, style: style, view: &farm.View{}, changed: make(chan struct{}),
		pages: template.Must(template.New("").Funcs(funcs).ParseFS(files, "page.html")),
	}
}

func dur(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// Show sets the view that pages show. It must not change any more.
func (s *Server) Show(v *farm.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = v
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) now() (*farm.View, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view, s.changed
}

// Handler returns the pages.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.overview)
	mux.HandleFunc("GET /target/{id}", s.target)
	mux.HandleFunc("GET /finding/{key}", s.finding)
	mux.HandleFunc("GET /finding/{key}/patch", s.findingPatch)
	mux.HandleFunc("GET /live", s.live)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /status.json", s.json)
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(s.style)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'sha256-"+scriptHash+"'; connect-src 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, r)
	})
}

// page is what a template gets.
type page struct {
	Title   string
	Line    string
	View    *farm.View
	Script  template.JS
	Target  *farm.TargetView
	Finding *ledger.Finding
	Name    string // of the finding's target
	Report  *record.Report
	Problem string
	Patch   bool             // the report has a test
	Found   []ledger.Finding // of the target
}

func (s *Server) render(w http.ResponseWriter, name string, p *page) {
	p.Line, p.Script = s.line(p.View), script
	var b bytes.Buffer
	if err := s.pages.ExecuteTemplate(&b, name, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes())
}

func (s *Server) overview(w http.ResponseWriter, _ *http.Request) {
	v, _ := s.now()
	s.render(w, "overview", &page{Title: "foray farm", View: v})
}

func (s *Server) target(w http.ResponseWriter, r *http.Request) {
	v, _ := s.now()
	i := slices.IndexFunc(v.Targets, func(t farm.TargetView) bool { return t.ID() == r.PathValue("id") })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	p := &page{Title: v.Targets[i].Name, View: v, Target: &v.Targets[i]}
	for _, f := range v.Findings {
		if f.Target == r.PathValue("id") {
			p.Found = append(p.Found, f)
		}
	}
	s.render(w, "target", p)
}

func (s *Server) finding(w http.ResponseWriter, r *http.Request) {
	p := s.findingOf(w, r)
	if p == nil {
		return
	}
	p.Patch = s.patch(p.View, p.Finding, p.Report) != ""
	s.render(w, "finding", p)
}

// findingOf returns the page of the finding that a request names, nil if there is none.
func (s *Server) findingOf(w http.ResponseWriter, r *http.Request) *page {
	v, _ := s.now()
	i := slices.IndexFunc(v.Findings, func(f ledger.Finding) bool { return f.Key == r.PathValue("key") })
	if i < 0 {
		http.NotFound(w, r)
		return nil
	}
	f := &v.Findings[i]
	p := &page{Title: f.Signature, View: v, Finding: f, Name: v.Name(f.Target)}
	var err error
	if p.Report, err = s.report(r.Context(), f); err != nil {
		p.Problem = err.Error()
	}
	return p
}

func (s *Server) findingPatch(w http.ResponseWriter, r *http.Request) {
	p := s.findingOf(w, r)
	if p == nil {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, s.patch(p.View, p.Finding, p.Report))
}

func (s *Server) json(w http.ResponseWriter, _ *http.Request) {
	v, _ := s.now()
	data, err := v.JSON()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}

// keepAlive is how often an idle stream of events says that it lives.
const keepAlive = 15 * time.Second

// live sends the state whenever it changes.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	c := http.NewResponseController(w)
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		v, changed := s.now()
		if _, err := fmt.Fprintf(w, "event: state\nid: %d\ndata: %s\n\n", v.Runs, s.line(v)); err != nil || c.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-tick.C:
		}
	}
}

// plot draws a value of the points of a target over the time of fuzzing, as SVG. what is
// sides, frontier or entries.
func plot(t *ledger.Target, what string) template.HTML {
	if t == nil || len(t.Points) < 2 {
		return ""
	}
	value := func(p *ledger.Point) int {
		switch what {
		case "sides":
			return p.SidesCovered
		case "frontier":
			return p.Frontier
		}
		return p.Entries
	}
	const width, height = 600.0, 120.0
	most, end := 1, max(t.Points[len(t.Points)-1].Seconds, 1)
	for i := range t.Points {
		most = max(most, value(&t.Points[i]))
	}
	var path strings.Builder
	fmt.Fprintf(&path, "M0 %g", height)
	for i := range t.Points { // a step at the end of each job
		p := &t.Points[i]
		fmt.Fprintf(&path, "H%.1fV%.1f", p.Seconds/end*width, height-float64(value(p))/float64(most)*(height-4))
	}
	return template.HTML(fmt.Sprintf(`<svg viewBox="-1 -2 %g %g" role="img" aria-label="%s over time"><path d="%s"/></svg><p class="axis"><span>0</span><span>%s, %d at most</span><span>%s</span></p>`,
		width+2, height+4, what, path.String(), what, most, dur(end)))
}
