package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"foray.test/coverage"
)

var update = flag.Bool("update", false, "rewrite testdata/report.html")

// page returns the page of a run that left something of every class.
func page(changed ...string) []Page {
	s := state(map[int]Side{
		rangeEmpty: {Status: "tried", Runs: 512},
		equalTrue:  {Status: "no influence", Runs: 1},
		nilTrue:    {Status: "constant"},
	}, rangeMore, lengthFalse, lengthTrue, equalFalse, nilFalse)
	s.Files = append(s.Files, File{Name: "gone.go", Sum: Sum(nil)})
	start := time.Date(2026, 11, 23, 2, 15, 0, 0, time.UTC)
	s.History = []Run{
		{Start: start, Version: "v1.0.0", Points: []Point{{Seconds: 0.5, Sequences: 10, Sides: 2, Values: 7}, {Seconds: 2, Sequences: 40, Sides: 4, Frontier: 3, Values: 9}}},
		{Start: start.Add(time.Hour), Points: []Point{{Seconds: 1, Sequences: 60, Sides: 5, Frontier: 2, Values: 12, Findings: 1}}},
	}
	return []Page{{State: s, Sources: map[string][]byte{"p.go": []byte(source)}, Changed: changed}}
}

func render(t *testing.T, pages []Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, pages); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTML(t *testing.T) {
	got := render(t, page("gone.go"))
	golden := filepath.Join("testdata", "report.html")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page is not that of %s; -update rewrites it, then read the difference:\n%s", golden, got)
	}
	for _, foreign := range []string{"<script", "src=", "http:", "https:", "url(", "@import", "<link"} {
		if strings.Contains(got, foreign) {
			t.Errorf("the page holds %s: it is to need no script and nothing from elsewhere", foreign)
		}
	}
	// Each link leads somewhere on the page, and each element is closed.
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(got, -1) {
		if ids[m[1]] {
			t.Errorf("id %s stands twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(got, -1) {
		if !ids[m[1]] {
			t.Errorf("link to #%s, which is not there", m[1])
		}
	}
	dec := xml.NewDecoder(strings.NewReader(got))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// The source is on the page unchanged, with any marks in it.
func TestHTMLKeepsSource(t *testing.T) {
	row := regexp.MustCompile(`(?s)<span class="row"[^\n]*?(?:<a class="mark"[^>]*>[^<]*</a>|<span class="mark"></span>)(.*?)\n</span>`)
	tags := regexp.MustCompile(`<span class="note.*|<[^>]*>`)
	var got strings.Builder
	for _, m := range row.FindAllStringSubmatch(render(t, page()), -1) {
		got.WriteString(html.UnescapeString(tags.ReplaceAllString(m[1], "")) + "\n")
	}
	if got.String() != source {
		t.Errorf("got\n%s\nwant\n%s", got.String(), source)
	}
}

// A file that has changed has notes, but nothing is marked in it.
func TestHTMLChanged(t *testing.T) {
	got := render(t, page("p.go"))
	got = got[strings.Index(got, "<section"):]
	if strings.Contains(got, `<span class="frontier">`) || !strings.Contains(got, `<span class="note frontier">`) || !strings.Contains(got, "Changed since the last run") {
		t.Errorf("got\n%s", got)
	}
}

func TestExtent(t *testing.T) {
	for _, tt := range []struct {
		kind               coverage.Kind
		text, source, want string
	}{
		{coverage.Bool, "i < n - 1", "i < n-1; i++ {", "i < n-1"},
		{coverage.Bool, "f(a, b)", "f(a,b) {", "f(a,b)"},
		{coverage.Bool, `s == "é a"`, `s=="é a" {`, `s=="é a"`},
		{coverage.Bool, "func() {…}()", "func() bool { return x }()", "func"},
		{coverage.Bool, "a.b.c(x", "(a)", "("},
		{coverage.Bool, "a == b", "a ==", "a"},
		{coverage.Bool, "a == b", "", ""},
		{coverage.CommaOK, "ok of m[k]", "m[k]; ok {", "m[k]"},
		{coverage.Range, "range s", "for _, v := range s {", "for"},
		{coverage.Switch, "switch x", "switch x {", "switch"},
		{coverage.Select, "select", "select {", "select"},
	} {
		got := tt.source[:extent(tt.source, &Condition{Kind: tt.kind, Text: tt.text})]
		if got != tt.want {
			t.Errorf("extent(%q, %s %q) marks %q, want %q", tt.source, tt.kind, tt.text, got, tt.want)
		}
	}
}

func TestNewLine(t *testing.T) {
	two := func(taken bool) []Side { return []Side{{Name: "false", Taken: true}, {Name: "true", Taken: taken}} }
	outer := &Condition{Text: "f(n > 0)", Col: 4, Kind: coverage.Bool, Sides: two(false)}
	inner := &Condition{Text: "n > 0", Col: 6, Kind: coverage.Bool, Sides: []Side{{Name: "false"}, {Name: "true"}}}
	done := &Condition{Text: "n > 0", Col: 6, Kind: coverage.Bool, Sides: two(true)}
	far := &Condition{Text: "n > 0", Col: 60, Kind: coverage.Bool, Sides: two(false)}
	const text = "if f(n > 0) {"
	for _, tt := range []struct {
		name  string
		conds []*Condition
		want  lineView
	}{
		{"none", nil, lineView{1, "", []piece{{"", text}}, nil}},
		{"all taken", []*Condition{done}, lineView{1, "", []piece{{"", text}}, nil}},
		{"one", []*Condition{outer}, lineView{1, "▶", []piece{{"", "if "}, {"frontier", "f(n > 0)"}, {"", " {"}}, []note{{"frontier", "→true never"}}}},
		{"one in the other", []*Condition{outer, inner}, lineView{1, "▶", []piece{{"", "if "}, {"frontier", "f(n > 0)"}, {"", " {"}},
			[]note{{"frontier", "f(n > 0) →true never"}, {"unreached", "n > 0 never reached"}}}},
		{"off the line", []*Condition{far}, lineView{1, "▶", []piece{{"", text}}, []note{{"frontier", "→true never"}}}},
	} {
		if got := newLine(1, text, tt.conds, false); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// Text has a contrast of at least 4.5 to 1 with its background, in both schemes
// (WCAG 2.2, 1.4.3).
func TestContrast(t *testing.T) {
	variable := regexp.MustCompile(`--(\w+): #(\w{6})`)
	for _, block := range regexp.MustCompile(`:root \{[^}]*\}`).FindAllString(pageText, -1) {
		colour := map[string]float64{}
		for _, m := range variable.FindAllStringSubmatch(block, -1) {
			colour[m[1]] = luminance(t, m[2])
		}
		for _, pair := range [][2]string{
			{"ink", "paper"}, {"quiet", "paper"}, {"link", "paper"}, {"frontier", "paper"}, {"unreached", "paper"}, {"unreached", "hatch"},
		} {
			a, b := colour[pair[0]], colour[pair[1]]
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%s on %s: %.2f to 1, want 4.5, in\n%s", pair[0], pair[1], ratio, block)
			}
		}
		if len(colour) != 8 {
			t.Errorf("%d colours, want 8, in\n%s", len(colour), block)
		}
	}
}

// luminance returns the relative luminance of a colour, as WCAG defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	rgb, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	part := func(shift int) float64 {
		v := float64(rgb>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
