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

// Nowhere is the index that marks a removed element.
const Nowhere = ^uint32(0)

// An Array holds the elements of an accessor: Count elements of Width components, little endian,
// without gaps.
type Array struct {
	Component  int32 // component type of glTF, such as Float32
	Normalized bool  // whether integers represent 0 to 1, or -1 to 1
	Width      int   // components per element
	Count      int
	Size       int // bytes per element, with the padding of matrices
	Data       []byte
}

// NewArray returns an array whose elements are zero.
func NewArray(component int32, normalized bool, width, count int) Array {
	size := width * ComponentSize(component)
	return Array{
		Component: component, Normalized: normalized, Width: width, Count: count,
		Size: size, Data: make([]byte, size*count),
	}
}

// FloatArray returns an array of the values, with width components per element.
func FloatArray(values []float32, width int) Array {
	a := NewArray(Float32, false, width, len(values)/width)
	for i, x := range values {
		binary.LittleEndian.PutUint32(a.Data[4*i:], math.Float32bits(x))
	}
	return a
}

// ComponentSize returns the size of a component in bytes, or 0 if the type is unknown.
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

// Element returns the bytes of one element. The last element of an array of matrices may lack the
// padding at its end.
func (a Array) Element(i int) []byte {
	rest := a.Data[i*a.Size:]
	return rest[:min(a.Size, len(rest))]
}

// Floats returns the values of the components as floats. Normalized integers are converted (glTF
// 2.0, section 3.6.2.2: c/127, c/255 and so on).
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

// Uints returns the components of an array of unsigned integers.
func (a Array) Uints() []uint32 {
	values := make([]uint32, a.Width*a.Count)
	for i := range values {
		values[i] = uintAt(a.Data, i, ComponentSize(a.Component))
	}
	return values
}

// Pick returns the elements with the given indices, in that order. All indices must be in range.
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

// Move returns an array of n elements; element i of a becomes element remap[i]. Elements with the
// index Nowhere are dropped.
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

// Finite returns an error for the first element of an array of floats that is infinite or NaN.
// element is the noun for an element in the error message.
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

// Bounds returns the minimum and the maximum of each component.
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

// chunk is the number of elements between two checks of the context: about a millisecond of work.
const chunk = 1 << 15

// Chunks calls work for consecutive ranges of 0 to n-1. It stops if work fails or the context is
// canceled.
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

// Primitive modes that consist of triangles (glTF 2.0, section 5.24.4).
const (
	Triangles     = 4
	TriangleStrip = 5
	TriangleFan   = 6
)

// AsTriangles returns the triangles of a triangle list, strip or fan, and preserves their winding
// (glTF 2.0, section 3.7.2.1).
func AsTriangles(ctx context.Context, corners []uint32, mode int) ([]uint32, error) {
	if mode == Triangles {
		if len(corners)%3 != 0 {
			return nil, fmt.Errorf("the number of vertices, %d, is not a multiple of 3", len(corners))
		}
		return corners, nil
	}
	if len(corners) < 3 {
		return nil, fmt.Errorf("%d vertices are too few for a triangle", len(corners))
	}
	list := make([]uint32, 0, 3*(len(corners)-2))
	err := Chunks(ctx, len(corners)-2, func(from, to int) error {
		for i := from; i < to; i++ {
			a, b, c := corners[i], corners[i+1+i%2], corners[i+2-i%2]
			if mode == TriangleFan {
				a, b, c = corners[i+1], corners[i+2], corners[0]
			}
			// Degenerate triangles, which have no area, stitch strips together.
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

// Compact renumbers the vertices in indices, in place and in order of first use. It returns the old
// numbers of the used vertices. The caller must set all elements of place to Nowhere. Compact sets
// place[v] to the new number of each used vertex v.
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

// PutShort writes component i of an array of 8-bit or 16-bit integers.
func (a Array) PutShort(i int, n uint16) {
	if ComponentSize(a.Component) == 1 {
		a.Data[i] = byte(n)
		return
	}
	binary.LittleEndian.PutUint16(a.Data[2*i:], n)
}

// IndexArray stores indices as 16-bit integers if all of them fit, otherwise as 32-bit integers. It
// never stores 65535 in 16 bits, because some graphics APIs use it to restart a strip (section
// 3.7.2.1).
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

// CheckTimes checks that keyframe times increase and are not negative.
func (a Array) CheckTimes() error {
	last := float32(math.Inf(-1))
	for i, t := range a.Floats() {
		switch {
		case t < 0:
			return fmt.Errorf("keyframe %d is at %v seconds", i, t)
		case t <= last:
			return fmt.Errorf("keyframe %d at %v seconds is not after the previous keyframe, at %v", i, t, last)
		}
		last = t
	}
	return nil
}

// CheckCorners checks that all indices are below the number of vertices.
func (a Array) CheckCorners(vertices int64) error {
	restart := uint32(1)<<(8*ComponentSize(a.Component)) - 1
	for i, v := range a.Uints() {
		if int64(v) >= vertices || v == restart {
			return fmt.Errorf("index %d refers to vertex %d, but there are only %d", i, v, vertices)
		}
	}
	return nil
}

// RepairQuaternions normalizes rotations in place. If splines is set, only every third element is a
// rotation, starting with the second. RepairQuaternions returns the number of repaired rotations.
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
			return n, fmt.Errorf("element %d is a rotation of length 0", i)
		case a.Component != Float32:
			return n, fmt.Errorf("element %d is a rotation whose length is not 1", i)
		}
		n++
		for k, x := range q {
			binary.LittleEndian.PutUint32(a.Data[16*i+4*k:], math.Float32bits(x))
		}
	}
	return n, nil
}

// RepairMatrices sets the last row of each matrix to 0 0 0 1, in place. Matrices are stored by
// columns. It returns the number of repaired matrices.
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

// ScaleTo1 normalizes a vector. The result was reports whether its length was already about 1. The
// result ok is false if the vector cannot be normalized, because its length is 0 or infinite.
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
