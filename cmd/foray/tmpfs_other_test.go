//go:build !linux

package main

import "testing"

func haveTmpfs() bool { return false }

func mountTmpfs(t *testing.T, dir, size string) { t.Fatal("no tmpfs here") }
