package store

import (
	"io/fs"
	"sync"
	"time"
)

// WriterOptions tune a [Writer]. The zero value is fine.
type WriterOptions struct {
	// Delay is the longest that an entry waits for others. A crash loses about
	// as much. Zero means 100 ms, about the time of a full batch.
	Delay time.Duration
	// Batch is the number of entries that are not made to wait. Zero means 100.
	Batch int
	// Committed, if not nil, is called for each batch once it is durable, or with the
	// error. It is called from the writer's goroutine and must not call the writer.
	Committed func(batch []Entry, err error)
}

// A Writer puts entries into a store in the background, in batches. A batch that
// fails is not tried again: Committed and Close tell.
type Writer struct {
	store   *Store
	opts    WriterOptions
	entries chan Entry
	done    chan struct{} // closed when run has returned
	err     error         // the first; run's, until done

	mu     sync.RWMutex // held by senders to entries, and for writing to close it
	closed bool
}

// NewWriter returns a writer to s. It must be closed.
func (s *Store) NewWriter(opts WriterOptions) *Writer {
	if opts.Delay <= 0 {
		opts.Delay = 100 * time.Millisecond
	}
	if opts.Batch <= 0 {
		opts.Batch = 100
	}
	w := &Writer{
		store: s,
		opts:  opts,
		// Entries that come in during one commit make up the next few.
		entries: make(chan Entry, 4*opts.Batch),
		done:    make(chan struct{}),
	}
	go w.run()
	return w
}

// Add queues an entry and returns. It waits only if the disk is several batches
// late. The error is for an entry that cannot be encoded, or [fs.ErrClosed].
func (w *Writer) Add(e Entry) error {
	if _, _, err := encode(e); err != nil {
		return err // here, so that it does not fail the batch
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return failed(fs.ErrClosed, "writer")
	}
	w.entries <- e
	return nil
}

// Close returns when all entries are durable, with the first error, and ends the writer.
// A second Close does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.entries)
	w.mu.Unlock()
	<-w.done
	return w.err
}

func (w *Writer) run() {
	defer close(w.done)
	var batch []Entry
	var due <-chan time.Time // when the oldest of batch has waited long enough
	for {
		select {
		case e, ok := <-w.entries:
			if !ok {
				w.commit(batch)
				return
			}
			if batch = append(batch, e); len(batch) == 1 {
				due = time.After(w.opts.Delay)
			}
			if len(batch) < w.opts.Batch {
				continue
			}
		case <-due:
		}
		w.commit(batch)
		batch, due = nil, nil
	}
}

func (w *Writer) commit(batch []Entry) {
	if len(batch) == 0 {
		return
	}
	err := w.store.Put(batch...)
	if w.err == nil {
		w.err = err
	}
	if w.opts.Committed != nil {
		w.opts.Committed(batch, err)
	}
}
