package exhaustive_test

import (
	"errors"
	"fmt"
	"testing"

	"foray.test/harness/exhaustive"
)

// A bag has two slices: of numbers, and of links to items. Its sentinel is a field.
type bag struct {
	sentinel *bagItem
	numbers  exhaustive.Slice[int]
	items    exhaustive.Slice[*bagItem]
}

type bagItem struct {
	next exhaustive.Ref[bagItem]
	name exhaustive.Val[string]
}

func bags(n int, repOK func(b *bag) bool) *exhaustive.Cases[*bag] {
	return exhaustive.Search(func(c *exhaustive.C) *bag {
		b := &bag{}
		items := exhaustive.NewObjects[bagItem](c, n+1)
		b.sentinel = items.Take()
		b.numbers.Of(c, exhaustive.Range(0, n), func() func() int {
			v := new(exhaustive.Val[int])
			v.Of(c, exhaustive.Range(1, n)...)
			return v.Get
		})
		b.items.Of(c, exhaustive.Range(0, n), func() func() *bagItem {
			v := new(exhaustive.Ref[bagItem])
			v.Of(items)
			return v.Get
		})
		items.Init(func(x *bagItem) {
			x.next.Of(items)
			x.name.Of(c, exhaustive.Words[string](n)...)
		})
		return b
	}, repOK)
}

func TestSlices(t *testing.T) {
	sorted := bags(3, func(b *bag) bool {
		if b.items.Len() > 0 || b.sentinel.next.Get() != nil || b.sentinel.name.Get() != "" {
			return false
		}
		for i, v := range b.numbers.All() {
			if i > 0 && v <= b.numbers.At(i-1) {
				return false
			}
		}
		return true
	})
	stats := runs(t, sorted)
	expect(t, "strictly sorted lists over 3 numbers", stats.Cases, 8)
	// Rejected are 3 lengths of items, 2 links and 3 names. Then come lists of 0, 1 and 2
	// numbers. Of 3, the third is not read if the second is not above the first.
	expect(t, "candidates", stats.Runs, 3+2+3+1+3+9+6+3*3)
}

// What the predicate does not read is enumerated if the structure has it: elements
// below the length, and the sentinel, which no Ref leads to.
func TestUnreadParts(t *testing.T) {
	names := map[string]int{}
	all := bags(2, func(b *bag) bool { return b.items.Len() == 0 && b.sentinel.next.Get() == nil })
	for _, b := range all.All() {
		names[fmt.Sprint(b.sentinel.name.Get(), b.numbers.Values())]++
	}
	expect(t, "names times lists of up to 2 of 2 numbers", len(names), 3*(1+2+4))
	expect(t, "cases", runs(t, all).Cases, 3*(1+2+4))
	for _, b := range all.All() {
		if b.numbers.Len() == 0 && b.numbers.Values() != nil {
			t.Fatal("the values of no elements are not nil")
		}
	}
}

// A sentinel is in use from the start: a first Ref may be nil, lead to it or to a new
// object.
func TestTake(t *testing.T) {
	seen := map[string]bool{}
	links := bags(2, func(b *bag) bool {
		return b.numbers.Len() == 0 && b.items.Len() == 0 && b.sentinel.name.Get() == "" &&
			(b.sentinel.next.Get() == nil || b.sentinel.next.Get().next.Get() == b.sentinel && b.sentinel.next.Get().name.Get() == "")
	})
	for _, b := range links.All() {
		x := b.sentinel.next.Get()
		seen[fmt.Sprint(x == nil, x == b.sentinel)] = true
	}
	expect(t, "cases", runs(t, links).Cases, 3)
	expect(t, "rings", len(seen), 3)
}

func TestSliceIndex(t *testing.T) {
	expect(t, "an index out of range", complaint(bags(2, func(b *bag) bool { return b.numbers.At(2) > 0 })),
		"exhaustive: case 0: panic in the generator or the predicate at cell_test.go:N: index out of range [2] with length 0")
}

func TestDomains(t *testing.T) {
	expect(t, "bytes to the last", fmt.Sprint(exhaustive.Range[uint8](253, 255)), "[253 254 255]")
	expect(t, "floats", fmt.Sprint(exhaustive.Range(0.5, 2)), "[0.5 1.5]")
	words := exhaustive.Words[string](30)
	expect(t, "words", len(words), 31)
	for i := 1; i < len(words); i++ {
		if words[i-1] >= words[i] {
			t.Errorf("%q before %q", words[i-1], words[i])
		}
	}
}

// Convert makes a value of each case, and of no dropped one.
func TestConvert(t *testing.T) {
	made := 0
	squares := exhaustive.Convert(exhaustive.Generate(func(c *exhaustive.C) int {
		n := c.Int(0, 5)
		if n%2 == 1 {
			c.Drop()
		}
		return n
	}), func(n int) string {
		made++
		return fmt.Sprint(n * n)
	})
	list := ""
	for c, v := range squares.All() {
		list += fmt.Sprint(c, ":", v, " ")
	}
	expect(t, "squares", list, "0:0 2:4 4:16 ")
	expect(t, "made", made, 3)
	_, err := squares.Each(func(_ *exhaustive.C, v string) error {
		if v == "16" {
			return errors.New("large")
		}
		return nil
	})
	expect(t, "error", fmt.Sprint(err), "exhaustive: case 4: large")
}

func TestTags(t *testing.T) {
	for text, want := range map[string]string{
		"":              "{false false false false <nil> <nil> <nil> <nil>}",
		"-":             "{true false false false <nil> <nil> <nil> <nil>}",
		"like":          "{true false true false <nil> <nil> <nil> <nil>}",
		"any":           "{false false false true <nil> <nil> <nil> <nil>}",
		"nonnil":        "{false true false true <nil> <nil> <nil> <nil>}",
		"n":             "5 5",
		"1..n-1":        "1 4",
		"-2..n+1":       "-2 6",
		"len=0..2,1..4": "1 4",
		"m..3":          `the tag exhaustive:"m..3": "m..3" is none of -, like, any, nonnil, len=0..2, and numbers as in 1..n`,
		"n2":            `the tag exhaustive:"n2": "n2" is none of -, like, any, nonnil, len=0..2, and numbers as in 1..n`,
		"len=x":         `the tag exhaustive:"len=x": "x" is none of -, like, any, nonnil, len=0..2, and numbers as in 1..n`,
	} {
		tag, err := exhaustive.ParseTag(text)
		got := fmt.Sprint(tag)
		if err != nil {
			got = err.Error()
		} else if tag.Lo != nil {
			got = fmt.Sprint(tag.Lo.Value(5), tag.Hi.Value(5))
		}
		expect(t, text, got, want)
	}
}

// Small takes the largest bound whose walk is short: 2^12 lists of 12 bits are as many
// cases as it keeps.
func TestSmall(t *testing.T) {
	bits := func(n int) *exhaustive.Cases[string] {
		return exhaustive.Generate(func(c *exhaustive.C) string {
			s := ""
			for range n {
				s += fmt.Sprint(c.Int(0, 1))
			}
			return s
		})
	}
	small := exhaustive.Small(bits)
	expect(t, "the first", small(0), "000000000000")
	expect(t, "the last", small(-1), "111111111111")
	expect(t, "counted round", small(1<<12+5), small(5))
	none := exhaustive.Small(func(int) *exhaustive.Cases[string] {
		return exhaustive.Generate(func(c *exhaustive.C) string { c.Drop(); return "dropped" })
	})
	expect(t, "of no cases", none(7), "")
}
