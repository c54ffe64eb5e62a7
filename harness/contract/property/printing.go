package property

import (
	"fmt"
	"strings"
)

// FormatReturns: a Format method does not panic.
func FormatReturns(x any) bool {
	printed := fmt.Sprintf("%v %+v %#v %s %q %d %x %8.3f", x, x, x, x, x, x, x, x)
	return !strings.Contains(printed, "(PANIC=Format method: ")
}
