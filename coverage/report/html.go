package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foray.test/coverage"
)

// A Page is a package on a page of its source.
type Page struct {
	*State
	Sources map[string][]byte // by name as in Files; files that are gone are left out
	Changed []string          // files that have changed since the package ran
	// Findings are the stored findings of the package, shown beside the lines they are in.
	Findings []Finding
}

// A Finding is a stored finding of a package.
type Finding struct {
	Signature, Tier, Message string
	Stack                    string // may be empty
}

// frame is a frame in a stack: the directory and the name of its package, a file and a line.
var frame = regexp.MustCompile(`(?m)^((?:[^\s(\[]*/)?)([^\s/.]+)\..*\n\t.*[/\\]([^/\\]+\.go):(\d+)`)

// place returns the file and line of the innermost frame in a file of the page. It reports false if
// there is none. In names of functions, the last element of an import path is escaped.
func (p *Page) place(f *Finding) (file string, line int, ok bool) {
	for _, m := range frame.FindAllStringSubmatch(f.Stack, -1) {
		name, err := url.PathUnescape(m[2])
		if err != nil {
			continue
		}
		of := m[1] + name
		if of == "main" || of == p.Package+"_test" { // a closure may be inlined into an adapter
			of = p.Package
		}
		file := FileName(p.Package, of, m[3])
		if _, ok := p.Sources[file]; ok {
			line, err := strconv.Atoi(m[4])
			return file, line, err == nil && line > 0
		}
	}
	return "", 0, false
}

// A findingView is a finding as it is shown, with a link to its line if it has one.
type findingView struct {
	Finding
	Link, Place string
}

// views returns the findings as they are shown. files are those of the page.
func (p *Page) views(files []fileView) []findingView {
	var list []findingView
	byTier := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.Signature, b.Signature))
	}
	for _, f := range slices.SortedFunc(slices.Values(p.Findings), byTier) { // error, panic, suspect
		v := findingView{Finding: f}
		if name, line, ok := p.place(&f); ok {
			if i := slices.IndexFunc(files, func(view fileView) bool { return view.Name == name && line <= len(view.Lines) }); i >= 0 {
				v.Link, v.Place = fmt.Sprintf("#%sL%d", files[i].ID, line), fmt.Sprintf("%s:%d", name, line)
				l := &files[i].Lines[line-1]
				l.Mark = findingMark
				l.Notes = append(l.Notes, note{findingClass, f.Tier + ": " + f.Signature})
			}
		}
		list = append(list, v)
	}
	return list
}

//go:embed report.html
var pageText string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// HTML writes one self-contained page with the source of all packages. It marks
// conditions with an untaken side; a note beside each names the side.
func HTML(w io.Writer, pages []Page) error {
	type section struct {
		Page
		ID        string
		Percent   string
		FileViews []fileView
		Found     []findingView
		Plots     []plotView
	}
	var list []section
	for i, p := range pages {
		s := section{Page: p, ID: "p" + strconv.Itoa(i+1), Percent: percent(p.Totals()), Plots: plots(p.History)}
		for j, f := range p.Files {
			s.FileViews = append(s.FileViews, p.view(s.ID+"f"+strconv.Itoa(j+1), f.Name))
		}
		s.Found = p.views(s.FileViews)
		list = append(list, s)
	}
	return pageTemplate.Execute(w, list)
}

// A fileView is a file as it is shown.
type fileView struct {
	Name      string
	ID        string
	Gone      bool
	Percent   string
	Functions []functionView
	Lines     []lineView
	Totals
}

type functionView struct {
	Function
	Percent string
}

// A lineView is a line of source: its text in pieces, and notes on its conditions.
type lineView struct {
	Number int
	Mark   string // of the worst condition on it, for the margin
	Pieces []piece
	Notes  []note
}

// A piece is text of one class; none is plain.
type piece struct{ Class, Text string }

type note struct{ Class, Text string }

// The classes of marked conditions.
const (
	frontierClass  = "frontier"  // reached, and a side not taken
	unreachedClass = "unreached" // never reached
	findingClass   = "finding"   // a call fails here
)

// findingMark is the symbol of a line with a finding.
const findingMark = "!"

// marks are symbols in the margin, which show the classes without colour.
var marks = map[string]string{frontierClass: "▶", unreachedClass: "×"}

