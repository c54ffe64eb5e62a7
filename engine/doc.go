// Package engine is the inner loop of foray: it composes sequences of calls at random,
// runs them, keeps those that show something new, and minimizes those that show
// something wrong.
//
//	e := engine.New(engine.Config{
//		Table: t, Pool: engine.NewPool(t), Executor: x, Sides: n,
//		Source: draw.Random(1), Sink: sink,
//	})
//	e.Run(1000)
//
// runs a thousand sequences of the operations in t. With the operations of a bag of
// numbers one of them may be
//
//	v0 := bag.New()
//	v1 := bag.New()
//	v0.Put(3)
//	v2 := v0.Get()
//
// If its run is the first that takes some branch side, the sequence is pruned to the
// steps that take the side, here all but the second. It is then an [Entry], which the
// sink gets and later sequences may start from. If an oracle objects to the run, the
// sequence is minimized and the sink gets a [Finding].
//
// An engine has four parts. The composer composes sequences, and the archive holds the
// results of runs. The keeper prunes and minimizes. The frontier aims at branch sides
// that no run has taken. All sequences run through one runner.
//
// The package declares the [Executor], which runs sequences, and the [Tracer], which
// records operands of conditions. It knows no process, file or flag, and no live value.
package engine
