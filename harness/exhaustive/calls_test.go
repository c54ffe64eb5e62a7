package exhaustive_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foray.test/harness/exhaustive"
)

// A searchTree is a set of numbers. bug breaks remove.
type searchTree struct {
	root *tree
	bug  bool
}

func (s *searchTree) put(key int) {
	at := &s.root
	for *at != nil && (*at).key != key {
		at = (*at).side(key)
	}
	if *at == nil {
		*at = &tree{key: key}
	}
}

func (t *tree) side(key int) **tree {
	if key < t.key {
		return &t.left
	}
	return &t.right
}

func (s *searchTree) remove(key int) {
	at := &s.root
	for *at != nil && (*at).key != key {
		at = (*at).side(key)
	}
	switch t := *at; {
	case t == nil:
	case t.left == nil:
		*at = t.right
	case t.right == nil || s.bug:
		*at = t.left
	default:
		next := &t.right
		for (*next).left != nil {
			next = &(*next).left
		}
		t.key = (*next).key
		*next = (*next).right
	}
}

// searchTreeOps are operations with keys from 1 to n.
func searchTreeOps(n int) []exhaustive.Op[*searchTree] {
	return []exhaustive.Op[*searchTree]{
		{"Put", func(c *exhaustive.C, s *searchTree) error {
			s.put(c.Int(1, n))
			return nil
		}},
		{"Remove", func(c *exhaustive.C, s *searchTree) error {
			s.remove(c.Int(1, n))
			return nil
		}},
	}
}

func newSearchTree() *searchTree { return new(searchTree) }

func inOrder(s *searchTree) error {
	if keys := s.root.keys(nil); !slices.IsSorted(keys) {
		return fmt.Errorf("keys %v", keys)
	}
	return nil
}

// appendShape appends a text of a tree, with its keys or without.
func (t *tree) appendShape(b []byte, keys bool) []byte {
	if t == nil {
		return append(b, '.')
	}
	if b = append(b, '('); keys {
		b = append(b, byte(t.key))
	}
	return append(t.right.appendShape(t.left.appendShape(b, keys), keys), ')')
}

// The search trees over n keys are the sum of C(n,k) times the k-th Catalan number. Each of them is
// left by some sequence, and each state has 2n calls.
func TestExploreCounts(t *testing.T) {
	for n, want := range map[int]int64{1: 2, 2: 5, 3: 15, 4: 51, 5: 188, 6: 731} {
		calls := exhaustive.Explore(newSearchTree, searchTreeOps(n))
		calls.Depth = n + 1
		for name, abstract := range map[string]func(*searchTree) any{"whole": nil, "text": func(s *searchTree) any { return s.root.appendShape(nil, true) }} {
			calls.Abstract = abstract
			got, err := calls.Check(inOrder)
			if err != nil {
				t.Fatal(err)
			}
			if want := (exhaustive.Explored{Depth: n + 1, States: want, Transitions: 2 * int64(n) * want}); got != want {
				t.Errorf("%d keys, %s: %+v, want %+v", n, name, got, want)
			}
		}
	}
}

// By shape, of [Pacheco09 §8.1], and by one that the user gives.
func TestExploreShapes(t *testing.T) {
	calls := exhaustive.Explore(newSearchTree, searchTreeOps(4))
	calls.Depth = 5
	for _, shape := range []bool{true, false} {
		calls.Shape = shape
		calls.Abstract = func(s *searchTree) any { return string(s.root.appendShape(nil, false)) }
		if shape {
			calls.Abstract = nil
		}
		got, err := calls.Check(inOrder)
		// The tree of 1 stands for all of one node. It has no smaller key, so of the 23 shapes
		// of up to four nodes only those without a left side are left.
		if want := (exhaustive.Explored{Depth: 5, States: 5, Transitions: 5 * 8}); err != nil || got != want {
			t.Errorf("shape %v: %+v, %v, want %+v", shape, got, err, want)
		}
	}
}

// All has one of the shortest sequences for each state, as walking all sequences shows.
func TestExploreShortest(t *testing.T) {
	calls := exhaustive.Explore(newSearchTree, searchTreeOps(3))
	calls.Depth = 4
	shortest := map[string]int{}
	length := func(c *exhaustive.C) (n int) {
		fmt.Sscan(c.String(), &n)
		return n
	}
	for c, s := range calls.Cases().All() {
		key := string(s.root.appendShape(nil, true))
		if n, ok := shortest[key]; !ok || length(c) < n {
			shortest[key] = length(c)
		}
	}
	last := 0
	for c, s := range calls.All() {
		key := string(s.root.appendShape(nil, true))
		if n := length(c); n != shortest[key] || n < last {
			t.Errorf("case %v leaves %v, which takes %d calls", c, s.root, shortest[key])
		}
		last = length(c)
		delete(shortest, key)
		if again, err := calls.Cases().Replay(c.String()); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("case %v: Replay returns %v, %v", c, again, err)
		}
	}
	if len(shortest) > 0 {
		t.Errorf("states that All lacks: %v", shortest)
	}
}

