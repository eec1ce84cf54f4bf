package main

// Integer stand-ins for the maths that pictures, sounds and shapes need.
// Intermediate products use int64, so a 32-bit machine computes the same.

// turn is an angle; 65536 of them make a full turn.
type turn int

const fullTurn turn = 1 << 16

// one is 1.0 in the 16.16 fixed point that sine and cosine return.
const one = 1 << 16

// sine returns the sine of a in 16.16 fixed point, from its Taylor series.
func sine(a turn) int {
	a &= fullTurn - 1
	negative := a >= fullTurn/2
	a &= fullTurn/2 - 1
	if a > fullTurn/4 {
		a = fullTurn/2 - a
	}
	const halfPi = 1686629713 // pi/2 with 30 fractional bits
	x := int64(a) * halfPi / int64(fullTurn/4)
	square := x * x >> 30
	term, sum := x, x
	for _, d := range [...]int64{2 * 3, 4 * 5, 6 * 7, 8 * 9, 10 * 11} {
		term = -(term * square >> 30) / d
		sum += term
	}
	v := int((sum + 1<<13) >> 14)
	if negative {
		return -v
	}
	return v
}

// cosine returns the cosine of a in 16.16 fixed point.
func cosine(a turn) int { return sine(a + fullTurn/4) }

// scale returns v times a 16.16 factor, rounded to nearest.
func scale(v, factor int) int {
	return int((int64(v)*int64(factor) + one/2) >> 16)
}

// root returns the integer square root of v, rounded down; 0 if v is negative.
func root(v int64) int {
	if v <= 0 {
		return 0
	}
	r := int64(0)
	bit := int64(1) << 62
	for bit > v {
		bit >>= 2
	}
	for ; bit != 0; bit >>= 2 {
		if v >= r+bit {
			v -= r + bit
			r = r>>1 + bit
		} else {
			r >>= 1
		}
	}
	return int(r)
}

// floorMod returns a modulo n in 0..n-1, also for negative a.
func floorMod(a, n int) int {
	if a %= n; a < 0 {
		a += n
	}
	return a
}

// between returns v limited to low..high.
func between(low, v, high int) int { return max(low, min(v, high)) }

// ramp maps v from low..high to 0..256, limited at both ends.
func ramp(v, low, high int) int { return between(0, (v-low)*256/(high-low), 256) }
