package contract

import (
	"cmp"
	"slices"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/naming"
)

// api indexes the operations of a table by type.
type api struct {
	t         *seq.Table
	ops       []operation                // of t
	methods   map[seq.TypeID][]operation // by receiver
	receivers []seq.TypeID               // the keys of methods, in order
	members   map[string][]operation     // by Member
	named     map[string][]operation     // those that are callable, by the name of their member
}

func newAPI(t *seq.Table) *api {
	a := &api{t: t, methods: map[seq.TypeID][]operation{}, members: map[string][]operation{}, named: map[string][]operation{}}
	for i := range t.Ops {
		o := operation{&t.Ops[i], seq.OpID(i)}
		a.ops = append(a.ops, o)
		a.members[o.Member] = append(a.members[o.Member], o)
		if callable(o.Operation) {
			a.named[o.Base] = append(a.named[o.Base], o)
		}
		if o.API && o.Kind == seq.Method && len(o.Params) > 0 {
			if a.methods[o.Params[0]] == nil {
				a.receivers = append(a.receivers, o.Params[0])
			}
			a.methods[o.Params[0]] = append(a.methods[o.Params[0]], o)
		}
	}
	return a
}

// callable reports whether op is a function or method that does not wait by design.
func callable(op *seq.Operation) bool {
	return op.API && !op.Pre.Blocks && (op.Kind == seq.Func || op.Kind == seq.Method)
}

// method returns the method of type id that fits, by the first of names that has
// one. Methods documented to panic or to wait are left out.
func (a *api) method(id seq.TypeID, names string, fits func(*seq.Operation) bool) operation {
	for name := range strings.FieldsSeq(names) {
		for _, o := range a.methods[id] {
			if o.Base == name && !o.Spread && !o.Pre.Panics && callable(o.Operation) && fits(o.Operation) {
				return o
			}
		}
	}
	return operation{}
}

// has reports whether type id has a method of one of these names.
func (a *api) has(id seq.TypeID, names string) bool {
	return slices.ContainsFunc(a.methods[id], func(o operation) bool { return naming.OneOf(names, o.Base) })
}

// binary reports whether op takes two values of one type: two of the receiver's,
// or a second one as the interface that it implements.
func (a *api) binary(op operation) bool {
	if op.Kind == seq.Func {
		return op.Params[0] == op.Params[1]
	}
	return a.t.AssignableTo(op.Params[0], op.Params[1])
}

// typeNamed reports whether a word of the name of type id is in set.
func (a *api) typeNamed(id seq.TypeID, set map[string]bool) bool {
	return naming.HasWord(set, a.t.Types[id].Base)
}

// says reports whether the documentation of o has one of these phrases.
func (o operation) says(phrases ...string) bool { return naming.Says(o.Operation, phrases...) }

// cite quotes the documentation of ops: "Put: Put inserts …".
func cite(ops ...operation) string {
	var parts []string
	for _, op := range ops {
		if op.Doc != "" {
			parts = append(parts, op.quote())
		}
	}
	return strings.Join(parts, "; ")
}

// maxQuote is how many bytes of a documentation a finding quotes.
const maxQuote = 600

// quote quotes as much of the documentation of o as a person reads: its first sentences, and of the
// others the first that has one of the phrases, which decide.
func (o operation) quote(phrases ...string) string {
	head, rest := opening(o.Doc)
	if rest != "" {
		head += " …"
	}
	for sentence := range strings.SplitSeq(rest, ". ") {
		if naming.HasPhrase(sentence, phrases...) && !naming.HasPhrase(head, phrases...) {
			head += " " + strings.TrimSpace(sentence)
		}
	}
	return o.Short + ": \"" + strings.TrimSuffix(head, ".") + "\""
}

// opening splits a documentation into its first sentences, or words, and the rest.
func opening(doc string) (head, rest string) {
	if len(doc) <= maxQuote {
		return doc, ""
	}
	n := strings.LastIndex(doc[:maxQuote], ". ") + 1
	if n == 0 {
		n = max(0, strings.LastIndexByte(doc[:maxQuote], ' '))
	}
	return doc[:n], doc[n:]
}

