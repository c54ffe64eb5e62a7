package blame

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/engine/seq/seqtest"
)

// a panicCase is one panic, judged.
type panicCase struct {
	name   string
	steps  string
	values []any
	value  any
	stack  string
	want   engine.Tier
	rule   string // that decides
}

const (
	nilText   = rt("runtime error: invalid memory address or nil pointer dereference")
	index9of9 = rt("runtime error: index out of range [9] with length 9")
	negative1 = rt("runtime error: index out of range [-1]")
	divided   = rt("runtime error: integer divide by zero")
	sized     = rt("runtime error: makeslice: len out of range")
	asserted  = rt("interface conversion: interface {} is string, not int")
	nilAssert = rt("interface conversion: interface {} is nil, not string")
	unhashed  = rt("runtime error: hash of unhashable type []int")
	sent      = rt("send on closed channel")
	ranged    = rt("range function continued iteration after function for loop body returned false")
)

// A message that is cut is still text: an emitted test has it in its comment.
func TestOneLine(t *testing.T) {
	for _, s := range []string{strings.Repeat("é", 200), "x" + strings.Repeat("é", 200), strings.Repeat("\xff", 200)} {
		if got := OneLine(s); !utf8.ValidString(got) || len(got) < 300 || len(got) > 310 {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

// tree is a node of a tree.
type tree struct {
	Parent *tree
	N      int
}

// segment is a part of something.
type segment struct{ Start, Stop int }

// rect is what a struct argument may hold.
type rect struct{ min, max int }

// testTable is an API with something of everything.
func testTable() *seqtest.Builder {
	b := seqtest.NewBuilder()
	f := func(kind seq.Kind, sig string, mods ...func(*seq.Operation)) { b.Add(kind, sig, mods...) }
	pre := func(p seq.Precondition) func(*seq.Operation) { return func(op *seq.Operation) { op.Pre = p } }
	callback := func(op *seq.Operation) { op.Callback = true }
	sets := func(op *seq.Operation) { op.SetsReceiver = true }
	named := func(template string) func(*seq.Operation) { return func(op *seq.Operation) { op.Template = template } }
	f(seq.Func, "New(int) *p.T")
	f(seq.Func, "NewWith(func(a, b any) int) *p.T")
	f(seq.Func, "Open(string) (*p.T, error)")
	f(seq.Composite, "NoOptions() p.Options", func(op *seq.Operation) { op.Zero, op.Incomplete = true, true })
	f(seq.Func, "OpenWith(p.Options) (*p.T, error)")
	f(seq.Func, "NewFrom(p.Options) *p.T")
	f(seq.Func, "OpenFrom(*p.T) (*p.T, error)")
	f(seq.Func, "LookUp(int) (*p.T, bool)")
	f(seq.Func, "Of(map[int]int) *p.T")
	f(seq.Composite, "Zero() *p.T", func(op *seq.Operation) { op.Zero = true })
	f(seq.Func, "Wrap(*p.T) *p.T")
	f(seq.Func, "AddChild(*p.T, *p.T)")
	f(seq.Composite, "Partial() *p.T", func(op *seq.Operation) { op.Incomplete = true })
	f(seq.Func, "FromParts(int) *p.T", pre(seq.Precondition{Sentence: "The caller is responsible for the length."}))
	f(seq.Method, "(q.Order).Uint16(p.Bytes) int")
	f(seq.Func, "Native() p.q.Order")
	f(seq.Composite, "Filled(int) *p.T", named("&p.T{N: $0}"), seqtest.Shaped(seq.Filled))
	f(seq.Composite, "Address(*p.T) *p.T", named("&$0"))
	f(seq.FieldSet, "SetField(*p.T, int)")
	f(seq.FieldGet, "Field(*p.T) int")
	f(seq.VarSet, "SetVar(int)")
	f(seq.Method, "(*T).Do()")
	f(seq.Method, "(*T).Merge(*p.T)")
	f(seq.Method, "(*T).MergeNil(*p.T)", pre(seq.Precondition{NilOK: []bool{false, true}}))
	f(seq.Method, "(*T).ShiftLeft(uint)")
	f(seq.Method, "(*T).Get(int) int")
	f(seq.Method, "(*T).Put(any)")
	f(seq.Standard, "Node(int) any")
	f(seq.Func, "CopyTo(any, any)")
	f(seq.Func, "WithNode(any) any")
	f(seq.Method, "(*T).PutE(any) error")
	f(seq.Method, "(*T).StoreAny(any) error", func(op *seq.Operation) { op.Doc = "StoreAny returns an error if x has an unsupported type." })
	f(seq.Method, "(*T).Peek(int) int", func(op *seq.Operation) { op.Doc = "Peek never panics." })
	f(seq.Method, "(*T).Grow(int)")
	f(seq.Method, "(*T).Mod(int) int")
	f(seq.Method, "(*T).Chunk(int) int")
	f(seq.Method, "(*T).Rotate(int)")
	f(seq.Method, "(*T).Spun(int)", func(op *seq.Operation) { op.Forwards = "(*T).Rotate" })
	f(seq.Method, "(*T).GetUnsafe(uint) int")
	f(seq.Method, "(*T).AtDoc(int) int", pre(seq.Precondition{Panics: true, Sentence: "AtDoc panics if i is out of range."}))
	f(seq.Method, "(*T).Guarded(int) int", pre(seq.Precondition{Panics: true, Guard: true, Sentence: `if n < 0 { panic("negative") }`}))
	f(seq.Method, "(*T).Told(int) int", pre(seq.Precondition{Messages: []string{"told you", "unreachable"}}))
	f(seq.Method, "(*T).String() string", callback)
	f(seq.Method, "(*T).UnmarshalText([]byte) error", callback, sets)
	f(seq.Method, "(*T).UnmarshalJSON([]byte) error", callback, sets)
	f(seq.Method, "(*T).UnmarshalInto(any) error")
	f(seq.Method, "(*T).Is(error) bool")
	f(seq.Method, "(*T).Child() *p.T")
	f(seq.Method, "(*T).Close() error")
	f(seq.Method, "(*T).Setup()", sets)
	f(seq.Method, "(*T).DecodePart([]byte) int")
	f(seq.Convert, "Bytes(string) []byte")
	f(seq.Method, "(*T).ReadAt([]byte, int64) (int, error)")
	f(seq.Func, "Fit(int) []byte")
	f(seq.Composite, "Plain() *p.T", named("&p.T{}"), seqtest.Shaped(seq.Empty))
	f(seq.Index, "At(*p.T) *p.T", named("*$0"))
	f(seq.Method, "(*T).ParseBy([]byte) error")
	f(seq.Func, "ParseInto([]byte, *p.T) error")
	f(seq.Composite, "Ints() []int")
	f(seq.Method, "(*T).SumOf([]int) int")
	f(seq.Elements, "List() []int")
	f(seq.Elements, "Lists([]int) [][]int")
	f(seq.Elements, "ByteLists([]byte) [][]int")
	f(seq.Method, "(*T).With([][]int)")
	f(seq.FuncLit, "minus(int) func() int", named("func() int { return $0 }"), seqtest.Shaped(seq.Constant))
	f(seq.Composite, "MapOf(p.I, int) map[p.I]int", named("map[p.I]int{$0: $1}"), seqtest.Shaped(seq.Filled))
	f(seq.Func, "ParseTo([]byte, chan int) error")
	f(seq.Assert, "Asserted(*p.T) *p.T")
	f(seq.Func, "Traverse(map[p.I]int)")
	f(seq.Func, "ParseAs([]byte, any) error")
	f(seq.Func, "ParseMany([]byte, reflect.Type) error")
	f(seq.Func, "ParseWith([]byte, any) error", func(op *seq.Operation) { op.Variadic = true })
	f(seq.Func, "MustLoad(string) *p.T")
	f(seq.Func, "FillFrom([]byte, []byte) (int, error)", func(op *seq.Operation) { op.Names = []string{"dst", "src"} })
	f(seq.Func, "FillTo([]byte, []byte) (int, error)", func(op *seq.Operation) { op.Names = []string{"src", "dst"} })
	f(seq.Method, "(*T).Retire()", func(op *seq.Operation) { op.Doc = "A T must not be used after it was retired." })
	f(seq.Func, "ParsePair([]byte, []byte) (*p.T, error)")
	f(seq.Func, "ReadFrom(io.Reader) error", pre(seq.Precondition{NilOK: []bool{true}}))
	f(seq.Func, "Over(io.Reader) *p.T", pre(seq.Precondition{NilOK: []bool{true}}))
	f(seq.Method, "(*T).DecodeString(string) (string, error)", sets)
	f(seq.Method, "(*T).Sum([]int, int) int", pre(seq.Precondition{Panics: true, Guard: true, Sentence: `if n < 0 { panic("negative") }`}))
	f(seq.Func, "Made(*p.T) p.Chooser")
	b.Add(seq.Func, "Choose(p.Chooser) any")
	chooser := &b.Table.Types[b.Type("p.Chooser")]
	chooser.Name = "func(int) int"
	seqtest.Describe(chooser, nil)
	f(seq.Method, "(*T).JoinAll()")
	f(seq.Method, "(*T).Iterator() *p.Iterator")
	f(seq.Method, "(*T).All() func(yield func(int) bool)")
	f(seq.Method, "(*T).Runes() *p.Runes")
	f(seq.Method, "(*Runes).HasNext() bool")
	f(seq.Method, "(*Runes).PeekPrev() int")
	f(seq.Method, "(*Runes).PeekNext() int")
	f(seq.Method, "(*Runes).Count() int")
	f(seq.Method, "(*T).SetBits([]int)", func(op *seq.Operation) { op.Doc = "SetBits provides raw (unchecked but fast) access to the words." })
	f(seq.Method, "(*Iterator).Next() bool")
	f(seq.Method, "(*Iterator).Value() int")
	f(seq.Method, "(*Iterator).End()")
	f(seq.Composite, "CopyOf(*p.Iterator) *p.Iterator", named("func(x p.Iterator) *p.Iterator { return &x }($0)"), seqtest.Shaped(seq.Address))
	f(seq.Method, "(*T).Iterate() p.KVIterator")
	f(seq.FuncLit, "handsOn(p.KVIterator) p.Giver", named("func() p.KVIterator { return $0 }"), seqtest.Shaped(seq.Constant))
	f(seq.Call, "Call(p.Giver) p.KVIterator")
	f(seq.Call, "Step(p.KVIterator) p.KVIterator", func(op *seq.Operation) { op.API = true })
	f(seq.Standard, "Cancelled() context.Context", named("func() context.Context { c, cancel := context.WithCancel(context.Background()); cancel(); return c }()"), seqtest.Shaped(seq.Cancelled))
	f(seq.Standard, "Background() context.Context")
	f(seq.Method, "(*T).Listen(context.Context)")
	f(seq.Method, "(*T).Acquire(context.Context) error", func(op *seq.Operation) {
		op.Doc, op.Pre.Blocks = "Acquire waits until there is one, or ctx is done.", true
	})
	f(seq.Func, "Parse(string) (*p.T, error)")
	f(seq.Func, "ParseAt(string, int) (int, error)")
	f(seq.Func, "MustParse(string) *p.T")
	f(seq.Func, "Each(any, func(int))")
	f(seq.Func, "EachOf([]any)")
	f(seq.Method, "(*T).Paint(p.Rect)")
	f(seq.Method, "(*T).ModBy(p.Rect)")
	f(seq.Func, "Bounds() p.Rect")
	f(seq.Method, "(*Iterator).Keep(*p.T)")
	f(seq.Method, "(*T).Words() []big.Word")
	f(seq.Method, "(*T).SetInts([]big.Word)")
	f(seq.Func, "SetDefault(*p.T)")
	f(seq.Func, "OfFloat(float64) *p.T")
	f(seq.Composite, "MakeMap() map[string]any", named("map[string]any{}"))
	f(seq.Convert, "ToMap(map[string]any) p.Map", named("p.Map($0)"))
	b.Table.Types[b.Type("p.Map")].Kind = seq.MapType
	f(seq.Method, "(Map).Set(string, any) p.Map", func(op *seq.Operation) { op.Params[0] = b.Type("p.Map") })
	f(seq.Func, "OpenMap() p.Map")
	f(seq.Method, "(Map).Walk()", func(op *seq.Operation) { op.Params[0] = b.Type("p.Map") })
	f(seq.Func, "Chunks(any, int) any")
	f(seq.Range, "Range(func(yield func(int) bool)) int")
	f(seq.FuncLit, "lit() func(int)", named("func(i int) { }"), seqtest.Shaped(seq.Constant))
	f(seq.FuncLit, "tested() func(int)", named(`func(i int) { if i > 0 { panic("bad thing\nhappened") }; panic(fmt.Errorf("worse")) }`), seqtest.Shaped(seq.Tested))
	f(seq.FuncLit, "order() func(a, b any) int", named("func(a, b any) int { if a.(int) < b.(int) { return -1 }; return 0 }"), seqtest.Shaped(seq.Compare))
	f(seq.FuncLit, "parity() func(a, b any) int", named("func(a, b int) bool { return a%2 == 0 }"), seqtest.Shaped(seq.Predicate))
	f(seq.FuncLit, "same() func(a, b any) int", named("func(a, b int) bool { return a == b }"), seqtest.Shaped(seq.Same))
	f(seq.FuncLit, "pick() func(int) int", named("func(n int) int { return n }"), seqtest.Shaped(seq.Parameter))
	f(seq.Func, "Sample(func(int) int) any")
	f(seq.Func, "ReaderOf(*p.T) io.Reader")
	f(seq.Method, "(*T).CopyFrom(io.Reader) int")
	measured := func(op *seq.Operation) { op.Names = []string{"length", "words"} }
	f(seq.Func, "WithLength(int, []int) *p.T", measured)
	f(seq.Func, "Checked(int, []int) *p.T", measured, pre(seq.Precondition{Panics: true, Sentence: "It panics if there are too few words."}))
	f(seq.Func, "Measured(int, []int) (*p.T, error)", measured)
	f(seq.Func, "Shape(int, []int) *p.T", measured, func(op *seq.Operation) { op.Doc = "If words is nil, it makes as many as there should be." })
	f(seq.Func, "Counted(int, []int) *p.T", func(op *seq.Operation) { op.Names = []string{"seed", "words"} })
	f(seq.Func, "Padded(int, []int) []int", measured)
	f(seq.Func, "Curry() func(n int) int")
	f(seq.Func, "Option(*p.T) p.Option")
	f(seq.Call, "Apply(p.Option, *p.T)")
	f(seq.FuncLit, "chaos() func(a, b any) int", named("func(a, b any) int { return 1 }"), seqtest.Shaped(seq.Constant))
	f(seq.Chan, "Chan() chan int", named("make(chan int)"))
	f(seq.Chan, "CloseChan(chan int)", named("close($0)"), seqtest.Shaped(seq.Close))
	f(seq.Method, "(*T).Send(chan int)")
	f(seq.Method, "(*T).Lock()")
	f(seq.Method, "(*T).All() func(func(int))")
	f(seq.Method, "(*T).AddSeq(func(func(int)))")
	f(seq.Elements, "Anys(any) []any")
	f(seq.Method, "(*T).AddList([]any)")
	f(seq.Method, "(*T).Done() <-chan struct{}")
	f(seq.Method, "(*T).MarshalTo([]byte) (int, error)")
	f(seq.Method, "(*T).Unlock()")
	f(seq.Method, "(*T).WaitAll()")
	f(seq.Method, "(*T).Take() int", pre(seq.Precondition{Blocks: true}))
	f(seq.Func, "ExitWith(int)")
	f(seq.Func, "Handled(int)", pre(seq.Precondition{Exits: true}))
	f(seq.Func, "Execute()")
	f(seq.Func, "Power(int) int")
	f(seq.Func, "Norm(float64) float64")
	f(seq.FuncLit, "callsBack(*p.T) func(int)", named("func(i int) { $0.Do() }"))
	f(seq.Method, "(*T).Visit(func(int))")
	f(seq.Method, "(*T).VisitLocked(func(int))", func(op *seq.Operation) { op.Doc = "VisitLocked locks t while f runs." })
	f(seq.Method, "(*T).MarshalJSON() ([]byte, error)", callback)
	f(seq.Func, "Data() []byte")
	f(seq.Method, "(*T).Part(int) int", func(op *seq.Operation) { op.Names = []string{"t", "i"} })
	f(seq.Method, "(*T).Weigh(int) int", func(op *seq.Operation) { op.Names = []string{"t", "weight"} })
	f(seq.FieldSet, "SetStep(*p.T, func(int))")
	f(seq.VarGet, "Nothing() p.Value")
	f(seq.Func, "Into(p.Value)")
	f(seq.Func, "SourceOf([]byte) *p.Source")
	f(seq.Func, "DecoderOf([]byte) *p.Decoder")
	f(seq.Func, "DecoderOfSize([]byte, int) *p.Decoder")
	f(seq.Func, "DecoderBy(*p.Source) *p.Decoder")
	f(seq.Func, "DecoderFor(*p.T) *p.Decoder")
	f(seq.Method, "(*Decoder).Decode() (*p.T, error)")
	f(seq.Method, "(*Decoder).DecodeTo(any) error")
	f(seq.Method, "(*Decoder).Visited(func(int)) error")
	f(seq.Method, "(*Decoder).Skip(int) error")
	f(seq.Method, "(*Decoder).Depth() int")
	f(seq.Func, "NewSegment(int, int) p.Segment")
	f(seq.Func, "Cut([]byte, p.Segment) []byte")
	f(seq.Func, "NewPart() *p.Part")
	f(seq.Method, "(*Part).InBytes([]byte) []byte")
	f(seq.Method, "(*Part).Trim() int")
	f(seq.Method, "(*T).Sliced(int, int)", func(op *seq.Operation) { op.Names = []string{"t", "lo", "hi"} })
	f(seq.Method, "(*T).Resized(int, int)", func(op *seq.Operation) { op.Names = []string{"t", "rows", "hi"} })
	f(seq.Method, "(*T).AdvanceAndSet(int)")
	f(seq.Method, "(*T).SetPadding(int)")
	f(seq.Method, "(*T).SetAt(int, int)")
	f(seq.Func, "Around(*p.T) *p.T", pre(seq.Precondition{NilOK: []bool{true}}))
	f(seq.Func, "AroundNil(*p.T) *p.T", pre(seq.Precondition{NilOK: []bool{true}}), func(op *seq.Operation) { op.Doc = "If t is nil, it is empty." })
	f(seq.Method, "(Algorithm).Hash() int", pre(seq.Precondition{Panics: true, Sentence: "If not available, the method will panic."}))
	f(seq.Func, "EncodeTo([]byte, []byte)", func(op *seq.Operation) {
		op.Doc, op.Names = "EncodeTo encodes src, writing EncodedLen(len(src)) bytes to dst.", []string{"dst", "src"}
	})
	f(seq.Method, "(*T).SetBytes([]byte)")
	f(seq.Method, "(*T).Insert(p.I)")
	f(seq.Method, "(*T).SetMode(p.Ordering)")
	f(seq.Method, "(*T).SetScheme(p.Scheme)")
	f(seq.Composite, "MakeSource() p.I")
	f(seq.Method, "(I).Union(p.I)", func(op *seq.Operation) { op.Params[0] = b.Type("p.I") })
	f(seq.Func, "NewRand(p.I) *p.Rand")
	f(seq.Func, "ParseImage(string) (image.Image, error)")
	f(seq.Func, "ImageSize(string) (image.Config, error)")
	f(seq.Func, "Permutations(int) int")
	f(seq.Func, "Both(p.I, p.I) p.I")
	f(seq.Func, "Ranked([]int, []int) *p.T")
	f(seq.Func, "Pair(*p.T, *p.T) *p.T")
	f(seq.Method, "(I).Size() int", func(op *seq.Operation) { op.Params[0] = b.Type("p.I") })
	f(seq.Func, "NewZipf(*p.Rand, int) *p.Zipf")
	f(seq.Method, "(*Rand).Int() int")
	f(seq.Func, "NewReader(int) *p.Reader")
	f(seq.Func, "NewPair(*p.Reader) *p.Pair")
	f(seq.Func, "PairOf(*p.T) *p.Pair")
	f(seq.Func, "Buffered(*p.Reader) *p.Reader")
	f(seq.FieldGet, "Reader(*p.Pair) *p.Reader")
	f(seq.Method, "(*Reader).Reset(*p.Pair)")
	f(seq.Method, "(*Pair).ReadPair() int")
	f(seq.Func, "StringToBytes(string) []byte")
	f(seq.Standard, "TypeOf(int) reflect.Type", named("reflect.TypeOf($0)"))
	f(seq.Method, "(*T).Enqueue(int) *p.Elem")
	f(seq.Method, "(*T).Delete(*p.Elem)")
	f(seq.Method, "(*T).Discard(*p.Elem)", func(op *seq.Operation) { op.Doc = "Discard does nothing if e is not an element of t." })
	f(seq.Method, "(*T).Attach(*p.Elem, *p.Elem)")
	f(seq.Func, "NewBy(func(a, b bool) bool) *p.T")
	f(seq.Func, "Register(string, *p.T)")
	f(seq.Func, "NewTree() *p.Tree")
	f(seq.Func, "NewNode(int) *p.Tree")
	f(seq.Func, "ParseTree(string) *p.Tree")
	f(seq.Method, "(*Renderer).Render(*p.Tree)")
	f(seq.Method, "(*Tree).Render(*p.Renderer)")
	f(seq.Method, "(*Tree).First() *p.Tree")
	f(seq.Func, "NewRenderer() *p.Renderer")
	f(seq.Func, "NumberOf(string) uint64")
	f(seq.Method, "(*T).Set(uint64)")
	f(seq.Method, "(*T).Reset()")
	f(seq.Method, "(*T).Walker() *p.Cursor")
	f(seq.Method, "(*Cursor).Iterator() *p.Iterator")
	f(seq.Method, "(*Cursor).Rewind()")
	f(seq.Func, "NodeOf(p.Ordering) *p.Node")
	f(seq.Convert, "Ordering(int) p.Ordering")
	f(seq.FieldGet, "Mode(*p.Node) p.Ordering")
	f(seq.Method, "(*T).Dequeue() int")
	f(seq.Method, "(*T).Poll() (int, bool)")
	f(seq.Method, "(*T).SetBytes1([]byte)")
	f(seq.Method, "(*Heap).Len() int")
	f(seq.Method, "(*Heap).Less(int, int) bool")
	f(seq.Method, "(*Heap).Swap(int, int)")
	f(seq.Method, "(*Heap).Push(any)")
	f(seq.Method, "(*Heap).Pop() any")
	f(seq.Method, "(error).Error() string", callback, func(op *seq.Operation) { op.Params[0] = b.Type("error") })
	f(seq.Composite, "MakeHeap() *p.Heap")
	f(seq.FuncLit, "equal() func(a, b bool) bool", named("func(a, b bool) bool { return a == b }"), seqtest.Shaped(seq.Same))
	f(seq.FuncLit, "even() func(a, b bool) bool", named("func(a, b int) bool { return a%2 == 0 }"), seqtest.Shaped(seq.Predicate))
	f(seq.FuncLit, "less() func(a, b bool) bool", named("func(a, b int) bool { return a < b }"), seqtest.Shaped(seq.Less))
	f(seq.Func, "Sort(func(a, b bool) bool)")
	f(seq.Func, "ContainsFunc(func(a, b bool) bool)")
	return b
}

// hidden is a struct that only its package can fill.
type hidden struct{ n int }

// one is an object of two slots.
var one = new(int)

var panicCases = []panicCase{
	// Whatever was thrown.
	{"our literal's panic comes through", "New(1); lit(); Each(v0, v1)", nil, "foray", "Each.func1 < Each", engine.Illegal, "thrown"},
	{"our literal's panic, wrapped deep", "New(1); lit(); Each(v0, v1)", nil, errors.New("each: foray"), "helper < Each", engine.Illegal, "thrown"},
	{"the panic of a function of the tests, passed on with its stack", "New(1); tested(); Each(v0, v1)", nil, "panic: bad thing\nhappened\nstacktrace:\ngoroutine 1 [running]:", "helper < Each", engine.Illegal, "thrown"},
	{"the error with which a function of the tests panics", "New(1); tested(); Each(v0, v1)", nil, errors.New("worse"), "helper < Each", engine.Illegal, "thrown"},
	{"another panic than that of the tests' function", "New(1); tested(); Each(v0, v1)", nil, "bad thing happened", "helper < Each", engine.Suspect, "other"},
	{"our literal's panic, passed on with its stack", "New(1); lit(); Each(v0, v1)", nil, errors.New("foray\n\nruntime/debug.Stack()"), "helper < Each", engine.Illegal, "thrown"},
	{"our comparator panics itself", "order(); NewWith(v0); Put(v1, 1)", nil, nilText, "_glob..func12.1 < (*T).find < (*T).Put", engine.Illegal, "own code"},
	{"our heap panics itself", "New(1); Do(v0)", nil, negative1, "_(*forayHeap).Pop < /container/heap.Pop < (*T).Do", engine.Illegal, "own code"},
	{"field of a nil pointer read by us", "New(1); Field(v0)", nil, index9of9, "", engine.Illegal, "own expression"},
	{"iterator goes on after break", "New(1); All(v0); Range(v1)", nil, ranged, "_a3-range1 < (*T).All.func1", engine.Error, "range-func"},
	{"iterator inlined into the adapter", "New(1); All(v0); Range(v1)", nil, ranged, "_a3-range1", engine.Error, "range-func"},

	{"Must function by a run-time error", "MustParse(\"x\")", nil, index9of9, "parser.next < MustParse", engine.Illegal, "must"},
	{"Must function without counterpart", "MustLoad(\"x\")", nil, index9of9, "parser.next < MustLoad", engine.Panic, "other"},
	{"what it fills is too short", "Data(); Data(); FillFrom(v0, v1)", []any{[]byte{1}, []byte{2}}, index9of9, "FillFrom", engine.Panic, "other"},
	{"input, and what it is put into", "Data(); Data(); FillTo(v0, v1)", []any{[]byte{1}, []byte{2}}, index9of9, "FillTo", engine.Error, "parser"},
	{"decoded into a literal", "Data(); Plain(); ParseAs(v0, v1); New(1); Merge(v3, v1)", []any{[]byte{1}, new(int), nil, new(int)}, index9of9, "(*T).Merge", engine.Panic, "other"},
	{"limit: the first call after the end", "New(1); Retire(v0); Do(v0)", nil, index9of9, "(*T).Do", engine.Suspect, "other"},
	{"two inputs", "Data(); Data(); ParsePair(v0, v1)", []any{[]byte{1}, []byte{2}}, index9of9, "ParsePair", engine.Error, "parser"},
	{"limit: made with a duty, and nothing else is wrong", "FromParts(1); Do(v0)", nil, index9of9, "(*T).Do", engine.Suspect, "other"},
	{"another made with a duty", "FromParts(1); New(1); Do(v1)", nil, index9of9, "(*T).Do", engine.Panic, "other"},

	// Explicit.
	{"Must function", "MustParse(\"x\")", nil, errors.New("bad"), "MustParse", engine.Illegal, "must"},
	{"Must function, deep", "MustParse(\"x\")", nil, errors.New("bad"), "parser.fail < MustParse", engine.Illegal, "must"},
	{"internal bug in own body", "New(1); Told(v0, 1)", nil, "unreachable", "(*T).Told", engine.Panic, "internal"},
	{"internal bug, given a negative number", "New(1); Told(v0, -1)", nil, "unreachable", "helper < (*T).Told", engine.Illegal, "documented"},
	{"internal bug of an argument's", "New(1); Register(\"can't \\\"happen\\\": unreachable\", v0)", nil, "\"x\" != \"can't \\\"happen\\\": unreachable\"", "Register", engine.Illegal, "check"},
	{"internal bug of an argument's, as it is", "New(1); Register(\"can't \\\"happen\\\": unreachable\", v0)", nil, "x != can't \"happen\": unreachable", "Register", engine.Illegal, "check"},
	{"internal bug and an argument", "New(1); Register(\"x\", v0)", nil, "x: can't happen", "Register", engine.Panic, "internal"},
	{"bug as a word", "New(1); Do(v0)", nil, "BUG: no parent", "(*T).Do", engine.Panic, "internal"},
	{"documented, in words of a bug", "New(1); AtDoc(v0, 9)", nil, "assertion failed", "(*T).AtDoc", engine.Illegal, "documented"},
	{"an assertion of what is given", "New(1); Do(v0)", nil, "assertion failed", "Assert < (*T).Do", engine.Illegal, "check"},
	{"debug is no bug", "New(1); Do(v0)", nil, "debug: off", "(*T).fix < (*T).Do", engine.Suspect, "other"},
	{"documented", "New(1); AtDoc(v0, 9)", nil, "out of range", "(*T).slow < (*T).AtDoc", engine.Illegal, "documented"},
	{"known message below", "New(1); Told(v0, 1)", nil, "told you: 7", "(*T).tell < (*T).Told", engine.Illegal, "documented"},
	{"nil given", "New(1); Merge(v0, nil)", nil, "no other", "(*T).join < (*T).Merge", engine.Illegal, "nil"},
	{"String of a zero value", "Zero(); String(v0)", nil, "not made", "(*T).String", engine.Suspect, "callback"},
	{"zero value", "Zero(); Do(v0)", nil, "not made", "(*T).init < (*T).Do", engine.Illegal, "zero"},
	{"the function itself, which never panics", "New(1); Peek(v0, -1)", nil, "negative", "(*T).Peek", engine.Error, "never panics"},
	{"an index of a function that never panics", "New(1); Peek(v0, 9)", nil, index9of9, "(*T).Peek", engine.Error, "never panics"},
	{"the function itself", "New(1); Grow(v0, -1)", nil, "negative", "(*T).Grow", engine.Illegal, "check"},
	{"closure of the function itself", "New(1); Grow(v0, -1)", nil, "negative", "(*T[...]).Grow.func2 < (*T[...]).each < (*T[...]).Grow", engine.Illegal, "check"},
	{"promoted method", "New(1); Grow(v0, -1)", nil, "negative", "(*inner).Grow", engine.Illegal, "check"},
	{"a helper that checks", "New(1); Grow(v0, -1)", nil, "negative", "mustBePositive < (*T).Grow", engine.Illegal, "check"},
	{"parser's own panic escapes", "Parse(\"x\")", nil, "unexpected end", "parser.fail < Parse", engine.Error, "parser"},
	{"below, undocumented", "New(1); Do(v0)", nil, "invalid argument to Intn", "/math/rand.Intn < (*T).Do", engine.Suspect, "other"},

	// Run-time errors.
	{"documented index", "New(1); AtDoc(v0, 9)", nil, index9of9, "(*T).AtDoc", engine.Illegal, "documented"},
	{"a guard excuses its own panic only", "New(1); Guarded(v0, 1)", nil, nilText, "(*T).Guarded", engine.Panic, "other"},
	{"unchecked", "New(1); GetUnsafe(v0, 9)", nil, negative1, "(*T).GetUnsafe", engine.Illegal, "unchecked"},
	{"nil argument", "New(1); Merge(v0, nil)", nil, nilText, "(*T).Merge", engine.Illegal, "nil"},
	{"nil argument of a call's", "New(1); Child(v0); Merge(v0, v1)", []any{new(int), (*int)(nil)}, nilText, "(*T).Merge", engine.Illegal, "nil"},
	{"nil receiver", "New(1); Child(v0); Do(v1)", []any{new(int), (*int)(nil)}, nilText, "(*T).Do", engine.Illegal, "nil"},
	{"nil comparator given before", "NewWith(nil); Put(v0, 1)", nil, nilText, "(*T).Put", engine.Illegal, "nil"},
	{"nil that is dealt with", "New(1); MergeNil(v0, nil)", nil, nilText, "(*T).MergeNil", engine.Panic, "other"},
	{"nil dereference without nil", "New(1); Merge(v0, v0)", nil, nilText, "(*T).Merge", engine.Panic, "other"},
	{"nil map given", "Of(nil)", nil, rt("assignment to entry in nil map"), "Of", engine.Illegal, "nil"},
	{"nil map inside", "New(1); Do(v0)", nil, rt("assignment to entry in nil map"), "(*T).Do", engine.Panic, "other"},
	{"an object of the standard library", "Node(1); WithNode(v0)", []any{&strings.Reader{}}, index9of9, "/strings.(*Reader).Read < WithNode", engine.Panic, "other"},
	{"a place for a text", "New(1); MarshalTo(v0, \"x\")", nil, index9of9, "(*T).MarshalTo", engine.Panic, "other"},
	{"nil as any", "New(1); Put(v0, nil)", nil, nilText, "(*T).Put", engine.Suspect, "nil any"},
	{"a documented error for nil as any", "New(1); StoreAny(v0, nil)", nil, nilText, "(*T).StoreAny", engine.Error, "promised"},
	{"a documented error for a type", "New(1); StoreAny(v0, \"x\")", nil, asserted, "(*T).StoreAny", engine.Error, "promised"},
	{"nil error", "New(1); Is(v0, nil)", nil, nilText, "(*T).Is", engine.Suspect, "nil any"},
	{"field left nil", "Partial(); String(v0)", nil, nilText, "(*T).String", engine.Illegal, "nil"},
	{"method of another package", "Native(); Uint16(v0, nil)", nil, negative1, "/encoding/q.Order.Uint16", engine.Illegal, "foreign"},
	{"implementation of a foreign method", "Native(); Uint16(v0, nil)", nil, divided, "order.Uint16", engine.Panic, "other"},
	{"foreign method that refuses", "Native(); Uint16(v0, nil)", nil, "short", "/encoding/q.Order.Uint16", engine.Illegal, "foreign"},
	{"value beside an error", "Open(\"x\"); Do(v0)", []any{new(int), errors.New("no")}, negative1, "(*T).Do", engine.Illegal, "failed"},
	{"nothing beside false", "LookUp(1); Do(v0)", []any{&segment{}, false}, negative1, "(*T).Do", engine.Illegal, "failed"},
	{"nothing beside true", "LookUp(1); Do(v0)", []any{&segment{}, true}, negative1, "(*T).Do", engine.Panic, "other"},
	{"value beside false", "LookUp(1); Do(v0)", []any{&segment{Stop: 1}, false}, negative1, "(*T).Do", engine.Panic, "other"},
	{"value beside no error", "Open(\"x\"); Do(v0)", []any{new(int), nil}, negative1, "(*T).Do", engine.Panic, "other"},
	{"encoder of a zero value", "Zero(); MarshalJSON(v0)", nil, nilText, "(*list).Front < (*T).MarshalJSON", engine.Suspect, "callback"},
	{"String of a zero value", "Zero(); String(v0)", nil, nilText, "(*list).Front < (*T).String", engine.Suspect, "callback"},
	{"nil given through an option", "New(1); Option(nil); Apply(v1, v0); Do(v0)", nil, nilText, "(*T).Do", engine.Illegal, "nil"},
	{"given through an option", "New(1); New(2); Option(v1); Apply(v2, v0); Do(v0)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"nil for an interface with methods", "New(1); Insert(v0, nil)", nil, rt("interface conversion: p.I is nil, not p.K"), "K.Less < (*T).Insert", engine.Illegal, "nil"},
	{"negative count", "New(1); Rotate(v0, -1)", nil, rt("runtime error: slice bounds out of range [1:0]"), "(*T).Rotate", engine.Suspect, "other"},
	{"negative count, handed on", "New(1); Spun(v0, -1)", nil, rt("runtime error: slice bounds out of range [1:0]"), "(*T).Rotate < (*T).Spun", engine.Suspect, "other"},
	{"negative count, handed on to a helper", "New(1); Spun(v0, -1)", nil, rt("runtime error: slice bounds out of range [1:0]"), "turn < (*T).Rotate < (*T).Spun", engine.Suspect, "other"},
	{"negative count for a helper", "New(1); Rotate(v0, -1)", nil, rt("runtime error: slice bounds out of range [1:0]"), "turn < (*T).Rotate", engine.Suspect, "other"},
	{"no bytes", "New(1); Data(); SetBytes(v0, v1)", []any{new(int), []byte{}}, rt("runtime error: index out of range [0] with length 0"), "(*T).SetBytes", engine.Suspect, "other"},
	{"a pair is no position", "Data(); NewSegment(3, 5); Cut(v0, v1)", []any{[]byte{}, struct{ X, Y int }{3, 5}}, rt("runtime error: slice bounds out of range [:5] with capacity 0"), "Cut", engine.Suspect, "other"},
	{"position of the receiver, in itself", "NewPart(); Trim(v0)", []any{&segment{0, 1}}, index9of9, "(*Part).Trim", engine.Panic, "other"},
	{"bounds that there are", "New(1); Sliced(v0, 0, 1)", nil, rt("runtime error: slice bounds out of range [:2] with capacity 1"), "(*T).Sliced", engine.Panic, "other"},
	{"bounds in the wrong order, others complained of", "New(1); Sliced(v0, 1, 0)", nil, rt("runtime error: slice bounds out of range [7:3]"), "(*T).Sliced", engine.Panic, "other"},
	{"bounds of a helper", "New(1); Sliced(v0, 1, 0)", nil, rt("runtime error: slice bounds out of range [1:0]"), "cut < (*T).Sliced", engine.Panic, "other"},
	{"numbers that are no bounds", "New(1); Resized(v0, 1, 0)", nil, rt("runtime error: slice bounds out of range [1:0]"), "(*T).Resized", engine.Panic, "other"},
	{"target as long as the source", "Data(); Data(); EncodeTo(v0, v1)", []any{[]byte{2}, []byte{1}}, rt("runtime error: index out of range [0] with length 0"), "EncodeTo", engine.Panic, "other"},
	{"bytes too short for a helper", "New(1); Data(); SetBytes(v0, v1)", []any{new(int), []byte{1}}, rt("runtime error: index out of range [3] with length 1"), "fill < (*T).SetBytes", engine.Suspect, "other"},
	{"an index by the name of its parameter", "New(1); Part(v0, 0)", nil, rt("runtime error: index out of range [0] with length 0"), "(*T).Part", engine.Suspect, "index"},
	{"no index by the name of its parameter", "New(1); Weigh(v0, 0)", nil, rt("runtime error: index out of range [0] with length 0"), "(*T).Weigh", engine.Panic, "other"},
	{"nil in a list", "New(1); EachOf(v0)", []any{[]any{1, nil}}, nilText, "EachOf", engine.Suspect, "nil any"},
	{"no nil in a list", "New(1); EachOf(v0)", []any{[]any{1, 2}}, nilText, "EachOf", engine.Panic, "other"},
	{"node with a parent", "NewRenderer(); NewNode(1); Render(v0, v1)", []any{new(int), &tree{Parent: &tree{}}}, nilText, "(*Renderer).Render", engine.Panic, "other"},
	{"node that a method returned", "NewNode(1); First(v0); NewRenderer(); Render(v2, v1)", []any{new(int), &tree{}, new(int)}, nilText, "(*Renderer).Render", engine.Panic, "other"},
	{"root of a parsed tree", "NewRenderer(); ParseTree(\"x\"); Render(v0, v1)", []any{new(int), &tree{}}, nilText, "(*Renderer).Render", engine.Panic, "other"},
	{"method of a node without a parent", "NewNode(1); NewRenderer(); Render(v0, v1)", []any{&tree{}, new(int)}, nilText, "(*Tree).Render", engine.Panic, "other"},
	{"callee that guards something else", "New(1); Do(v0)", nil, nilText, "(*T).Guarded < (*T).Do", engine.Panic, "other"},
	{"callee below", "New(1); Do(v0)", nil, asserted, "helper < MustParse < (*T).Do", engine.Panic, "other"},
	{"no size in a struct", "New(1); Bounds(); Paint(v0, v1)", []any{new(int), rect{max: 9}}, sized, "(*T).Paint", engine.Panic, "other"},
	{"division by another struct", "New(1); Bounds(); ModBy(v0, v1)", []any{new(int), rect{min: 1, max: 1}}, divided, "(*T).ModBy", engine.Panic, "other"},
	{"callback on nil", "New(1); Child(v0); String(v1)", []any{new(int), (*int)(nil)}, nilText, "(*T).String", engine.Illegal, "nil"},
	{"zero value", "Zero(); Do(v0)", nil, nilText, "(*T).Do", engine.Illegal, "zero"},
	{"zero value that was decoded from", "Zero(); UnmarshalInto(v0, 1); Do(v0)", nil, negative1, "(*T).Do", engine.Illegal, "zero"},
	{"zero value that was decoded into", "Zero(); UnmarshalText(v0, nil); Do(v0)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"zero value that has decoded", "Zero(); DecodeString(v0, \"x\"); Do(v0)", []any{new(int), "", nil}, negative1, "(*T).Do", engine.Illegal, "zero"},
	{"limit: made over nil, which it deals with", "Over(nil); Do(v0)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: made over a pointer", "New(1); Child(v0); Over(v1); Do(v2)", []any{new(int), new(int), new(int)}, nilText, "(*T).Do", engine.Panic, "other"},
	{"zero value that could not be decoded into", "Zero(); UnmarshalText(v0, nil); Do(v0)", []any{new(int), errors.New("no")}, negative1, "(*T).Do", engine.Illegal, "zero"},
	{"parser says that it cannot", "Parse(\"x\")", nil, "not implemented", "parser.fail < Parse", engine.Suspect, "unimplemented"},
	{"parser with an index", "Parse(\"TZ=0\")", nil, rt("runtime error: slice bounds out of range [:-1]"), "Parse", engine.Error, "parser"},
	{"parser with an index argument", "ParseAt(\"x\", 9)", nil, index9of9, "ParseAt", engine.Error, "parser"},
	{"a part decoded into a zero value", "Zero(); DecodePart(v0, nil); Do(v0)", nil, negative1, "(*T).Do", engine.Illegal, "zero"},
	{"no JSON", "New(1); Bytes(\"x\"); UnmarshalJSON(v0, v1)", []any{new(int), []byte("x")}, sized, "(*T).UnmarshalJSON", engine.Illegal, "no JSON"},
	{"no JSON, of a type with a name", "New(1); Bytes(\"\"); UnmarshalJSON(v0, v1)", []any{new(int), json.RawMessage{}}, index9of9, "(*T).UnmarshalJSON", engine.Illegal, "no JSON"},
	{"no JSON at all", "New(1); UnmarshalJSON(v0, nil)", nil, index9of9, "(*T).UnmarshalJSON", engine.Illegal, "no JSON"},
	{"no JSON, explicitly", "New(1); Bytes(\"x\"); UnmarshalJSON(v0, v1)", []any{new(int), []byte("x")}, "empty", "fail < (*T).UnmarshalJSON", engine.Illegal, "no JSON"},
	{"JSON", "New(1); Bytes(\"null\"); UnmarshalJSON(v0, v1)", []any{new(int), []byte("null")}, nilText, "(*T).UnmarshalJSON", engine.Error, "parser"},
	{"nil for a source", "ReadFrom(nil)", nil, nilText, "ReadFrom", engine.Panic, "other"},
	{"the type of an argument is no input", "Data(); ParseAs(v0, 1)", []any{[]byte{1}}, asserted, "ParseAs", engine.Suspect, "other"},
	{"the input beside an argument of any type", "Data(); ParseAs(v0, 1)", []any{[]byte{1}}, index9of9, "ParseAs", engine.Error, "parser"},
	{"a buffer is no input", "New(1); Data(); ReadAt(v0, v1, -3)", []any{new(int), []byte{}}, rt("runtime error: slice bounds out of range [-3:]"), "(*T).ReadAt", engine.Suspect, "index"},
	{"settings are no input", "Filled(0); Data(); UnmarshalText(v0, v1)", []any{new(int), []byte{1}}, divided, "(*T).UnmarshalText", engine.Suspect, "other"},
	{"settings of another are no input", "Data(); Filled(0); ParseInto(v0, v1)", []any{[]byte{1}, new(int)}, divided, "ParseInto", engine.Suspect, "other"},
	{"input beside an object of the package", "Data(); New(1); ParseInto(v0, v1)", []any{[]byte{1}, new(int)}, divided, "ParseInto", engine.Error, "parser"},
	{"a literal without settings, and no input", "Plain(); Data(); ParseBy(v0, v1)", []any{new(int), []byte{}}, divided, "(*T).ParseBy", engine.Panic, "other"},
	{"what a literal without settings points to, and no input", "Plain(); Data(); At(v0); ParseBy(v2, v1)", []any{new(int), []byte{}, new(int)}, divided, "(*T).ParseBy", engine.Panic, "other"},
	{"a literal without settings, and no element", "Plain(); Data(); ParseBy(v0, v1)", []any{new(int), []byte{}}, index9of9, "(*T).ParseBy", engine.Error, "parser"},
	{"a literal without settings, and nil in it", "Plain(); Data(); ParseBy(v0, v1)", []any{new(int), []byte{1}}, nilText, "(*T).ParseBy", engine.Panic, "other"},
	{"a literal without settings that decodes, and nil in it", "Plain(); Data(); UnmarshalText(v0, v1)", []any{new(int), []byte{1}}, nilText, "(*T).UnmarshalText", engine.Error, "parser"},
	{"a literal without settings, and input", "Plain(); Data(); ParseBy(v0, v1)", []any{new(int), []byte{1}}, divided, "(*T).ParseBy", engine.Error, "parser"},
	{"a size of numbers", "Fit(0)", nil, rt("runtime error: makeslice: len out of range"), "Fit", engine.Suspect, "alloc"},
	{"a huge size beside text", `ParseAt("x", 9223372036854775807)`, nil, sized, "ParseAt", engine.Suspect, "alloc"},
	{"a size of text", `ParseAt("x", 3)`, nil, sized, "ParseAt", engine.Error, "parser"},
	{"a size of its own", "New(1); Do(v0)", nil, rt("runtime error: makeslice: len out of range"), "(*T).Do", engine.Panic, "other"},
	{"a count of its own", "New(1); Do(v0)", nil, "strings: negative Repeat count", "/strings.Repeat < (*T).Do", engine.Panic, "other"},
	{"a count of numbers", "Fit(0)", nil, "strings: negative Repeat count", "/strings.Repeat < Fit", engine.Suspect, "alloc"},
	{"a count computed of text", `Parse("x")`, nil, "strings: negative Repeat count", "/strings.Repeat < Parse", engine.Error, "parser"},
	{"negative index in a list", "New(1); Ints(); SumOf(v0, v1)", []any{new(int), []int{0, -1}}, negative1, "sum < each < (*T).SumOf", engine.Suspect, "index"},
	{"negative index of a function of ours", "minus(-1); Each(v0, v0)", nil, negative1, "pick < each < Each", engine.Suspect, "index"},
	{"negative index of its own", "New(1); Ints(); SumOf(v0, v1)", []any{new(int), []int{0, -2}}, negative1, "sum < each < (*T).SumOf", engine.Panic, "other"},
	{"package reflect", "New(1); Put(v0, 1)", nil, "reflect: call of reflect.Value.Type on zero Value", "/reflect.Value.Type < (*T).Put", engine.Panic, "other"},
	{"package reflect, of no argument of any type", "New(1); Do(v0)", nil, "reflect: NumIn of non-func type int", "/reflect.(*rtype).NumIn < (*T).Do", engine.Panic, "other"},
	{"the type of what is no argument of any type", "New(1); Do(v0)", nil, asserted, "(*T).Do", engine.Panic, "other"},
	{"package reflect, given nil in an earlier literal", "Partial(); Put(v0, 1)", nil, "reflect: call of reflect.Value.Type on zero Value", "/reflect.Value.Type < (*T).Put", engine.Suspect, "other"},
	{"package reflect, given nil for a pointer", "New(1); Merge(v0, nil)", nil, "reflect: call of reflect.Value.Type on zero Value", "/reflect.Value.Type < (*T).Merge", engine.Illegal, "nil"},
	{"value before Next", "New(1); Iterator(v0); Value(v1)", nil, nilText, "(*Iterator).Value", engine.Illegal, "not begun"},
	{"value after the last", "New(1); Iterator(v0); Next(v1); Value(v1)", []any{new(int), new(int), false}, nilText, "(*Iterator).Value", engine.Illegal, "not begun"},
	{"division before Next", "New(1); Iterator(v0); Value(v1)", nil, divided, "(*Iterator).Value", engine.Panic, "other"},
	{"a decoder that is given a closed channel", "Data(); Chan(); CloseChan(v1); ParseTo(v0, v1)", nil, sent, "ParseTo", engine.Illegal, "closed"},
	{"no argument of any type is given", "Data(); ParseWith(v0)", []any{[]byte{1}}, nilText, "ParseWith", engine.Error, "parser"},
	{"an argument of any type is given", "Data(); ParseWith(v0, 1)", []any{[]byte{1}}, nilText, "ParseWith", engine.Panic, "other"},
	{"the kind of an argument is no input", "Data(); ParseAs(v0, 1)", []any{[]byte{1}}, "reflect: NumIn of non-func type int", "/reflect.(*rtype).NumIn < ParseAs", engine.Suspect, "other"},
	{"a type is no input", "Data(); TypeOf(1); ParseMany(v0, v1)", []any{[]byte{1}, reflect.TypeFor[int]()}, "reflect: Elem of invalid type int", "/reflect.(*rtype).Elem < ParseMany", engine.Suspect, "other"},
	{"input beside a type", "Data(); TypeOf(1); ParseMany(v0, v1)", []any{[]byte{1}, reflect.TypeFor[int]()}, index9of9, "ParseMany", engine.Error, "parser"},
	{"package reflect, given nil", "New(1); Put(v0, nil)", nil, "reflect: call of reflect.Value.Type on zero Value", "/reflect.Value.Type < (*T).Put", engine.Panic, "other"},
	{"nil key", "MapOf(nil, 1); Traverse(v0)", nil, nilText, "Traverse", engine.Panic, "other"},
	{"decoder into a zero value", "Zero(); UnmarshalText(v0, nil)", nil, sized, "(*T).UnmarshalText", engine.Suspect, "callback"},
	{"caller closed the channel", "New(1); Chan(); CloseChan(v1); Send(v0, v1)", nil, sent, "(*T).Send", engine.Illegal, "closed"},
	{"closed channel of its own", "New(1); Do(v0)", nil, sent, "(*T).Do", engine.Panic, "other"},
	{"next, told that there is more", "New(1); Runes(v0); HasNext(v1); PeekPrev(v1)", []any{1, new(int), true}, nilText, "(*Runes).PeekPrev", engine.Panic, "other"},
	{"next, told that there is more, of what was looked at before", "New(1); Runes(v0); Get(v0, 1); HasNext(v1); PeekNext(v1)", []any{1, new(int), 1, true}, nilText, "(*Runes).PeekNext", engine.Panic, "other"},
	{"count of what was changed before", "New(1); Runes(v0); Put(v0, 1); HasNext(v1); Count(v1)", []any{1, new(int), true}, nilText, "(*Runes).Count", engine.Panic, "other"},
	{"no step of an iterator", "New(1); Runes(v0); Count(v1)", []any{1, new(int)}, negative1, "(*Runes).Count", engine.Panic, "other"},
	{"value after a move", "New(1); Iterator(v0); Next(v1); Value(v1)", []any{1, new(int), true}, nilText, "(*Iterator).Value", engine.Panic, "other"},
	{"value after a cursor was put back", "New(1); Walker(v0); Iterator(v1); Next(v2); Rewind(v1); Value(v2)", []any{1, new(int), new(int), true}, nilText, "(*Iterator).Value", engine.Panic, "other"},
	{"first move", "New(1); Iterator(v0); Next(v1)", []any{1, new(int)}, nilText, "(*Iterator).Next", engine.Panic, "other"},
	{"put at the end, then moved", "New(1); Iterator(v0); Next(v1); End(v1); Next(v1)", []any{1, new(int), false}, nilText, "(*Iterator).Next", engine.Panic, "other"},
	{"first call of an iterator that is a function", "New(1); Iterate(v0); Step(v1)", []any{1, func() {}}, nilText, "(*T).Iterate.func1", engine.Panic, "other"},
	{"functions called once each", "New(1); Iterate(v0); Step(v1); Step(v2); Step(v3)", []any{1, func() {}, func() {}, func() {}, func() {}}, nilText, "(*T).Iterate.func1", engine.Panic, "other"},
	{"function called, another handed on by a literal", "New(1); Iterate(v0); New(1); Iterate(v2); handsOn(v3); Call(v4); Step(v5); Step(v1)", []any{1, func() {}, 1, func() {}, func() {}, func() {}, func() {}}, nilText, "(*T).Iterate.func1", engine.Panic, "other"},
	{"index like a slice's", "New(1); Get(v0, 9)", nil, index9of9, "(*T).Get", engine.Suspect, "index"},
	{"index one off in a helper", "New(1); Get(v0, 10)", nil, index9of9, "(*T).at < (*T).Get", engine.Suspect, "index"},
	{"index of a matrix", "New(1); Get(v0, 30)", nil, rt("runtime error: index out of range [93] with length 9"), "(*T).Get", engine.Suspect, "index"},
	{"index deep below", "New(1); Get(v0, 9)", nil, index9of9, "(*node).at < (*T).at < (*T).Get", engine.Panic, "other"},
	{"index unlike the argument", "New(1); Get(v0, 2)", nil, index9of9, "(*T).Get", engine.Panic, "other"},
	{"shift is no index", "New(1); ShiftLeft(v0, 16)", nil, index9of9, "(*T).ShiftLeft", engine.Panic, "other"},
	{"a value is no index", "New(1); Put(v0, 9)", nil, index9of9, "(*T).Put", engine.Panic, "other"},
	{"equal beyond coincidence", "New(1); Rotate(v0, -3)", nil, rt("runtime error: slice bounds out of range [:-3]"), "(*T).Rotate", engine.Suspect, "index"},
	{"equal by coincidence", "New(1); Rotate(v0, 1)", nil, rt("runtime error: index out of range [1] with length 1"), "(*T).Rotate", engine.Panic, "other"},
	{"pop of something", "New(1); Dequeue(v0)", nil, index9of9, "(*T).Dequeue", engine.Panic, "other"},
	{"pop that can say that there is nothing", "New(1); Poll(v0)", nil, negative1, "(*T).Poll", engine.Panic, "other"},
	{"pop of a heap.Interface", "MakeHeap(); Pop(v0)", nil, negative1, "(*Heap).Pop", engine.Illegal, "sort"},
	{"order of what is not there", "MakeHeap(); Less(v0, 0, 1)", nil, index9of9, "(*Heap).Less", engine.Illegal, "sort"},
	{"method like that of an order", "New(1); SetAt(v0, 0, 1)", nil, index9of9, "swap < fix < (*T).SetAt", engine.Panic, "other"},
	{"method of a nil interface", "New(1); PutE(v0, 1); Error(v1)", []any{new(int), nil}, nilText, "", engine.Illegal, "nil interface"},
	{"negative size", "New(1); Rotate(v0, -5)", nil, sized, "(*T).Rotate", engine.Suspect, "alloc"},
	{"size given before", "New(-5); Do(v0)", nil, sized, "(*T).Do", engine.Suspect, "alloc"},
	{"size that a call returned and another took", "New(1); NumberOf(\"x\"); Set(v0, v1); Do(v0)", []any{new(int), uint64(1) << 62}, sized, "(*T).Do", engine.Suspect, "alloc"},
	{"small number that a call returned", "New(1); NumberOf(\"x\"); Set(v0, v1); Do(v0)", []any{new(int), uint64(9)}, sized, "(*T).Do", engine.Panic, "other"},
	{"size of its own", "New(1); Do(v0)", nil, sized, "(*T).Do", engine.Panic, "other"},
	{"deep in what checks its arguments", "New(1); Sum(v0, nil, 3)", nil, index9of9, "(*T).a < (*T).b < (*T).Sum", engine.Panic, "other"},
	{"no slice for what checks its arguments", "New(1); Guarded(v0, 3)", nil, index9of9, "(*T).Guarded", engine.Panic, "other"},
	{"negative shift", "New(1); Rotate(v0, -5)", nil, rt("runtime error: negative shift amount"), "(*T).Rotate", engine.Suspect, "other"},
	{"chunks of size zero", "New(1); Chunk(v0, 0)", nil, divided, "(*T).Chunk", engine.Panic, "other"},
	{"division without a zero", "New(1); Mod(v0, 3)", nil, divided, "(*T).Mod", engine.Panic, "other"},
	{"impossible input", "New(1); Do(v0)", nil, "p: impossible size inputs", "(*T).Do", engine.Illegal, "check"},
	{"assertion of its own", "New(1); Do(v0)", nil, asserted, "(*T).Do", engine.Panic, "other"},
	{"unhashable key", "New(1); Put(v0, v0)", nil, unhashed, "(*T).Put", engine.Illegal, "uncomparable"},
	{"unhashable of its own", "New(1); Do(v0)", nil, unhashed, "(*T).Do", engine.Panic, "other"},
	{"run-time error inside another", "New(1); Do(v0)", nil, errors.New("do: runtime error: integer divide by zero"), "(*T).Do.func1 < (*T).Do", engine.Panic, "other"},

	// Limits: what would be an error but for the caller's part.
	{"limit: none by taking an address", "New(1); Address(v0); Do(v1)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: another object's field", "New(1); New(2); SetField(v1, 3); Do(v0)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: decoded", "New(1); UnmarshalText(v0, nil); Do(v0)", []any{new(int), nil}, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: half decoded", "New(1); UnmarshalText(v0, nil); Do(v0)", []any{new(int), errors.New("no")}, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: half decoded, in two slots", "New(1); New(2); UnmarshalText(v1, nil); Do(v0)", []any{one, one, errors.New("no")}, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: half decoded, then decoded", "New(1); UnmarshalText(v0, nil); UnmarshalText(v0, nil); Do(v0)", []any{new(int), errors.New("no"), nil}, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: half decoded, decoded again", "New(1); UnmarshalText(v0, nil); UnmarshalText(v0, nil)", []any{new(int), errors.New("no")}, sized, "(*T).UnmarshalText", engine.Error, "parser"},
	{"limit: another half decoded", "New(1); New(2); UnmarshalText(v1, nil); Do(v0)", []any{new(int), new(int), errors.New("no")}, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: nil given to what it holds", "New(1); Wrap(v0); Merge(v0, nil); Do(v1)", nil, nilText, "(*T).Do", engine.Suspect, "other"},
	{"limit: nil given to another", "New(1); New(2); Merge(v1, nil); Do(v0)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: nil given to what it holds is no index", "New(1); Wrap(v0); Merge(v0, nil); Do(v1)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: another put into itself", "New(1); New(2); Merge(v1, v1); Do(v0)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: put into another", "New(1); New(2); Merge(v0, v1); Do(v0)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: an element given back as documented", "New(1); Enqueue(v0, 1); Dequeue(v0); Discard(v0, v1)", nil, nilText, "(*T).Discard", engine.Panic, "other"},
	{"limit: an element of another", "New(1); New(2); Enqueue(v0, 1); Dequeue(v1); Delete(v0, v2)", nil, nilText, "(*T).Delete", engine.Panic, "other"},
	{"limit: an element that is there", "New(1); Dequeue(v0); Enqueue(v0, 1); Delete(v0, v2)", nil, nilText, "(*T).Delete", engine.Panic, "other"},
	{"limit: variable set", "SetVar(1); Parse(\"x\")", nil, negative1, "Parse", engine.Suspect, "parser"},
	{"limit: a broken object given to the package", "Zero(); SetDefault(v0); New(1); Do(v1)", nil, nilText, "(*T).Do", engine.Suspect, "other"},
	{"limit: a sound object given to the package", "New(1); SetDefault(v0); New(1); Do(v1)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: nil that was kept, of which the documentation tells", "AroundNil(nil); Do(v0)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: nil that is looked for at once", "Around(nil)", nil, nilText, "Around", engine.Panic, "other"},
	{"limit: nil that was kept does not divide", "Around(nil); Do(v0)", nil, divided, "(*T).Do", engine.Panic, "other"},
	{"limit: what was kept is not nil", "New(1); Around(v0); Do(v1)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: no constant of its type", "New(1); SetMode(v0, 6); Do(v0)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: the constant that stands for no value", "New(1); SetScheme(v0, 0); Do(v0)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: a constant beside the one that stands for no value", "New(1); SetScheme(v0, 1); Do(v0)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: no constant of its type, through a field", "NodeOf(6); Mode(v0); New(1); SetMode(v2, v1); Do(v2)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: no constant of its type, converted", "Ordering(6); New(1); SetMode(v1, v0); Do(v1)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: a constant of its type, converted", "Ordering(1); New(1); SetMode(v1, v0); Do(v1)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: a constant of its type, through a field", "NodeOf(6); NodeOf(1); Mode(v1); New(1); SetMode(v3, v2); Do(v3)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: a constant of its type", "New(1); SetMode(v0, 1); Do(v0)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: made from options that are zero", "NoOptions(); NewFrom(v0); Do(v1)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"made from options that were not refused", "NoOptions(); OpenWith(v0); Do(v1)", []any{0, new(int), nil}, negative1, "(*T).Do", engine.Panic, "other"},
	{"nil in what was made from options that were not refused", "NoOptions(); OpenWith(v0); Do(v1)", []any{0, new(int), nil}, nilText, "(*T).Do", engine.Illegal, "nil"},
	{"limit: made from an object that was not refused", "Zero(); OpenFrom(v0); Do(v1)", []any{new(int), new(int), nil}, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: made from a zero value", "Zero(); Child(v0); Do(v1)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: filled with a zero value", "New(1); Zero(); Merge(v0, v1); Do(v0)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: nil before", "NewWith(nil); Do(v0)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: no ordering", "chaos(); NewWith(v0); Do(v1)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: parity is no ordering", "parity(); NewWith(v0); Do(v1)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"limit: equality is no ordering", "same(); NewWith(v0); Do(v1)", nil, negative1, "(*T).Do", engine.Suspect, "other"},
	{"zero value that a call has made good", "Zero(); Setup(v0); Do(v0)", nil, negative1, "(*T).Do", engine.Panic, "other"},
	{"limit: a callback that stays outside", "New(1); lit(); Visit(v0, v1)", nil, negative1, "(*T).Visit", engine.Panic, "other"},
	{"limit: a length that is that of the slice", "Data(); WithLength(1, v0); Do(v1)", []any{[]int{1}}, index9of9, "(*T).Do", engine.Panic, "other"},
	{"limit: a length that is checked", "Data(); Checked(3, v0); Do(v1)", []any{[]int{1}}, index9of9, "(*T).Do", engine.Panic, "other"},
	{"limit: a length that an error tells of", "Data(); Measured(3, v0); Do(v1)", []any{[]int{1}}, index9of9, "(*T).Do", engine.Panic, "other"},
	{"limit: a length and what nil means", "Shape(3, nil); Do(v0)", nil, index9of9, "(*T).Do", engine.Panic, "other"},
	{"limit: a number beside a slice", "Data(); Counted(3, v0); Do(v1)", []any{[]int{1}}, index9of9, "(*T).Do", engine.Panic, "other"},
	{"limit: a length that a slice is to have", "Data(); Padded(3, v0)", []any{[]int{1}}, index9of9, "Padded", engine.Panic, "other"},
	{"limit: a callback's number is no pointer", "pick(); Sample(v0)", nil, nilText, "Sample", engine.Panic, "other"},
	{"limit: equality for an ordering", "equal(); Sort(v0)", nil, negative1, "Sort", engine.Suspect, "other"},
	{"limit: looks at one of two", "even(); Sort(v0)", nil, negative1, "Sort", engine.Suspect, "other"},
	{"limit: a variable that stands for no value", "Nothing(); Into(v0)", []any{hidden{}}, nilText, "Into", engine.Suspect, "other"},
	{"limit: a variable with a value", "Nothing(); Into(v0)", []any{hidden{1}}, nilText, "Into", engine.Panic, "other"},
	{"limit: a variable of open fields", "Nothing(); Into(v0)", []any{struct{ N int }{}}, nilText, "Into", engine.Panic, "other"},
	{"the input that the receiver was made with", "Data(); DecoderOf(v0); Decode(v1)", []any{[]byte{1}, new(int)}, index9of9, "(*Decoder).peek < (*Decoder).Decode", engine.Error, "parser"},
	{"the input that its source was made with", "Data(); SourceOf(v0); DecoderBy(v1); Decode(v2)", []any{[]byte{1}, new(int), new(int)}, index9of9, "(*Decoder).Decode", engine.Error, "parser"},
	{"input that a number goes with", "Data(); DecoderOfSize(v0, 2); Decode(v1)", []any{[]byte{1}, new(int)}, index9of9, "(*Decoder).Decode", engine.Panic, "other"},
	{"no input of the receiver", "New(1); DecoderFor(v0); Decode(v1)", nil, index9of9, "(*Decoder).Decode", engine.Panic, "other"},
	{"input, and a number of the caller's", "Data(); DecoderOf(v0); Skip(v1, 1)", []any{[]byte{1}, new(int)}, rt("runtime error: index out of range [7] with length 3"), "(*Decoder).Skip", engine.Panic, "other"},
	{"input, and a function of the caller's", "Data(); DecoderOf(v0); lit(); Visited(v1, v2)", []any{[]byte{1}, new(int)}, index9of9, "(*Decoder).Visited", engine.Panic, "other"},
	{"input, and a target", "Data(); DecoderOf(v0); DecodeTo(v1, 1)", []any{[]byte{1}, new(int)}, index9of9, "(*Decoder).DecodeTo", engine.Error, "parser"},
	{"input, and nil within", "Data(); DecoderOf(v0); Decode(v1)", []any{[]byte{1}, new(int)}, nilText, "(*Decoder).Decode", engine.Panic, "other"},
	{"input, and no error", "Data(); DecoderOf(v0); Depth(v1)", []any{[]byte{1}, new(int)}, index9of9, "(*Decoder).Depth", engine.Panic, "other"},
	{"limit: a less function", "less(); Sort(v0)", nil, negative1, "Sort", engine.Panic, "other"},
	{"limit: negative for one that refuses", "Parse(\"x\"); New(-1)", nil, rt("runtime error: index out of range [0] with length 0"), "New", engine.Suspect, "other"},
	{"limit: filled by hand", "Filled(0); Do(v0)", nil, nilText, "(*T).Do", engine.Suspect, "other"},
	{"limit: a field written", "New(1); SetField(v0, 0); Do(v0)", nil, nilText, "(*T).Do", engine.Suspect, "other"},
	{"limit: another filled by hand", "Filled(0); New(1); Do(v1)", nil, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: filled by hand, and refuses", "Filled(0); Data(); UnmarshalText(v0, v1)", []any{new(int), []byte{1}}, nilText, "(*T).UnmarshalText", engine.Suspect, "other"},
	{"limit: the type of what an earlier call was given", `New(1); Put(v0, "x"); Do(v0)`, nil, asserted, "(*T).Do", engine.Suspect, "other"},
	{"limit: the type of what another was given", `New(1); New(1); Put(v1, "x"); Do(v0)`, nil, asserted, "(*T).Do", engine.Panic, "other"},
	{"limit: a type that no call was given", "New(1); Put(v0, 1); Do(v0)", nil, asserted, "(*T).Do", engine.Panic, "other"},
	{"limit: a type that an earlier call returned", "New(1); Node(1); Put(v0, v1); Do(v0)", []any{new(int), "x"}, asserted, "(*T).Do", engine.Suspect, "other"},
	{"limit: a method that the type of what was given lacks", "New(1); Put(v0, 1); Do(v0)", nil, rt("interface conversion: int is not p.Ordered: missing method Less"), "(*T).Do", engine.Suspect, "other"},
	{"limit: nil has no type", "New(1); Put(v0, nil)", nil, nilAssert, "(*T).Put", engine.Suspect, "other"},
	{"limit: nil given before", "New(1); Put(v0, nil); Put(v0, 1)", nil, nilAssert, "(*T).Put", engine.Suspect, "other"},
	{"limit: nil in a list", "New(1); CopyTo(v0, 1)", []any{[]any{nil}}, nilAssert, "CopyTo", engine.Suspect, "other"},
	{"limit: a nil that nobody gave", "New(1); Put(v0, 1)", nil, nilAssert, "(*T).Put", engine.Panic, "other"},
	{"limit: a list too short", "New(1); Ints(); SumOf(v0, v1)", []any{new(int), []int{0}}, rt("runtime error: index out of range [1] with length 1"), "sum < (*T).SumOf", engine.Suspect, "other"},
	{"limit: a slice of a list too short", "New(1); Ints(); SumOf(v0, v1)", []any{new(int), []int{0}}, rt("runtime error: slice bounds out of range [4:1]"), "sum < (*T).SumOf", engine.Suspect, "other"},
	{"limit: a list of another length", "New(1); Ints(); SumOf(v0, v1)", []any{new(int), []int{0, 0}}, rt("runtime error: index out of range [1] with length 1"), "sum < (*T).SumOf", engine.Panic, "other"},
	{"limit: a list", "New(1); List(); SumOf(v0, v1)", []any{new(int), []int{0, 0}}, nilText, "(*T).SumOf", engine.Panic, "other"},
	{"limit: a list of lists", "New(1); List(); Lists(v1); With(v0, v2)", []any{new(int), []int{0, 0}}, nilText, "(*T).With", engine.Suspect, "other"},
	{"limit: a list of lists, before", "New(1); List(); Lists(v1); With(v0, v2); Do(v0)", []any{new(int), []int{0, 0}}, nilText, "(*T).Do", engine.Suspect, "other"},
	{"limit: a list of lists, for another", "New(1); List(); Lists(v1); With(v0, v2); New(1); Do(v3)", []any{new(int), []int{0, 0}}, nilText, "(*T).Do", engine.Panic, "other"},
	{"limit: a list of bytes", "New(1); Data(); ByteLists(v1); With(v0, v2)", []any{new(int), []byte{0, 0}}, nilText, "(*T).With", engine.Panic, "other"},
	{"limit: an ordering", "order(); NewWith(v0); Do(v1)", nil, negative1, "(*T).Do", engine.Panic, "other"},
}

func TestPanic(t *testing.T) {
	b := testTable()
	for _, c := range panicCases {
		t.Run(c.name, func(t *testing.T) {
			f := facts(b, c.steps, c.values, c.value, c.stack)
			if got := Panic(f).Tier; got != c.want {
				t.Errorf("tier %v, want %v: %s", got, c.want, Panic(f).Reason)
			}
			s := newScene(f)
			if v := Panic(f); v.Rule != c.rule && (v.Tier != engine.Suspect || !slices.ContainsFunc(slices.Concat(doubtRules, limits, crashLimits), func(l rule) bool { return l.name == v.Rule })) {
				t.Errorf("the verdict has rule %q, want %q or a limit", v.Rule, c.rule)
			}
			if got := decider(s, panicRules(s.thrownAs())); got != c.rule {
				t.Errorf("rule %q decides, want %q", got, c.rule)
			}
		})
	}
}

// TestEvidence sees that a verdict names all rules and limits that apply, if it is asked to.
func TestEvidence(t *testing.T) {
	b := testTable()
	f := facts(b, "FromParts(1); Filled(0); Merge(v0, v1)", nil, nilText, "(*T).Merge")
	if v := Panic(f); v.Rule != "duty" || v.Applies != nil {
		t.Errorf("rule %q, evidence %q, want duty and none", v.Rule, v.Applies)
	}
	f.All = true
	checkEqual(t, "limits", strings.Join(Panic(f).Applies, ", "), "duty, built")
	f = facts(b, "Zero(); FromParts(1); Merge(v1, v0)", nil, nilText, "(*T).Merge")
	f.All = true
	checkEqual(t, "rules and limits", strings.Join(Panic(f).Applies, ", "), "zero, duty")
	v := Death(facts(b, "Zero(); Grow(v0, -1)", nil, nil, ""), hang("running", "(*T).Grow"))
	checkEqual(t, "of a death", strings.Join(v.Applies, ", "), "zero, large, number")
}

// decider returns the name of the first rule that applies to s.
func decider(s *scene, rules []rule) string {
	r, _ := s.decide(rules)
	return r.Rule
}

// settled returns the tier of a verdict on s by some rules.
func settled(s *scene, rules []rule) engine.Tier {
	return new(engine.Verdict).Settle(s.decide(rules)).Tier
}

// TestElsewhere: a method of an interface of another package is elsewhere if the object is.
func TestElsewhere(t *testing.T) {
	b := seqtest.NewBuilder()
	b.Table.Package = "foray.test/engine"
	own, handler := b.Add(seq.Method, "(*T).WithGroup(string) any"), b.Add(seq.Method, "(slog.Handler).WithGroup(string) any")
	b.Table.Types[b.Type("*p.T")].Path = b.Table.Package
	for _, c := range []struct {
		op   seq.OpID
		v    any
		want bool
	}{
		{handler, slog.NewTextHandler(io.Discard, nil), true},
		{handler, &seq.Literal{}, false},
		{handler, &seqtest.Builder{}, false},
		{handler, nil, false},
		{handler, 1, false},
		{own, slog.NewTextHandler(io.Discard, nil), false},
	} {
		if got := Elsewhere(&b.Table, &b.Table.Ops[c.op], c.v); got != c.want {
			t.Errorf("%s of a %T: elsewhere %v, want %v", b.Table.Ops[c.op].Member, c.v, got, c.want)
		}
	}
}

// TestPanicRulesMatter sees that for each rule there is a case whose tier is
// another without it.
func TestPanicRulesMatter(t *testing.T) {
	b := testTable()
	var scenes []*scene
	for _, c := range panicCases {
		s, late := newScene(facts(b, c.steps, c.values, c.value, c.stack)), newScene(facts(b, c.steps, c.values, c.value, c.stack))
		late.late = true
		scenes = append(scenes, s, late)
	}
	lists := []struct {
		name  string
		rules []rule
		of    func(*scene) bool
	}{
		{"explicit", panicRules(explicit), func(s *scene) bool { return s.class == explicit }},
		{"runtime", panicRules(otherRuntime), func(s *scene) bool { return s.class != explicit }},
	}
	for _, l := range lists {
		for i, r := range l.rules {
			if r.name == "other" || l.name == "runtime" && r.name == "thrown" || l.name == "explicit" && r.name == "range-func" ||
				// The common rules are shared: one list is enough.
				l.name == "explicit" && (r.name == "own code" || r.name == "own expression" || r.name == "foreign") {
				continue
			}
			matters := false
			for _, s := range scenes {
				if l.of(s) {
					with := settled(s, l.rules)
					less := settled(s, without(l.rules, i))
					matters = matters || with != less
				}
			}
			if !matters {
				t.Errorf("%s rule %q: no case needs it", l.name, r.name)
			}
		}
	}
}

// TestLimitsMatter does the same for the limits.
func TestLimitsMatter(t *testing.T) {
	b := testTable()
	for _, list := range []*[]rule{&limits, &crashLimits} {
		testLimitsMatter(t, b, list)
	}
}

func testLimitsMatter(t *testing.T, b *seqtest.Builder, list *[]rule) {
	all := *list
	defer func() { *list = all }()
	for i, l := range all {
		*list = append(append([]rule(nil), all[:i]...), all[i+1:]...)
		matters := false
		for _, c := range panicCases {
			matters = matters || Panic(facts(b, c.steps, c.values, c.value, c.stack)).Tier != c.want
		}
		if !matters {
			t.Errorf("limit %q: no case needs it", l.name)
		}
	}
}
