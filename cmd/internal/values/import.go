package values

import (
	"context"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"foray.test/cmd/internal/consumer"
	"foray.test/cmd/internal/corpusadmin"
	"foray.test/cmd/internal/event"
	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/text"
	"foray.test/corpus/fuzzfile"
)

// Struct returns the exported struct type of a name that has no type parameters. The error has
// the names of those that there are as its hint.
func Struct(pkg *types.Package, name string) (types.Type, error) {
	scope := pkg.Scope()
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
	return nil, &load.Error{Place: pkg.Path(), Msg: fmt.Sprintf("-type %s: no exported struct type of that name", text.Quote(name)), Hint: hint}
}

// Import makes an entry of a value of type t. data holds it as go-fuzz-headers reads it, or is
// a file of go test with such data. e counts what becomes of inputs.
func Import(ctx context.Context, b *Builder, a *corpusadmin.Admission, data []byte, t types.Type, e *event.ImportedValues) error {
	if values, err := fuzzfile.Parse(data); err == nil && len(values) == 1 {
		if s, ok := values[0].Value.(string); ok {
			data = []byte(s)
		}
	}
	v, err := consumer.Decode(data, t)
	if err != nil {
		e.Short++
		return nil
	}
	steps, calls, ok := b.Build(v)
	if !ok {
		e.Bad++
		return nil
	}
	res, err := a.Study(ctx, steps)
	if err != nil {
		return err
	}
	if res.Verdict != nil || res.Error != nil {
		e.Bad++
		return nil
	}
	for _, call := range calls {
		longer := append(steps[:len(steps):len(steps)], call)
		got, err := a.Study(ctx, longer)
		if err != nil {
			return err
		}
		if got.Verdict == nil && got.Error == nil {
			steps, res = longer, got
		}
	}
	added, err := a.Admit(ctx, steps, res, corpusadmin.OriginImported)
	if err != nil {
		return err
	}
	if b.Cut {
		e.Cut++
	}
	if added.What == event.IsKnown {
		e.Known++
	} else {
		e.Added++
	}
	return nil
}
