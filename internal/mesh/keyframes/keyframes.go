// Package keyframes removes keyframes from animations if, within a bound, the others lead
// to the same motion.
//
// Between two keyframes glTF 2.0 (appendix C) has a straight line, the shorter arc between
// two rotations at a steady speed, or a step. Many players take a straight line between two
// quaternions instead, which is faster in its middle than at its ends: the bound holds for
// these players as well.
//
// Between rotations half a turn apart both arcs are equally short, and a rounding error
// decides which way a player turns. So Reduce removes no keyframes between rotations more
// than a quarter of a turn apart, and [Curve.SameTurns] finds keyframes of the source that
// rounding would turn the other way.
package keyframes

import (
	"context"
	"math"
	"slices"
)

// A Kind is the meaning of a keyframe's numbers.
type Kind uint8

const (
	Vector   Kind = iota // place or scale; the distance is between points
	Rotation             // quaternion of length 1; the distance is an angle in radians
	Shares               // weights of morph targets; the distance is the largest difference
)

// A Curve is keyframes of Width numbers each, at times that increase.
type Curve struct {
	Kind   Kind
	Step   bool
	Width  int
	Times  []float32
	Values []float32
}

// keyframe returns a keyframe.
func (c *Curve) keyframe(i int) []float32 { return c.Values[i*c.Width:][:c.Width] }

// Reduce returns the numbers of the keyframes to keep, in order. stored are the values that will be
// written, with the same keyframes as source. The curve through the kept values is nowhere further
// than most from the source. Reduce keeps one keyframe of a curve that never moves; otherwise it
// keeps the first and the last.
//
// Around values of stored that are already further off than most, it keeps all keyframes.
func Reduce(ctx context.Context, source *Curve, stored []float32, most float64) ([]int, error) {
	r := reducer{source: source, stored: &Curve{
		Kind: source.Kind, Step: source.Step, Width: source.Width, Times: source.Times, Values: stored,
	}, most: most, at: make([]float64, source.Width), was: make([]float64, source.Width)}
	n := len(source.Times)
	if n == 0 || r.isConstant(n) {
		return []int{0}[:min(n, 1)], ctx.Err()
	}
	kept := []int{0}
	for last := 0; last < n-1; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := r.furthest(last, n)
		kept = append(kept, next)
		last = next
	}
	return kept, nil
}

// StaysAt reports whether no keyframe is further than most from a value.
func (c *Curve) StaysAt(where []float64, most float64) bool {
	r, at := reducer{source: c}, make([]float64, c.Width)
	for i := range c.Times {
		if r.keyframeDistance(where, toFloat64(at, c.keyframe(i))) > most {
			return false
		}
	}
	return true
}

// A reducer compares a curve with the curve through its kept keyframes.
type reducer struct {
	source, stored *Curve
	most           float64
	at, was        []float64
}

// isConstant reports whether the first keyframe alone is near enough everywhere.
func (r *reducer) isConstant(n int) bool {
	for i := range n {
		if r.keyframeDistance(toFloat64(r.at, r.stored.keyframe(0)), toFloat64(r.was, r.source.keyframe(i))) > r.most {
			return false
		}
	}
	return true
}

