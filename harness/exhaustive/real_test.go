package exhaustive_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"foray.test/harness/exhaustive"
)

// Inheritance graphs as in [Gligoric09 §2], for Go: types that embed types. The
// backbone is built, so that there are no cycles; the rule that an interface embeds
// interfaces only is assumed.

type kind int

const (
	plainInterface kind = iota
	interfaceWithM
	plainStruct
	structWithM
	structWithFieldM
)

func (k kind) isInterface() bool { return k <= interfaceWithM }

// A graph has a type for each node, which embeds types of lower numbers.
type graph struct {
	kinds  []kind
	embeds [][]int
}

func embedding(c *exhaustive.C, n int) graph {
	g := graph{make([]kind, n), make([][]int, n)}
	for i := range n {
		g.kinds[i] = kind(c.Int(0, int(structWithFieldM)))
		for j := range i {
			if c.Bool() {
				g.embeds[i] = append(g.embeds[i], j)
			}
		}
	}
	c.Assume(g.legal())
	return g
}

func (g graph) legal() bool {
	for i, list := range g.embeds {
		for _, j := range list {
			if g.kinds[i].isInterface() && !g.kinds[j].isInterface() {
				return false
			}
		}
	}
	return true
}

// String returns the declarations of the types T0, T1 and so on.
func (g graph) String() string {
	var b strings.Builder
	for i, k := range g.kinds {
		var parts []string
		for _, j := range g.embeds[i] {
			parts = append(parts, fmt.Sprint("T", j))
		}
		word, method := "struct", ""
		switch k {
		case plainInterface, interfaceWithM:
			word = "interface"
			if k == interfaceWithM {
				parts = append(parts, "M()")
			}
		case structWithM:
			method = fmt.Sprintf("; func (T%d) M() {}", i)
		case structWithFieldM:
			parts = append(parts, "M int")
		}
		fmt.Fprintf(&b, "type T%d %s{ %s }%s\n", i, word, strings.Join(parts, "; "), method)
	}
	return b.String()
}

// go/types has two ways to find a method: the method set of a type, and looking up one
// name. They agree on all types of up to three (without -short four) nodes.
func TestMethodSetsAgreeWithLookup(t *testing.T) {
	most := 4
	if testing.Short() {
		most = 3
	}
	for n := 1; n <= most; n++ {
		graphs := exhaustive.Generate(func(c *exhaustive.C) graph { return embedding(c, n) })
		graphs.Test(t, agrees)
		expect(t, fmt.Sprint("graphs of ", n), runs(t, graphs).Cases, legalGraphs(n, 0, 0))
	}
}

// legalGraphs counts the ways to add nodes i to n-1 after so many interfaces.
func legalGraphs(n, i, interfaces int) int64 {
	if i == n {
		return 1
	}
	return 2<<interfaces*legalGraphs(n, i+1, interfaces+1) + 3<<i*legalGraphs(n, i+1, interfaces)
}

func agrees(g graph) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "graph.go", "package p\n"+g.String(), 0)
	if err != nil {
		return err
	}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		return err
	}
	for i := range g.kinds {
		typ := pkg.Scope().Lookup(fmt.Sprint("T", i)).Type()
		inSet := types.NewMethodSet(typ).Lookup(pkg, "M") != nil
		found, _, _ := types.LookupFieldOrMethod(typ, false, pkg, "M")
		_, isMethod := found.(*types.Func)
		if inSet != isMethod {
			return fmt.Errorf("T%d: method set %v, lookup %v", i, inSet, isMethod)
		}
	}
	return nil
}

// Text trees as the pages of [Zaeem12 §4.4] in small: elements, an attribute, text.
type page struct {
	name, attr, text string
	children         []page
}

func pages(c *exhaustive.C, n int) []page {
	var list []page
	for n > 0 {
		size := c.Int(1, n)
		p := page{name: "a", text: exhaustive.OneOf(c, "", "<", "]]>", "\r\n")}
		p.attr = exhaustive.OneOf(c, "", "\"", "\t&")
		p.children = pages(c, size-1)
		list = append(list, p)
		n -= size
	}
	return list
}

// An XML page that is written and read again is the same.
func TestXMLRoundTrip(t *testing.T) {
	most := 3
	if testing.Short() {
		most = 2
	}
	for n := range most + 1 {
		texts := exhaustive.Generate(func(c *exhaustive.C) page { return page{name: "root", children: pages(c, n)} })
		texts.Test(t, roundTrip)
		// Forests of n nodes, 12 labels for each.
		want := catalan[n]
		for range n {
			want *= 12
		}
		expect(t, fmt.Sprint("pages of ", n), runs(t, texts).Cases, want)
	}
}

// The same pages, larger ones too, for go test -fuzz. Small cases are its seeds.
func FuzzXMLRoundTrip(f *testing.F) {
	texts := exhaustive.Generate(func(c *exhaustive.C) page {
		return page{name: "root", children: pages(c, c.Int(0, 15))}
	})
	for c, p := range texts.All() {
		if len(p.children) > 1 {
			break
		}
		f.Add(c.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, p, ok := texts.Decode(data); ok {
			if err := roundTrip(p); err != nil {
				t.Errorf("case %v: %v", c, err)
			}
		}
	})
}

func roundTrip(p page) error {
	var text bytes.Buffer
	e := xml.NewEncoder(&text)
	if err := p.write(e); err != nil {
		return err
	}
	if err := e.Flush(); err != nil {
		return err
	}
	d := xml.NewDecoder(&text)
	source := text.String()
	start, err := d.Token()
	if err != nil {
		return err
	}
	again, err := readPage(d, start.(xml.StartElement))
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	if fmt.Sprintf("%q", again) != fmt.Sprintf("%q", p) {
		return fmt.Errorf("%s is read as %q, want %q", source, again, p)
	}
	return nil
}

func (p page) write(e *xml.Encoder) error {
	start := xml.StartElement{Name: xml.Name{Local: p.name}}
	if p.attr != "" {
		start.Attr = []xml.Attr{{Name: xml.Name{Local: "id"}, Value: p.attr}}
	}
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	if err := e.EncodeToken(xml.CharData(p.text)); err != nil {
		return err
	}
	for _, child := range p.children {
		if err := child.write(e); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}

func readPage(d *xml.Decoder, start xml.StartElement) (page, error) {
	p := page{name: start.Name.Local}
	for _, a := range start.Attr {
		p.attr = a.Value
	}
	for {
		next, err := d.Token()
		switch next := next.(type) {
		case xml.CharData:
			p.text += string(next)
		case xml.StartElement:
			child, err := readPage(d, next)
			if err != nil {
				return p, err
			}
			p.children = append(p.children, child)
		case xml.EndElement:
			return p, nil
		}
		if err != nil {
			return p, err
		}
	}
}
