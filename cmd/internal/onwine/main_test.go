package main

import "testing"

func TestMajor(t *testing.T) {
	for text, want := range map[string]int{"wine-10.0 (Debian 10.0~repack-6)\n": 10, "wine-8.0 (Debian 8.0~repack-4)\n": 8, "wine-9.0-rc1": 9, "": 0, "no wine": 0} {
		if got := major(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestWindowsName(t *testing.T) {
	if got, want := windowsName("/tmp/a b/c"), `Z:\tmp\a b\c`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
