package data

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// A decimal is a number as written: digits times ten to the power exp.
type decimal struct {
	negative bool
	digits   string // no leading zeros; "" for zero
	exp      int64
	whole    bool // whether the number has neither a point nor an exponent
}

// mostDigits limits the digits of numbers that are converted to another base, because the time
// for a conversion grows faster than the number of digits.
const mostDigits = 20_000

// parseDecimal parses a number in JSON syntax. It rejects exponents of more than 18 digits.
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
			e, err = 0, nil // the number is zero, with any exponent
		}
		if err != nil || e > 1e18 || e < -1e18 {
			return d, false
		}
		d.exp = e
	}
	d.exp -= int64(len(after))
	return d, true
}

// mantissa returns the digits as a signed integer.
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

// equalsFloat reports whether a binary64 value equals the number exactly.
func (d decimal) equalsFloat(f float64) bool {
	digits := strings.TrimRight(d.digits, "0")
	exp := d.exp + int64(len(d.digits)-len(digits))
	if digits == "" {
		return f == 0
	}
	// A binary64 has at most 767 digits, and none after the 1074th decimal place.
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

// isWhole reports whether the number is an integer.
func (d decimal) isWhole() bool {
	return d.digits == "" || d.exp+int64(len(d.digits)-len(strings.TrimRight(d.digits, "0"))) >= 0
}

// bigInteger returns the number if it is an integer with at most mostDigits digits.
func (d decimal) bigInteger() (*big.Int, bool) {
	if !d.isWhole() || d.digits != "" && int64(len(d.digits))+d.exp > mostDigits {
		return nil, false
	}
	d.digits, d.exp = strings.TrimRight(d.digits, "0"), d.exp+int64(len(d.digits)-len(strings.TrimRight(d.digits, "0")))
	n := d.mantissa()
	return n.Mul(n, powerOfTen(d.exp)), true
}

func powerOfTen(n int64) *big.Int {
	if n <= 0 {
		return big.NewInt(1)
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil)
}

// compareDecimal compares two numbers with exponents of any size.
func (d decimal) compareDecimal(e decimal) int {
	if s := cmp.Compare(d.signum(), e.signum()); s != 0 || d.signum() == 0 {
		return s
	}
	// Compare the positions of the first digits, then the digits.
	order := cmp.Compare(d.exp+int64(len(d.digits)), e.exp+int64(len(e.digits)))
	if order == 0 {
		n := max(len(d.digits), len(e.digits))
		order = strings.Compare(d.digits+strings.Repeat("0", n-len(d.digits)), e.digits+strings.Repeat("0", n-len(e.digits)))
	}
	return order * d.signum()
}

func (d decimal) signum() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// multipleOf reports whether d is an integer multiple of e. e must not be 0. The running time
// depends on the digits of both numbers, but not on their exponents.
func (d decimal) multipleOf(e decimal) bool {
	if d.digits == "" {
		return true
	}
	digits := strings.TrimRight(d.digits, "0")
	d.digits, d.exp = digits, d.exp+int64(len(d.digits)-len(digits))
	of := e.mantissa()
	shift := d.exp - e.exp
	if shift < 0 {
		// d.digits does not end in 0, so d is not a multiple of 10^-shift.
		return false
	}
	rest := new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), of.Abs(of))
	return rest.Mod(rest.Mul(rest, d.mantissa()), of).Sign() == 0
}

// canonicalNumber returns the same text for all forms of a number.
func canonicalNumber(s string) string {
	if _, ok := special(s); ok {
		return s
	}
	d, ok := parseDecimal(s)
	if !ok {
		return s
	}
	if d.digits == "" {
		return "0"
	}
	digits := strings.TrimRight(d.digits, "0")
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + digits + "e" + strconv.FormatInt(d.exp+int64(len(d.digits)-len(digits)), 10)
}
