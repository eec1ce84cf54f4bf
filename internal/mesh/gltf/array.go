package gltf

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// Component types of accessors (glTF 2.0, section 3.6.2.2).
const (
	Int8    = 5120
	Uint8   = 5121
	Int16   = 5122
	Uint16  = 5123
	Uint32  = 5125
	Float32 = 5126
)

// Nowhere is the number of an element that leaves.
const Nowhere = ^uint32(0)

// An Array holds the elements of an accessor: Count elements of Width components, little endian,
// without gaps.
type Array struct {
	Component  int32 // Int8 ... Float32
	Normalized bool  // integers stand for 0 to 1, or -1 to 1
	Width      int   // components of an element
	Count      int
	Size       int // bytes of an element, with the padding of matrices
	Data       []byte
}

// NewArray returns an array of zeros.
func NewArray(component int32, normalized bool, width, count int) Array {
	size := width * ComponentSize(component)
	return Array{
		Component: component, Normalized: normalized, Width: width, Count: count,
		Size: size, Data: make([]byte, size*count),
	}
}

// FloatArray returns an array that holds the values, width an element.
func FloatArray(values []float32, width int) Array {
	a := NewArray(Float32, false, width, len(values)/width)
	for i, x := range values {
		binary.LittleEndian.PutUint32(a.Data[4*i:], math.Float32bits(x))
	}
	return a
}

// ComponentSize returns the bytes of a component, 0 if there is no such type.
func ComponentSize(component int32) int {
	switch component {
	case Int8, Uint8:
		return 1
	case Int16, Uint16:
		return 2
	case Uint32, Float32:
		return 4
	}
	return 0
}

// Element returns the bytes of one element. The last one of a matrix may lack the
// padding at its end.
func (a Array) Element(i int) []byte {
	rest := a.Data[i*a.Size:]
	return rest[:min(a.Size, len(rest))]
}

// Floats returns the values that the components stand for (glTF 2.0, section
// 3.6.2.2: c/127, c/255 ... if normalized).
func (a Array) Floats() []float32 {
	values := make([]float32, a.Width*a.Count)
	for i := range values {
		values[i] = a.floatAt(i)
	}
	return values
}

func (a Array) floatAt(i int) float32 {
	scale := float64(1)
	var x float64
	switch a.Component {
	case Float32:
		return math.Float32frombits(binary.LittleEndian.Uint32(a.Data[4*i:]))
	case Int8:
		x, scale = float64(int8(a.Data[i])), math.MaxInt8
	case Uint8:
		x, scale = float64(a.Data[i]), math.MaxUint8
	case Int16:
		x, scale = float64(int16(binary.LittleEndian.Uint16(a.Data[2*i:]))), math.MaxInt16
	case Uint16:
		x, scale = float64(binary.LittleEndian.Uint16(a.Data[2*i:])), math.MaxUint16
	default:
		return float32(binary.LittleEndian.Uint32(a.Data[4*i:]))
	}
	if a.Normalized {
		x = max(x/scale, -1)
	}
	return float32(x)
}

// Uints returns the components of an array of unsigned numbers.
func (a Array) Uints() []uint32 {
	values := make([]uint32, a.Width*a.Count)
	for i := range values {
		values[i] = uintAt(a.Data, i, ComponentSize(a.Component))
	}
	return values
}

// Pick returns the elements of the given numbers, in their order. The array must
// have them.
func (a Array) Pick(ctx context.Context, elements []uint32) (Array, error) {
	picked := a
	picked.Count = len(elements)
	picked.Data = make([]byte, len(elements)*a.Size)
	return picked, Chunks(ctx, len(elements), func(from, to int) error {
		for i, e := range elements[from:to] {
			copy(picked.Data[(from+i)*a.Size:], a.Element(int(e)))
		}
		return nil
	})
}

// Move returns an array of n elements where element i of this one is at remap[i]. Elements
// with the number Nowhere are dropped.
func (a Array) Move(ctx context.Context, remap []uint32, n int) (Array, error) {
	moved := a
	moved.Count = n
	moved.Data = make([]byte, n*a.Size)
	return moved, Chunks(ctx, len(remap), func(from, to int) error {
		for i, e := range remap[from:to] {
			if e != Nowhere {
				copy(moved.Data[int(e)*a.Size:], a.Element(from+i))
			}
		}
		return nil
	})
}

