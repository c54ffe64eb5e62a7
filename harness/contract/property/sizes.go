package property

// NotNegative: a number of elements is not negative.
func NotNegative(length func(...any) int, x any) bool { return length(x) >= 0 }

// EmptySize: a value is empty if and only if it has no elements.
func EmptySize(length func(...any) int, empty func(...any) bool, x any) bool {
	return empty(x) == (length(x) == 0)
}

// CountWithinLen: there are no more elements than there is room for.
func CountWithinLen(length, count func(...any) int, x any) bool { return count(x) <= length(x) }

// ListsAll: as many elements are listed as there are.
func ListsAll(list func(...any) []struct{}, length func(...any) int, x any) bool {
	return len(list(x)) == length(x)
}

// ListedFound: each element that is listed is found.
func ListedFound(list func(...any) []any, found func(...any) bool, x any) bool {
	for _, k := range list(x) {
		if !found(x, k) {
			return false
		}
	}
	return true
}
