package event

import (
	"fmt"

	"foray.test/engine"
)

// A Color says when to print in colour.
type Color string

// The values of a Color.
const (
	ColorAuto   Color = "auto" // on a terminal, unless NO_COLOR is set: see no-color.org
	ColorAlways Color = "always"
	ColorNever  Color = "never"
)

// Set sets a Color, as a flag has it.
func (c *Color) Set(s string) error {
	switch *c = Color(s); *c {
	case ColorAuto, ColorAlways, ColorNever:
		return nil
	}
	return fmt.Errorf("want %s, %s or %s", ColorAuto, ColorAlways, ColorNever)
}

// on reports whether to print in colour.
func (c Color) on(terminal bool, noColor string) bool {
	return c == ColorAlways || c != ColorNever && terminal && noColor == ""
}

// paint is a sequence that begins a colour.
type paint string

const (
	red    paint = "\x1b[1;31m"
	yellow paint = "\x1b[1;33m"
	green  paint = "\x1b[32m"
)

// paint returns a text in a colour if the Printer has colours.
func (p *Printer) paint(c paint, text string) string {
	if !p.color {
		return text
	}
	return string(c) + text + "\x1b[0m"
}

// paintTier returns a text in the colour of findings of a tier.
func (p *Printer) paintTier(tier, text string) string {
	if tier != engine.Error.String() {
		return p.paint(yellow, text)
	}
	return p.paint(red, text)
}
