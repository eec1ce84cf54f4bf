package keyframes

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// at returns the value at time t, computed with the formulas of glTF 2.0, appendix C.
func at(c *Curve, t float64) []float64 {
	n := len(c.Times)
	i := 0
	for i < n-1 && float64(c.Times[i+1]) <= t {
		i++
	}
	a := c.keyframe(i)
	out := make([]float64, c.Width)
	for k := range a {
		out[k] = float64(a[k])
	}
	if i == n-1 || t <= float64(c.Times[0]) || c.Step {
		return out
	}
	b := c.keyframe(i + 1)
	u := (t - float64(c.Times[i])) / float64(c.Times[i+1]-c.Times[i])
	if c.Kind != Rotation {
		for k := range a {
			out[k] = (1-u)*float64(a[k]) + u*float64(b[k])
		}
		return out
	}
	dot := 0.
	for k := range a {
		dot += float64(a[k]) * float64(b[k])
	}
	sign := math.Copysign(1, dot)
	theta := math.Acos(min(math.Abs(dot), 1))
	x, y := 1-u, u
	if theta > 1e-6 {
		x, y = math.Sin((1-u)*theta)/math.Sin(theta), math.Sin(u*theta)/math.Sin(theta)
	}
	for k := range a {
		out[k] = x*float64(a[k]) + sign*y*float64(b[k])
	}
	return out
}

// apart returns the exact distance between two values.
func apart(kind Kind, a, b []float64) float64 {
	sum, largest, minus := 0., 0., 0.
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
		minus += (a[k] + b[k]) * (a[k] + b[k])
		largest = max(largest, math.Abs(a[k]-b[k]))
	}
	switch kind {
	case Rotation:
		return 4 * math.Asin(min(math.Sqrt(min(sum, minus))/2, 1))
	case Shares:
		return largest
	}
	return math.Sqrt(sum)
}

// random returns a curve that moves in several ways, or not at all.
func random(t *rapid.T) *Curve {
	c := &Curve{Kind: Kind(rapid.IntRange(0, 2).Draw(t, "kind")), Step: rapid.IntRange(0, 4).Draw(t, "step") == 0}
	c.Width = map[Kind]int{Vector: 3, Rotation: 4, Shares: rapid.IntRange(1, 3).Draw(t, "width")}[c.Kind]
	n := rapid.IntRange(1, 60).Draw(t, "keys")
	noise := rapid.SampledFrom([]float64{0, 1e-5, 1e-3, 0.3}).Draw(t, "noise")
	speed := rapid.SampledFrom([]float64{0, 0.02, 0.5}).Draw(t, "speed")
	seed := rapid.Uint32().Draw(t, "seed")
	next := func() float64 {
		seed = seed*1664525 + 1013904223
		return float64(seed)/(1<<31) - 1
	}
	time := 0.
	for i := range n {
		var v []float64
		sum := 0.
		for k := range c.Width {
			x := math.Sin(speed*float64(i)*float64(k+1)+float64(k)) + noise*next()
			v = append(v, x)
			sum += x * x
		}
		for _, x := range v {
			if c.Kind == Rotation {
				x /= math.Sqrt(sum)
			}
			c.Values = append(c.Values, float32(x))
		}
		c.Times = append(c.Times, float32(time))
		time += 0.01 + math.Abs(next())/10
	}
	return c
}

// TestReduce checks that the reduced curve is always within the allowed distance of the source,
// including the rounding of the stored values.
func TestReduce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := random(t)
		most := rapid.SampledFrom([]float64{1e-4, 1e-3, 0.05}).Draw(t, "most")
		stored := slices.Clone(c.Values)
		for i, x := range stored {
			step := most / 4
			stored[i] = float32(math.Round(float64(x)/step) * step)
			if c.Kind == Rotation {
				stored[i] = float32(math.Round(float64(x)*32767) / 32767)
			}
		}
		keys, err := Reduce(t.Context(), c, stored, most)
		if err != nil || len(keys) == 0 || keys[0] != 0 || len(keys) > 1 && keys[len(keys)-1] != len(c.Times)-1 {
			t.Fatalf("keyframes %v of %d, %v", keys, len(c.Times), err)
		}
		left := &Curve{Kind: c.Kind, Step: c.Step, Width: c.Width}
		for i, k := range keys {
			if i > 0 && k <= keys[i-1] {
				t.Fatalf("keyframes %v", keys)
			}
			left.Times = append(left.Times, c.Times[k])
			left.Values = append(left.Values, stored[k*c.Width:][:c.Width]...)
		}
		const fine = 23
		for i := range c.Times {
			for j := range fine {
				time := float64(c.Times[i])
				if i+1 < len(c.Times) {
					time += float64(c.Times[i+1]-c.Times[i]) * float64(j) / fine
				}
				if off := apart(c.Kind, at(c, time), at(left, time)); off > most*1.02+2e-6 {
					t.Fatalf("off by %v at %v, at most %v is allowed; keyframes %v of %d", off, time, most, keys, len(c.Times))
				}
			}
		}
	})
}

