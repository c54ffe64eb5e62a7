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

// A Disk is where files are.
type Disk interface {
	Delete(name string) error
	Size(name string) int
}

type osDisk struct{}

func (osDisk) Delete(name string) error { return os.RemoveAll(name) }

func (osDisk) Size(name string) int { return 0 }

// A Cached is a disk by embedding one.
type Cached struct{ Disk }

func NewDisk() Disk { return osDisk{} }

// Clear deletes by way of an interface.
func Clear(d Disk) error { return d.Delete("all") }

func Measure(d Disk) int { return d.Size("all") }

func Fetch(url string) { http.Get(url) }

func Ask() string { return bufio.NewScanner(os.Stdin).Text() }

func Raw(p unsafe.Pointer) {}

func Helper(t *testing.T) {}

func Fine() {}

// Deprecated: use Fine.
func Old() {}
