package contract

import (
	"bytes"
	"strconv"

	"foray.test/engine"
	"foray.test/engine/seq"
	"foray.test/harness/contract/property"
)

const (
	docHash      = `package hash, Hash: "Sum appends the current hash to b and returns the resulting slice. It does not change the underlying hash state"; "Size returns the number of bytes Sum will return"; Write "never returns an error"`
	docHashWrite = `package hash, Hash: "Write […] adds more data to the running hash", whatever part of it comes with which call`
	docHashReset = `package hash, Hash: "Reset resets the Hash to its initial state"`
)

// hashing lists for types with a hash of integer type that it stays the same and, if
// they have Equal, that equal values have equal hashes.
func hashing(a *api) []Contract {
	var all []Contract
	a.every("Hash HashCode Hash32 Hash64", "-> Number", func(hash operation) {
		if hash.Kind != seq.Method || hash.Pre.Panics {
			return
		}
		d := a.draft(hash, engine.Error, "a value that has not changed has the same hash: package hash/maphash")
		all = append(all, of1(d.named("hash-stable", "asked twice, it has two hashes", nil), property.HashStable, intOf(hash)))
		if equal := a.one(d.Type, equalNames, "_ -> Bool"); equal.exists() && a.binary(equal.Operation) {
			d.Doc = "equal values have equal hashes: package hash/maphash, Hasher; [Pacheco09 fig. 7-3]"
			// -0 and +0 are equal and have different bits: whoever hashes floats knows.
			all = append(all, both2(d.named("equal-hash", "two equal values have different hashes", anyFloat), property.EqualHash, boolOf(equal), intOf(hash)))
		}
	})
	return all
}

// A hashType is what a type offers that is a hash.Hash.
type hashType struct {
	write, sum, reset, block         seq.OpID
	writeOp, sumOp, resetOp, blockOp *seq.Operation
}

// hash returns what type id offers, if it is a hash.Hash.
func (a *api) hash(id seq.TypeID) (h hashType, ok bool) {
	h.write, h.writeOp = a.method(id, "Write", func(op *seq.Operation) bool { return streamRules[1].fits(a.t, op) })
	h.sum, h.sumOp = a.method(id, "Sum", a.appends)
	h.reset, h.resetOp = a.method(id, "Reset", func(op *seq.Operation) bool { return len(op.Params) == 1 && len(op.Results) == 0 })
	h.block, h.blockOp = a.find(id, "BlockSize", 1, seq.Int)
	return h, h.writeOp != nil && h.sumOp != nil && h.resetOp != nil && h.blockOp != nil
}

// appends reports whether op is a method that takes bytes and returns bytes.
func (a *api) appends(op *seq.Operation) bool {
	return len(op.Params) == 2 && len(op.Results) == 1 && a.t.Types[op.Params[1]].Name == "[]byte" && op.Results[0] == op.Params[1]
}

// hashLaws lists the rules of package hash.
func hashLaws(a *api) []Law {
	var all []Law
	a.eachMethod("Write", func(id seq.OpID, op *seq.Operation) {
		if !streamRules[1].fits(a.t, op) || !a.has(op.Params[0], "Sum") || !a.has(op.Params[0], "BlockSize") {
			return
		}
		law := Law{On: id, Op: id, Tier: engine.Error}
		all = append(all, writeSums(law))
		if h, ok := a.hash(op.Params[0]); ok {
			all = append(all, h.splits(law))
		}
	})
	a.eachMethod("Sum", func(id seq.OpID, op *seq.Operation) {
		size, sizeOp := a.find(op.Params[0], "Size", 1, seq.Int)
		if sizeOp != nil && a.has(op.Params[0], "BlockSize") && a.appends(op) {
			all = append(all, sums(Law{On: id, Op: id}, op, size, sizeOp))
		}
	})
	for i := range a.t.Ops {
		op := &a.t.Ops[i]
		if op.Kind != seq.Func && op.Kind != seq.Composite || len(op.Results) != 1 {
			continue
		}
		// Where there is a seed, Reset may go to another than the hash was made with.
		h, ok := a.hash(op.Results[0])
		if seeded := ok && (len(op.Params) > 0 && says(h.resetOp, "seed") || a.has(op.Results[0], "ResetWithSeed SetSeed")); ok && !seeded {
			all = append(all, h.resets(Law{On: seq.OpID(i), Op: h.reset, Tier: engine.Error}))
		}
	}
	return all
}

// writeSums is that a hash takes all.
func writeSums(law Law) Law {
	law.Name, law.Doc = "hash-write", docHash
	law.Check = func(c *Call, _ any) *Breach {
		if c.Results[1] == nil {
			return nil
		}
		return &Breach{Detail: "it returns an error", Assert: c.result(1) + " == nil"}
	}
	return law
}

// maxBlock is how long a block may be of a hash whose writes are split: what is written
// fills two.
const maxBlock = 256