// TestReduceTo checks that redundant keyframes are removed: on a line, on an arc, without motion,
// and between steps.
func TestReduceTo(t *testing.T) {
	line, arc, still, steps := &Curve{Width: 3}, &Curve{Kind: Rotation, Width: 4}, &Curve{Kind: Shares, Width: 2}, &Curve{Step: true, Width: 3}
	for i := range 101 {
		x := float64(i) / 50
		for _, c := range []*Curve{line, arc, still, steps} {
			c.Times = append(c.Times, float32(x))
		}
		line.Values = append(line.Values, float32(3*x), 7, float32(-x))
		arc.Values = append(arc.Values, 0, float32(math.Sin(x/2)), 0, float32(math.Cos(x/2)))
		still.Values = append(still.Values, 0.5, 0)
		steps.Values = append(steps.Values, float32(i/40), 0, 0)
	}
	for _, tc := range []struct {
		name  string
		curve *Curve
		want  []int
	}{
		{"line", line, []int{0, 100}}, {"arc", arc, []int{0, 14, 28, 42, 56, 70, 84, 98, 100}}, {"still", still, []int{0}}, {"steps", steps, []int{0, 40, 80, 100}},
		{"none", &Curve{Width: 3}, nil}, {"one", &Curve{Width: 1, Times: []float32{3}, Values: []float32{1}}, []int{0}},
	} {
		have, err := Reduce(t.Context(), tc.curve, tc.curve.Values, 1e-4)
		if err != nil || !slices.Equal(have, tc.want) {
			t.Errorf("%s: %v, want %v, %v", tc.name, have, tc.want, err)
		}
	}
}

func TestSlerp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		axis := rapid.Float64Range(0, math.Pi).Draw(t, "axis")
		from, by := rapid.Float64Range(-3, 3).Draw(t, "from"), rapid.Float64Range(-3.1, 3.1).Draw(t, "by")
		turn := func(angle float64) [4]float64 {
			s := math.Sin(angle / 2)
			return [4]float64{s * math.Cos(axis), 0, s * math.Sin(axis), math.Cos(angle / 2)}
		}
		single := func(q [4]float64) (f [4]float32) {
			for k, x := range q {
				f[k] = float32(x)
			}
			return f
		}
		u := rapid.Float64Range(0, 1).Draw(t, "share")
		have, want := Slerp(single(turn(from)), single(turn(from+by)), u), turn(from+u*by)
		if off := apart(Rotation, have[:], want[:]); off > 4e-6 {
			t.Fatalf("off by %v", off)
		}
	})
}

// A player interpolates in float32, as most players do. It rounds each product and each sum. If fma
// is set, it rounds only once for a product and its sum.
type player struct {
	fma  bool
	line bool // interpolates linearly and normalizes the result
}

func (p player) String() string { return fmt.Sprintf("player with fma %v, line %v", p.fma, p.line) }

// sum returns a*b + c*d + ... for products a, b, c, d and so on.
func (p player) sum(products ...float32) float32 {
	sum := float32(0)
	for i := 0; i < len(products); i += 2 {
		if p.fma {
			sum = float32(math.FMA(float64(products[i]), float64(products[i+1]), float64(sum)))
		} else {
			product := float32(float64(products[i]) * float64(products[i+1]))
			sum = float32(float64(sum) + float64(product))
		}
	}
	return sum
}