// A failure is shown by one of the shortest sequences, with lower arguments, however it fails.
func TestExploreFails(t *testing.T) {
	broken := func() *searchTree { return &searchTree{bug: true} }
	grown := func(how func(n int) error) []exhaustive.Op[*searchTree] {
		return append(searchTreeOps(5), exhaustive.Op[*searchTree]{"Grow", func(c *exhaustive.C, s *searchTree) error {
			by := exhaustive.OneOf(c, "a", "b")
			if n := len(s.root.keys(nil)); n > 1 && by == "b" {
				return how(n)
			}
			s.put(c.Int(7, 7))
			return nil
		}})
	}
	size := func(s *searchTree) error {
		if s.root != nil && s.root.key != 5 && s.root.right != nil {
			return errors.New("a right side")
		}
		return nil
	}
	for _, tt := range []struct {
		name  string
		start func() *searchTree
		ops   []exhaustive.Op[*searchTree]
		check func(*searchTree) error
		want  []string
	}{
		{"check", newSearchTree, searchTreeOps(5), size, []string{
			"exhaustive: case 2.0.0.0.1 fails: a right side", "value: Put(1), Put(2) leaves ", "minimized from case 2.0.0.0.1, after 12 runs", `to run it again: Replay("2.0.0.0.1")`,
		}},
		{"an error", newSearchTree, grown(func(n int) error { return fmt.Errorf("%d keys", n) }), inOrder, []string{
			"exhaustive: case 3.0.0.0.1.2.1 fails: 2 keys\n", "value: Put(1), Put(2), Grow(b) leaves ",
		}},
		{"a panic", newSearchTree, grown(func(n int) error { panic(n) }), inOrder, []string{
			"exhaustive: case 3.0.0.0.1.2.1 fails: panic at calls_test.go:", ": 2\n", "value: Put(1), Put(2), Grow(b) leaves ",
		}},
		{"a check that panics", newSearchTree, searchTreeOps(5), func(*searchTree) error { panic("no") }, []string{
			"exhaustive: case 0 fails: panic at calls_test.go:", "value: no call leaves ",
		}},
		{"remove", broken, []exhaustive.Op[*searchTree]{searchTreeOps(3)[0], {"Remove", func(c *exhaustive.C, s *searchTree) error {
			key := c.Int(1, 3)
			before := len(s.root.keys(nil))
			s.remove(key)
			if after := len(s.root.keys(nil)); before > after+1 {
				return fmt.Errorf("%d keys, then %d", before, after)
			}
			return nil
		}}}, inOrder, []string{"fails: 3 keys, then 1\n", "value: Put(2), Put(1), Put(3), Remove(2) leaves "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			exhaustive.Explore(tt.start, tt.ops).Test(f, tt.check)
			text := strings.Join(f.errors, "\n")
			for _, part := range tt.want {
				if !strings.Contains(text, part) {
					t.Errorf("got\n%s\nwant %q", text, part)
				}
			}
		})
	}
}

// A call that breaks a precondition is no part of a sequence, whichever way it says so.
func TestExploreDrops(t *testing.T) {
	for _, panics := range []bool{false, true} {
		calls := exhaustive.Explore(func() *[]int { return new([]int) }, []exhaustive.Op[*[]int]{
			{"Push", func(c *exhaustive.C, s *[]int) error {
				*s = append(*s, c.Int(0, 1))
				return nil
			}},
			{"Pop", func(c *exhaustive.C, s *[]int) error {
				if panics {
					c.Assume(len(*s) > 0)
				} else if len(*s) == 0 {
					c.Drop()
					return nil
				}
				*s = (*s)[:len(*s)-1]
				return nil
			}},
		})
		calls.Depth = 3
		got, err := calls.Check(func(*[]int) error { return nil })
		// An empty slice is not a nil one.
		if want := (exhaustive.Explored{Depth: 3, States: 1 + 2 + 4 + 8 + 1, Transitions: 3 * (1 + 2 + 4 + 1), Dropped: 2}); err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
}

// What exploring reports of mistakes, in a line each.
func TestExploreTrouble(t *testing.T) {
	type set = map[int]bool
	add := func(c *exhaustive.C, s set) error {
		s[c.Int(0, 9)] = true
		return nil
	}
	fine := func(set) error { return nil }
	for _, tt := range []struct {
		name  string
		calls func(x *exhaustive.Calls[set])
		do    func(c *exhaustive.C, s set) error
		want  string
	}{
		{"states", func(x *exhaustive.Calls[set]) { x.States = 40 }, add, "more than 40 states: use smaller bounds, an abstraction, or raise States; all sequences of at most 1 calls: 41 states, "},
		{"transitions", func(x *exhaustive.Calls[set]) { x.Limit = 5000 }, func(c *exhaustive.C, s set) error {
			s[c.Int(0, 99)] = true
			return nil
		}, "more than 5000 transitions: at least about "},
		{"chance", nil, func(c *exhaustive.C, s set) error {
			s[rand.Int()] = true
			return nil
		}, "exhaustive: case 1: not deterministic: the calls have left another state when they were run again"},
		{"other choices", nil, func(c *exhaustive.C, s set) error {
			s[c.Int(0, 1+rand.IntN(1<<30))] = true
			return nil
		}, "not deterministic: choice 2 had "},
		{"an empty domain", nil, func(c *exhaustive.C, s set) error {
			c.Int(1, 0)
			return nil
		}, ": a choice among 0 values: every domain needs one"},
		{"large", func(x *exhaustive.Calls[set]) {
			x.Abstract = func(s set) any { return make([]*int, len(s)<<17) }
		}, add, "a state of more than 65536 parts: set Abstract"},
		{"no operation", nil, nil, "exhaustive: no operations"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ops []exhaustive.Op[set]
			if tt.do != nil {
				ops = append(ops, exhaustive.Op[set]{"Add", tt.do})
			}
			x := exhaustive.Explore(func() set { return set{} }, ops)
			if tt.calls != nil {
				tt.calls(x)
			}
			f := &fake{}
			x.Test(f, fine)
			if text := strings.Join(f.errors, "\n"); !strings.Contains(text, tt.want) {
				t.Errorf("got\n%s\nwant %q", text, tt.want)
			}
		})
	}
}
