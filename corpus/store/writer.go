package store

import (
	"io/fs"
	"sync"
	"time"
)

// A Writer puts entries into a store in the background, in batches. A batch that
// fails is not tried again: Close tells.
type Writer struct {
	store   *Store
	delay   time.Duration // the longest that an entry waits for others: a crash loses about as much
	batch   int           // the number of entries that are not made to wait
	entries chan Entry
	done    chan struct{} // closed when run has returned
	err     error         // the first; run's, until done

	mu     sync.RWMutex // held by senders to entries, and for writing to close it
	closed bool
}

// NewWriter returns a writer to s. It must be closed.
func (s *Store) NewWriter() *Writer {
	return s.newWriter(100*time.Millisecond, 100) // a full batch takes about as long
}

func (s *Store) newWriter(delay time.Duration, batch int) *Writer {
	// Entries that come in during one commit make up the next few.
	w := &Writer{store: s, delay: delay, batch: batch, entries: make(chan Entry, 4*batch), done: make(chan struct{})}
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
				due = time.After(w.delay)
			}
			if len(batch) < w.batch {
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
}
