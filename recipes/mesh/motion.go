package mesh

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/keyframes"
	"github.com/assetcook/assetcook/internal/mesh/meshopt"
)

// A motion is a rewritten animation sampler.
type motion struct {
	source *keyframes.Curve
	input  int32      // accessor of the times of the keyframes
	stored gltf.Array // rounded values of all keyframes
	use    gltf.Use
	most   float64 // maximum error
	keep   []int   // indices of the keyframes to keep
}

// lastKeyTime returns the time of the last keyframe.
func (m *motion) lastKeyTime() float32 { return m.source.Times[len(m.source.Times)-1] }

// A motionReader reads samplers, and each array of times only once.
type motionReader struct {
	*cooking
	times map[int32][]float32 // times of each accessor that was read
	reach []float64           // size of the parts below each node; see gltf.Document.Reaches
}

// readSampler reads a sampler that animates nodes. It returns nil for a sampler that must stay
// unchanged.
func (r *motionReader) readSampler(ctx context.Context, s *gltf.AnimationSampler, path string) (*motion, error) {
	in, out := &r.doc.Accessors[*s.Input], &r.doc.Accessors[*s.Output]
	packed := path == "rotation" && out.ComponentType == gltf.Int16
	if s.Interpolation != "" && s.Interpolation != "LINEAR" && s.Interpolation != "STEP" ||
		in.BufferView == nil || out.BufferView == nil || out.ComponentType != gltf.Float32 && !packed {
		return nil, nil
	}
	m := &motion{input: *s.Input, most: math.Inf(1), use: gltf.Other}
	times, err := r.readTimes(ctx, *s.Input)
	if err != nil {
		return nil, fmt.Errorf("accessor %d: %w", *s.Input, err)
	}
	if m.stored, err = r.doc.First(ctx, *s.Output, int(out.Count)); err == nil {
		err = m.stored.Finite(ctx, "element")
	}
	if err != nil {
		return nil, fmt.Errorf("accessor %d: %w", *s.Output, err)
	}
	m.source = &keyframes.Curve{Step: s.Interpolation == "STEP", Width: m.stored.Width, Times: times}
	switch path {
	case "rotation":
		m.source.Kind = keyframes.Rotation
		n, err := m.stored.RepairQuaternions(false)
		if err != nil {
			return nil, fmt.Errorf("accessor %d: %w", *s.Output, err)
		}
		r.repairs.noteRepair("a rotation in an animation was not of length 1 and was normalized", fmt.Sprintf("accessor %d", *s.Output), n)
	case "weights":
		m.source.Kind = keyframes.Shares
		m.source.Width = int(out.Count / in.Count)
	}
	if int64(m.source.Width)*in.Count != int64(m.stored.Count)*int64(m.stored.Width) {
		return nil, fmt.Errorf("accessor %d has %d elements for %d keyframes", *s.Output, out.Count, in.Count)
	}
	m.source.Values = m.stored.Floats()
	return m, nil
}

// readTimes reads the times of keyframes.
func (r *motionReader) readTimes(ctx context.Context, accessor int32) ([]float32, error) {
	if known, ok := r.times[accessor]; ok {
		return known, nil
	}
	a := &r.doc.Accessors[accessor]
	times, err := r.doc.First(ctx, accessor, int(a.Count))
	if err == nil {
		err = times.Finite(ctx, "element")
	}
	if err == nil {
		err = times.CheckTimes()
	}
	if err != nil {
		return nil, err
	}
	if low, high := times.Bounds(); a.Min != nil && !sameFloats(*a.Min, low) || a.Max != nil && !sameFloats(*a.Max, high) {
		r.repairs.noteRepair(wrongBounds, fmt.Sprintf("accessor %d", accessor), 1)
	}
	r.times[accessor] = times.Floats()
	return r.times[accessor], nil
}

