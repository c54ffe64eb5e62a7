package event

import (
	"fmt"
	"time"
)

// A stage is work that may take long. A terminal shows it at once with a clock; elsewhere
// it is printed only if it does take long.
type stage struct {
	quit, done chan struct{}
}

// When a stage is first printed without a terminal, and the longest pause after that.
const (
	stageFirst = 3 * time.Second
	stageLast  = 30 * time.Second
)

// Stage begins a stage, which lasts until the next output.
func (p *Printer) Stage(msg string) {
	p.Quiet()
	if p.Verbose {
		fmt.Fprintf(p.stderr, "foray: %s\n", msg)
	}
	st := &stage{make(chan struct{}), make(chan struct{})}
	p.now = st
	go func() {
		defer close(st.done)
		p.watch(st, msg)
	}()
}

func (p *Printer) watch(st *stage, msg string) {
	began := time.Now()
	if p.live {
		ticker := time.NewTicker(liveEvery)
		defer ticker.Stop()
		for {
			if elapsed := time.Since(began); elapsed > time.Second {
				p.draw(fmt.Sprintf("%s (%ds)", msg, int(elapsed.Seconds())))
			} else {
				p.draw(msg)
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
			fmt.Fprintf(p.stderr, "foray: %s, %ds so far\n", msg, int(time.Since(began).Seconds()))
		case <-st.quit:
			return
		}
	}
}

// Quiet ends the stage and removes a live progress line.
func (p *Printer) Quiet() {
	if p.now != nil {
		close(p.now.quit)
		<-p.now.done
		p.now = nil
	}
	p.clear()
}
