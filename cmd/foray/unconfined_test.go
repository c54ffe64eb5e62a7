package main

import "testing"

func TestUnconfined(t *testing.T) {
	const files = ": calls can write and remove any file and open connections"
	for _, tt := range []struct {
		system    string
		supported bool
		want      string
	}{
		{"linux", true, ""},
		{"linux", false, ""},
		{"windows", false, "no sandbox on windows" + files + "; fuzz unknown code in a container"},
		{"freebsd", true, ""},
		{"darwin", false, "no sandbox on darwin" + files + ", and their memory has no bound; fuzz unknown code in a container"},
	} {
		if got := unconfined(tt.system, tt.supported); got != tt.want {
			t.Errorf("%s, supported %v: %q, want %q", tt.system, tt.supported, got, tt.want)
		}
	}
}
