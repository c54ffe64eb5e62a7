package dangerous

import (
	"bufio"
	"log"
	"net/http"
	"os"
	"testing"
	"unsafe"
)

func Quit() { os.Exit(1) }

func deeper() { log.Fatal("no") }

func deep() { deeper() }

func Deep() { deep() }

func Remove(name string) error { return os.Remove(name) }

func Fetch(url string) { http.Get(url) }

func Ask() string { return bufio.NewScanner(os.Stdin).Text() }

func Raw(p unsafe.Pointer) {}

func Helper(t *testing.T) {}

func Fine() {}

// Deprecated: use Fine.
func Old() {}
