package gltf

import (
	"fmt"
)

// checkViews checks that views are inside their buffers.
func (c *check) checkViews() {
	for i := range c.doc.BufferViews {
		v := &c.doc.BufferViews[i]
		switch {
		case v.ByteLength < 1:
			c.faults.addFault("bufferView %d: byteLength is %d, want at least 1", i, v.ByteLength)
		case v.ByteOffset < 0:
			c.faults.addFault("bufferView %d: byteOffset is %d", i, v.ByteOffset)
		case v.ByteStride != nil && (*v.ByteStride < 4 || *v.ByteStride > 252 || *v.ByteStride%4 != 0):
			c.faults.addFault("bufferView %d: byteStride is %d, want a multiple of 4 from 4 to 252", i, *v.ByteStride)
		case c.checkRequiredIndex(v.Buffer, len(c.doc.Buffers), "buffer", "bufferView %d", i):
			length := c.doc.Buffers[*v.Buffer].ByteLength
			if v.ByteOffset > length || v.ByteLength > length-v.ByteOffset {
				c.faults.addFault("bufferView %d: %d bytes from %d on do not fit in buffer %d of %d bytes",
					i, v.ByteLength, v.ByteOffset, *v.Buffer, length)
			}
		}
	}
}

// checkAccessors checks that accessors are inside their views.
func (c *check) checkAccessors() {
	for i := range c.doc.Accessors {
		a := &c.doc.Accessors[i]
		component, shape := int64(ComponentSize(a.ComponentType)), extentOf(a.Type)
		switch {
		case component == 0:
			c.faults.addFault("accessor %d: glTF 2.0 has no componentType %d", i, a.ComponentType)
			continue
		case shape.rows == 0:
			c.faults.addFault("accessor %d: glTF 2.0 has no type %.20q", i, a.Type)
			continue
		case a.Count < 1:
			c.faults.addFault("accessor %d: count is %d, want at least 1", i, a.Count)
			continue
		}
		if a.Normalized && (a.ComponentType == Uint32 || a.ComponentType == Float32) {
			c.faults.addFault("accessor %d: numbers of componentType %d cannot be normalized", i, a.ComponentType)
		}
		for _, bounds := range []*[]float64{a.Min, a.Max} {
			if n := int(shape.columns * shape.rows); bounds != nil && len(*bounds) != n {
				c.faults.addFault("accessor %d: min and max have %d numbers, which do not fit type %s", i, len(*bounds), a.Type)
			}
		}
		if c.checkOptionalIndex(a.BufferView, len(c.doc.BufferViews), "bufferView", "accessor %d", i) {
			c.checkElementRun(*a.BufferView, a.ByteOffset, a.Count, component, shape, true, "accessor %d", i)
		}
		if a.Sparse != nil {
			c.checkSparse(i, a, component, shape)
		}
	}
}

func (c *check) checkSparse(i int, a *Accessor, component int64, shape extent) {
	s := a.Sparse
	c.useView(s.Indices.BufferView, forOthers)
	c.useView(s.Values.BufferView, forOthers)
	if s.Count < 1 || s.Count > a.Count {
		c.faults.addFault("accessor %d: sparse.count is %d, want from 1 to the accessor's %d", i, s.Count, a.Count)
		return
	}
	views := len(c.doc.BufferViews)
	switch s.Indices.ComponentType {
	case Uint8, Uint16, Uint32: // types of unsigned integers
		if c.checkRequiredIndex(s.Indices.BufferView, views, "bufferView", "accessor %d: sparse.indices", i) {
			c.checkElementRun(*s.Indices.BufferView, s.Indices.ByteOffset, s.Count, int64(ComponentSize(s.Indices.ComponentType)),
				extentOf("SCALAR"), false, "accessor %d: sparse.indices", i)
		}
	default:
		c.faults.addFault("accessor %d: sparse.indices: componentType %d, want 5121, 5123 or 5125", i, s.Indices.ComponentType)
	}
	if c.checkRequiredIndex(s.Values.BufferView, views, "bufferView", "accessor %d: sparse.values", i) {
		c.checkElementRun(*s.Values.BufferView, s.Values.ByteOffset, s.Count, component, shape, false, "accessor %d: sparse.values", i)
	}
}

// checkElementRun checks that count elements, starting at offset, are inside a view. If strided is
// set, the view's stride separates them; otherwise they are contiguous.
func (c *check) checkElementRun(view int32, offset, count, component int64, s extent, strided bool, where string, i int) {
	v := &c.doc.BufferViews[view]
	if v.ByteLength < 1 || v.ByteOffset < 0 {
		return // the check of the view reports the fault
	}
	stride := s.columns * s.columnStride(component)
	// The last element needs no padding after its last column.
	last := stride - s.columnStride(component) + s.rows*component
	fail := func(format string, args ...any) {
		c.faults.addFault(where+": "+format, append([]any{i}, args...)...)
	}
	if strided && v.ByteStride != nil {
		if *v.ByteStride < last {
			fail("elements have %d bytes, more than the byteStride of bufferView %d, which is %d", last, view, *v.ByteStride)
			return
		}
		stride = *v.ByteStride
	}
	switch {
	case offset < 0:
		fail("byteOffset is %d, want at least 0", offset)
	case offset%component != 0 || v.ByteOffset%component != 0:
		fail("the accessor starts at byte %d of bufferView %d at byte %d, want a multiple of its component size, %d bytes",
			offset, view, v.ByteOffset, component)
	case offset > v.ByteLength-last || count-1 > (v.ByteLength-last-offset)/stride:
		fail("%d elements of %d bytes from %d on do not fit in bufferView %d of %d bytes",
			count, stride, offset, view, v.ByteLength)
	}
}

