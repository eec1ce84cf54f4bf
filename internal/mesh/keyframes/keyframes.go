// Package keyframes removes keyframes from animations if the remaining keyframes give the same
// motion within a tolerance.
//
// Between two keyframes glTF 2.0 (appendix C) interpolates by a straight line, by a step, or, for
// rotations, along the shorter arc at constant speed. Many players use a straight line between two
// quaternions instead, which rotates faster in the middle than at both ends. The tolerance is also
// kept in these players.
//
// Between rotations half a turn apart both arcs are equally short, and a rounding error determines
// the direction of a player's turn. So Reduce removes no keyframes between rotations more than a
// quarter of a turn apart. [Curve.SameTurns] finds keyframes of the source whose direction rounding
// would reverse.
package keyframes

import (
	"context"
	"math"
	"slices"
)

// A Kind is the meaning of a keyframe's values.
type Kind uint8

const (
	Vector   Kind = iota // translation or scale; the distance is that between points
	Rotation             // unit quaternion; the distance is the angle in radians
	Shares               // weights of morph targets; the distance is the largest difference of a weight
)

// A Curve is a list of keyframes with Width values each, at increasing times.
type Curve struct {
	Kind   Kind
	Step   bool
	Width  int
	Times  []float32
	Values []float32
}

// keyframe returns a keyframe.
func (c *Curve) keyframe(i int) []float32 { return c.Values[i*c.Width:][:c.Width] }

// Reduce returns the indices of the keyframes to keep, in order. stored holds the values that will
// be written for the keyframes of source. The distance between source and the curve through the
// kept values never exceeds most. If a curve never moves, Reduce keeps one keyframe; otherwise it
// keeps the first and the last.
//
// If a stored value already differs by more than that distance, Reduce keeps all keyframes around
// it.
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

// StaysAt reports whether all keyframes are within the given distance of a value.
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

// isConstant reports whether the first keyframe alone is close enough to all keyframes.
func (r *reducer) isConstant(n int) bool {
	for i := range n {
		if r.keyframeDistance(toFloat64(r.at, r.stored.keyframe(0)), toFloat64(r.was, r.source.keyframe(i))) > r.most {
			return false
		}
	}
	return true
}

// furthest returns the last keyframe that can directly follow keyframe from. It doubles its steps
// until one is too far, and then bisects the last step.
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

// leastDot is the dot product of quaternions that are a quarter of a turn apart. Reduce removes no
// keyframes between rotations that are farther apart.
const leastDot = math.Sqrt2 / 2

// clearDot is a dot product whose sign does not depend on rounding errors of players. A sum of four
// float32 products has an error of less than 1e-6.
const clearDot = 1e-5

// SameTurns reports whether players turn in the same direction between adjacent keyframes of c and
// of stored. It can return false only for rotations that are nearly half a turn apart.
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

// parts are the relative positions between two keyframes where the curves are compared.
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

// isNearAt reports whether the reduced curve is close to the source. It compares the point between
// keyframes a (share 0) and b (share 1) with the source's point between keyframe i (u 0) and the
// next (u 1).
func (r *reducer) isNearAt(a, b int, share float64, i int, u float64) bool {
	next := min(i+1, len(r.source.Times)-1)
	return r.keyframeDistance(r.stored.interpolate(r.at, a, b, share), r.source.interpolate(r.was, i, next, u)) <= r.most &&
		(r.source.Kind != Rotation || r.keyframeDistance(r.stored.interpolateLine(r.at, a, b, share), r.source.interpolateLine(r.was, i, next, u)) <= r.most)
}

// interpolate writes the interpolated value between keyframes a and b; share is 0 at a and 1 at b.
func (c *Curve) interpolate(to []float64, a, b int, share float64) []float64 {
	if c.Kind == Rotation && share > 0 && !c.Step {
		q := Slerp([4]float32(c.keyframe(a)), [4]float32(c.keyframe(b)), share)
		copy(to, q[:])
		return to
	}
	return c.interpolateLine(to, a, b, share)
}

// interpolateLine writes the point on the straight line between keyframes a and b; share is 0 at a
// and 1 at b. For rotations the result is not normalized.
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

// keyframeDistance returns the distance between two values, according to the curve's kind.
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

// rotationAngle approximates the angle between two rotations by 4 sin(angle/4) radians. At 18
// degrees this is too small by a thousandth. The quaternions need not be exactly normalized.
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

// Slerp returns a rotation on the shorter arc between two rotations. share is 0 at a and 1 at b.
// Slerp bisects the arc until a straight line is within 2e-6 radians. This needs only square roots,
// which are the same on all machines.
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
