package event

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
)

// Annotation returns a finding as a command of a GitHub workflow, a line:
//
//	::error file=queue.go,line=28,title=(*Queue).Get (panic)::index out of range
//
// A suspect is a warning. The package is at an import path and in a directory.
func Annotation(t *seq.Table, f *engine.Finding, path, dir string) string {
	v := &f.Verdict
	command := "warning"
	if v.Tier == engine.Error {
		command = "error"
	}
	var properties []string
	if file, line := pointsTo(t, v, path, dir); file != "" {
		properties = append(properties, "file="+propertyEscaper.Replace(workspaceName(file)))
		if line > 0 {
			properties = append(properties, "line="+strconv.Itoa(line))
		}
	}
	title := fmt.Sprintf("%s (%s)", t.Ops[v.Op].Short, v.Kind)
	properties = append(properties, "title="+propertyEscaper.Replace(title))
	data := v.Message
	if v.Reason != "" {
		data += "\n" + v.Reason
	}
	data += "\n\n" + strings.TrimRight(code(t, f).Code, "\n")
	return fmt.Sprintf("::%s %s::%s", command, strings.Join(properties, ","), dataEscaper.Replace(data))
}

// Escapes of a workflow command: of its data, and of its properties.
var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// pointsTo returns the line that a verdict points to: the innermost frame of the package, the
// line of a t.Fatal, or the operation that is blamed.
func pointsTo(t *seq.Table, v *engine.Verdict, path, dir string) (file string, line int) {
	frames := strings.Split(v.Stack, "\n")
	for i := 0; i+1 < len(frames); i++ {
		in, ok := strings.CutPrefix(frames[i], path)
		if ok = ok && (strings.HasPrefix(in, ".") || strings.HasPrefix(in, "_test.")); !ok && !(t.Name == "main" && strings.HasPrefix(frames[i], "main.")) {
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
		return filepath.Join(dir, last[1]), line
	}
	if op := &t.Ops[v.Op]; op.File != "" {
		return filepath.Join(dir, op.File), op.Line
	}
	return "", 0
}

// complaint matches the start of a line that package testing prints for t.Fatal.
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