// at returns the rotation that the player shows at a time.
func (p player) at(c *Curve, t float64) []float64 {
	i := max(sort.Search(len(c.Times), func(i int) bool { return float64(c.Times[i]) > t })-1, 0)
	a := c.keyframe(i)
	if i == len(c.Times)-1 {
		return toFloat64(make([]float64, 4), a)
	}
	b := c.keyframe(i + 1)
	u := float32((t - float64(c.Times[i])) / float64(c.Times[i+1]-c.Times[i]))
	dot := p.sum(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
	sign := float32(1)
	if dot < 0 {
		sign, dot = -1, -dot
	}
	x, y := 1-u, u
	if !p.line && dot < 0.9995 {
		theta := float32(math.Acos(float64(dot)))
		sine := float32(math.Sin(float64(theta)))
		x = float32(math.Sin(float64((1-u)*theta))) / sine
		y = float32(math.Sin(float64(u*theta))) / sine
	}
	shown := make([]float32, 4)
	for k := range shown {
		shown[k] = p.sum(x, a[k], sign*y, b[k])
	}
	length := math.Sqrt(float64(p.sum(shown[0], shown[0], shown[1], shown[1], shown[2], shown[2], shown[3], shown[3])))
	out := toFloat64(make([]float64, 4), shown)
	for k := range out {
		out[k] /= length
	}
	return out
}

// TestSpinsTurnTheSameWay checks that every player turns a reduced spin in the same direction and
// as far as the source. A turn in the other direction would be wrong by up to 180 degrees.
func TestSpinsTurnTheSameWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		component := rapid.IntRange(-8, 8)
		var axis [4]float64
		length := 0.
		for k := range axis {
			axis[k] = float64(component.Draw(t, "start"))
			length += axis[k] * axis[k]
		}
		if length == 0 {
			t.Skip("no rotation")
		}
		turnsHalf, each := rapid.IntRange(1, 10).Draw(t, "half turns"), rapid.SampledFrom([]int{6, 9, 12, 18, 36, 45}).Draw(t, "keys a half turn")
		c := &Curve{Kind: Rotation, Width: 4}
		stored := []float32{}
		for i := range turnsHalf*each + 1 {
			angle := math.Pi / 2 * float64(i) / float64(each)
			s, co := math.Sincos(angle)
			for _, x := range []float64{
				axis[0]*co - axis[2]*s, axis[1]*co + axis[3]*s, axis[2]*co + axis[0]*s, axis[3]*co - axis[1]*s,
			} {
				x = x / math.Sqrt(length)
				c.Values = append(c.Values, float32(x))
				stored = append(stored, float32(math.Round(x*32767))/32767)
			}
			c.Times = append(c.Times, float32(i)/30)
		}
		const most = 0.0005
		keys, err := Reduce(t.Context(), c, stored, most)
		if err != nil || !c.SameTurns(stored) {
			t.Fatal(keys, err)
		}
		left := &Curve{Kind: Rotation, Width: 4}
		for _, k := range keys {
			left.Times = append(left.Times, c.Times[k])
			left.Values = append(left.Values, stored[4*k:][:4]...)
		}
		if each >= 18 && len(keys) > turnsHalf*each/2+2 { // angles of 10 degrees and less
			t.Fatalf("%d of %d keyframes are left", len(keys), len(c.Times))
		}
		for _, p := range []player{{}, {fma: true}, {line: true}, {fma: true, line: true}} {
			for i := range 8 * turnsHalf * each {
				time := float64(c.Times[len(c.Times)-1]) * (float64(i) + 0.5) / float64(8*turnsHalf*each)
				if off := apart(Rotation, p.at(c, time), p.at(left, time)); off > most*1.05+2e-5 {
					t.Fatalf("%v: off by %v at %v; keyframes %v of %d", p, off, time, keys, len(c.Times))
				}
			}
		}
	})
}

// TestSameTurns checks that rounding changes the direction only between keyframes that are half a
// turn apart.
func TestSameTurns(t *testing.T) {
	half := func(off float64) []float32 {
		angle := (math.Pi - off) / 2
		return []float32{0, 0, 0, 1, 0, float32(math.Sin(angle)), 0, float32(math.Cos(angle))}
	}
	for _, tc := range []struct {
		name           string
		source, stored []float32
		want           bool
	}{
		{"equal", half(0), half(0), true},
		{"the sign of one", half(1e-5), []float32{0, 0, 0, 1, 0, 1, 0, -1. / 32767}, false},
		{"rounded to half a turn", half(1e-5), []float32{0, 0, 0, 1, 0, 1, 0, 0}, false},
		{"far enough from it", half(0.01), []float32{0, 0, 0, 1, 0, 1, 0, 164. / 32767}, true},
	} {
		c := &Curve{Kind: Rotation, Width: 4, Times: []float32{0, 1}, Values: tc.source}
		if have := c.SameTurns(tc.stored); have != tc.want {
			t.Errorf("%s: %v", tc.name, have)
		}
		c.Step = true
		if !c.SameTurns(tc.stored) {
			t.Errorf("%s: steps turn", tc.name)
		}
	}
}
