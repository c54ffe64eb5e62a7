package property

// CheckReturns: a check returns, and does not panic.
func CheckReturns(check func(...any) []any, x any) bool {
	check(x)
	return true
}

// CheckHolds: a check says true.
func CheckHolds(check func(...any) bool, x any) bool { return check(x) }

// CheckSucceeds: a check returns no error.
func CheckSucceeds(check func(...any) error, x any) bool { return check(x) == nil }
