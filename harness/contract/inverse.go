package contract

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
	"foray.test/harness/naming"
)

// inverseLaws adds the laws of pairs of operations of which one, by their names, undoes
// the other. Such are Encode and Decode, Escape and Unescape, HexToBytes and BytesToHex,
// String and FromString, NewFromFloat and Float64. The argument that is undone has the type of the other's result. All other
// parameters are the same, and are given the same. Variadic ones are given nothing.
func inverseLaws(a *api, add func(...Law)) {
	list := slices.DeleteFunc(slices.Clone(a.ops), func(o operation) bool { return !convertible(o.Operation) })
	taking := map[seq.TypeID][]operation{} // by each type that they take
	for _, o := range list {
		for i, id := range fixed(o.Operation) {
			if !slices.Contains(o.Params[:i], id) {
				taking[id] = append(taking[id], o)
			}
		}
	}
	for _, do := range list {
		if do.Callback && !naming.OneOf("String", do.Base) {
			continue
		}
		for _, undo := range taking[do.Results[0]] {
			if do.id == undo.id {
				continue
			}
			if law, ok := a.inverseLaw(do, undo); ok {
				add(law)
				break
			}
		}
	}
}

// inverseLaw returns the law that undo undoes do, if types and names agree with that. Types
// come first: to read names takes microseconds.
func (a *api) inverseLaw(do, undo operation) (l Law, ok bool) {
	at, turns := a.turned(do, undo)
	fills := a.fillsAny(do, undo)
	if !turns && !fills || !undoes(do.Base, undo.Base) {
		return Law{}, false
	}
	if turns && a.comparable(do.Params[at]) && !a.merges(do.Params[at], do.Results[0]) {
		l = inverts(do, undo, at, a.equal(do.Params[at]))
		l.Quiet = !a.foreign(do.Params[at])
		return l, true
	}
	return readsBack(do, undo), fills
}

// convertible reports whether op returns one value at most, and an error at most, of those given.
func convertible(op *seq.Operation) bool {
	n := len(op.Results)
	if op.ReturnsError {
		n--
	}
	return callable(op) && !op.Spread && n <= 1 && len(op.Results) > 0 && len(fixed(op)) > 0 && !naming.IsMust(op.Base)
}

// fixed returns the parameters of op but for a variadic one.
func fixed(op *seq.Operation) []seq.TypeID { return op.Params[:op.Fewest()] }

// returnsValue reports whether o returns more than an error.
func returnsValue(o operation) bool { return len(o.Results) > 1 || !o.ReturnsError }

// turned returns which argument of do undo makes of the result of do.
func (a *api) turned(do, undo operation) (at int, ok bool) {
	from, to := fixed(do.Operation), fixed(undo.Operation)
	if !returnsValue(do) || !returnsValue(undo) {
		return 0, false
	}
	for at, id := range from {
		last := at == len(from)-1 // of text made of text, with text as a key, it is the last
		if undo.Results[0] == id && (last || id != do.Results[0]) && (at == 0 && a.accesses(undo, do) || len(from) == len(to) && to[at] == do.Results[0] &&
			slices.Equal(from[:at], to[:at]) && slices.Equal(from[at+1:], to[at+1:])) {
			return at, true
		}
	}
	return 0, false
}

// accesses reports whether undo is a method of the result of do that takes nothing else. Numbers
// that do takes beside the first argument scale it.
func (a *api) accesses(undo, do operation) bool {
	scales := func(id seq.TypeID) bool {
		return a.t.Types[id].Literal != seq.NoLiteral && a.t.Types[id].Literal != seq.String
	}
	return undo.Kind == seq.Method && len(fixed(undo.Operation)) == 1 && undo.Params[0] == do.Results[0] &&
		!slices.ContainsFunc(fixed(do.Operation)[1:], scales)
}

// comparable reports whether values of type id can be compared: they are data, or have an
// equality.
func (a *api) comparable(id seq.TypeID) bool {
	ty := &a.t.Types[id]
	return a.equal(id).exists() || a.foreign(id) || !ty.Interface && !ty.IsPointer() && !ty.Literally(seq.FuncType) && !ty.Literally(seq.ChanType)
}

// foreign reports whether values of type id are pointers to values of another package that
// print themselves, like *big.Int: such values have room for any number.
func (a *api) foreign(id seq.TypeID) bool {
	ty := &a.t.Types[id]
	return ty.IsPointer() && ty.Std&seq.StdStringer != 0 && len(a.methods[id]) == 0
}

