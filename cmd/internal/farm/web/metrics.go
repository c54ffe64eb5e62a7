package web

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

	"foray.test/cmd/internal/farm"
)

// metrics writes the state in the text format of Prometheus. The client library would add
// nine modules for these lines.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	v, _ := s.now()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(metricsOf(v))
}

func metricsOf(v *farm.View) []byte {
	var b bytes.Buffer
	family := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP foray_%s %s\n# TYPE foray_%s %s\n", name, help, name, kind)
	}
	family("jobs_done_total", "counter", "Jobs with a result.")
	fmt.Fprintf(&b, "foray_jobs_done_total %d\n", v.Runs)
	family("jobs", "gauge", "Jobs in the queue.")
	fmt.Fprintf(&b, "foray_jobs{state=\"waiting\"} %d\nforay_jobs{state=\"running\"} %d\nforay_jobs{state=\"redelivered\"} %d\n", v.Owner.Queue.Waiting, v.Owner.Queue.Running, v.Owner.Queue.Redelivered)
	family("jobs_parked", "gauge", "Jobs that ended their workers.")
	fmt.Fprintf(&b, "foray_jobs_parked %d\n", len(v.Poison))
	family("starts_total", "counter", "Starts of the farm.")
	fmt.Fprintf(&b, "foray_starts_total %d\n", v.Owner.Epoch)
	family("workers", "gauge", "Workers that have stored something since the start.")
	fmt.Fprintf(&b, "foray_workers %d\n", len(v.Owner.Workers))

	families := []struct {
		name, kind, help string
		value            func(*farm.TargetView) float64
	}{
		{"sequences_total", "counter", "Sequences and inputs that were run.", func(t *farm.TargetView) float64 { return float64(t.Known.Sequences) }},
		{"fuzzing_seconds_total", "counter", "Time of fuzzing.", func(t *farm.TargetView) float64 { return t.Known.Seconds }},
		{"branch_sides", "gauge", "Branch sides of the code.", func(t *farm.TargetView) float64 { return float64(t.Known.Sides) }},
		{"branch_sides_taken", "gauge", "Branch sides that were taken.", func(t *farm.TargetView) float64 { return float64(t.Known.SidesCovered) }},
		{"entries", "gauge", "Entries of the corpus.", func(t *farm.TargetView) float64 { return float64(t.Known.Entries) }},
		{"dry_seconds", "gauge", "Time of fuzzing since the last entry or branch side.", func(t *farm.TargetView) float64 { return t.Known.Dry }},
		{"findings_open", "gauge", "Findings of tier error that are not fixed.", func(t *farm.TargetView) float64 { return float64(t.Open) }},
		{"cannot_run", "gauge", "1 if the target could not be built or run.", func(t *farm.TargetView) float64 { return number(t.Known.Problem != "") }},
	}
	for _, f := range families {
		family(f.name, f.kind, f.help)
		for i := range v.Targets {
			if t := &v.Targets[i]; t.Known != nil {
				fmt.Fprintf(&b, "foray_%s{target=%s} %s\n", f.name, strconv.Quote(t.Name), strconv.FormatFloat(f.value(t), 'f', -1, 64))
			}
		}
	}
	return b.Bytes()
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
