package build

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"foray.test/engine/seq"
)

// A diagnostic is one message of the compiler or the go command with its place.
type diagnostic struct {
	file         string
	line, column int
	msg          string
}

func (d diagnostic) pos() string { return fmt.Sprintf("%s:%d:%d", d.file, d.line, d.column) }

var place = regexp.MustCompile(`^(\S.*?\.[a-zA-Z]+):(\d+):(?:(\d+):)? (.*)$`)

// diagnostics parses the output of the go command. Indented lines after a
// message belong to it, even if they name another place.
func diagnostics(out string) []diagnostic {
	var ds []diagnostic
	open := false // the line before belongs to a message
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if open && strings.HasPrefix(line, "\t") {
			ds[len(ds)-1].msg += "\n" + line
			continue
		}
		m := place.FindStringSubmatch(strings.TrimLeft(line, " \t"))
		open = m != nil
		if m == nil {
			continue
		}
		d := diagnostic{file: m[1], msg: m[4]}
		d.line, _ = strconv.Atoi(m[2])
		d.column, _ = strconv.Atoi(m[3])
		ds = append(ds, d)
	}
	return ds
}

func firstDiagnostic(out string) (diagnostic, bool) {
	if ds := diagnostics(out); len(ds) > 0 {
		return ds[0], true
	}
	return diagnostic{}, false
}

// A CompileError says that the package under test does not compile, in the
// places and words of the go command.
type CompileError struct {
	Path string // of the package
	Pos  string // file:line:column, if known
	Msg  string
}

func (e *CompileError) Error() string {
	if e.Pos == "" {
		return fmt.Sprintf("%s does not compile: %s", e.Path, e.Msg)
	}
	return fmt.Sprintf("%s: %s", e.Pos, e.Msg)
}

// A RewriteError says that the package compiles, but not with the rewritten
// source of File. That is a fault of the rewriting: without that file the build
// may go through.
type RewriteError struct {
	File   string // absolute
	Line   int
	Column int
	Msg    string
}

func (e *RewriteError) Error() string {
	return fmt.Sprintf("%s:%d:%d: rewritten source does not compile: %s", e.File, e.Line, e.Column, e.Msg)
}

// part matches the name by which a message tells a part of the table: see [generator.own].
var part = regexp.MustCompile(`^foray_(?:adapters|types)_([a-z]+)_(\d+)(?:_(\d+))?\.go$`)

// learn excludes from the next generation the parts of the generated files that
// have diagnostics. It reports whether there were any.
func (g *generator) learn(ds []diagnostic) bool {
	progress := false
	for _, d := range ds {
		m := part.FindStringSubmatch(filepath.Base(d.file))
		if m == nil {
			continue
		}
		progress = true
		id, _ := strconv.Atoi(m[2])
		switch m[1] {
		case "op":
			if _, known := g.dropped[seq.OpID(id)]; !known {
				g.dropped[seq.OpID(id)] = g.reason(d.msg)
			}
		case "type":
			g.badType[seq.TypeID(id)] = true
		case "decl":
			g.badDecl[id] = true
		case "case":
			other, _ := strconv.Atoi(m[3])
			g.badCase[[2]seq.TypeID{seq.TypeID(id), seq.TypeID(other)}] = true
		case "import":
			if path := g.table.Imports[id].Path; strings.Contains(d.msg, "imported and not used") {
				g.unused[path] = true
			} else {
				g.badImport[path] = d.msg
			}
		}
	}
	return progress
}

// reason returns why an operation did not compile. A name may be undefined only
// because an import was refused.
func (g *generator) reason(msg string) string {
	name, ok := strings.CutPrefix(msg, "undefined: ")
	if !ok {
		return msg
	}
	for _, imp := range g.table.Imports {
		if why := g.badImport[imp.Path]; why != "" && imp.Name == name {
			return why
		}
	}
	return msg
}
