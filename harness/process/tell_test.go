package process

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"

	"foray.test/engine/godump"
	"foray.test/engine/wire"
	"foray.test/harness/executor"
)

// A goroutine is found behind so many others that the first dump has no room for it.
func TestStacks(t *testing.T) {
	var begun, ended sync.WaitGroup
	over := make(chan struct{})
	wait := func() { begun.Done(); <-over; ended.Done() }
	const others = dumpBytes / 100
	begun.Add(others)
	ended.Add(others)
	for range others {
		go wait()
	}
	begun.Wait()
	id := make(chan uint64)
	go func() {
		header := make([]byte, 64)
		id <- godump.Parse(string(header[:runtime.Stack(header, false)]))[0].ID
		<-id
	}()
	last := <-id
	list := godump.Parse(stacks(last))
	if len(list) != 1 || list[0].ID != last || list[0].Creator() != "foray.test/harness/process.TestStacks" {
		t.Errorf("%d goroutines, want number %d alone", len(list), last)
	}
	if all := godump.Parse(stacks(0)); len(all) < 1000 {
		t.Errorf("%d goroutines, want all: none runs steps", len(all))
	}
	close(id)
	close(over)
	ended.Wait()
}

// A worker that is asked tells the call that runs, and makes no more steps if it returns.
func TestTellIfAsked(t *testing.T) {
	w := newTestWorker(io.Discard, nil)
	w.shared.Asked.Store(1)
	w.tellIfAsked() // no goroutine runs steps yet
	table, b := twoCalls()
	turn := make(chan struct{})
	b.Ops[opNew] = func(_, out []any) {
		turn <- struct{}{}
		<-turn
		out[0] = map[int]int{}
	}
	w.table = table
	w.use(executor.New(table, b, w.shared, executor.Options{}))
	go w.serve()
	w.commands <- &wire.Message{Exec: &wire.Exec{Steps: steps(opNew, opNew)}}
	<-turn
	for waits := false; !waits; {
		waits = slices.ContainsFunc(allStacks(), func(g godump.Goroutine) bool { return g.Calls(executor.StepFunc) && g.State == "chan receive" })
	}
	w.shared.Asked.Store(0)
	if w.tellIfAsked(); w.shared.ToldStacks() != "" {
		t.Error("it tells what it was not asked for")
	}
	w.shared.Asked.Store(1)
	go w.tellIfAsked() // it does not return
	for w.shared.Told.Load() == 0 {
		runtime.Gosched()
	}
	list := godump.Parse(w.shared.ToldStacks())
	if id := w.shared.Goroutine.Load(); len(list) != 1 || list[0].ID != id || !list[0].Calls(executor.StepFunc) || list[0].State != "chan receive" {
		t.Errorf("goroutines %+v, want number %d in the call", list, id)
	}
	turn <- struct{}{}
	for awaits := false; !awaits; {
		select {
		case <-turn:
			t.Fatal("the next step runs")
		default:
			list := allStacks()
			awaits = slices.ContainsFunc(list, func(g godump.Goroutine) bool { return executor.Awaiting(&g) })
		}
	}
}
