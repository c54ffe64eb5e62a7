// Package constants declares types of numbers with constants.
package constants

// A Kind says what a node is.
type Kind int8

const (
	Leaf Kind = 3 - iota
	Branch
	Last      = Branch
	end  Kind = -1
)

// A Code is the number of a message.
type Code int

const (
	Hello Code = 1
	Bye   Code = 2
)

// A Name is no number.
type Name string

const First Name = "first"

// Node is a node.
type Node struct{ Kind Kind }

// Send sends.
func Send(n *Node, k Kind, c Code, to Name) {}
