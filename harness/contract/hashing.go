package contract

import (
	"bytes"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/blame"
	"foray.test/harness/contract/property"
)

const (
	docHash      = `package hash, Hash: "Sum appends the current hash to b and returns the resulting slice. It does not change the underlying hash state"; "Size returns the number of bytes Sum will return"; Write "never returns an error"`
	docHashWrite = `package hash, Hash: "Write […] adds more data to the running hash", whatever part of it comes with which call`
	docHashReset = `package hash, Hash: "Reset resets the Hash to its initial state"`
)

// hashing adds for types with a hash of integer type that it stays the same and, if
// they have Equal, that equal values have equal hashes.
func hashing(a *api, add func(...Contract)) {
	a.everyMethod("Hash", "-> Number", func(hash operation) {
		if hash.Pre.Panics {
			return
		}
		d := a.draft(hash, engine.ClaimPromise, "a value that has not changed has the same hash: package hash/maphash")
		add(of1(d.named("hash-stable", "asked twice, it has two hashes", nil), property.HashStable, operation.int, hash))
		if equal := a.equal(d.Type); equal.exists() {
			d.Doc = "equal values have equal hashes: package hash/maphash, Hasher; [Pacheco09 fig. 7-3]"
			// -0 and +0 are equal and have different bits. Authors of hashes of floats know
			// that.
			add(both2(d.named("equal-hash", "two equal values have different hashes", anyFloat), property.EqualHash, operation.bool, equal, operation.int, hash))
		}
	})
}

// A hashType has the operations of a type that implements hash.Hash.
type hashType struct{ write, sum, reset, block operation }

const sumShape = "[]byte -> []byte"

// hash returns the operations of type id if it implements hash.Hash.
func (a *api) hash(id seq.TypeID) (h hashType, ok bool) {
	h = hashType{a.methodOf(id, "Write", writeShape), a.methodOf(id, "Sum", sumShape), a.methodOf(id, "Reset", "->"), a.methodOf(id, "BlockSize", "-> Int")}
	return h, h.write.exists() && h.sum.exists() && h.reset.exists() && h.block.exists()
}

// hashLaws adds the rules of package hash.
func hashLaws(a *api, add func(...Law)) {
	a.everyMethod("Write", writeShape, func(write operation) {
		if !a.has(write.Params[0], "Sum") || !a.has(write.Params[0], "BlockSize") {
			return
		}
		add(write.law("hash-write", engine.ClaimPromise, docHash).checked(func(c *Call) *Breach {
			return check1(c, property.HashWrite, output[error](c, 1)).says("it returns an error")
		}))
		if h, ok := a.hash(write.Params[0]); ok {
			add(h.splits(write))
		}
	})
	a.everyMethod("Sum", sumShape, func(sum operation) {
		if size := a.methodOf(sum.Params[0], "Size", "-> Int"); size.exists() && a.has(sum.Params[0], "BlockSize") {
			add(sums(sum, size))
		}
	})
	for _, made := range a.ops {
		if made.Kind != seq.Func && made.Kind != seq.Composite || len(made.Results) != 1 {
			continue
		}
		// Where there is a seed, Reset may go to another than the hash was made with.
		h, ok := a.hash(made.Results[0])
		if seeded := ok && h.reset.says("seed"); ok && !seeded {
			add(h.resets(made))
		}
	}
}

// sums returns operation o as Sum of a hash.
func (c *Call) sums(o operation) term[func(any, []byte) []byte] {
	sum := o.bytes(c)
	return calls(func(x any, b []byte) []byte { return sum(x, b) }, o)
}

// maxBlock is the largest block size of a hash that the law on split writes checks.
// The law writes at least two blocks.
const maxBlock = 256

// splits is the law that data may be written in any number of parts. It writes the bytes
// of the call, repeated to fill blocks.
func (h hashType) splits(write operation) Law {
	return write.law("hash-split", engine.ClaimPromise, docHashWrite).changing().checked(func(c *Call) *Breach {
		p := input[[]byte](c, 1)
		size, ok := said(h.block.int(c), c.Args[0])
		if !ok || size < 1 || size > maxBlock || len(p.value) == 0 || len(p.value) > maxBlock {
			return nil
		}
		times := 2 + 2*size/len(p.value)
		all := times * len(p.value)
		reset, write, sum := c.all(h.reset), c.all(h.write), c.sums(h.sum)
		whole := func() string {
			reset.value(c.Args[0])
			write.value(c.Args[0], bytes.Repeat(p.value, times))
			return string(sum.value(c.Args[0], nil))
		}
		//lint:ignore SA4000 the hash of the whole text is taken twice
		if fails(func() bool { return whole() == whole() }) {
			return nil
		}
		for _, cut := range []int{1, all / 2, all - 1} {
			if b := check7(c, property.HashSplit, reset, write, sum, c.in(0), p, wholeNumber(times), wholeNumber(cut)); b != nil {
				return b.says("what is written in two parts has another sum than the whole")
			}
		}
		return nil
	})
}

// resets is the law that Reset returns a hash to its initial state. It makes the hash anew: one
// that the call was given may have been written to before.
func (h hashType) resets(made operation) Law {
	return made.law("hash-reset", engine.ClaimPromise, docHashReset).blaming(h.reset).changing().checked(func(c *Call) *Breach {
		hash := seq.Slot(len(c.vals) - 1)
		text, ok := c.making(hash)
		if !ok {
			return nil
		}
		x, ok := c.remade(hash)
		if !ok || blame.IsNil(x) {
			return nil
		}
		return check4(c, property.HashReset, c.all(h.write), c.all(h.reset), c.sums(h.sum), literal(x, text)).says("its sum is not what it was when it was new")
	})
}

// sums is the law that Sum appends Size bytes, and the same when called again.
func sums(sum, size operation) Law {
	law := sum.law("hash-sum", engine.ClaimPromise, docHash)
	law.See = func(c *Call) (any, bool) { return look1(property.Cloned, input[[]byte](c, 1)) }
	law.Check = func(c *Call, seen any) *Breach {
		got, prefix := output[[]byte](c, 0), before[[]byte](seen)
		if b := check4(c, property.SumAgain, c.sums(sum), c.in(0), got, prefix); b != nil {
			return b.says("a second Sum is another")
		}
		return check4(c, property.SumSize, c.int(size), c.in(0), got, prefix).says("it does not append as many bytes as Size says")
	}
	return law
}