// merges reports whether an operation makes another value of text, or a map of a list: one value may
// have many texts, and one map many lists.
func (a *api) merges(from, to seq.TypeID) bool {
	x, y := &a.t.Types[from], &a.t.Types[to]
	return x.Literal == seq.String && y.Literal != seq.String || x.Kind == seq.SliceType && y.Kind == seq.MapType
}

// irregular are pairs of words for converting and back that no prefix tells.
var irregular = map[string]string{
	"format": "parse", "dump": "load", "write": "read",
}

// undoes reports whether the name back is that of the inverse of an operation of that name.
func undoes(name, back string) bool {
	from, to := naming.Words(name), naming.Words(back)
	if i := slices.Index(from, "to"); i > 0 { // HexToBytes
		return slices.Equal(to, slices.Concat(from[i+1:], []string{"to"}, from[:i]))
	}
	if i := slices.Index(to, "from"); i >= 0 && len(to) > i+1 { // String, ToString and NewFromString
		return slices.Equal(to[i+1:], slices.DeleteFunc(from, func(w string) bool { return w == "to" }))
	}
	if i := slices.Index(from, "from"); i >= 0 && len(from) > i+1 { // NewFromFloat and Float64
		return shows(to, from[i+1:])
	}
	if name == "String" {
		return false // see parsingLaws
	}
	plain := func(list []string) []string {
		return slices.DeleteFunc(list, func(w string) bool { return naming.OneOf("to from string bytes text", w) })
	}
	from, to = plain(from), plain(to)
	if len(from) != len(to) {
		return false
	}
	turns := 0
	for i := range from {
		switch {
		case from[i] == to[i]:
		case wordBack(from[i], to[i]):
			turns++
		default:
			return false
		}
	}
	return turns == 1
}

// shows reports whether the words of an accessor are those of what a value was made from: Float,
// Float64 and InexactFloat64 of float.
func shows(accessor, of []string) bool {
	if len(accessor) > len(of) && naming.OneOf("as get inexact to", accessor[0]) {
		accessor = accessor[1:]
	}
	unsized := func(word string) string { return strings.TrimRight(word, "0123456789") }
	return slices.EqualFunc(accessor, of, func(x, y string) bool { return x == y || unsized(x) == unsized(y) && unsized(x) != "" })
}

// wordBack reports whether a word names the inverse of another: decode of encode, unpack of pack.
func wordBack(word, back string) bool {
	rest, encodes := strings.CutPrefix(word, "en")
	return back == "un"+word || back == "de"+word || irregular[word] == back || encodes && back == "de"+rest
}

// fillsAny reports whether do writes a value of any type, which undo reads back into what a
// pointer leads to: Marshal(any) and Unmarshal([]byte, any).
func (a *api) fillsAny(do, undo operation) bool {
	return do.Kind == seq.Func && undo.Kind == seq.Func && len(fixed(do.Operation)) == 1 && len(fixed(undo.Operation)) == 2 && undo.ReturnsError && len(undo.Results) == 1 &&
		a.t.Types[do.Params[0]].IsAny() && a.t.Types[undo.Params[1]].IsAny() && undo.Params[0] == do.Results[0]
}

// readsBack is the law that undo reads what do has written of text, a number, or a list or map
// of such.
func readsBack(do, undo operation) Law {
	return undone(do, undo).checked(func(c *Call) *Breach {
		in := c.Args[0]
		if c.failed() || len(c.Args) > 1 || in == nil || !plain(reflect.TypeOf(in)) || noEquality(in) || holdsBadText(in) || nothing(in) || saysNothing(c.Results[0], in) {
			return nil
		}
		made := reflect.New(reflect.TypeOf(in))
		err, ok := said(undo.error(c), c.Results[0], made.Interface())
		if !ok {
			return nil
		}
		read := calls(func(...any) error { return err }, undo)
		value := given(func(any) any { return made.Elem().Interface() }, func(args []string) string { return "*" + args[0] })
		x := literal[any](nil, "new("+made.Type().Elem().String()+")")
		return check5(c, property.ReadsBack, read, value, x, c.out(0), c.in(0)).says(undo.Short + " does not undo " + do.Short + shownAs(in, made.Elem().Interface()))
	})
}

// plain reports whether values of type t are text, numbers, or lists and maps of such, without
// names of types.
func plain(t reflect.Type) bool {
	switch k := t.Kind(); {
	case t.PkgPath() != "":
		return false
	case k == reflect.Slice:
		return plain(t.Elem())
	case k == reflect.Map:
		return plain(t.Key()) && plain(t.Elem())
	default:
		return k == reflect.String || k == reflect.Bool || reflect.Int <= k && k <= reflect.Float64
	}
}