// splits is that data may be written in any number of parts. It is held of the bytes
// of the call, repeated so that they fill blocks.
func (h hashType) splits(law Law) Law {
	law.Name, law.Doc, law.Changes = "hash-split", docHashWrite, true
	law.Check = func(c *Call, _ any) *Breach {
		p := c.Args[1].([]byte)
		size, ok := callInt(c, h.block, c.Args[0])
		if !ok || size < 1 || size > maxBlock || len(p) == 0 || len(p) > maxBlock {
			return nil
		}
		times := 2 + 2*int(size)/len(p)
		data := bytes.Repeat(p, times)
		whole, ok := h.digest(c, data)
		if again, ok2 := h.digest(c, data); !ok || !ok2 || again != whole {
			return nil
		}
		for _, cut := range []int{1, len(data) / 2, len(data) - 1} {
			if parts, ok := h.digest(c, data[:cut], data[cut:]); !ok || parts == whole {
				continue
			}
			at := strconv.Itoa(cut)
			return &Breach{
				Detail: "what is written in two parts has another sum than the whole",
				Assert: block(
					"sum := func(parts ...[]byte) string {", expr(h.resetOp, c.arg(0)), "for _, p := range parts {", expr(h.writeOp, c.arg(0), "p"), "}",
					"return string("+expr(h.sumOp, c.arg(0), "nil")+")", "}",
					"data := "+c.std("bytes")+"Repeat("+c.arg(1)+", "+strconv.Itoa(times)+")",
					"return sum(data) == sum(data[:"+at+"], data["+at+":])",
				),
			}
		}
		return nil
	}
	return law
}

// digest returns the sum of parts, written one by one to the call's receiver once it
// was reset.
func (h hashType) digest(c *Call, parts ...[]byte) (sum string, ok bool) {
	if c.ask(h.reset, c.Args[0]) == nil {
		return "", false
	}
	for _, p := range parts {
		if c.ask(h.write, c.Args[0], p) == nil {
			return "", false
		}
	}
	return h.total(c, c.Args[0])
}

func (h hashType) total(c *Call, of any) (sum string, ok bool) {
	total, ok := one(c, h.sum, of, []byte(nil))
	if !ok {
		return "", false
	}
	b, ok := total.([]byte)
	return string(b), ok
}

// resets is that a hash which was reset is as it was when it was new.
func (h hashType) resets(law Law) Law {
	law.Name, law.Doc, law.Changes = "hash-reset", docHashReset, true
	law.Check = func(c *Call, _ any) *Breach {
		of := c.Results[0]
		first, ok := h.total(c, of)
		if !ok || c.ask(h.write, of, []byte("foray")) == nil || c.ask(h.reset, of) == nil {
			return nil
		}
		if after, ok := h.total(c, of); !ok || after == first {
			return nil
		}
		name := c.result(0)
		return &Breach{
			Detail: "its sum is not what it was when it was new",
			Assert: block("sum := "+expr(h.sumOp, name, "nil"), expr(h.writeOp, name, `[]byte("foray")`), expr(h.resetOp, name),
				"return "+c.std("bytes")+"Equal(sum, "+expr(h.sumOp, name, "nil")+")"),
		}
	}
	return law
}

// sums is that Sum appends as many bytes as Size says, and the same when asked again.
func sums(law Law, op *seq.Operation, size seq.OpID, sizeOp *seq.Operation) Law {
	law.Name, law.Tier, law.Doc = "hash-sum", engine.Error, docHash
	law.See = func(c *Call) (any, bool) {
		b, ok := c.Args[1].([]byte)
		return bytes.Clone(b), ok
	}
	law.Check = func(c *Call, seen any) *Breach {
		sum, ok := c.Results[0].([]byte)
		n, ok2 := callInt(c, size, c.Args[0])
		again, ok3 := one(c, law.On, c.Args[0], bytes.Clone(seen.([]byte)))
		if !ok || !ok2 || !ok3 {
			return nil
		}
		prefix := seen.([]byte)
		if !bytes.Equal(again.([]byte), sum) {
			return &Breach{
				Detail: "a second Sum is another", Before: c.std("bytes") + "Clone(" + c.arg(1) + ")",
				Assert: c.std("bytes") + "Equal(" + expr(op, c.arg(0), "before") + ", " + c.result(0) + ")",
			}
		}
		if int64(len(sum)) == int64(len(prefix))+n && bytes.HasPrefix(sum, prefix) {
			return nil
		}
		return &Breach{
			Detail: "it does not append as many bytes as Size says", Before: c.std("bytes") + "Clone(" + c.arg(1) + ")",
			Assert: "len(" + c.result(0) + ") == len(before) + " + expr(sizeOp, c.arg(0)) + " && " + c.std("bytes") + "HasPrefix(" + c.result(0) + ", before)",
		}
	}
	return law
}
