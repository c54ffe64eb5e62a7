package main

import (
	"context"
	"fmt"
	"io"
	"sort"
	"strings"

	"foray.test/engine/seq"
	"foray.test/harness/build"
)

const listDoc = `List shows what fuzz would work with: the operations, what makes each type, the
types that nothing makes and why, and what is excluded and why.`

func runList(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	o, err := parseFlags("list", listDoc, args, stderr, "list")
	if err != nil {
		return exitUsage, err
	}
	out := newOutput(o, stdout, stderr)
	targets, listErr := findTargets(ctx, o)
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
	s := &subject{target: target, version: target.Version()}
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
	s.printList(out.stdout)
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

func (s *subject) printList(w io.Writer) {
	fmt.Fprintf(w, "package %s\n\ncalls:\n", s.name())
	makers := map[seq.TypeID][]string{}
	values := 0
	for i := range s.table.Ops {
		op := &s.table.Ops[i]
		for _, r := range op.Results {
			makers[r] = append(makers[r], op.Short)
		}
		if !op.API {
			values++
			continue
		}
		fmt.Fprintf(w, "  %s(%s)", op.Short, strings.Join(s.typeNames(op.Params), ", "))
		if len(op.Results) > 0 {
			fmt.Fprintf(w, " → %s", strings.Join(s.typeNames(op.Results), ", "))
		}
		if op.Pre.Sentence != "" {
			fmt.Fprintf(w, "   // %s", oneLine(op.Pre.Sentence, 80))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\ntypes and what makes them (%d operations that only make values among it):\n", values)
	var ids []seq.TypeID
	for id := range makers {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return s.table.Types[ids[i]].Name < s.table.Types[ids[j]].Name })
	for _, id := range ids {
		list := makers[id]
		more := ""
		if len(list) > 6 {
			more = fmt.Sprintf(", … %d more", len(list)-6)
			list = list[:6]
		}
		fmt.Fprintf(w, "  %-30s %s%s\n", s.table.Types[id].Name, strings.Join(list, ", "), more)
	}
	if len(s.found.Unreachable) > 0 {
		fmt.Fprintf(w, "\ntypes that nothing makes:\n")
		for _, u := range s.found.Unreachable {
			fmt.Fprintf(w, "  %-30s %s; wanted by %s\n", u.Type, u.Reason, strings.Join(u.Wanted, ", "))
		}
	}
	if len(s.found.Excluded) > 0 {
		fmt.Fprintf(w, "\nexcluded:\n")
		for _, e := range s.found.Excluded {
			fmt.Fprintf(w, "  %-30s %s\n", e.Member, e.Reason)
		}
	}
	fmt.Fprintln(w)
}

// oneLine cuts text to one line of at most n runes.
func oneLine(text string, n int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}
