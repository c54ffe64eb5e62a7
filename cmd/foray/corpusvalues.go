package main

import (
	"context"
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"foray.test/cmd/internal/consumer"
	"foray.test/cmd/internal/load"
	"foray.test/corpus/fuzzfile"
)

// originImported is that of entries made of values that another tool has found.
const originImported = "imported"

// importValues takes inputs in the encoding of go-fuzz-headers: the values of a struct
// type of the package that they stand for become entries of its corpus.
func importValues(ctx context.Context, o *options, out *output) (int, error) {
	switch {
	case o.fuzz != "":
		return exitUsage, &load.Error{Msg: "-type is about a package, -fuzz about a target of its tests", Hint: "without -type the files are inputs of the target"}
	case o.format != formatRaw:
		return exitUsage, &load.Error{Place: "-format", Msg: "not with -type, which says what the files hold"}
	}
	s, err := corpusOf(ctx, o, out)
	if err != nil {
		return exitUsage, err
	}
	pkg, err := loadOne(ctx, s.target, o)
	if err != nil {
		return exitUsage, err
	}
	t, err := structType(pkg, o.typ)
	if err != nil {
		return exitUsage, err
	}
	a, err := openAdmission(ctx, s, o, out)
	if err != nil {
		return exitUsage, err
	}
	defer a.close()
	iv := &importedValues{ctx: ctx, a: a, typ: t}
	im := &importing{out: out, input: iv.take}
	errs := 0
	for _, place := range o.args {
		if err := im.take(place); err != nil {
			errs += out.errors(&load.Error{Place: place, Msg: strings.TrimPrefix(err.Error(), place+": ")})
		}
	}
	out.importedValues(s, o.typ, im, iv)
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

// structType returns the struct type of that name.
func structType(pkg *load.Package, name string) (types.Type, error) {
	scope := pkg.Types.Scope()
	isStruct := func(name string) bool {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !tn.Exported() {
			return false
		}
		_, ok = tn.Type().Underlying().(*types.Struct)
		named, _ := types.Unalias(tn.Type()).(*types.Named)
		return ok && (named == nil || named.TypeParams().Len() == 0)
	}
	if isStruct(name) {
		return scope.Lookup(name).Type(), nil
	}
	have := slices.DeleteFunc(slices.Clone(scope.Names()), func(name string) bool { return !isStruct(name) })
	hint := "it has none"
	if len(have) > 0 {
		hint = "it has " + strings.Join(have, ", ")
	}
	return nil, &load.Error{Place: pkg.Path, Msg: fmt.Sprintf("-type %s: no exported struct type of that name", quote(name)), Hint: hint}
}

// importedValues makes entries of inputs.
type importedValues struct {
	ctx   context.Context
	a     *admission
	typ   types.Type
	added int
	known int
	short int // inputs that end before the value does
	cut   int // values of which something could not be written as Go
	bad   int // … that do not run
}

// take takes one input: as it is, or as a file of go test holds it.
func (iv *importedValues) take(data []byte) error {
	if values, err := fuzzfile.Parse(data); err == nil && len(values) == 1 {
		if text, ok := values[0].Value.(string); ok {
			data = []byte(text)
		}
	}
	v, err := consumer.Decode(data, iv.typ)
	if err != nil {
		iv.short++
		return nil
	}
	b := newValueBuilder(iv.a.s)
	steps, calls, ok := b.build(v)
	if !ok {
		iv.bad++
		return nil
	}
	res, err := iv.a.bench.Study(iv.ctx, steps)
	if err != nil {
		return err
	}
	if res.Verdict != nil || res.Error != nil {
		iv.bad++
		return nil
	}
	for _, call := range calls {
		longer := append(steps[:len(steps):len(steps)], call)
		got, err := iv.a.bench.Study(iv.ctx, longer)
		if err != nil {
			return err
		}
		if got.Verdict == nil && got.Error == nil {
			steps, res = longer, got
		}
	}
	done, err := iv.a.admit(iv.ctx, steps, res, originImported)
	if err != nil {
		return err
	}
	if b.cut {
		iv.cut++
	}
	if done.what == isKnown {
		iv.known++
	} else {
		iv.added++
	}
	return nil
}

func (o *output) importedValues(s *subject, typ string, im *importing, iv *importedValues) {
	if o.enc != nil {
		o.event(map[string]any{
			"schema": schema, "event": "imported", "package": s.name(), "type": typ, "dir": s.dir, "added": iv.added, "known": iv.known,
			"large": im.large, "short": iv.short, "cut": iv.cut, "bad": iv.bad,
		})
		return
	}
	o.printer.println("%s.%s: %s added to %s, %d were there", s.name(), typ, plural(iv.added, "value"), o.options.relative(filepath.Join(s.dir, "entries")), iv.known)
	for _, left := range []struct {
		n   int
		why string
	}{
		{iv.short, "left out: the data ends before the value does"},
		{iv.bad, "left out: no operation makes such a value"},
		{iv.cut, "taken in part: no operation makes all of the value; foray list -v tells those that there are"},
	} {
		if left.n > 0 {
			o.warn(plural(left.n, "input")+" "+left.why, "")
		}
	}
	im.tellLarge()
}