// undone is the law that undo undoes do.
func undone(do, undo operation) Law {
	law := do.law("inverse", engine.ClaimName, "by its name "+undo.Short+" undoes "+do.Short+". "+cite(do, undo))
	law.Op, law.Quiet, law.Plain = undo.id, true, true
	about := func(sentence string) bool { return naming.HasPhrase(sentence, "inverse of") }
	if naming.States(do.Doc, about) || naming.States(undo.Doc, about) {
		law.Claim = engine.ClaimPromise
	}
	return law
}

// inverts is the law that undo makes of the result of do what do was given.
func inverts(do, undo operation, at int, equal operation) Law {
	law, alone := undone(do, undo), len(fixed(undo.Operation)) == 1
	return law.checked(func(c *Call) *Breach {
		in := c.Args[at]
		if c.failed() || len(c.Args) > len(fixed(do.Operation)) || noEquality(in) || holdsBadText(in) || nothing(in) || saysNothing(c.Results[0], in) {
			return nil
		}
		args, texts, place := slices.Clone(c.Args), c.texts(0), at
		if args[at] = c.Results[0]; alone {
			args, texts, place = args[at:at+1], texts[at:at+1], 0
		}
		results := c.ask(undo.id, args...)
		if results == nil {
			return nil
		}
		back := given(func(...any) []any { return results }, func(said []string) string {
			texts[place] = said[0]
			return expr(undo.Operation, texts...)
		})
		back.text.Results = len(undo.Results)
		b := c.inverts(back, at, equal).says(undo.Short + " does not undo " + do.Short + shownAs(in, results[0]))
		if a := c.step().Args[at]; b != nil && a.Lit == nil {
			b.Doubt = c.uncheckedSlot(a.Slot)
		}
		return b
	})
}

// shownAs tells what an argument was turned into, if both can be shown.
func shownAs(given, back any) string {
	was, ok := sprint(given)
	is, shown := sprint(back)
	if !ok || !shown {
		return ""
	}
	return ": it makes " + blame.OneLine(strconv.Quote(is)) + " of " + blame.OneLine(strconv.Quote(was))
}

// nothing reports whether v is a nil or an empty list, which may stand for each other. Bytes
// have an equality that knows.
func nothing(v any) bool {
	if _, bytes := v.([]byte); bytes {
		return false
	}
	k := reflect.ValueOf(v).Kind()
	return blame.IsNil(v) || (k == reflect.Map || k == reflect.Slice) && reflect.ValueOf(v).Len() == 0
}

// saysNothing reports whether the result of a call of a value is nothing. No text for a value that is
// no text is nothing, too: the function has none for it.
func saysNothing(result, in any) bool {
	empty := result == any("")
	if data, is := result.([]byte); is {
		empty = len(data) == 0
	}
	text := reflect.TypeOf(in)
	isText := text.Kind() == reflect.String || text.Kind() == reflect.Slice && text.Elem().Kind() == reflect.Uint8
	return nothing(result) || empty && !isText
}

// inverts checks that undo, which returns the results of back, makes argument at of what the
// call returned.
func (c *Call) inverts(back term[func(...any) []any], at int, equal operation) *Breach {
	first := func(...any) any { return back.value()[0] }
	if made := first(); made != nil && reflect.TypeOf(made) != reflect.TypeOf(c.Args[at]) {
		return nil // the argument was converted
	}
	switch in := c.Args[at].(type) {
	case []byte:
		undo := func(...any) []byte { return converted[[]byte](first()) }
		return check3(c, property.InvertsBytes, term[func(...any) []byte]{undo, back.text}, c.out(0), term[[]byte]{in, c.in(at).text})
	default:
		undo := term[func(...any) any]{first, back.text}
		switch {
		case !equal.exists() && c.Table.Types[c.Table.Ops[c.step().Op].Params[at]].Literal != seq.NoLiteral:
			return check3(c, property.Inverts, undo, c.out(0), c.in(at))
		case !equal.exists() && reflect.ValueOf(in).Kind() == reflect.Pointer:
			return check3(c, property.InvertsShown, undo, c.out(0), c.in(at))
		case !equal.exists():
			return check3(c, property.InvertsData, undo, c.out(0), c.in(at))
		case len(back.value()) == 1:
			return check4(c, property.InvertsEqual, undo, c.bool(equal), c.out(0), c.in(at))
		}
		both := func(...any) (any, error) {
			err, _ := back.value()[1].(error)
			return first(), err
		}
		return check4(c, property.DecodesTo, term[func(...any) (any, error)]{both, back.text}, c.bool(equal), c.out(0), c.in(at))
	}
}
