package mesh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// An elementKind is the kind of elements in an unchanged accessor. glTF has rules for each kind
// except free.
type elementKind uint8

const (
	free      elementKind = iota
	positions             // positions, which need bounds
	unit                  // vectors of length 1
	unitSign              // vectors of length 1, followed by a sign
	clamped               // values from 0 to 1
	times                 // keyframe times, which need bounds
	rotations
	splines // three rows per keyframe: tangent, rotation, tangent
	corners // vertex indices
	binds   // inverse bind matrices of joints
)

// accessorContents returns the kind of each accessor's elements. For indices, it also returns the
// number of vertices that they may refer to.
func accessorContents(doc *gltf.Document) (list []elementKind, vertices []int64) {
	list, vertices = make([]elementKind, len(doc.Accessors)), make([]int64, len(doc.Accessors))
	for i := range doc.Meshes {
		for j := range doc.Meshes[i].Primitives {
			p := &doc.Meshes[i].Primitives[j]
			for _, attribute := range []struct {
				name string
				of   elementKind
			}{{"COLOR_0", clamped}, {"TANGENT", unitSign}, {"NORMAL", unit}, {"POSITION", positions}} { // shared accessors need the bounds of positions, so POSITION is last
				if a, ok := p.Attributes[attribute.name]; ok {
					list[a] = attribute.of
				}
			}
			if p.Indices != nil {
				list[*p.Indices] = corners
				for _, a := range p.Attributes {
					if n := doc.Accessors[a].Count; vertices[*p.Indices] == 0 || n < vertices[*p.Indices] {
						vertices[*p.Indices] = n
					}
				}
			}
			for _, target := range p.Targets {
				if a, ok := target["POSITION"]; ok {
					list[a] = positions
				}
			}
		}
	}
	for _, s := range doc.Skins {
		if s.InverseBindMatrices != nil {
			list[*s.InverseBindMatrices] = binds
		}
	}
	for i := range doc.Animations {
		a := &doc.Animations[i]
		for _, s := range a.Samplers {
			list[*s.Input] = times
		}
		for _, ch := range a.Channels {
			if s := a.Samplers[*ch.Sampler]; ch.Target.Path == "rotation" {
				list[*s.Output] = rotations
				if s.Interpolation == "CUBICSPLINE" {
					list[*s.Output] = splines
				}
			}
		}
	}
	return list, vertices
}

var errNoTangents = errors.New("the material needs tangents, and cook cannot make them for this primitive; export tangents, or set normals = \"smooth\"")

// checkUnchanged checks an unchanged primitive for faults that the checks of its accessors cannot
// find.
func (c *cooking) checkUnchanged(ctx context.Context, p *gltf.Primitive, look look, joints int) error {
	_, normals := p.Attributes["NORMAL"]
	_, tangents := p.Attributes["TANGENT"]
	if look.must && !(normals && tangents) {
		return errNoTangents
	}
	g := &geometry{mode: triangles}
	for name, accessor := range p.Attributes {
		if !strings.HasPrefix(name, "JOINTS_") && !strings.HasPrefix(name, "WEIGHTS_") {
			continue
		}
		if c.doc.Accessors[accessor].BufferView == nil {
			return nil // the size of the file does not limit the count
		}
		data, err := c.doc.First(ctx, accessor, int(c.doc.Accessors[accessor].Count))
		if err != nil {
			return err
		}
		g.streams = append(g.streams, stream{name: name, target: base, data: data})
	}
	slices.SortFunc(g.streams, func(a, b stream) int { return strings.Compare(a.name, b.name) })
	var found repairs
	if err := g.repairWeights(&found, "", joints); err != nil {
		return err
	}
	if len(found.kinds) > 0 {
		return fmt.Errorf("the primitive is copied unchanged, so cook cannot repair it: %s", found.kinds[0].what)
	}
	return nil
}

// inspectElements checks the elements of an unchanged accessor and repairs some faults. It reports
// whether it changed any element.
func (as *accessors) inspectElements(ctx context.Context, i int32, array gltf.Array) (changed bool, err error) {
	if err := array.Finite(ctx, "element"); err != nil {
		return false, err
	}
	if a := &as.doc.Accessors[i]; a.BufferView == nil && a.Sparse == nil {
		return false, nil // all elements are zeros, which glTF allows
	}
	what, n := "", 0
	switch as.contents[i] {
	case times:
		return false, array.CheckTimes()
	case rotations, splines:
		what = "a rotation in an animation was not of length 1 and was normalized"
		n, err = array.RepairQuaternions(as.contents[i] == splines)
	case binds:
		what = lastRow
		n, err = array.RepairMatrices()
	case corners:
		return false, array.CheckCorners(as.vertices[i])
	case unit, unitSign, clamped:
		return false, checkVectors(array, as.contents[i])
	}
	as.repairs.noteRepair(what, fmt.Sprintf("accessor %d", i), n)
	return n > 0, err
}

// checkVectors checks the vertices of an unchanged primitive.
func checkVectors(a gltf.Array, of elementKind) error {
	values := a.Floats()
	for i := range a.Count {
		v := values[i*a.Width:][:a.Width]
		if of == clamped {
			for _, x := range v {
				if a.Component == gltf.Float32 && (x < 0 || x > 1) {
					return fmt.Errorf("vertex %d has a color of %v, want 0 to 1", i, v)
				}
			}
			continue
		}
		if was, _ := gltf.ScaleTo1(v[:3]); !was {
			return fmt.Errorf("vertex %d: the length of %v is not 1", i, a.Floats()[i*a.Width:][:a.Width])
		}
		if of == unitSign && v[3] != 1 && v[3] != -1 {
			return fmt.Errorf("vertex %d: the sign of a tangent is %v, want 1 or -1", i, v[3])
		}
	}
	return nil
}

const lastRow = "the last row of an inverse bind matrix was not exactly 0 0 0 1 and was rounded"

const wrongBounds = "min or max did not match the elements and were corrected"

// writeBounds writes the minimum and maximum of an unchanged accessor, if it has them or needs
// them.
func (as *accessors) writeBounds(i int32, o *gltf.Object, array gltf.Array) {
	a := &as.doc.Accessors[i]
	needs := as.contents[i] == positions || as.contents[i] == times
	switch {
	case a.Min == nil && a.Max == nil && !needs:
		return
	case a.BufferView == nil && a.Sparse == nil && (!needs || a.Min != nil && a.Max != nil):
		return // an extension supplies the elements
	case array.Size != array.Width*gltf.ComponentSize(array.Component): // the elements are padded
		o.Delete("min")
		o.Delete("max")
		return
	}
	array.Normalized = false // the bounds count in stored integers
	low, high := array.Bounds()
	for _, b := range []struct {
		key  string
		have *[]float64
		want []float64
	}{{"min", a.Min, low}, {"max", a.Max, high}} {
		switch {
		case b.have == nil && !needs:
			continue
		case b.have == nil: // checkDocument has already warned
		case sameFloats(*b.have, b.want):
			continue
		default:
			as.repairs.noteRepair(wrongBounds, fmt.Sprintf("accessor %d", i), 1)
		}
		o.Set(b.key, boundText(array.Component, b.want))
	}
}

// sameFloats reports whether values are equal as float32.
func sameFloats(a, b []float64) bool {
	for i := range a {
		if float32(a[i]) != float32(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}
