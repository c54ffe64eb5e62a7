package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"foray.test/cmd/internal/load"
	"foray.test/engine"
	"foray.test/engine/confirm"
)

// The formats of findings. An annotation of GitHub is a line of the log by which it
// marks a line of the source.
const (
	formatText   = "text"
	formatGithub = "github"
)

func checkFormat(o *options) error {
	if o.format != formatText && o.format != formatGithub {
		return &load.Error{Place: "-format", Msg: fmt.Sprintf("%q, want text or github", o.format)}
	}
	if o.format == formatGithub && o.json {
		return &load.Error{Msg: "-json and -format github exclude each other"}
	}
	return nil
}

// annotate prints the annotation of a finding, if there are to be any.
func (o *output) annotate(s *subject, f confirm.Finding) {
	if o.options.format == formatGithub {
		o.printer.println("%s", annotation(s, f))
	}
}

// annotation returns a finding as a command of a GitHub workflow, a line:
//
//	::error file=queue.go,line=28,title=(*Queue).Get (panic)::index out of range
//
// A suspect is a warning.
func annotation(s *subject, f confirm.Finding) string {
	v := &f.Verdict
	command := "warning"
	if v.Tier == engine.Error {
		command = "error"
	}
	var properties []string
	if file, line := pointsTo(s, v); file != "" {
		properties = append(properties, "file="+propertyEscaper.Replace(workspaceName(file)))
		if line > 0 {
			properties = append(properties, "line="+strconv.Itoa(line))
		}
	}
	title := fmt.Sprintf("%s (%s)", s.table.Ops[v.Op].Short, v.Kind)
	properties = append(properties, "title="+propertyEscaper.Replace(title))
	text := v.Message
	if v.Document != "" {
		text += "\n" + v.Document
	}
	text += "\n\n" + strings.TrimRight(code(s.table, f), "\n")
	return fmt.Sprintf("::%s %s::%s", command, strings.Join(properties, ","), dataEscaper.Replace(text))
}

// What a runner takes the place of in data and, besides, in properties.
var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// pointsTo returns where a verdict points to: the innermost frame of the package, the
// line that a fuzz function has complained from, or the operation that is blamed.
func pointsTo(s *subject, v *engine.Verdict) (file string, line int) {
	frames := strings.Split(v.Stack, "\n")
	for i := 0; i+1 < len(frames); i++ {
		in, ok := strings.CutPrefix(frames[i], s.target.Path)
		if ok = ok && (strings.HasPrefix(in, ".") || strings.HasPrefix(in, "_test.")); !ok && !(s.table.Name == "main" && strings.HasPrefix(frames[i], "main.")) {
			continue
		}
		at := strings.TrimSpace(frames[i+1])
		if colon := strings.LastIndexByte(at, ':'); colon > 0 {
			line, _ = strconv.Atoi(at[colon+1:])
			return at[:colon], line
		}
	}
	if list := complaint.FindAllStringSubmatch(v.Message, -1); v.Kind == engine.KindFail && list != nil {
		last := list[len(list)-1]
		line, _ = strconv.Atoi(last[2])
		return filepath.Join(s.target.Dir, last[1]), line
	}
	if op := &s.table.Ops[v.Op]; op.File != "" {
		return filepath.Join(s.target.Dir, op.File), op.Line
	}
	return "", 0
}

// complaint is how a line begins that package testing prints for t.Fatal.
var complaint = regexp.MustCompile(`(?m)^\s*([\w.-]+\.go):(\d+): `)

// workspaceName returns the name of a file as annotations have it: from the root of
// the repository that is checked out, with slashes.
func workspaceName(file string) string {
	root := os.Getenv("GITHUB_WORKSPACE")
	if root == "" {
		root = gitRoot(filepath.Dir(file))
	}
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return filepath.ToSlash(file)
}

// gitRoot returns the nearest directory from dir upwards that holds a repository,
// "" if there is none.
func gitRoot(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
