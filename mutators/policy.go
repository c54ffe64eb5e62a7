package mutators

// The numbers of this file bound how much an edit proposes, and say how often the edits that
// draw make each choice. "Not measured" marks numbers that were chosen without a comparison
// with others. docs/bench/left-out.md tells how much some edits are worth at all. Boundary
// values stand with the edit that puts them in.

// Bounds of what goes in.

// moreSteps is how much longer than twice the witness a proposal may get, and maxString how
// long a string, if the caller sets no bound. Not measured.
const (
	moreSteps = 64
	maxString = 256
)

// keptBytes is the length of the longest string that may keep its length when it is edited, as the
// file of a test may. A longer one takes too long to copy for each edit. In 8 s of one worker, three
// seeds, tag had 1,347 sides with it and 1,230 without, goexif 338 and 326. Four other packages had as
// many with it, within two.
const keptBytes = 8 << 10

// maxNumber bounds the integers that no comparison showed, for one taken as a size costs
// memory. Operands that were compared are not bounded. Not measured.
const maxNumber = 1 << 16

// maxRepeat bounds how often an edit repeats a step or an argument. Not measured.
const maxRepeat = 512

// repetitionsOfSteps are the numbers of repetitions if the condition names none: one,
// a handful, past the first growth of most containers, past a page of a B-tree. Not measured.
var repetitionsOfSteps = []int{1, 2, 9, 39, 150}

// Bounds of the proposals of one edit.

// maxPairs bounds the distinct pairs that edits go by, maxVisits how far back they look for them: a
// loop over a large slice visits its condition for each element. Not measured.
const (
	maxPairs  = 16
	maxVisits = 256
)

// maxSpans bounds the places in one string that an edit looks at. Not measured.
const maxSpans = 16

// maxStates bounds the components that states tries in one place. Not measured.
const maxStates = 16

// maxClosureWords bounds the words that a closure is tried with that returns its argument.
// Not measured.
const maxClosureWords = 8

// maxUnknowns bounds the numbers of a witness that are solved for, and maxSecants the steps of
// the secant method for each: if it succeeds, it is fast. Not measured.
const (
	maxUnknowns = 16
	maxSecants  = 4
)

// maxPerturbed bounds the values, and the operations, that are put in the place of one to
// find the conditions that it influences. Not measured.
const maxPerturbed = 2

// draws is how many proposals an edit that draws makes each time it is called. Not measured.
const draws = 8

// Drawn calls: where each argument comes from.

// An argument of a drawn call is a literal, if one fits, but once in noLiteralOneIn times. Else it is one
// of the last liveSlots slots, but once in noReuseOneIn times. Else it is a component or the result of
// another call. A literal is an operand of the condition once in operandOneIn times. Not measured.
const (
	noLiteralOneIn = 8
	noReuseOneIn   = 4
	liveSlots      = 4
	operandOneIn   = 4
)

// maxDraftDepth bounds how deep calls that make arguments nest. Not measured.
const maxDraftDepth = 3

// variadicRange is the number of lengths of variadic arguments: from none on. Not measured.
const variadicRange = 4

// allUsesOneIn is how often a value is replaced in all its uses, not in one. Not measured.
const allUsesOneIn = 2

// Drawn edits: of literals, strings and bytes.

// maxStack is how many edits havoc makes of one sequence. One is of a literal literalOf8 times in 8.
// maxMore is how many more of a step it makes. Not measured.
const (
	maxStack   = 6
	literalOf8 = 6
	maxMore    = 8
)

// A string that looks like bytes, by its first maxLook, is edited as such once in asBytesOneIn
// times. Other strings are edited as text, but once in replacedOneIn times. Then they are replaced, as
// other literals are. A draw of 8 below operandClass gives an operand, one below changeClass the literal a
// little changed, any other a word. Not measured.
const (
	maxLook       = 32
	asBytesOneIn  = 2
	replacedOneIn = 4
	operandClass  = 3
	changeClass   = 6
)

// A draw of 8 below otherTextClass gives another string of the witness for a word, one below
// operandTextClass an operand, any other a word of the pool. Not measured.
const (
	otherTextClass   = 1
	operandTextClass = 4
)

// The literal of an entry is edited again but once in lastEditOneIn times. A string is then
// taken for bytes once in bytesOneIn times. Not measured.
const (
	lastEditOneIn = 2
	bytesOneIn    = 3
)

// maxByteEdits bounds the edits of a string that is taken for bytes. maxRange bounds the bytes that
// one of them copies or fills, and maxStep how far an integer moves. Not measured.
const (
	maxByteEdits = 4
	maxRange     = 32
	maxStep      = 16
)

// repeatTimes is the number of ways to repeat a range of a string: from twice on. Not measured.
const repeatTimes = 4
