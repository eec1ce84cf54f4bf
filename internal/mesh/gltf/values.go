package gltf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// CheckTimes checks that keyframes are at increasing times from 0 on.
func (a Array) CheckTimes() error {
	last := float32(math.Inf(-1))
	for i, t := range a.Floats() {
		switch {
		case t < 0:
			return fmt.Errorf("keyframe %d is at %v seconds", i, t)
		case t <= last:
			return fmt.Errorf("keyframe %d at %v seconds is not behind the one before, at %v", i, t, last)
		}
		last = t
	}
	return nil
}

// CheckCorners checks the indices of vertices below a number.
func (a Array) CheckCorners(vertices int64) error {
	restart := uint32(1)<<(8*ComponentSize(a.Component)) - 1
	for i, v := range a.Uints() {
		if int64(v) >= vertices || v == restart {
			return fmt.Errorf("index %d is vertex %d of %d", i, v, vertices)
		}
	}
	return nil
}

// RepairQuaternions scales rotations to length 1 in place, every third from the second
// on for splines.
func (a Array) RepairQuaternions(splines bool) (n int, err error) {
	values := a.Floats()
	for i := range a.Count {
		if splines && i%3 != 1 {
			continue
		}
		q := values[4*i:][:4]
		was, ok := ScaleTo1(q)
		switch {
		case was:
			continue
		case !ok:
			return n, fmt.Errorf("element %d is a rotation without length", i)
		case a.Component != Float32:
			return n, fmt.Errorf("element %d is a rotation of another length than 1", i)
		}
		n++
		for k, x := range q {
			binary.LittleEndian.PutUint32(a.Data[16*i+4*k:], math.Float32bits(x))
		}
	}
	return n, nil
}

// RepairMatrices makes the last rows of matrices, which are stored by columns, 0 0 0 1,
// in place.
func (a Array) RepairMatrices() (n int, err error) {
	for i := range a.Count {
		m, off := a.Element(i), false
		for column, want := range []float32{0, 0, 0, 1} {
			at := m[16*column+12:]
			x := math.Float32frombits(binary.LittleEndian.Uint32(at))
			if x == want {
				continue
			}
			if math.Abs(float64(x)-float64(want)) > 1e-3 {
				return n, fmt.Errorf("matrix %d: %v in the last row, want 0 0 0 1", i, x)
			}
			binary.LittleEndian.PutUint32(at, math.Float32bits(want))
			off = true
		}
		if off {
			n++
		}
	}
	return n, nil
}

// ScaleTo1 gives a vector length 1. It reports whether it was about that long before,
// and whether it has a length at all.
func ScaleTo1(v []float32) (was, ok bool) {
	sum := float64(0)
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	length := math.Sqrt(sum)
	if math.Abs(length-1) <= UnitSlack {
		return true, true
	}
	if !(length > 1e-30) || math.IsInf(length, 1) {
		return false, false
	}
	for k, x := range v {
		v[k] = float32(float64(x) / length)
	}
	return false, true
}
