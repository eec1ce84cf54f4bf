package shader

import (
	"fmt"
	"slices"

	"github.com/gogpu/naga/ir"
)

// A blockLayout computes buffer layouts in GLSL: std140 for uniforms and std430 for other
// buffers. It determines the padding that moves members to their WGSL offsets.
type blockLayout struct {
	module *ir.Module
	std140 bool
	pads   map[ir.TypeHandle][]padding
	sizes  map[ir.TypeHandle][2]int // size and alignment of the types that are finished
}

// A padding fills the gap before a struct member, or after the last member.
type padding struct{ member, from, to int }

// padBuffers adds members to structs so that GLSL lays out an entry point's buffers as WGSL does.
// GLSL cannot set the offsets of members of nested structs. padBuffers refuses layouts that padding
// cannot reproduce.
func padBuffers(m *ir.Module, used []ir.GlobalVariable) error {
	uniform := &blockLayout{m, true, map[ir.TypeHandle][]padding{}, map[ir.TypeHandle][2]int{}}
	storage := &blockLayout{m, false, map[ir.TypeHandle][]padding{}, map[ir.TypeHandle][2]int{}}
	for _, v := range used {
		l := uniform
		switch v.Space {
		case ir.SpaceStorage:
			l = storage
		case ir.SpaceUniform:
		case ir.SpacePushConstant, ir.SpaceImmediate:
			return &declarationError{"var", v.Name, fmt.Errorf("GLSL has no push constants; put them in a uniform")}
		default:
			continue
		}
		if _, _, err := l.layOutType(v.Type); err != nil {
			return &declarationError{"var", v.Name, err}
		}
	}
	for h, pads := range uniform.pads {
		if other, ok := storage.pads[h]; ok && !slices.Equal(pads, other) {
			return &declarationError{"struct", m.Types[h].Name, fmt.Errorf("GLSL gives this struct different layouts in uniforms and in storage buffers; use two structs")}
		}
	}
	for h, pads := range storage.pads {
		uniform.pads[h] = pads
	}
	return applyPadding(m, uniform.pads)
}

func roundUpTo(n, to int) int { return (n + to - 1) / to * to }

// layOutType returns the size and alignment that a type has in GLSL.
func (l *blockLayout) layOutType(h ir.TypeHandle) (size, alignment int, err error) {
	if done, ok := l.sizes[h]; ok {
		return done[0], done[1], nil
	}
	switch t := l.module.Types[h].Inner.(type) {
	case ir.ScalarType:
		if t.Width != 4 {
			return 0, 0, fmt.Errorf("GLSL output does not support %s; use another type", scalarName(t))
		}
		size, alignment = 4, 4
	case ir.AtomicType:
		if t.Scalar.Width != 4 || t.Scalar.Kind == ir.ScalarFloat {
			return 0, 0, fmt.Errorf("GLSL output does not support atomic<%s>; use another type", scalarName(t.Scalar))
		}
		size, alignment = 4, 4
	case ir.VectorType:
		if t.Scalar.Width != 4 {
			return 0, 0, fmt.Errorf("GLSL output does not support %s; use another type", scalarName(t.Scalar))
		}
		size, alignment = vectorSize(t.Size)
	case ir.MatrixType:
		_, columns := vectorSize(t.Rows)
		alignment = columns
		if l.std140 {
			alignment = 16
		}
		if alignment != columns {
			return 0, 0, fmt.Errorf("in a uniform, GLSL places the columns of mat%dx2 16 bytes apart, but WGSL places them 8; use vec4 or four rows", t.Columns)
		}
		size = int(t.Columns) * alignment
	case ir.ArrayType:
		if size, alignment, err = l.layOutType(t.Base); err != nil {
			return 0, 0, err
		}
		if l.std140 {
			alignment = roundUpTo(alignment, 16)
		}
		stride := roundUpTo(size, alignment)
		if stride != int(t.Stride) {
			return 0, 0, fmt.Errorf("GLSL places the elements of an array %d bytes apart, but WGSL places them %d; use elements of 16 bytes", stride, t.Stride)
		}
		size = stride
		if t.Size.Constant != nil {
			size *= int(*t.Size.Constant)
		}
	case ir.StructType:
		if size, alignment, err = l.layOutStruct(h, t); err != nil {
			return 0, 0, err
		}
	default:
		return 0, 0, fmt.Errorf("GLSL buffers cannot contain this type; use another type")
	}
	l.sizes[h] = [2]int{size, alignment}
	return size, alignment, nil
}

func vectorSize(n ir.VectorSize) (size, alignment int) {
	return 4 * int(n), []int{0, 4, 8, 16, 16}[n]
}

func (l *blockLayout) layOutStruct(h ir.TypeHandle, t ir.StructType) (end, alignment int, err error) {
	var pads []padding
	alignment = 4
	if l.std140 {
		alignment = 16
	}
	for i, m := range t.Members {
		size, a, err := l.layOutType(m.Type)
		if err != nil {
			return 0, 0, fmt.Errorf("member %s: %w", m.Name, err)
		}
		alignment = max(alignment, a)
		at := int(m.Offset)
		switch natural := roundUpTo(end, a); {
		case natural > at || at%a != 0:
			return 0, 0, fmt.Errorf("GLSL places the member %s at byte %d, but WGSL at %d; reorder the members", m.Name, natural, at)
		case natural < at:
			pads = append(pads, padding{i, end, at})
		}
		end = at + size
	}
	if n := len(t.Members); n > 0 {
		if a, ok := l.module.Types[t.Members[n-1].Type].Inner.(ir.ArrayType); ok && a.Size.Constant == nil {
			l.pads[h] = pads
			return end, alignment, nil // no member can follow a runtime-sized array
		}
	}
	if span := int(t.Span); roundUpTo(end, alignment) < span {
		pads = append(pads, padding{len(t.Members), end, span})
		end = span
	}
	l.pads[h] = pads
	return roundUpTo(end, alignment), alignment, nil
}

