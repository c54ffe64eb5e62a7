package engine

import (
	"testing"
	"time"
)

func TestPlateau(t *testing.T) {
	for _, tt := range []struct {
		name      string
		sequences uint64
		elapsed   time.Duration
		lastNew   uint64
		lastNewAt time.Duration
		want      bool
	}{
		{"nothing ever", 200_001, 5*time.Second + 1, 0, 0, true},
		{"too few", 200_000, time.Minute, 0, 0, false},
		{"too soon", 1_000_000, 5 * time.Second, 0, 0, false},
		{"as long again", 2_200_001, 25*time.Second + 1, 1_000_000, 10 * time.Second, true},
		{"not yet as many", 2_200_000, time.Minute, 1_000_000, 10 * time.Second, false},
		{"not yet as long", 3_000_000, 25 * time.Second, 1_000_000, 10 * time.Second, false},
	} {
		if got := Plateau(tt.sequences, tt.elapsed, tt.lastNew, tt.lastNewAt); got != tt.want {
			t.Errorf("%s: Plateau(%d, %v, %d, %v) = %v, want %v", tt.name, tt.sequences, tt.elapsed, tt.lastNew, tt.lastNewAt, got, tt.want)
		}
	}
}
