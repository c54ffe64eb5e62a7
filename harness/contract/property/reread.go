package property

// Accepts: undo reads what was written.
func Accepts(undo func(...any) (any, error), text any) bool {
	_, err := undo(text)
	return err == nil
}
