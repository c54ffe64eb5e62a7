package exhaustive

import (
	"fmt"
	"reflect"
	"testing"
)

// Test fails t for the first case for which check returns an error or panics. It
// minimizes the case and shows the value and the identity.
func (s *Cases[T]) Test(t testing.TB, check func(T) error) {
	t.Helper()
	s.test(t, func(_ *C, v T) error { return guarded(check, v) })
}

// guarded returns the error of check, also for a panic.
func guarded[T any](check func(T) error, v T) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic at %s: %v", placeOf(4), r)
		}
	}()
	return check(v)
}

func (s *Cases[T]) test(t testing.TB, check func(*C, T) error) {
	t.Helper()
	stats, fail := s.walk(check)
	switch {
	case fail == nil && stats.Cases == 0:
		t.Errorf("exhaustive: no cases: all %d runs were dropped", stats.Runs)
	case fail == nil:
		t.Logf("exhaustive: %d cases of %d runs, %d cut at Depth", stats.Cases, stats.Runs, stats.Cut)
	case !fail.found:
		t.Error(fail)
	default:
		t.Error(s.report(fail, stats, check))
	}
}

// report minimizes a failure of check and describes it.
func (s *Cases[T]) report(fail *failure, stats Stats, check func(*C, T) error) string {
	first := format(fail.at)
	best := s.minimize(fail.at, func(c *C, v T) bool { return check(c, v) != nil })
	if best == nil {
		return fmt.Sprintf("exhaustive: case %s fails: %v\n    but not when it is run again: the check is not deterministic", first, fail.err)
	}
	c, run := s.newC()
	c.load(best)
	v, _ := once(c, run)
	value := fmt.Sprintf("%+v", v) // before check changes it
	return fmt.Sprintf("exhaustive: case %v fails: %v\n    value: %s\n    minimized from case %s, after %d runs\n    to run it again: Replay(%q)",
		c, check(c, v), value, first, stats.Runs, c)
}

// Compare fails t for the first case for which two implementations give different
// results, as [reflect.DeepEqual] sees them, or only one panics. It minimizes the case.
// Each implementation gets a value of its own, so it may change it.
func Compare[T, R any](t testing.TB, s *Cases[T], first, second func(T) R) {
	t.Helper()
	s.test(t, func(c *C, v T) error {
		other, run := s.newC()
		other.load(c.made)
		twin, ok := once(other, run)
		if !ok {
			return fmt.Errorf("the case does not repeat: %w", other.err)
		}
		a, b := outcomeOf(first, v), outcomeOf(second, twin)
		if a.panicked != "" && b.panicked != "" || a.panicked == b.panicked && reflect.DeepEqual(a.result, b.result) {
			return nil
		}
		return fmt.Errorf("the first %v, the second %v", a, b)
	})
}

// An outcome is how a call ended.
type outcome[R any] struct {
	result   R
	panicked string
}

func (o outcome[R]) String() string {
	if o.panicked != "" {
		return "panics at " + o.panicked
	}
	return fmt.Sprintf("returns %+v", o.result)
}

func outcomeOf[T, R any](f func(T) R, v T) (o outcome[R]) {
	defer func() {
		if r := recover(); r != nil {
			o.panicked = fmt.Sprintf("%s: %v", placeOf(4), r)
		}
	}()
	o.result = f(v)
	return o
}
