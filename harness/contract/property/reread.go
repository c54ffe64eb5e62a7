package property

import "reflect"

// Accepts: undo reads what was written.
func Accepts(undo func(...any) (any, error), text any) bool {
	_, err := undo(text)
	return err == nil
}

// Rewrites: a value that undo reads is written as the text that it was read of.
func Rewrites(undo, do func(...any) (any, error), text any) bool {
	x, err := undo(text)
	if err != nil {
		return false
	}
	again, err := do(x)
	return err == nil && reflect.DeepEqual(again, text)
}

// RewritesSurely is Rewrites for a writer without an error.
func RewritesSurely(undo func(...any) (any, error), do func(...any) any, text any) bool {
	x, err := undo(text)
	return err == nil && reflect.DeepEqual(do(x), text)
}
