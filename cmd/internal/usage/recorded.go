package usage

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"hash/fnv"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foray.test/cmd/internal/load"
	"foray.test/cmd/internal/values"
	"foray.test/coverage/instrument"
	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/record"
)

// Bounds on the sequences of a record.
const (
	maxWhole  = 48  // recorded calls that share objects and become one sequence
	maxLong   = 200 // calls of the first sequence of a longer series
	windowLen = 24  // calls of a longer series that become one sequence, beside those that make their objects
	maxWindow = 80  // sequences of one series
	maxAlike  = 400 // sequences of calls from the same places
)

// A recordedCall is a call with its arguments and results.
type recordedCall struct {
	function int
	site     uint64
	args     []recordedValue
	results  []recordedValue
	panicked bool
	written  bool // it is a step of a sequence
}

// readRecord makes the use that tests made of a package when they ran from a record of
// harness/record. functions are those that have probes. survived says that the tests came to
// their end.
func readRecord(data []byte, survived bool, functions []instrument.Function, p *load.Package, tests []load.Tests, t *seq.Table, dropped []seq.OpID) *Usage {
	c := &converter{
		reader:    newReader(newCollection(t, 2*maxLong), p, dropped),
		functions: functions, types: newTypeFinder(p.Types, tests), files: testFunctions(p, tests),
		candidates: map[int][]seq.OpID{},
	}
	c.index()
	events := decodeLog(data)
	calls := pairs(events, survived)
	c.recorded = calls
	c.nameVariables(events)
	c.profile()
	for _, window := range inRounds(calls) {
		c.sequence(window)
	}
	u := c.result()
	u.Recorded, u.Written = len(calls), c.written
	return u
}

// newReader returns a reader without test files.
func newReader(c *collection, p *load.Package, dropped []seq.OpID) *reader {
	pool := engine.NewPool(c.table)
	return &reader{
		collection: c, path: p.Path, fset: p.Fset, builder: values.NewBuilder(c.table, pool, dropped), pool: pool,
		operations: newOperations(c.table, dropped), lookups: map[*ast.CallExpr]lookup{}, writer: newWriter(p.Types),
	}
}

// pairs returns the calls of a record that came to their end, in the order of their ends. A
// panic that ends the process is of no call.
func pairs(events []event, survived bool) []recordedCall {
	open := map[uint64]event{}
	var list []recordedCall
	for i, e := range events {
		switch e.kind {
		case record.Entered:
			open[e.call] = e
		case record.Returned, record.Panicked:
			start, ok := open[e.call]
			delete(open, e.call)
			if ok && (e.kind == record.Returned || survived || i+1 < len(events)) {
				list = append(list, recordedCall{function: start.function, site: start.site, args: start.values, results: e.values, panicked: e.kind == record.Panicked})
			}
		}
	}
	return list
}

// eachObject calls f for each object of a value, with the part of the value that it is.
func (v *recordedValue) eachObject(f func(part *recordedValue)) {
	if v.object != 0 {
		f(v)
	}
	for i := range v.list {
		v.list[i].eachObject(f)
	}
}

// makers returns, by object, the call that was the first to return it.
func makers(calls []recordedCall) map[uint64]int {
	first := map[uint64]int{}
	seen := map[uint64]bool{}
	for i := range calls {
		for j := range calls[i].args {
			calls[i].args[j].eachObject(func(v *recordedValue) { seen[v.object] = true })
		}
		for j := range calls[i].results {
			calls[i].results[j].eachObject(func(v *recordedValue) {
				if !seen[v.object] {
					seen[v.object], first[v.object] = true, i
				}
			})
		}
	}
	return first
}

// series returns the calls that share objects, as lists of their indexes in order. A text or a
// function that no call made is shared by calls that have nothing to do with each other.
func series(calls []recordedCall, made map[uint64]int) [][]int {
	same := newPartition(len(calls))
	last := map[uint64]int{}
	for i := range calls {
		for _, v := range slices.Concat(calls[i].args, calls[i].results) {
			v.eachObject(func(part *recordedValue) {
				_, isMade := made[part.object]
				if j, ok := last[part.object]; ok && (isMade || part.tag != record.TagString && part.tag != record.TagFunc) {
					same.join(i, j)
				}
				last[part.object] = i
			})
		}
	}
	parts := map[int][]int{}
	for i := range calls {
		first := same.first(i)
		parts[first] = append(parts[first], i)
	}
	var list [][]int
	for _, first := range slices.Sorted(maps.Keys(parts)) {
		list = append(list, parts[first])
	}
	return list
}