// An extent is the number of columns and rows of an element.
type extent struct{ columns, rows int64 }

// extentOf returns the extent of an accessor type such as "VEC3", or the zero extent if the type is
// unknown.
func extentOf(name string) extent {
	switch name {
	case "SCALAR":
		return extent{1, 1}
	case "VEC2":
		return extent{1, 2}
	case "VEC3":
		return extent{1, 3}
	case "VEC4":
		return extent{1, 4}
	case "MAT2":
		return extent{2, 2}
	case "MAT3":
		return extent{3, 3}
	case "MAT4":
		return extent{4, 4}
	}
	return extent{}
}

// columnStride returns the distance between columns in bytes. Columns of matrices are aligned to
// four bytes (specification section 3.6.2.4).
func (s extent) columnStride(component int64) int64 {
	n := s.rows * component
	if s.columns > 1 {
		n = (n + 3) &^ 3
	}
	return n
}

// Components returns the number of components of an accessor type, or 0 if the type is unknown.
func Components(name string) int {
	s := extentOf(name)
	return int(s.columns * s.rows)
}

// ElementSize returns the size in bytes of a tightly packed element, or 0 if a type is unknown.
func ElementSize(componentType int32, name string) int {
	s := extentOf(name)
	return int(s.columns * s.columnStride(int64(ComponentSize(componentType))))
}

// A viewUse is the kind of data in a view. glTF allows one kind per view, and a byteStride only for
// attributes.
type viewUse uint8

const (
	forNothing viewUse = iota
	forAttributes
	forIndices
	forMatrices
	forImages
	forOthers
)

// viewUses maps the uses of accessors to uses of views.
var viewUses = [...]viewUse{
	ofVertices: forAttributes, ofIndices: forIndices, ofMatrices: forMatrices, ofTimes: forOthers, ofKeyframes: forOthers,
}

// targets maps the values of a view's target to uses.
var targets = map[int32]viewUse{34962: forAttributes, 34963: forIndices}

// A viewState is the known use of a view.
type viewState struct {
	use      viewUse
	accessor int32 // first accessor with attributes, counted from 1; 0 if there is none
	mixed    bool  // set if several kinds of data have been reported
	strided  bool  // set if a wrong byteStride has been reported
	shared   bool  // set if a missing byteStride has been reported
}

const anew = "rewritten"

// noteMend records a fault that disappears when the document is written again.
func (c *check) noteMend(what, how, kind string, i int) {
	for k := range c.mended {
		if m := &c.mended[k]; m.What == what {
			m.N++
			return
		}
	}
	c.mended = append(c.mended, Mend{What: what, How: how, First: fmt.Sprint(kind, " ", i), N: 1})
}

// checkStrides checks the byteStride and target of views.
func (c *check) checkStrides() {
	c.states = make([]viewState, len(c.doc.BufferViews))
	for i := range c.doc.BufferViews {
		v := &c.doc.BufferViews[i]
		c.states[i].use = targets[v.Target]
		if v.ByteStride != nil && *v.ByteStride > v.ByteLength {
			c.noteMend("the byteStride of a bufferView is larger than the bufferView", anew, "bufferView", i)
		}
		if c.states[i].use == forIndices {
			c.unstrided(int32(i))
		}
	}
}

// unstrided checks that a view of data other than attributes has no stride.
func (c *check) unstrided(view int32) {
	if s := &c.states[view]; c.doc.BufferViews[view].ByteStride != nil && !s.strided {
		s.strided = true
		c.noteMend("a bufferView has a byteStride, but no attributes", anew, "bufferView", int(view))
	}
}

// useView records the use of a view. view is nil or an index.
func (c *check) useView(view *int32, use viewUse) {
	if view == nil || !isIn(*view, len(c.states)) {
		return
	}
	s := &c.states[*view]
	switch {
	case s.use == forNothing:
		s.use = use
	case s.use != use && !s.mixed:
		s.mixed = true
		c.noteMend("a bufferView has vertices, indices or images together", anew, "bufferView", int(*view))
	}
	if use != forAttributes {
		c.unstrided(*view)
	}
}

// checkElementLayout checks the alignment and stride of an accessor's elements in its view. Call it
// once per accessor.
func (c *check) checkElementLayout(accessor int32, u usage) {
	a := &c.doc.Accessors[accessor]
	c.useView(a.BufferView, viewUses[u])
	if u != ofVertices || a.BufferView == nil || !isIn(*a.BufferView, len(c.states)) {
		return
	}
	s, strided := &c.states[*a.BufferView], c.doc.BufferViews[*a.BufferView].ByteStride != nil
	if a.ByteOffset%4 != 0 || !strided && ElementSize(a.ComponentType, a.Type)%4 != 0 {
		c.noteMend("attribute offsets are not multiples of 4", anew, "accessor", int(accessor))
	}
	switch {
	case strided:
	case s.accessor == 0:
		s.accessor = accessor + 1
	case !s.shared:
		s.shared = true
		c.noteMend("a bufferView without byteStride has attributes of several accessors", anew, "bufferView", int(*a.BufferView))
	}
}

// needBounds checks that an accessor has min and max.
func (c *check) needBounds(accessor int32) {
	a := &c.doc.Accessors[accessor]
	if a.Min != nil && a.Max != nil || c.unbounded[accessor] {
		return
	}
	if c.unbounded == nil {
		c.unbounded = map[int32]bool{}
	}
	c.unbounded[accessor] = true
	c.noteMend("min or max are missing", "added", "accessor", int(accessor))
}
