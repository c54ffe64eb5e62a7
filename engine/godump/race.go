package godump

import "strings"

// An Access is one of the two memory accesses of a data race.
type Access struct {
	Kind   string // "read", "write"
	Frames []Frame
}

// ParseRace returns the accesses of the first report of the race detector in text:
//
//	WARNING: DATA RACE
//	Write at 0x00c000112018 by goroutine 8:
//	  example.org/p.(*T).Add()
//	      /src/p/t.go:12 +0x44
//
//	Previous read at 0x00c000112018 by goroutine 7:
func ParseRace(text string) []Access {
	_, text, _ = strings.Cut(text, "WARNING: DATA RACE\n")
	var list []Access
	var now *Access
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "===="):
			return list
		case !strings.HasPrefix(line, " "):
			now = nil
			head := strings.ToLower(strings.TrimPrefix(line, "Previous "))
			if kind, _, ok := strings.Cut(head, " at 0x"); ok {
				list = append(list, Access{Kind: kind})
				now = &list[len(list)-1]
			}
		case now == nil:
		case strings.HasPrefix(line, "      ") && len(now.Frames) > 0:
			now.Frames[len(now.Frames)-1].setPlace(strings.TrimSpace(line))
		default:
			now.Frames = append(now.Frames, Frame{Func: strings.TrimSuffix(strings.TrimSpace(line), "()")})
		}
	}
	return list
}