// errorUnit returns the unit of an animation's error. It is a radian, the largest scale, a full
// morph target, or the size of the moved parts. For a node without children, the size is its
// distance from its parent.
func (m *motion) errorUnit(path string, reach float64) float64 {
	switch {
	case path == "rotation" || path == "weights":
		return 1
	case path == "translation" && reach > 0:
		return reach
	}
	largest := 0.
	for i := 0; i+2 < len(m.source.Values); i += 3 {
		v := m.source.Values[i:][:3]
		sum := 0.
		for _, x := range v {
			sum += float64(float64(x) * float64(x))
		}
		largest = max(largest, math.Sqrt(sum))
	}
	return largest
}

// reduceMotion rounds the keyframes of a motion and chooses the keyframes to keep.
func (o *meshOptions) reduceMotion(ctx context.Context, m *motion) (err error) {
	unrounded := m.stored
	if err := o.roundMotion(ctx, m); err != nil {
		return err
	}
	if m.source.Kind == keyframes.Rotation && !m.source.SameTurns(m.stored.Floats()) {
		m.stored, m.use = unrounded, gltf.Other // a player might rotate the rounded values in the opposite direction
	}
	m.keep, err = keyframes.Reduce(ctx, m.source, m.stored.Floats(), m.most)
	return err
}

// Errors of rotations in radians. shortError is the error of four 16-bit fractions.
// bitsError/(2^(b-1)-1) is the error of three b-bit fractions of the filter Quaternion, which
// derives the fourth. Each fraction has an error of at most half a quantization step.
const (
	shortError = 2. / 32767
	bitsError  = 2.5
)

// rotationBits returns the smallest number of bits for compressed rotations whose error is at most
// three quarters of the allowed error. It returns 0 if there is none.
func (o *meshOptions) rotationBits() int {
	for bits := 4; bits <= 16; bits++ {
		if bitsError/float64(int(1)<<(bits-1)-1)+shortError <= o.AnimationError*3/4 {
			return bits
		}
	}
	return 0
}

// roundMotion stores the values of a motion in fewer bits. It does so only if the rounding error is
// at most three quarters of the allowed error.
func (o *meshOptions) roundMotion(ctx context.Context, m *motion) error {
	compress := o.compresses()
	switch bits := o.rotationBits(); {
	case m.source.Kind == keyframes.Rotation && o.RotationBits == 0:
		m.stored = gltf.FloatArray(m.source.Values, m.source.Width)
	case m.stored.Component != gltf.Float32: // the values are already rounded
	case m.source.Kind == keyframes.Rotation && compress && bits > 0:
		m.use = gltf.Turns
		return m.roundRotations(ctx, bits)
	case m.source.Kind == keyframes.Rotation && shortError <= o.AnimationError*3/4:
		return m.roundRotations(ctx, 0)
	case m.source.Kind != keyframes.Rotation && compress && m.most > 0:
		// The step is a power of two, at most half the allowed error. The error from rounding three
		// values is then at most sqrt(3)/4 of the allowed error.
		m.use = gltf.Steps
		_, exponent := math.Frexp(m.most / 2)
		for k, x := range m.source.Values {
			e := m.stored.Data[4*k:][:4]
			meshopt.PutExponential(e, x, max(exponent-1, -100))
			if err := meshopt.Exponential.Apply(ctx, e, 4); err != nil {
				return err
			}
		}
	}
	return nil
}

// roundRotations stores rotations as 16-bit fractions. The filter Quaternion rounds them to the
// given number of bits, unless it is 0.
func (m *motion) roundRotations(ctx context.Context, bits int) error {
	values := m.source.Values
	packed := gltf.NewArray(gltf.Int16, true, 4, m.stored.Count)
	err := gltf.Chunks(ctx, m.stored.Count, func(from, to int) error {
		for i := from; i < to; i++ {
			e, q := packed.Element(i), [4]float32(values[4*i:])
			if bits == 0 {
				for k, x := range q {
					binary.LittleEndian.PutUint16(e[2*k:], uint16(int16(math.Round(float64(min(max(x, -1), 1))*math.MaxInt16))))
				}
				continue
			}
			meshopt.PutQuaternion(e, q, bits)
			if err := meshopt.Quaternion.Apply(ctx, e, len(e)); err != nil {
				return err
			}
		}
		return nil
	})
	m.stored = packed
	return err
}
