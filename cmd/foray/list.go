package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"foray.test/engine/seq"
	"foray.test/harness/build"
)

const listDoc = `List shows what fuzz would work with: the operations, what makes each type, the
types that nothing makes and why, and what is excluded and why.`

func runList(ctx context.Context, o *options, out *output) (int, error) {
	targets, _, listErr := findTargets(ctx, o, out)
	if len(targets) == 0 && listErr != nil {
		return exitUsage, listErr
	}
	errs := out.errors(listErr)
	for _, target := range targets {
		errs += out.errors(listOne(ctx, target, o, out))
	}
	if errs > 0 {
		return exitUsage, nil
	}
	return exitClean, nil
}

func listOne(ctx context.Context, target *build.Target, o *options, out *output) error {
	s := newSubject(target, o)
	out.stage("loading " + target.Path)
	defer out.quiet()
	if _, err := s.find(ctx, o); err != nil {
		return err
	}
	if out.enc != nil {
		for i := range s.table.Ops {
			op := &s.table.Ops[i]
			out.event(map[string]any{
				"schema": schema, "event": "operation", "package": s.name(), "operation": op.Short, "name": op.Name,
				"call": op.API, "member": op.Member, "text": op.Template, "params": s.typeNames(op.Params), "results": s.typeNames(op.Results),
				"precondition": op.Pre.Sentence,
			})
		}
		for _, e := range s.found.Excluded {
			out.event(map[string]any{"schema": schema, "event": "excluded", "package": s.name(), "member": e.Member, "reason": e.Reason})
		}
		for _, u := range s.found.Unreachable {
			out.event(map[string]any{"schema": schema, "event": "unreachable", "package": s.name(), "type": u.Type, "reason": u.Reason, "wanted": u.Wanted})
		}
		return nil
	}
	out.quiet()
	s.printList(out.stdout, o.verbose)
	return nil
}

// typeNames returns the names of types.
func (s *subject) typeNames(ids []seq.TypeID) []string {
	names := []string{}
	for _, id := range ids {
		names = append(names, s.table.Types[id].Name)
	}
	return names
}

func (s *subject) printList(w io.Writer, all bool) {
	fmt.Fprintf(w, "package %s\n\ncalls:\n", s.name())
	values := 0
	for i := range s.table.Ops {
		op := &s.table.Ops[i]
		if op.Kind == seq.Check {
			continue
		}
		if !op.API {
			values++
			continue
		}
		fmt.Fprintf(w, "  %s", s.signature(op))
		if op.Pre.Sentence != "" {
			fmt.Fprintf(w, "   // %s", oneLine(op.Pre.Sentence, 80))
		}
		fmt.Fprintln(w)
	}
	if all && values > 0 {
		fmt.Fprintf(w, "\noperations that only make values:\n")
		for i := range s.table.Ops {
			if op := &s.table.Ops[i]; !op.API && op.Kind != seq.Check {
				fmt.Fprintf(w, "  %s\n", oneLine(op.Short, 100))
			}
		}
	} else if values > 0 {
		fmt.Fprintf(w, "\nand %s that only make values\n", plural(values, "operation"))
	}
	if len(s.table.Ops) > 0 {
		s.printMakers(w, all)
	}
	if len(s.found.Unreachable) > 0 {
		fmt.Fprintf(w, "\ntypes that nothing makes:\n")
		var rows [][2]string
		for _, u := range s.found.Unreachable {
			rows = append(rows, [2]string{u.Type, u.Reason + "; wanted by " + some(u.Wanted, all)})
		}
		printRows(w, rows)
	}
	if len(s.found.Excluded) > 0 {
		fmt.Fprintf(w, "\nexcluded:\n")
		var rows [][2]string
		for _, e := range s.found.Excluded {
			rows = append(rows, [2]string{e.Member, e.Reason})
		}
		printRows(w, rows)
	}
	fmt.Fprintln(w)
}

// signature prints an operation as Go declares it, without its receiver, which
// its name tells.
func (s *subject) signature(op *seq.Operation) string {
	params, results := s.typeNames(op.Params), s.typeNames(op.Results)
	if op.Kind == seq.Method && len(params) > 0 {
		params = params[1:]
	}
	if n := len(params); op.Variadic && n > 0 {
		params[n-1] = "..." + params[n-1]
	}
	text := op.Short + "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

// printMakers prints what makes each type.
func (s *subject) printMakers(w io.Writer, all bool) {
	makers := map[string][]string{}
	for i := range s.table.Ops {
		op := &s.table.Ops[i]
		for _, name := range s.typeNames(op.Results) {
			if list := makers[name]; len(list) == 0 || list[len(list)-1] != op.Short {
				makers[name] = append(list, op.Short)
			}
		}
	}
	fmt.Fprintf(w, "\ntypes and what makes them:\n")
	var rows [][2]string
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		rows = append(rows, [2]string{name, some(makers[name], all)})
	}
	printRows(w, rows)
}

// some joins names, the first few of many unless all are wanted.
func some(names []string, all bool) string {
	const most = 4
	more := ""
	if len(names) > most+1 && !all {
		more = fmt.Sprintf(", %d more", len(names)-most)
		names = names[:most]
	}
	short := make([]string, len(names))
	for i, name := range names {
		short[i] = oneLine(name, 60)
	}
	return strings.Join(short, ", ") + more
}

// printRows prints two columns, the first as wide as most of its cells need.
func printRows(w io.Writer, rows [][2]string) {
	const most = 32
	width := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r[0]); n <= most {
			width = max(width, n)
		}
	}
	for _, r := range rows {
		fmt.Fprintf(w, "  %-*s  %s\n", width, r[0], r[1])
	}
}
