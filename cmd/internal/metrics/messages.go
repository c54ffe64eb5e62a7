package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"regexp"
	"strconv"
)

// A message is a text that a user may read, as the code has it.
type message struct {
	at   token.Position
	text string
}

// sentence matches texts of two words or more. Others are names, formats and separators.
var sentence = regexp.MustCompile(`\pL{2,} \pL|\pL{2,}: %|%[a-z] \pL{2,}`)

// sayers are the functions whose texts are messages, by name.
var sayers = map[string]bool{
	"New": true, "Errorf": true, "Warn": true, "Note": true, "Sprintf": true, "Fprintf": true, "Fprintln": true, "Fprint": true, "Printf": true, "Println": true,
	"Var": true, "BoolVar": true, "StringVar": true, "IntVar": true, "DurationVar": true, "Func": true, "BoolFunc": true, "Uint64Var": true,
}

// messages returns the texts that f hands to functions that print, fail or declare flags.
func messages(fset *token.FileSet, f *ast.File) []message {
	var list []message
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !sayers[callee(call)] {
			return true
		}
		for _, arg := range call.Args {
			if text := constant(arg); sentence.MatchString(text) {
				list = append(list, message{fset.Position(arg.Pos()), text})
			}
		}
		return true
	})
	return list
}

// callee returns the name of the function or method that is called.
func callee(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// constant returns the text of a string literal, or of a sum of some.
func constant(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value) // the parser accepts no other
			return text
		}
	case *ast.BinaryExpr:
		return constant(e.X) + constant(e.Y)
	}
	return ""
}

func (t *tree) printMessages(out io.Writer) {
	for _, m := range t.messages {
		fmt.Fprintf(out, "%s:%d\t%q\n", m.at.Filename, m.at.Line, m.text)
	}
}