// windows parts a long series: each part begins with the calls that made the objects of the
// others.
func windows(calls []recordedCall, made map[uint64]int, part []int) [][]int {
	if len(part) <= maxWhole {
		return [][]int{part}
	}
	list := [][]int{part[:min(len(part), maxLong)]}
	for at := maxWhole; at < len(part) && len(list) < maxWindow; at += windowLen {
		need := map[int]bool{}
		var add func(i int)
		add = func(i int) {
			if need[i] || len(need) >= maxWhole {
				return
			}
			need[i] = true
			for j := range calls[i].args {
				calls[i].args[j].eachObject(func(v *recordedValue) {
					if m, ok := made[v.object]; ok && m < i {
						add(m)
					}
				})
			}
		}
		for _, i := range part[at:min(at+windowLen, len(part))] {
			add(i)
		}
		list = append(list, slices.Sorted(maps.Keys(need)))
	}
	return list
}

// inRounds returns the series of calls that become sequences. Those from the same places come
// in turn with the others, and a number of them only, from all over the run: a test may run a
// thousand random inputs.
func inRounds(calls []recordedCall) [][]int {
	alike := map[string][][]int{}
	var order []string
	made := makers(calls)
	for _, part := range series(calls, made) {
		for _, window := range windows(calls, made, part) {
			var places []byte
			for _, i := range window {
				places = fmt.Append(places, calls[i].site, " ")
			}
			key := string(places)
			if alike[key] == nil {
				order = append(order, key)
			}
			alike[key] = append(alike[key], window)
		}
	}
	var list [maxAlike][][]int
	for _, key := range order {
		group := alike[key]
		n := min(len(group), maxAlike)
		for i := range n {
			list[i] = append(list[i], group[i*len(group)/n])
		}
	}
	return slices.Concat(list[:]...)
}

// A converter makes sequences of recorded calls.
type converter struct {
	*reader
	functions  []instrument.Function
	types      *typeFinder
	files      map[position]*funcValue
	methods    map[string][]seq.OpID // by name, of any receiver
	candidates map[int][]seq.OpID    // by function
	recorded   []recordedCall
	variables  map[uint64]seq.OpID // by object: the operation that reads the variable that holds it
	written    int                 // calls that are steps

	// Of the sequence at work:
	state   *state
	objects map[uint64]value
	content map[uint64]string // of objects that were made of literals
	parts   map[uint64]*part  // of results, by object
}

// A part is a result, or a field or an element of a part.
type part struct {
	whole value // the result, if it is one
	of    *part
	name  string // of the field
	index int    // of the element
}

// maxPath is how many fields and elements lead from a result to a part.
const maxPath = 4

// noteParts notes the objects that a value holds, of which a part is known.
func (c *converter) noteParts(v *recordedValue, of *part, depth int) {
	if v.tag == record.TagPointer {
		v = &v.list[0]
	}
	if v.tag != record.TagStruct && v.tag != record.TagList || depth > maxPath {
		return
	}
	for i := range v.list {
		p := &part{of: of, index: i}
		if v.tag == record.TagStruct {
			p.name = v.names[i]
		}
		if id := v.list[i].object; id != 0 && c.parts[id] == nil {
			c.parts[id] = p
		}
		c.noteParts(&v.list[i], p, depth+1)
	}
}

// valueOf adds the steps that read a part.
func (c *converter) valueOf(p *part) value {
	if p.of == nil {
		return p.whole
	}
	v := c.valueOf(p.of)
	if p.name != "" {
		return c.field(c.state, v, p.name, nil)
	}
	return c.element(c.state, v, constOf(constant.MakeInt64(int64(p.index)), types.Typ[types.Int]))
}

func (c *converter) index() {
	c.methods = map[string][]seq.OpID{}
	for i := range c.table.Ops {
		op := &c.table.Ops[i]
		if op.API && op.Kind == seq.Method {
			c.methods[op.Base] = append(c.methods[op.Base], seq.OpID(i))
		}
	}
}

// nameVariables notes the objects that the package's variables hold.
func (c *converter) nameVariables(events []event) {
	c.variables = map[uint64]seq.OpID{}
	for _, e := range events {
		if e.kind != record.Named || len(e.values) != 2 || e.values[1].object == 0 || e.values[1].tag == record.TagString {
			continue
		}
		if id, ok := c.operations.byName["var "+c.path+"."+e.values[0].text]; ok {
			c.variables[e.values[1].object] = id
		}
	}
}