// documentedClaim returns the claim of a property that names suggest, and that is a promise
// if the documentation describes the operations.
func documentedClaim(ops ...operation) engine.Claim {
	if slices.ContainsFunc(ops, func(o operation) bool { return o.Doc == "" }) {
		return engine.ClaimName
	}
	return engine.ClaimPromise
}

// every calls f for each operation that is named by names and may be called at any time,
// and that fits.
func (a *api) every(names, shape string, f func(o operation)) {
	var list []operation
	for name := range strings.FieldsSeq(names) {
		list = append(list, a.named[name]...)
	}
	slices.SortFunc(list, func(x, y operation) int { return cmp.Compare(x.id, y.id) })
	for _, o := range list {
		if a.fits(o.Operation, shape) {
			f(o)
		}
	}
}

// methodOf returns the method of type id that fits shape, by the first of names that has one.
func (a *api) methodOf(id seq.TypeID, names, shape string) operation {
	return a.method(id, names, func(op *seq.Operation) bool { return a.fits(op, shape) })
}

// fits reports whether the parameters after the receiver and the results of op have
// the types of shape, "[]byte, int64 -> int, error". A type is written with its
// package. Int, Uint, Number, Bool, String and Slice stand for groups of types, and
// _ for any type. T is the type of the receiver, P that of the first parameter after
// it. "..." stands for all that follow. Every operation with a receiver fits the
// empty shape; a variadic one fits no other.
func (a *api) fits(op *seq.Operation, shape string) bool {
	params, results, _ := strings.Cut(shape, "->")
	if shape == "" {
		return len(op.Params) > 0
	}
	if op.Variadic || len(op.Params) == 0 {
		return false
	}
	return a.match(op, params, op.Params[1:]) && a.match(op, results, op.Results)
}

func (a *api) match(op *seq.Operation, shape string, types []seq.TypeID) bool {
	n := 0
	for want := range strings.SplitSeq(shape, ",") {
		if want = strings.TrimSpace(want); want == "" {
			continue
		} else if want == "..." {
			return true
		}
		if n >= len(types) || !a.is(op, types[n], want) {
			return false
		}
		n++
	}
	return n == len(types)
}

// is reports whether type id matches want, one type of a shape: see fits.
func (a *api) is(op *seq.Operation, id seq.TypeID, want string) bool {
	ty := &a.t.Types[id]
	switch want {
	case "_":
		return true
	case "T":
		return id == op.Params[0]
	case "P":
		return id == op.Params[1]
	case "Int":
		return ty.Literal == seq.Int
	case "Uint":
		return ty.Literal == seq.Uint
	case "Number":
		return ty.Literal == seq.Int || ty.Literal == seq.Uint
	case "Bool":
		return ty.Literal == seq.Bool
	case "String":
		return ty.Literal == seq.String
	case "Slice":
		return ty.Literally(seq.SliceType)
	case "any":
		return ty.Kind == seq.InterfaceType && a.t.Types[id].IsAny()
	case "byte":
		return ty.Is("", "byte") || ty.Is("", "uint8")
	case "[]byte":
		return ty.IsBytes()
	}
	name, pointer := strings.CutPrefix(want, "*")
	path, base, declared := strings.Cut(name, ".")
	if !declared {
		return ty.Is("", want)
	}
	if pointer {
		return ty.PointsTo(standardPaths[path], base)
	}
	return ty.Is(standardPaths[path], base)
}

// standardPaths are the packages that shapes name.
var standardPaths = map[string]string{
	"driver": "database/sql/driver", "fmt": "fmt", "fs": "io/fs", "io": "io", "slog": "log/slog", "xml": "encoding/xml",
}

// everyMethod is every for methods only.
func (a *api) everyMethod(names, shape string, f func(o operation)) {
	a.every(names, shape, func(o operation) {
		if o.Kind == seq.Method {
			f(o)
		}
	})
}

// observeWords begin the names of operations that only look.
var observeWords = naming.Set("all any cap clone compare contains copy count cursor each empty equal equals exists find get has index is iter " +
	"iterator keys last left len length max min none parent peek right root search size string values")

// observes reports whether the first word of an operation's name is that of an
// observer.
func observes(name string) bool {
	w := naming.Words(name)
	return len(w) > 0 && observeWords[w[0]] || strings.HasPrefix(name, "Is")
}