// furthest returns the last keyframe that can follow from directly. It doubles its steps until one is
// too far, then bisects the last step.
func (r *reducer) furthest(from, n int) int {
	good, step := from+1, 2
	for from+step < n && r.canDropBetween(from, from+step) {
		good = from + step
		step *= 2
	}
	bad := min(from+step, n)
	for bad-good > 1 {
		if middle := good + (bad-good)/2; r.canDropBetween(from, middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good
}

// leastDot is the dot product of quaternions a quarter turn apart. Reduce removes no keyframes
// between rotations that are further apart.
const leastDot = math.Sqrt2 / 2

// clearDot is a dot product whose sign no player's arithmetic changes. Sums of four
// products of float32 are off by less than 1e-6.
const clearDot = 1e-5

// SameTurns reports whether players turn in the same direction between neighboring keyframes of c
// and of stored. Only rotations that are nearly half a turn apart can make it false.
func (c *Curve) SameTurns(stored []float32) bool {
	if c.Kind != Rotation || c.Step {
		return true
	}
	s := Curve{Width: c.Width, Values: stored}
	for i := range len(c.Times) - 1 {
		source, rounded := dot(c.keyframe(i), c.keyframe(i+1)), dot(s.keyframe(i), s.keyframe(i+1))
		if min(math.Abs(source), math.Abs(rounded)) < clearDot || (source < 0) != (rounded < 0) {
			return slices.Equal(c.Values, stored)
		}
	}
	return true
}

func dot(a, b []float32) float64 {
	sum := 0.
	for k := range a {
		sum += float64(float64(a[k]) * float64(b[k]))
	}
	return sum
}

// parts are the shares of an arc at which two arcs are compared between keyframes.
var parts = []float64{0.25, 0.5, 0.75}

// canDropBetween reports whether all keyframes between a and b can be removed.
func (r *reducer) canDropBetween(a, b int) bool {
	c := r.source
	if c.Kind == Rotation && !c.Step && math.Abs(dot(r.stored.keyframe(a), r.stored.keyframe(b))) < leastDot {
		return false
	}
	first, last := float64(c.Times[a]), float64(c.Times[b])
	for i := a; i < b; i++ {
		t := float64(c.Times[i])
		if i > a || c.Step {
			if !r.isNearAt(a, b, (t-first)/(last-first), i, 0) {
				return false
			}
		}
		if c.Kind != Rotation || c.Step {
			continue
		}
		for _, u := range parts {
			between := t + float64(u*(float64(c.Times[i+1])-t))
			if !r.isNearAt(a, b, (between-first)/(last-first), i, u) {
				return false
			}
		}
	}
	return true
}

// isNearAt compares the arc from a to b at a share of its way with the source at a share of
// the way behind keyframe i.
func (r *reducer) isNearAt(a, b int, share float64, i int, u float64) bool {
	next := min(i+1, len(r.source.Times)-1)
	return r.keyframeDistance(r.stored.interpolate(r.at, a, b, share), r.source.interpolate(r.was, i, next, u)) <= r.most &&
		(r.source.Kind != Rotation || r.keyframeDistance(r.stored.interpolateLine(r.at, a, b, share), r.source.interpolateLine(r.was, i, next, u)) <= r.most)
}

// interpolate writes the value at a share of the way from one keyframe to another.
func (c *Curve) interpolate(to []float64, a, b int, share float64) []float64 {
	if c.Kind == Rotation && share > 0 && !c.Step {
		q := Slerp([4]float32(c.keyframe(a)), [4]float32(c.keyframe(b)), share)
		copy(to, q[:])
		return to
	}
	return c.interpolateLine(to, a, b, share)
}

// interpolateLine writes the point at a share of the straight line between two keyframes. For rotations the
// result is not normalized.
func (c *Curve) interpolateLine(to []float64, a, b int, share float64) []float64 {
	from, next := c.keyframe(a), c.keyframe(b)
	if share <= 0 || c.Step {
		return toFloat64(to, from)
	}
	sign := 1.
	if c.Kind == Rotation && dot(from, next) < 0 {
		sign = -1
	}
	for k := range to {
		x := float64(from[k])
		to[k] = x + float64((float64(sign*float64(next[k]))-x)*share)
	}
	return to
}

func toFloat64(to []float64, values []float32) []float64 {
	for k, x := range values {
		to[k] = float64(x)
	}
	return to
}

// keyframeDistance returns the distance of two keyframes.
func (r *reducer) keyframeDistance(a, b []float64) float64 {
	switch r.source.Kind {
	case Rotation:
		return rotationAngle(a, b)
	case Shares:
		largest := 0.
		for k := range a {
			largest = max(largest, math.Abs(a[k]-b[k]))
		}
		return largest
	}
	sum := 0.
	for k := range a {
		d := a[k] - b[k]
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// rotationAngle returns about the angle between two rotations: 4 sin(angle/4) radians, which is
// less by a thousandth at 18 degrees. Their lengths need only be about 1.
func rotationAngle(a, b []float64) float64 {
	dot, aa, bb := 0., 0., 0.
	for k := range a {
		dot += float64(a[k] * b[k])
		aa += float64(a[k] * a[k])
		bb += float64(b[k] * b[k])
	}
	scale := 1 / math.Sqrt(aa)
	other := 1 / math.Sqrt(bb)
	if dot < 0 {
		other = -other
	}
	sum := 0.
	for k := range a {
		d := float64(a[k]*scale) - float64(b[k]*other)
		sum += float64(d * d)
	}
	return 2 * math.Sqrt(sum)
}

// Slerp returns the rotation at a share of the shorter arc between two rotations. It halves the arc
// until a straight line is within 2e-6 radians: halving takes only a square root, which gives the same
// bits everywhere.
func Slerp(a, b [4]float32, share float64) (q [4]float64) {
	var p [4]float64
	dot := 0.
	for k := range a {
		q[k], p[k] = float64(a[k]), float64(b[k])
		dot += float64(q[k] * p[k])
	}
	normalizeQuaternion(&q)
	normalizeQuaternion(&p)
	if dot < 0 {
		for k := range p {
			p[k] = -p[k]
		}
	}
	for range 6 {
		var middle [4]float64
		for k := range middle {
			middle[k] = q[k] + p[k]
		}
		normalizeQuaternion(&middle)
		if share *= 2; share < 1 {
			p = middle
		} else {
			q = middle
			share--
		}
	}
	for k := range q {
		q[k] += float64((p[k] - q[k]) * share)
	}
	normalizeQuaternion(&q)
	return q
}

func normalizeQuaternion(q *[4]float64) {
	sum := 0.
	for _, x := range q {
		sum += float64(x * x)
	}
	if sum == 0 {
		*q = [4]float64{3: 1}
		return
	}
	length := math.Sqrt(sum)
	for k := range q {
		q[k] /= length
	}
}
