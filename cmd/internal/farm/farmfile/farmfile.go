// Package farmfile reads the file that says what a farm does: see [Template].
package farmfile

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"time"

	_ "embed"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Template is a farm file with a comment on each field, as foray farm init writes it.
//
//go:embed template.yaml
var Template string

// A File is a farm file. Its zero values mean what the flags of foray farm run say.
type File struct {
	Packages  []string   `yaml:"packages"`
	Build     []string   `yaml:"build"`
	Only      []Regexp   `yaml:"only"` // of names of targets
	Skip      []Regexp   `yaml:"skip"`
	Job       Duration   `yaml:"job"`
	For       Duration   `yaml:"for"`
	Workers   Count      `yaml:"workers"`
	Store     string     `yaml:"store"`
	Retention Duration   `yaml:"retention"`
	HTTP      string     `yaml:"http"`
	Webhook   Address    `yaml:"webhook"`
	Queue     Connection `yaml:"queue"`
}

// Connection says how to reach a NATS server.
type Connection struct {
	URL         string `yaml:"url"`
	Credentials string `yaml:"credentials"`
	CA          string `yaml:"ca"`
	Replicas    Count  `yaml:"replicas"`
}

// Duration is a time such as 8h.
type Duration time.Duration

// Count is a number from 0 to 10,000.
type Count int

// Regexp is a regular expression.
type Regexp struct{ *regexp.Regexp }

// Address is an address of the web.
type Address string

// An Error is about one place of a farm file.
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// at returns an error about a node.
func at(n ast.Node, format string, args ...any) error {
	e := &Error{Msg: fmt.Sprintf(format, args...), Line: 1, Column: 1}
	if tok := n.GetToken(); tok != nil && tok.Position != nil {
		e.Line, e.Column = tok.Position.Line, tok.Position.Column
	}
	return e
}

// text returns the text of a scalar, as the file has it.
func text(n ast.Node, want string) (string, error) {
	s, ok := n.(ast.ScalarNode)
	if !ok {
		return "", at(n, "%s, want %s", n.Type(), want)
	}
	return fmt.Sprint(s.GetValue()), nil
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (d *Duration) UnmarshalYAML(n ast.Node) error {
	const want = "a time such as 90s, 2m or 8h"
	s, err := text(n, want)
	if err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < time.Second {
		return at(n, "%q, want %s, at least 1s", s, want)
	}
	*d = Duration(v)
	return nil
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (c *Count) UnmarshalYAML(n ast.Node) error {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return at(n, "%s, want a number", n.Type())
	}
	v, ok := i.GetValue().(uint64)
	if !ok || v > 10_000 {
		return at(n, "%v, want a number from 0 to 10000", i.GetValue())
	}
	*c = Count(v)
	return nil
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (r *Regexp) UnmarshalYAML(n ast.Node) error {
	s, err := text(n, "a regular expression")
	if err != nil {
		return err
	}
	if r.Regexp, err = regexp.Compile(s); err != nil {
		return at(n, "%v", err)
	}
	return nil
}

// UnmarshalYAML implements [yaml.NodeUnmarshaler].
func (a *Address) UnmarshalYAML(n ast.Node) error {
	s, err := text(n, "an address")
	if err != nil {
		return err
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return at(n, "%q, want an address such as https://example.com/hook", s)
	}
	*a = Address(s)
	return nil
}

// maxFile is the size in bytes of the largest farm file.
const maxFile = 1 << 20

// Read reads a farm file. Unknown fields are errors.
func Read(name string) (*File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", name, info.Size(), maxFile)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse reads the content of a farm file. name stands in errors.
func Parse(name string, data []byte) (*File, error) {
	f := new(File)
	err := yaml.UnmarshalWithOptions(data, f, yaml.Strict())
	if err == nil {
		return f, nil
	}
	if own, ok := errors.AsType[*Error](err); ok {
		own.File = name
		return nil, own
	}
	e := &Error{File: name, Line: 1, Column: 1, Msg: err.Error()}
	if place, ok := errors.AsType[yaml.Error](err); ok {
		e.Msg = place.GetMessage()
		if tok := place.GetToken(); tok != nil && tok.Position != nil {
			e.Line, e.Column = tok.Position.Line, tok.Position.Column
		}
	}
	return nil, e
}
