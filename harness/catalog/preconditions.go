package catalog

import (
	"go/types"
	"regexp"

	"foray.test/engine/seq"
)

// precondition returns what documentation and body say of when c may be called.
func (f *finder) precondition(c callable) seq.Precondition {
	n := c.sig.Params().Len()
	if c.recv != nil {
		n++
	}
	pre := seq.Precondition{NilOK: make([]bool, n)}
	pre.Blocks = c.recv != nil && blockingName(c.fn.Name())
	return pre
}

var blocking = regexp.MustCompile(`^(R?Lock|Wait|Accept|Serve|ListenAndServe|Listen|Dial|Recv|Receive|Sleep|Run|Join|Acquire)$`)

func blockingName(name string) bool { return blocking.MatchString(name) }

func callback(name string, sig *types.Signature) bool { return false }