// rank orders classes by how much they matter where conditions overlap in a line.
var rank = map[string]int{"": 0, unreachedClass: 1, frontierClass: 2}

// view returns a file as it is shown.
func (p *Page) view(id, name string) fileView {
	src, there := p.Sources[name]
	v := fileView{Name: name, ID: id, Gone: !there}
	for _, f := range p.State.Functions() {
		if f.File == name {
			v.Functions = append(v.Functions, functionView{f, percent(f.Totals)})
		}
	}
	byLine := map[int][]*Condition{}
	for i := range p.Conditions {
		if c := &p.Conditions[i]; c.File == name {
			v.add(c)
			byLine[c.Line] = append(byLine[c.Line], c)
		}
	}
	v.Percent = percent(v.Totals)
	if !there {
		return v
	}
	moved := slices.Contains(p.Changed, name)
	text := strings.TrimSuffix(strings.ToValidUTF8(string(src), "\ufffd"), "\n")
	for i, line := range strings.Split(text, "\n") {
		v.Lines = append(v.Lines, newLine(i+1, strings.TrimSuffix(line, "\r"), byLine[i+1], moved))
	}
	return v
}

// newLine returns a line with its conditions marked; only noted if it may not be
// the line any more that they are of.
func newLine(number int, text string, conds []*Condition, moved bool) lineView {
	l := lineView{Number: number}
	worst := ""
	painted := make([]string, len(text)) // class by byte
	for _, c := range conds {
		class := c.class()
		if class == "" {
			continue
		}
		if rank[class] > rank[worst] {
			worst = class
		}
		l.Notes = append(l.Notes, note{class, c.note(len(conds) > 1)})
		if moved || c.Col > len(text) {
			continue
		}
		from := c.Col - 1
		for i := range extent(text[from:], c) {
			if rank[class] > rank[painted[from+i]] {
				painted[from+i] = class
			}
		}
	}
	l.Mark = marks[worst]
	for from := 0; from < len(text); {
		to := from + 1
		for to < len(text) && (painted[to] == painted[from] || !utf8.RuneStart(text[to])) {
			to++
		}
		l.Pieces = append(l.Pieces, piece{painted[from], text[from:to]})
		from = to
	}
	return l
}

// class says how a condition is marked.
func (c *Condition) class() string {
	switch n := c.Taken(); {
	case n == len(c.Sides):
		return ""
	case n == 0:
		return unreachedClass
	}
	return frontierClass
}

// note names the untaken sides: "→true never (tried, 512 runs)". It names the
// condition if there are several on the line.
func (c *Condition) note(several bool) string {
	name := ""
	if several {
		name = c.Text + " "
	}
	if !c.Reached() {
		return name + "never reached"
	}
	var parts []string
	for _, s := range c.Sides {
		if s.Taken {
			continue
		}
		part := "→" + s.Name + " never"
		if s.Status != "" {
			part += " (" + s.Status + more(s)
			if remark := s.Remark(); remark != "" {
				part += "; " + remark
			}
			part += ")"
		}
		parts = append(parts, part)
	}
	return name + strings.Join(parts, ", ")
}

// more returns the number of runs spent on a side.
func more(s Side) string {
	switch {
	case s.Runs == 1:
		return ", 1 run"
	case s.Runs > 1:
		return fmt.Sprintf(", %d runs", s.Runs)
	}
	return ""
}

// extent returns the length in bytes of the marked part of a condition: its
// text in the source, where spaces may differ from Condition.Text, else the
// first word.
func extent(source string, c *Condition) int {
	word := len(source)
	if i := strings.IndexFunc(source, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }); i >= 0 {
		word = max(i, 1)
	}
	text := c.Text
	switch c.Kind {
	case coverage.CommaOK:
		_, text, _ = strings.Cut(text, " of ")
	case coverage.Bool:
	default:
		return word // of a statement: its keyword
	}
	i := 0
	for _, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		for i < len(source) && (source[i] == ' ' || source[i] == '\t') {
			i++
		}
		if !strings.HasPrefix(source[i:], string(r)) {
			return word
		}
		i += utf8.RuneLen(r)
	}
	return i
}

// percent returns the share of sides taken: of less than all less than 100.
func percent(t Totals) string {
	if t.Sides == 0 {
		return "–"
	}
	tenths := 1000 * t.Taken / t.Sides
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}
