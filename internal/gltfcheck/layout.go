package gltfcheck

import "fmt"

// A viewUse is what a view's bytes are. glTF wants views of each for themselves, and a
// byteStride for attributes only.
type viewUse uint8

const (
	forNothing viewUse = iota
	forAttributes
	forIndices
	forMatrices
	forImages
	forOthers
)

// viewUses are what accessors are used for, in views.
var viewUses = [...]viewUse{
	ofVertices: forAttributes, ofIndices: forIndices, ofMatrices: forMatrices, ofTimes: forOthers, ofKeyframes: forOthers,
}

// targets are the values of a view's target.
var targets = map[int32]viewUse{34962: forAttributes, 34963: forIndices}

// A viewState is what is known of a view's use.
type viewState struct {
	use      viewUse
	accessor int32 // the first one of attributes, from 1
	mixed    bool  // has been reported
	strided  bool  // likewise
	shared   bool
}

const anew = "laid out anew"

// mend records a fault that writing the document anew puts right.
func (c *check) mend(what, how, kind string, i int) {
	for k := range c.mended {
		if m := &c.mended[k]; m.What == what {
			m.N++
			return
		}
	}
	c.mended = append(c.mended, Mend{What: what, How: how, First: fmt.Sprint(kind, " ", i), N: 1})
}

// strides checks what views say of themselves.
func (c *check) strides() {
	c.states = make([]viewState, len(c.doc.BufferViews))
	for i := range c.doc.BufferViews {
		v := &c.doc.BufferViews[i]
		c.states[i].use = targets[v.Target]
		if v.ByteStride != nil && *v.ByteStride > v.ByteLength {
			c.mend("a byteStride of more bytes than the bufferView has", anew, "bufferView", i)
		}
		if c.states[i].use == forIndices {
			c.unstrided(int32(i))
		}
	}
}

// unstrided checks that a view of other data than attributes has no stride.
func (c *check) unstrided(view int32) {
	if s := &c.states[view]; c.doc.BufferViews[view].ByteStride != nil && !s.strided {
		s.strided = true
		c.mend("a byteStride for other data than attributes", anew, "bufferView", int(view))
	}
}

// useView records what a view is used for. view is nil or an index.
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
		c.mend("a bufferView for data of more than one kind", anew, "bufferView", int(*view))
	}
	if use != forAttributes {
		c.unstrided(*view)
	}
}

// layout checks how the elements of an accessor lie in its view. It is called once for
// each.
func (c *check) layout(accessor int32, u usage) {
	a := &c.doc.Accessors[accessor]
	c.useView(a.BufferView, viewUses[u])
	if u != ofVertices || a.BufferView == nil || !isIn(*a.BufferView, len(c.states)) {
		return
	}
	s, strided := &c.states[*a.BufferView], c.doc.BufferViews[*a.BufferView].ByteStride != nil
	if a.ByteOffset%4 != 0 || !strided && ElementSize(a.ComponentType, a.Type)%4 != 0 {
		c.mend("attributes that do not all start at multiples of four bytes", anew, "accessor", int(accessor))
	}
	switch {
	case strided:
	case s.accessor == 0:
		s.accessor = accessor + 1
	case !s.shared:
		s.shared = true
		c.mend("several accessors of attributes in a bufferView without byteStride", anew, "bufferView", int(*a.BufferView))
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
	c.mend("min or max are missing", "added", "accessor", int(accessor))
}
