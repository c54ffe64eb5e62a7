package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"foray.test/cmd/internal/text"
	"foray.test/cmd/internal/usage"
	"foray.test/engine/coordinator"
	"foray.test/harness/build"
)

// recordKey returns the key under which the use that the tests of a package make when they
// run is kept. It changes with the package and its tests.
func (s *subject) recordKey() string {
	return s.target.TestStamp("record", version(), fmt.Sprint(s.ops), fmt.Sprint(s.skip), fmt.Sprint(s.allow))
}

// recorded returns the use that the package's tests made when they last ran, nil if it is not
// known.
func (s *subject) recorded() *usage.Usage {
	data, ok := build.Kept(s.recordKey())
	u := new(usage.Usage)
	if !ok || json.Unmarshal(data, u) != nil {
		return nil
	}
	return u
}

// addRecorded adds the recorded use of the package's tests to c. It does so at once if the use
// is known, or if a count of sequences ends the run: no clock is to decide when it comes.
// Otherwise it comes while the run goes on. stop ends the recording.
func (f *fuzzing) addRecorded(ctx context.Context, s *subject, c *coordinator.Config) (stop func()) {
	stop = func() {}
	if len(s.target.TestGoFiles)+len(s.target.XTestGoFiles) == 0 || f.scope != nil {
		return stop
	}
	u := s.recorded()
	if u == nil && f.fuzzTime.sequences > 0 {
		u = f.record(ctx, s)
	}
	if u != nil {
		s.ran = u
		f.out.Note(s.recordedNote(u))
		c.Seeds = append(s.parse(u.Sequences), c.Seeds...)
		c.Seen = append(c.Seen, seenOf(u)...)
		return stop
	}
	ctx, cancel := context.WithCancel(ctx)
	late, ended := make(chan coordinator.Late, 1), make(chan struct{})
	c.Late = late
	go func() {
		defer close(ended)
		defer close(late)
		if u := f.record(ctx, s); u != nil {
			s.ran = u
			late <- coordinator.Late{Seeds: s.parse(u.Sequences), Seen: seenOf(u), Note: s.recordedNote(u)}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// record runs the package's tests and returns the use that they make. It keeps it for later
// runs, unless ctx ends it.
func (f *fuzzing) record(ctx context.Context, s *subject) *usage.Usage {
	u, err := f.runTests(ctx, s)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		u = &usage.Usage{Note: "its tests are not recorded: " + err.Error()}
	}
	if ce, ok := errors.AsType[*build.CompileError](err); err == nil || ok && ce != nil {
		if data, err := json.Marshal(u); err == nil {
			_ = build.Keep(s.recordKey(), data) // or the next run records anew
		}
	}
	return u
}

func (f *fuzzing) runTests(ctx context.Context, s *subject) (*usage.Usage, error) {
	dir, err := f.temps.make()
	if err != nil {
		return nil, err
	}
	defer f.temps.remove(dir)
	pkg, err := loadOne(ctx, s.target)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r, err := usage.StartRecording(ctx, pkg, dir, s.free)
	if err != nil {
		return nil, err
	}
	built := time.Since(began)
	u := r.Use(pkg, pkg.CheckTests(ctx), s.table, s.dropped())
	u.Profile.SetStamp(sourceStamp(s.target))
	u.Built, u.Ran = built, time.Since(began)-built
	return u, nil
}

// recordedNote says what running the tests gave.
func (s *subject) recordedNote(u *usage.Usage) string {
	if u.Recorded == 0 && u.Note != "" {
		return s.target.Path + ": usage: " + u.Note
	}
	line := fmt.Sprintf("%s: usage: %d of %s that tests make in %v give %s", s.target.Path, u.Written, text.Plural(u.Recorded, "call"),
		u.Ran.Round(10*time.Millisecond), text.Plural(len(u.Sequences), "sequence"))
	if u.Note != "" {
		line += "; " + u.Note
	}
	return line
}
