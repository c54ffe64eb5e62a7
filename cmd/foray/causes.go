package main

import (
	"foray.test/engine"
	"foray.test/engine/confirm"
	"foray.test/engine/seq"
	"foray.test/harness/contract"
)

// causes groups the findings of one package that have, in all likelihood, one
// cause: the first of them is shown, the others are counted.
type causes struct {
	list  []*cause
	byKey map[string]*cause // by what contract.Causes returns
}

// cause is a finding that is shown, with those that are not.
type cause struct {
	signature string
	tier      engine.Tier
	more      []string // signatures
	heldBack  bool     // it is one suspect too many
}

// add takes in a finding and returns its cause, and whether it is the first of it.
// An error never hides behind a suspect.
func (c *causes) add(t *seq.Table, f confirm.Finding) (found *cause, first bool) {
	keys := append(contract.Causes(t, f.Steps, &f.Verdict), f.Verdict.Signature)
	if c.byKey == nil {
		c.byKey = map[string]*cause{}
	}
	for _, key := range keys {
		if k := c.byKey[key]; k != nil && k.tier >= f.Verdict.Tier {
			found = k
			break
		}
	}
	if first = found == nil; first {
		found = &cause{signature: f.Verdict.Signature, tier: f.Verdict.Tier}
		c.list = append(c.list, found)
	} else {
		found.more = append(found.more, f.Verdict.Signature)
	}
	for _, key := range keys {
		if k := c.byKey[key]; k == nil || k.tier < found.tier {
			c.byKey[key] = found
		}
	}
	return found, first
}

// hidden counts the findings that share a cause with one that was held back.
func (c *causes) hidden() int {
	n := 0
	for _, k := range c.list {
		if k.heldBack {
			n += len(k.more)
		}
	}
	return n
}

// maxMore is how many findings of one cause are named that are not shown.
const maxMore = 5

// moreWays names the findings that share a cause with one that was shown.
func (o *output) moreWays() {
	for _, c := range o.causes.list {
		if len(c.more) == 0 || c.heldBack || o.options.verbose {
			continue
		}
		o.printer.println("and %s to see %s; -v shows all:", plural(len(c.more), "more way"), c.signature)
		for i, signature := range c.more {
			if i == maxMore {
				o.printer.println("    … %d more", len(c.more)-i)
				break
			}
			o.printer.println("    %s", signature)
		}
	}
}