// operationsOf returns the operations that may make a call of a function, the likeliest first.
func (c *converter) operationsOf(function int) []seq.OpID {
	if ids, ok := c.candidates[function]; ok || function >= len(c.functions) {
		return ids
	}
	name := c.functions[function].Name
	ids := slices.Clone(c.operations.byMember[name])
	if recv, method, ok := strings.Cut(name, "."); ok {
		recv = strings.Trim(recv, "(*)")
		ids = slices.Clone(c.methods[method])
		rank := func(id seq.OpID) int {
			return slices.Index([]string{"(" + recv + ")." + method, "(*" + recv + ")." + method}, c.table.Ops[id].Member)
		}
		slices.SortStableFunc(ids, func(a, b seq.OpID) int { return cmp.Compare(rank(b), rank(a)) })
	}
	slices.SortStableFunc(ids, func(a, b seq.OpID) int {
		return cmp.Compare(boolInt(c.table.Ops[a].Spread), boolInt(c.table.Ops[b].Spread))
	})
	c.candidates[function] = ids
	return ids
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sequence makes a sequence of some calls.
func (c *converter) sequence(calls []int) {
	c.state, c.objects, c.content, c.parts = newState(c.table), map[uint64]value{}, map[uint64]string{}, map[uint64]*part{}
	for _, i := range calls {
		if call := &c.recorded[i]; !call.panicked && len(c.state.draft.Steps) < maxDraft {
			c.step(call)
		}
	}
	c.emit(c.state.draft.Steps, 0)
}

// step adds the step of a call. One that cannot be written is left out: a sequence need not do
// all that the test did.
func (c *converter) step(call *recordedCall) {
	ids := c.operationsOf(call.function)
	for _, loose := range []bool{false, true} {
		for _, id := range ids {
			op := &c.table.Ops[id]
			if loose && len(op.TypeArgs) == 0 {
				continue
			}
			args, ok := c.recordedArguments(call, op, loose)
			if !ok {
				continue
			}
			slot := c.state.draft.Add(id, args)
			if !call.written { // it may be part of several sequences
				call.written = true
				c.written++
			}
			for i := range call.results[:min(len(op.Results), len(call.results))] {
				made := value{kind: result, slot: int32(slot + i), typ: c.types.find(call.results[i].typ)}
				if id := call.results[i].object; id != 0 {
					c.objects[id] = made
				}
				c.noteParts(&call.results[i], &part{whole: made}, 1)
			}
			return
		}
	}
}

// spelled returns the arguments of a call as an operation takes them: those of a variadic one
// one by one.
func spelled(call *recordedCall, op *seq.Operation) ([]recordedValue, bool) {
	args := call.args
	if op.Variadic && len(args) > 0 {
		last := args[len(args)-1]
		if last.tag != record.TagList && last.tag != record.TagNil && last.tag != record.TagText {
			return nil, false
		}
		args = slices.Concat(args[:len(args)-1], last.list)
		if last.tag == record.TagText {
			for _, b := range []byte(last.text) {
				args = append(args, recordedValue{typ: "byte", tag: record.TagUint, num: uint64(b)})
			}
		}
	}
	return args, op.Accepts(len(args)) && len(args) <= engine.MaxStepArgs
}

func (c *converter) recordedArguments(call *recordedCall, op *seq.Operation, loose bool) ([]seq.Arg, bool) {
	given, ok := spelled(call, op)
	if !ok {
		return nil, false
	}
	var args []seq.Arg
	var known []value
	for i := range given {
		v := c.value(&given[i], op.Param(i))
		arg, ok := c.argument(c.state, v, op.Param(i), loose)
		if !ok && given[i].plain().tag == record.TagPointer && (v.kind == unknown || v.typ == nil) { // to a type of the tests
			arg, ok = c.otherTarget(&given[i], op.Param(i))
		}
		if !ok {
			return nil, false
		}
		args, known = append(args, arg), append(known, v)
		if id := given[i].object; id != 0 && arg.Lit == nil && v.kind != result {
			c.objects[id], c.content[id] = value{kind: result, slot: arg.Slot, typ: v.typ}, given[i].key()
		}
	}
	c.noteLiterals(c.opID(op), known)
	return args, true
}

// otherTarget makes a pointer to a zero value, for a pointer to a type that only the tests
// have. It leads to a type of the package, which depends on the type of the tests only.
func (c *converter) otherTarget(v *recordedValue, want seq.TypeID) (seq.Arg, bool) {
	if !c.table.Types[want].Interface {
		return seq.Arg{}, false
	}
	var ids []seq.OpID
	for _, id := range c.table.Types[want].Assignable {
		ty := &c.table.Types[id]
		if op, ok := c.operations.makers[id]; ok && ty.Kind == seq.PointerType && (ty.Path == c.table.Package || ty.Path == "") {
			ids = append(ids, op)
		}
	}
	made := value{kind: address, lit: &composite{}}
	if len(ids) == 0 {
		return c.similar(c.state, made, want)
	}
	h := fnv.New32a()
	h.Write([]byte(v.typ))
	return c.state.emptyMade(made, ids[h.Sum32()%uint32(len(ids))]), true
}

func (c *converter) opID(op *seq.Operation) seq.OpID { return c.operations.byName[op.Name] }

// value returns what is known of a recorded value that is wanted as a type.
func (c *converter) value(v *recordedValue, want seq.TypeID) value {
	if v.tag == record.TagWrapped && c.table.Types[want].Interface {
		if made := c.textReader(v, nil, want); made.kind == result {
			return made
		}
	}
	v = v.plain()
	t := c.types.find(v.typ)
	if v.object != 0 {
		if known, ok := c.objects[v.object]; ok && (c.content[v.object] == "" || c.keeps(v) || c.content[v.object] == v.key()) {
			return known
		}
		if id, ok := c.variables[v.object]; ok {
			known := value{kind: result, typ: t, slot: int32(c.state.draft.Add(id, nil))}
			c.objects[v.object] = known
			return known
		}
		if p := c.parts[v.object]; p != nil && v.tag != record.TagString {
			if known := c.valueOf(p); known.kind == result {
				known.typ = t
				c.objects[v.object] = known
				return known
			}
		}
	}
	switch v.tag {
	case record.TagTime:
		return c.time(int64(v.num), t)
	case record.TagNil:
		return value{kind: null, typ: t}
	case record.TagText, record.TagList, record.TagMap, record.TagStruct, record.TagPointer:
		return c.composed(v, t, want)
	case record.TagFunc:
		base := filepath.Base(v.file)
		fn := &funcValue{name: v.text[strings.LastIndexByte(v.text, '.')+1:]}
		if known := c.files[position{base, int(v.num)}]; known != nil {
			fn = known
		}
		return value{kind: function, typ: t, fn: fn}
	}
	if con := v.constant(); con != nil {
		return constOf(con, t)
	}
	return value{typ: t}
}

// keeps reports whether an object stays the same when its content changes. A pointer does.
// A list or a map may be another in the place of one that is gone.
func (c *converter) keeps(v *recordedValue) bool {
	return v.tag == record.TagPointer || v.tag == record.TagMap || v.tag == record.TagObject || strings.HasPrefix(v.typ, "*")
}

// constant returns a value of a basic type, nil if it is of another.
func (v *recordedValue) constant() constant.Value {
	switch v.tag {
	case record.TagBool:
		return constant.MakeBool(v.num != 0)
	case record.TagInt:
		return constant.MakeInt64(int64(v.num))
	case record.TagUint:
		return constant.MakeUint64(v.num)
	case record.TagString:
		return constant.MakeString(v.text)
	case record.TagFloat:
		if c := constant.MakeFloat64(v.float()); c.Kind() != constant.Unknown {
			return c
		}
	}
	return nil
}

// composed returns a value of several parts.
func (c *converter) composed(v *recordedValue, t types.Type, want seq.TypeID) value {
	switch v.tag {
	case record.TagText:
		if strings.HasPrefix(v.typ, "*") {
			return c.textReader(v, t, want)
		}
		return value{kind: literal, typ: t, lit: &composite{typ: t, text: v.text, isText: true}}
	case record.TagPointer:
		elem := &v.list[0]
		if known, ok := c.objects[elem.object]; ok && elem.object != 0 {
			return known
		}
		return c.pointedTo(elem, t)
	case record.TagStruct:
		if !v.rest && !c.isOfTests(t) {
			return value{typ: t}
		}
	}
	lit := &composite{typ: t, names: v.names}
	for i := range v.list {
		part := c.value(&v.list[i], 0)
		if v.tag == record.TagMap && i%2 == 0 {
			lit.keys = append(lit.keys, part)
		} else {
			lit.elems = append(lit.elems, part)
		}
	}
	return value{kind: literal, typ: t, lit: lit}
}

// isOfTests reports whether only the tests declare a type: what it hides means nothing to the
// package.
func (c *converter) isOfTests(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && c.writer.ofTests(named.Obj())
}

// pointedTo returns a pointer to a value: to a variable of a test mostly, which a call is to set.
func (c *converter) pointedTo(elem *recordedValue, t types.Type) value {
	pointer, ok := t.(*types.Pointer)
	if !ok {
		return value{typ: t}
	}
	switch elem.tag {
	case record.TagStruct, record.TagText, record.TagList, record.TagMap:
		if inner := c.composed(elem, pointer.Elem(), 0); inner.kind == literal {
			return value{kind: address, typ: t, lit: inner.lit}
		}
	case record.TagNil, record.TagBool, record.TagInt, record.TagUint, record.TagFloat, record.TagString: // of basic values zero will do
		return value{kind: address, typ: t, lit: &composite{typ: pointer.Elem()}}
	}
	return value{typ: t}
}

// time adds the step that makes a time, of seconds since 1970.
func (c *converter) time(seconds int64, t types.Type) value {
	if id, ok := c.operations.templates["time.Time{}"]; ok && seconds == (time.Time{}).Unix() {
		return value{kind: result, typ: t, slot: int32(c.state.draft.Add(id, nil))}
	}
	if id, ok := c.operations.templates[unixTime]; ok {
		arg, ok := c.constant(constOf(constant.MakeInt64(seconds), types.Typ[types.Int64]), c.table.Ops[id].Params[0], false)
		if ok {
			return value{kind: result, typ: t, slot: int32(c.state.draft.Add(id, []seq.Arg{arg}))}
		}
	}
	return value{typ: t}
}

// textReader adds the step that makes a reader of a text.
func (c *converter) textReader(v *recordedValue, t types.Type, want seq.TypeID) value {
	names := []string{"strings.NewReader", "bytes.NewBufferString"}
	var buffer types.Type
	if v.typ == `*"bytes".Buffer` {
		buffer = c.types.find(`"bytes".Buffer`)
		slices.Reverse(names)
	}
	if v.text == "" && buffer != nil {
		names = nil
	}
	for _, name := range names {
		for _, id := range c.operations.valuesOf(name) {
			op := &c.table.Ops[id]
			if want == 0 || !c.table.AssignableTo(op.Results[0], want) {
				continue
			}
			arg, ok := c.constant(constOf(constant.MakeString(v.text), types.Typ[types.String]), op.Params[0], false)
			if !ok {
				continue
			}
			c.addLiteral(parameter{id, 0}, goText(constant.MakeString(v.text)))
			made := value{kind: result, typ: t, slot: int32(c.state.draft.Add(id, []seq.Arg{arg}))}
			if v.object != 0 {
				c.objects[v.object] = made
			}
			return made
		}
	}
	if buffer != nil { // empty, or to be written to
		return value{kind: address, typ: t, lit: &composite{typ: buffer}}
	}
	return value{typ: t}
}

// A position is a line of a file, by the last part of its name.
type position struct {
	file string
	line int
}

// testFunctions returns the functions and func literals of a package and its tests by the
// lines where they begin.
func testFunctions(p *load.Package, tests []load.Tests) map[position]*funcValue {
	found := map[position]*funcValue{}
	add := func(f *ast.File, info *types.Info) {
		for n := range ast.Preorder(f) {
			var fn *funcValue
			switch n := n.(type) {
			case *ast.FuncDecl:
				fn = &funcValue{typ: n.Type, body: n.Body, name: n.Name.Name}
			case *ast.FuncLit:
				fn = &funcValue{typ: n.Type, body: n.Body}
			default:
				continue
			}
			if fn.body != nil {
				fn.src = &source{info: info, pkg: p.Types, fn: &ast.FuncLit{Type: fn.typ, Body: fn.body}}
			}
			at := p.Fset.Position(n.Pos())
			key := position{filepath.Base(at.Filename), at.Line}
			if found[key] == nil || found[key].name != "" {
				found[key] = fn
			}
		}
	}
	for _, unit := range tests {
		for _, f := range unit.Files {
			add(f, unit.Info)
		}
	}
	for _, f := range p.Files {
		add(f, p.Info)
	}
	return found
}
