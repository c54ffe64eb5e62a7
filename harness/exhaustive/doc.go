// Package exhaustive runs a test on all small inputs. It shows that nothing fails up
// to a bound, and needs the standard library only.
//
// A generator is a function that asks for choices. [Generate] runs it once for every
// way to answer them:
//
//	func trees(c *exhaustive.C, n int) *Node {
//		if n == 0 {
//			return nil
//		}
//		l := c.Int(0, n-1)
//		return &Node{Left: trees(c, l), Right: trees(c, n-1-l)}
//	}
//
//	for c, t := range exhaustive.All(func(c *exhaustive.C) *Node { return trees(c, c.Int(0, 6)) }) {
//		if err := check(t); err != nil {
//			tt.Fatalf("case %v: %v", c, err)
//		}
//	}
//
// There are five ways to describe the inputs:
//
//   - A generator builds what is easy to build and assumes the rest: [C.Assume],
//     [Pool], [DelayedPool] ([Gligoric09]).
//   - A predicate over cells says which structures are valid. [Search] chooses the
//     value of a cell when the predicate first reads it ([Ref], [Val]; Korat).
//   - An [Enum] counts before it builds. It has the i-th value and uniform samples.
//   - [Everything] chooses all fields of a struct that was not made for this package.
//     The command foray twin writes cells and a search for it, which is far faster.
//   - [Explore] calls operations, and goes on once from each state ([Visser04 §4.1]).
//
// [Cases.Test] checks every case and [Compare] runs two implementations on each. Both
// show the first failure, minimized.
//
// A case has an identity, the answers in order: "3.0.1.2". It repeats the case
// ([Cases.Replay]), is minimized ([Cases.Minimize]), divides the work between
// goroutines (Workers), and stands for an input of go test -fuzz ([Cases.Decode]).
//
// Two values count as one if they differ by the identity of objects of a pool only.
// Numbers are never permuted.
package exhaustive
