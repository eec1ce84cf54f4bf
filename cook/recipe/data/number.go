package data

import (
	"math/big"
	"strconv"
	"strings"
)

// A decimal is a number as it is written: digits times ten to the power of exp.
type decimal struct {
	negative bool
	digits   string // without leading zeros, "" for zero
	exp      int64
	whole    bool // written without point and exponent
}

// mostDigits is how many digits a number may have that is turned into another base,
// which is work that grows faster than they do.
const mostDigits = 20_000

// parseDecimal reads a number that is written as in JSON. Exponents beyond 18
// digits, which no use has, are not read.
func parseDecimal(s string) (d decimal, ok bool) {
	s, d.negative = strings.CutPrefix(s, "-")
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], strings.TrimPrefix(s[i+1:], "+")
	}
	before, after, point := strings.Cut(mantissa, ".")
	d.whole = !point && exponent == ""
	d.digits = strings.TrimLeft(before+after, "0")
	if exponent != "" {
		e, err := strconv.ParseInt(exponent, 10, 64)
		if d.digits == "" {
			e, err = 0, nil // zero, whatever the exponent
		}
		if err != nil || e > 1e18 || e < -1e18 {
			return d, false
		}
		d.exp = e
	}
	d.exp -= int64(len(after))
	return d, true
}

// mantissa returns the signed digits.
func (d decimal) mantissa() *big.Int {
	n := new(big.Int)
	if d.digits != "" {
		n.SetString(d.digits, 10)
	}
	if d.negative {
		n.Neg(n)
	}
	return n
}

// equals reports whether a binary64 is exactly the number.
func (d decimal) equals(f float64) bool {
	digits := strings.TrimRight(d.digits, "0")
	exp := d.exp + int64(len(d.digits)-len(digits))
	if digits == "" {
		return f == 0
	}
	// No binary64 has more than 767 digits, the last at 10^-1074.
	if len(digits) > 767 || exp < -1074 || exp > 308 {
		return false
	}
	exact, _ := new(big.Float).SetFloat64(f).SetMode(big.ToNearestEven).Rat(nil)
	if exact == nil {
		return false
	}
	m, _ := new(big.Int).SetString(digits, 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(exp, -exp)), nil)
	r := new(big.Rat)
	if exp < 0 {
		r.SetFrac(m, power)
	} else {
		r.SetInt(m.Mul(m, power))
	}
	if d.negative {
		r.Neg(r)
	}
	return r.Cmp(exact) == 0
}
