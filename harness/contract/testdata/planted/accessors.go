package planted

import (
	"errors"
	"math/big"
)

// A Gauge shows a number.
type Gauge struct{ n int }

// NewGaugeFromInt returns a gauge.
func NewGaugeFromInt(n int) Gauge { return Gauge{n} }

// ToInt returns the number.
func (g Gauge) ToInt() int {
	if broken {
		return int(uint8(g.n))
	}
	return g.n
}

// Whole64 returns a whole number.
func Whole64(n int64) *big.Int { return big.NewInt(n) }

// A Purse is an amount of a currency.
type Purse struct {
	n        *big.Int
	currency string
}

// NewPurseFromBig returns a purse.
func NewPurseFromBig(n *big.Int, currency string) (Purse, error) {
	if currency == "" {
		return Purse{}, errors.New("no currency")
	}
	return Purse{new(big.Int).Set(n), currency}, nil
}

// Big returns the amount.
func (p Purse) Big() *big.Int {
	if broken {
		return new(big.Int).Abs(p.n)
	}
	return p.n
}
