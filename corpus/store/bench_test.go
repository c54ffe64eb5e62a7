package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkPut measures the cost of a durable entry, by size of batch.
// BenchmarkBare measures the least work that makes a file durable.
func BenchmarkPut(b *testing.B) {
	for _, size := range []int{1, 10, 100} {
		for _, parallel := range []int{1, 4, 16, 64} {
			if parallel > size {
				continue
			}
			b.Run(fmt.Sprintf("batch=%d/parallel=%d", size, parallel), func(b *testing.B) {
				s, err := Open(b.TempDir())
				if err != nil {
					b.Fatal(err)
				}
				s.parallel = parallel
				n := 0
				for b.Loop() {
					batch := make([]Entry, size)
					for i := range batch {
						batch[i] = entry(n)
						n++
					}
					if err := s.Put(batch...); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "entries/s")
			})
		}
	}
}

func BenchmarkBare(b *testing.B) {
	w := bare{dir: b.TempDir()}
	for b.Loop() {
		w.write(b)
	}
	b.ReportMetric(float64(w.n)/b.Elapsed().Seconds(), "entries/s")
}

// bare writes entries one at a time: create, write, sync, close, rename.
type bare struct {
	dir string
	n   int
}

func (w *bare) write(b *testing.B) {
	_, data, err := encode(entry(w.n))
	if err != nil {
		b.Fatal(err)
	}
	temp := filepath.Join(w.dir, "temp")
	f, err := os.Create(temp)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(temp, filepath.Join(w.dir, fmt.Sprint(w.n))); err != nil {
		b.Fatal(err)
	}
	w.n++
}

// BenchmarkPutOfBare alternates batches of 100 of each, so that other users of
// the disk disturb both. The metric is the rate of Put as a share of the bare
// one.
func BenchmarkPutOfBare(b *testing.B) {
	const size = 100
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	w := bare{dir: b.TempDir()}
	n := 0
	var ours, theirs time.Duration
	for b.Loop() {
		batch := make([]Entry, size)
		for i := range batch {
			batch[i] = entry(n)
			n++
		}
		began := time.Now()
		if err := s.Put(batch...); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		for range size {
			w.write(b)
		}
		ours, theirs = ours+middle.Sub(began), theirs+time.Since(middle)
	}
	b.ReportMetric(100*theirs.Seconds()/ours.Seconds(), "%-of-bare")
}

func BenchmarkLoad(b *testing.B) {
	for _, size := range []int{100, 10000} {
		b.Run(fmt.Sprintf("entries=%d", size), func(b *testing.B) {
			s, err := Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			for n := range size { // without syncs: their time is not of interest here
				id, data, err := encode(entry(n))
				if err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(s.dir, entriesDir, id), data, 0o666); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				entries, problems, err := s.Load()
				if err != nil || len(entries) != size || len(problems) > 0 {
					b.Fatalf("%d entries, problems %v, error %v", len(entries), problems, err)
				}
			}
		})
	}
}