// A gap in a struct has at most maxPadding bytes, or maxFloats bytes if the padding consists of
// floats.
const (
	maxPadding = 64 << 10
	maxFloats  = 1 << 10
)

// applyPadding adds the padding members, and updates all uses of the structs.
func applyPadding(m *ir.Module, all map[ir.TypeHandle][]padding) error {
	r := &rewriter{module: m}
	natural := &blockLayout{m, false, map[ir.TypeHandle][]padding{}, map[ir.TypeHandle][2]int{}}
	added := map[ir.TypeHandle][]int{} // number of padding members before each member and at the end
	padded := map[ir.TypeHandle]ir.StructType{}
	for h := range ir.TypeHandle(len(m.Types)) {
		pads := all[h]
		if len(pads) == 0 {
			continue
		}
		_, alignment, err := natural.layOutType(h)
		s, counts, err := r.padStruct(m.Types[h].Inner.(ir.StructType), pads, err == nil && alignment >= 16)
		if err != nil {
			return &declarationError{"struct", m.Types[h].Name, err}
		}
		added[h], padded[h] = counts, s
	}
	if len(padded) == 0 {
		return nil
	}
	for i, e := range m.GlobalExpressions {
		if c, ok := e.Kind.(ir.ExprCompose); ok && added[c.Type] != nil {
			return &declarationError{"const", constantOf(m, i), fmt.Errorf("GLSL needs padding in the struct of this value; store the value in a variable")}
		}
	}
	rewriteFunctions(m, func(r *rewriter, kind ir.ExpressionKind, _ ir.TypeInner) ir.ExpressionKind {
		switch k := kind.(type) {
		case ir.ExprAccessIndex:
			counts := added[r.structOf(k.Base)]
			for i := 0; i <= int(k.Index) && counts != nil; i++ {
				kind = ir.ExprAccessIndex{Base: k.Base, Index: kind.(ir.ExprAccessIndex).Index + uint32(counts[i])}
			}
		case ir.ExprCompose:
			if counts := added[k.Type]; counts != nil {
				whole := ir.ExprCompose{Type: k.Type}
				members := padded[k.Type].Members
				for i, n := range counts {
					for range n {
						filler := members[len(whole.Components)].Type
						whole.Components = append(whole.Components, r.addExpression(ir.ExprZeroValue{Type: filler}, m.Types[filler].Inner))
					}
					if i < len(k.Components) {
						whole.Components = append(whole.Components, k.Components[i])
					}
				}
				return whole
			}
		}
		return kind
	})
	for h, s := range padded {
		m.Types[h].Inner = s
	}
	return nil
}

// padStruct adds padding members to a struct. It returns their number before each old member and at
// the end. vectors allows vec4 padding, which would raise the alignment of structs that are not
// aligned to 16 bytes.
func (r *rewriter) padStruct(old ir.StructType, pads []padding, vectors bool) (s ir.StructType, counts []int, err error) {
	float, four := r.declareType(scalarF32), r.declareType(ir.VectorType{Size: 4, Scalar: scalarF32})
	s.Span = old.Span
	counts = make([]int, len(old.Members)+1)
	for i := range counts {
		for _, p := range pads {
			if p.member != i {
				continue
			}
			most := maxPadding
			if !vectors {
				most = maxFloats
			}
			if p.to-p.from > most {
				return s, nil, fmt.Errorf("GLSL needs %d bytes of padding, but the limit is %d; reorder the members", p.to-p.from, most)
			}
			for at := p.from; at < p.to; counts[i]++ {
				filler, size := float, 4
				if whole := (p.to - at) / 16; vectors && at%16 == 0 && whole == 1 {
					filler, size = four, 16
				} else if vectors && at%16 == 0 && whole > 1 {
					n := uint32(whole)
					filler, size = r.declareType(ir.ArrayType{Base: four, Size: ir.ArraySize{Constant: &n}, Stride: 16}), 16*whole
				}
				s.Members = append(s.Members, ir.StructMember{Name: fmt.Sprintf("padding_%d", at), Type: filler, Offset: uint32(at)})
				at += size
			}
		}
		if i < len(old.Members) {
			if old.Members[i].Binding != nil {
				return s, nil, fmt.Errorf("GLSL needs padding in the struct, but the struct is also an input or output of a stage; use two structs")
			}
			s.Members = append(s.Members, old.Members[i])
		}
	}
	return s, counts, nil
}

// structOf returns the declared type of an expression, or the type that it points to. For an
// undeclared type it returns a handle that is not a struct.
func (r *rewriter) structOf(h ir.ExpressionHandle) ir.TypeHandle {
	t := r.function.ExpressionTypes[h]
	if t.Handle != nil {
		if p, ok := r.module.Types[*t.Handle].Inner.(ir.PointerType); ok {
			return p.Base
		}
		return *t.Handle
	}
	if p, ok := t.Value.(ir.PointerType); ok {
		return p.Base
	}
	return ir.TypeHandle(len(r.module.Types))
}
