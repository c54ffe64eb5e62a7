package engine

import (
	"foray.test/corpus"
	"foray.test/engine/seq"
)

// takeDigests asks for the digests of changed values, and keeps the new ones.
func (c *composer) takeDigests() {
	digests := c.runner.run.Digests()
	for i := range digests {
		d := &digests[i]
		info := &c.slots[d.Slot]
		d.Hash ^= uint64(info.ty) * 0x9e3779b97f4a7c15 // one value in two types is two values
		if d.Large {
			c.length = 0
		}
		if !d.Changed || !c.archive.values.Add(d.Hash) {
			continue
		}
		if c.runner.now.purpose == composing {
			c.runner.counts.Values++
		}
		c.fresh = append(c.fresh, d.Slot)
		if d.Step > info.made {
			c.schedule.yielded(c.steps()[d.Step].Op, changeYield)
		} else {
			c.schedule.yielded(c.steps()[d.Step].Op, 1)
		}
		if info.fit && !c.slow && len(c.wanted[info.ty]) > 0 && c.archive.components.Wants(c.src, info.ty) {
			c.keepComponent(info.ty, d.Slot)
		}
	}
}

// keepComponent adds the steps that made slot to the component set, if they are few.
func (c *composer) keepComponent(ty seq.TypeID, slot int32) {
	// Each step that took the value is part of its making: pruning, some 2 µs, would
	// only find that out.
	if int(c.slots[slot].takes) >= componentSteps {
		return
	}
	s, at := seq.PruneTo(c.table, c.steps(), slot, componentSteps)
	if len(s) == 0 {
		return
	}
	c.archive.components.Add(c.src, ty, corpus.Component{Steps: s, Slot: at, Seed: c.runner.now.purpose == sowing})
}
