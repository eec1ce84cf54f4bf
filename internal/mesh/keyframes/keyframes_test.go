package keyframes

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// at is what a player shows at a time, by the formulas of glTF 2.0, appendix C.
func at(c *Curve, t float64) []float64 {
	n := len(c.Times)
	i := 0
	for i < n-1 && float64(c.Times[i+1]) <= t {
		i++
	}
	a := c.key(i)
	out := make([]float64, c.Width)
	for k := range a {
		out[k] = float64(a[k])
	}
	if i == n-1 || t <= float64(c.Times[0]) || c.Step {
		return out
	}
	b := c.key(i + 1)
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

// apart is the true distance.
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

// random makes a curve that moves in several ways, and stands still.
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

// What is left is nowhere further from the curve than was allowed, however finely one
// looks, and values that were rounded before are taken into account.
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

// Keyframes that add nothing go: of a line, of an arc, of what stands still, of steps.
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
		{"line", line, []int{0, 100}}, {"arc", arc, []int{0, 100}}, {"still", still, []int{0}}, {"steps", steps, []int{0, 40, 80, 100}},
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
