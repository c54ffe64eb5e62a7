package harness_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"foray.test/harness"
)

// A Stack is the code under test of the examples.
type Stack struct{ items []int }

func NewStack() *Stack { return new(Stack) }

func (s *Stack) Push(item int) { s.items = append(s.items, item) }

func (s *Stack) Take() int {
	item := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return item
}

func (s *Stack) Len() int { return len(s.items) }

// Drop removes n items, but one too few if there are more than two.
func (s *Stack) Drop(n int) {
	if n = min(max(n, 0), len(s.items)); len(s.items) > 2 && n > 0 {
		n--
	}
	s.items = s.items[:len(s.items)-n]
}

// Take panics on an empty stack, which nothing documents.
func ExampleFuzz() {
	fuzz(func(f *testing.F) {
		f.Add("v0 := harness_test.NewStack(); v0.Push(1); v0.Len(); v0.Take(); v0.Take()")
		harness.Fuzz(f, harness.API{
			Operations: []any{NewStack, (*Stack).Push, (*Stack).Take, (*Stack).Len},
		})
	})
	// Output:
	// (*Stack).Take panics: runtime error: index out of range [-1]
	//
	// 	v0 := harness_test.NewStack()
	// 	v1 := v0.Take()
	//
	// no documented precondition excludes these arguments
	// minimized from 5 steps to 2
	// as a seed: f.Add(`v0 := harness_test.NewStack(); v1 := v0.Take()`)
}

// A sequence that ends in a panic that is documented is no failure.
func ExampleOp() {
	fuzz(func(f *testing.F) {
		f.Add("v0 := harness_test.NewStack(); v0.Take()")
		harness.Fuzz(f, harness.API{
			Operations: []any{
				NewStack, (*Stack).Push,
				harness.Op{Func: (*Stack).Take, Panics: "Take panics if the stack is empty."},
			},
		})
	})
	// Output:
	// PASS
}

// Holds is a property of every stack that a sequence makes.
func ExampleContract() {
	fuzz(func(f *testing.F) {
		f.Add("v0 := harness_test.NewStack(); v0.Push(1); v0.Push(2); v0.Push(3)")
		harness.Fuzz(f, harness.API{
			Operations: []any{NewStack, (*Stack).Push},
			Contracts: []harness.Contract{{
				Name:  "small",
				Holds: func(s *Stack) bool { return s.Len() < 2 },
			}},
		})
	})
	// Output:
	// contract small does not hold: it returns false
	//
	// 	v0 := harness_test.NewStack()
	// 	v0.Push(0)
	// 	v0.Push(0)
	//
	// a contract of the test's own
	// minimized from 4 steps to 3
	// as a seed: f.Add(`v0 := harness_test.NewStack(); v0.Push(0); v0.Push(0)`)
}

// Requires is the precondition of the calls, Ensures the postcondition.
func ExampleContract_call() {
	fuzz(func(f *testing.F) {
		f.Add("v0 := harness_test.NewStack(); v0.Take(); v0.Push(7); v1 := v0.Take()")
		harness.Fuzz(f, harness.API{
			Operations: []any{NewStack, (*Stack).Push, (*Stack).Take},
			Contracts: []harness.Contract{{
				Name:     "not empty",
				Call:     (*Stack).Take,
				Requires: func(s *Stack) bool { return s.Len() > 0 },
				Ensures: func(s *Stack, item int) error {
					if item == 7 {
						return errors.New("seven")
					}
					return nil
				},
			}},
		})
	})
	// Output:
	// PASS
}

// A model is a second implementation. Both run the same sequences.
func ExampleAPI_model() {
	fuzz(func(f *testing.F) {
		f.Add("v0 := harness_test.NewStack(); v0.Push(1); v0.Push(2); v0.Push(3); v0.Drop(2); v1 := v0.Len()")
		harness.Fuzz(f, harness.API{
			Operations: []any{NewStack, (*Stack).Push, (*Stack).Drop, (*Stack).Len},
			Model: map[string]any{
				"NewStack":      func() *int { return new(int) },
				"(*Stack).Push": func(n *int, _ int) { *n++ },
				"(*Stack).Drop": func(n *int, drop int) { *n -= min(max(drop, 0), *n) },
				"(*Stack).Len":  func(n *int) int { return *n },
			},
		})
	})
	// Output:
	// (*Stack).Len, step 6, differs from the model: result 1 is 3, the model says 2
	//
	// 	v0 := harness_test.NewStack()
	// 	v0.Push(0)
	// 	v0.Push(0)
	// 	v0.Push(0)
	// 	v0.Drop(1)
	// 	v1 := v0.Len()
	//
	// the model of the test's own
	// as a seed: f.Add(`v0 := harness_test.NewStack(); v0.Push(0); v0.Push(0); v0.Push(0); v0.Drop(1); v1 := v0.Len()`)
}

var examples = map[string]func(){
	"ExampleFuzz": ExampleFuzz, "ExampleOp": ExampleOp, "ExampleContract": ExampleContract,
	"ExampleContract_call": ExampleContract_call, "ExampleAPI_model": ExampleAPI_model,
}

// exampleEnv names the example that a process runs as a fuzz test.
const exampleEnv = "FORAY_TEST_EXAMPLE"

var exampleF *testing.F

// FuzzExample runs the fuzz test of an example: see fuzz.
func FuzzExample(f *testing.F) {
	example := examples[os.Getenv(exampleEnv)]
	if example == nil {
		f.Skip("a process of its own runs it")
	}
	exampleF = f
	example()
}

// fuzz runs body as go test runs a fuzz test, in a process of its own, and prints PASS or
// the message of the first sequence that fails.
func fuzz(body func(f *testing.F)) {
	if exampleF != nil {
		body(exampleF)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^FuzzExample$")
	cmd.Env = append(os.Environ(), exampleEnv+"="+caller())
	out, err := cmd.CombinedOutput()
	if err == nil {
		fmt.Println("PASS")
		return
	}
	_, message, _ := bytes.Cut(out, []byte("fuzz.go:"))
	_, message, _ = bytes.Cut(message, []byte(": "))
	message, _, _ = bytes.Cut(message, []byte("--- FAIL"))
	message, _, _ = bytes.Cut(message, []byte("\nFAIL\n"))
	for lines := bufio.NewScanner(bytes.NewReader(message)); lines.Scan(); {
		fmt.Println(strings.TrimPrefix(strings.TrimRight(lines.Text(), " "), strings.Repeat(" ", 12)))
	}
}

// caller returns the name of the example that called fuzz.
func caller() string {
	pc, _, _, _ := runtime.Caller(2)
	name := runtime.FuncForPC(pc).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}
