package main

import (
	"fmt"
	"time"
)

// stage tells that something goes on that may take long: on a terminal at once
// and with a clock, elsewhere only when it does take long.
type stage struct {
	quit, done chan struct{}
}

// When a stage is told of where no one watches it live, and how often again at the
// longest.
const (
	stageFirst = 3 * time.Second
	stageLast  = 30 * time.Second
)

// stage begins a stage, which lasts until the next output.
func (o *output) stage(msg string) {
	o.quiet()
	if o.options.verbose {
		fmt.Fprintf(o.stderr, "foray: %s\n", msg)
	}
	st := &stage{make(chan struct{}), make(chan struct{})}
	o.now = st
	go func() {
		defer close(st.done)
		o.tell(st, msg)
	}()
}

func (o *output) tell(st *stage, msg string) {
	began := time.Now()
	if o.printer != nil && o.printer.live {
		ticker := time.NewTicker(time.Second / 5)
		defer ticker.Stop()
		for {
			elapsed := time.Since(began)
			if elapsed > time.Second {
				o.printer.draw(fmt.Sprintf("%s (%ds)", msg, int(elapsed.Seconds())))
			} else {
				o.printer.draw(msg)
			}
			select {
			case <-ticker.C:
			case <-st.quit:
				return
			}
		}
	}
	for wait := stageFirst; ; wait = min(2*wait, stageLast) {
		select {
		case <-time.After(wait):
			fmt.Fprintf(o.stderr, "foray: %s, %ds so far\n", msg, int(time.Since(began).Seconds()))
		case <-st.quit:
			return
		}
	}
}

// quiet ends the stage, and the line of progress on a terminal.
func (o *output) quiet() {
	if o.now != nil {
		close(o.now.quit)
		<-o.now.done
		o.now = nil
	}
	if o.printer != nil {
		o.printer.clear()
	}
}