// Finite returns an error for the first element of an array of floats that is infinite or NaN. element
// is the word for an element.
func (a Array) Finite(ctx context.Context, element string) error {
	if a.Component != Float32 {
		return nil
	}
	return Chunks(ctx, a.Count*a.Width, func(from, to int) error {
		for i := from; i < to; i++ {
			if bits := binary.LittleEndian.Uint32(a.Data[4*i:]); bits&0x7f800000 == 0x7f800000 {
				return fmt.Errorf("%s %d is %v, want a number", element, i/a.Width, math.Float32frombits(bits))
			}
		}
		return nil
	})
}

// Bounds returns the least and the greatest value of each component.
func (a Array) Bounds() (low, high []float64) {
	low, high = make([]float64, a.Width), make([]float64, a.Width)
	for i := range a.Count * a.Width {
		x, k := float64(a.floatAt(i)), i%a.Width
		if i < a.Width || x < low[k] {
			low[k] = x
		}
		if i < a.Width || x > high[k] {
			high[k] = x
		}
	}
	return low, high
}

// chunk is the number of elements between two checks of the context, about a millisecond of work.
const chunk = 1 << 15

// Chunks calls work for 0 to n-1 in pieces, until it fails or the context ends.
func Chunks(ctx context.Context, n int, work func(from, to int) error) error {
	for from := 0; from < n; from += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := work(from, min(from+chunk, n)); err != nil {
			return err
		}
	}
	return nil
}

// Modes of primitives that are made of triangles (glTF 2.0, section 5.24.4).
const (
	Triangles     = 4
	TriangleStrip = 5
	TriangleFan   = 6
)

// AsTriangles returns the triangles of a list of triangles, a strip or a fan, with their winding
// (glTF 2.0, section 3.7.2.1).
func AsTriangles(ctx context.Context, corners []uint32, mode int) ([]uint32, error) {
	if mode == Triangles {
		if len(corners)%3 != 0 {
			return nil, fmt.Errorf("%d corners are not whole triangles", len(corners))
		}
		return corners, nil
	}
	if len(corners) < 3 {
		return nil, fmt.Errorf("%d corners are no triangle", len(corners))
	}
	list := make([]uint32, 0, 3*(len(corners)-2))
	err := Chunks(ctx, len(corners)-2, func(from, to int) error {
		for i := from; i < to; i++ {
			a, b, c := corners[i], corners[i+1+i%2], corners[i+2-i%2]
			if mode == TriangleFan {
				a, b, c = corners[i+1], corners[i+2], corners[0]
			}
			// Strips are stitched together by triangles without area.
			if a != b && b != c && c != a {
				list = append(list, a, b, c)
			}
		}
		return nil
	})
	if len(list) == 0 && err == nil {
		return corners[:3:3], nil
	}
	return list, err
}

// Compact renumbers the vertices that indices name, in place and in the order of their first use, and
// returns their old numbers. The caller sets place to Nowhere for every vertex; Compact sets it to the
// new number of each used vertex.
func Compact(ctx context.Context, indices, place []uint32) (elements []uint32, err error) {
	err = Chunks(ctx, len(indices), func(from, to int) error {
		for i, v := range indices[from:to] {
			if place[v] == Nowhere {
				place[v] = uint32(len(elements))
				elements = append(elements, v)
			}
			indices[from+i] = place[v]
		}
		return nil
	})
	return elements, err
}

// PutShort writes component i of an array of bytes or shorts.
func (a Array) PutShort(i int, n uint16) {
	if ComponentSize(a.Component) == 1 {
		a.Data[i] = byte(n)
		return
	}
	binary.LittleEndian.PutUint16(a.Data[2*i:], n)
}

// IndexArray stores indices as 16-bit numbers where they all fit, else as 32-bit
// ones. 65535 ends a strip in some interfaces and is never used (section 3.7.2.1).
func IndexArray(indices []uint32, vertices int) Array {
	component := int32(Uint16)
	if vertices > 1<<16-1 {
		component = Uint32
	}
	a := NewArray(component, false, 1, len(indices))
	for i, v := range indices {
		if component == Uint16 {
			binary.LittleEndian.PutUint16(a.Data[2*i:], uint16(v))
		} else {
			binary.LittleEndian.PutUint32(a.Data[4*i:], v)
		}
	}
	return a
}

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
