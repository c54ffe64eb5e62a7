package catalog

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// directives are the instructions to foray in the comments on a function and on its
// receiver's type:
//
//	//foray:expect panic the table is full       a panic is no finding
//	//foray:expect wait for the other side       a call that waits is no finding
//	//foray:ignore put-get add-has               these contracts are not checked
//	//foray:ignore                               the function is not called
type directives struct {
	panics, waits string // the reason, never empty if it is expected
	ignore        []string
	skip          bool
}

// directives reads the comments on c. Any other directive is a problem, reported
// once.
func (f *finder) directives(c callable) directives {
	var d directives
	if decl := f.source.decl(c.fn); decl != nil {
		f.readDirectives(&d, decl.Doc)
	}
	if c.recv != nil {
		if named, _ := pointee(c.recv); named != nil {
			for _, group := range f.source.typeComments[named.Origin().Obj()] {
				f.readDirectives(&d, group)
			}
		}
	}
	return d
}

func (f *finder) readDirectives(d *directives, group *ast.CommentGroup) {
	if group == nil {
		return
	}
	for _, comment := range group.List {
		text, ok := strings.CutPrefix(comment.Text, "//foray:")
		if !ok {
			continue
		}
		words := strings.Fields(text)
		switch {
		case len(words) == 1 && words[0] == "ignore":
			d.skip = true
		case len(words) > 0 && words[0] == "ignore":
			d.ignore = append(d.ignore, words[1:]...)
		case len(words) > 1 && words[0] == "expect" && words[1] == "panic":
			d.panics = comment.Text
		case len(words) > 1 && words[0] == "expect" && words[1] == "wait":
			d.waits = comment.Text
		default:
			f.problem(comment.Pos(), comment.Text+": want //foray:expect panic, //foray:expect wait or //foray:ignore")
		}
	}
}

// problem records a problem with its place, once.
func (f *finder) problem(pos token.Pos, text string) {
	file, line := f.source.place(pos)
	text = fmt.Sprintf("%s:%d: %s", file, line, text)
	if !slices.Contains(f.problems, text) {
		f.problems = append(f.problems, text)
	}
}
