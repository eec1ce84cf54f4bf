package main

import (
	"encoding/binary"
	"fmt"
)

// A spirvType is a type declaration of a module: its opcode and its operands.
type spirvType []uint32

// checkLayouts compares the offsets of the buffers in a SPIR-V module with the offsets that WGSL
// gives them. A module made from GLSL has one number for group and binding, so place returns the
// expected pair.
func checkLayouts(module []byte, want []layout, place func(group, binding int) (int, int)) error {
	types, members := map[uint32]spirvType{}, map[[3]uint32]uint32{}
	decorations, variables := map[[2]uint32]uint32{}, map[uint32]uint32{}
	constants := map[uint32]uint32{}
	for at := 20; at+4 <= len(module); {
		word := binary.LittleEndian.Uint32(module[at:])
		n := int(word >> 16)
		if n == 0 || at+4*n > len(module) {
			return fmt.Errorf("the module ends early")
		}
		w := make([]uint32, n-1)
		for i := range w {
			w[i] = binary.LittleEndian.Uint32(module[at+4+4*i:])
		}
		switch op := word & 0xffff; {
		case op >= 19 && op <= 39:
			types[w[0]] = append(spirvType{op}, w[1:]...)
		case op == 43 && len(w) == 3: // constant
			constants[w[1]] = w[2]
		case op == 59: // variable
			variables[w[1]] = w[0]
		case op == 71: // decorate
			decorations[[2]uint32{w[0], w[1]}] = 0
			if len(w) > 2 {
				decorations[[2]uint32{w[0], w[1]}] = w[2]
			}
		case op == 72: // member decorate
			members[[3]uint32{w[0], w[1], w[2]}] = 0
			if len(w) > 3 {
				members[[3]uint32{w[0], w[1], w[2]}] = w[3]
			}
		}
		at += 4 * n
	}
	for _, l := range want {
		group, binding := place(l.group, l.binding)
		for id, pointer := range variables {
			b, bound := decorations[[2]uint32{id, 33}]
			if t := types[pointer]; !bound || int(b) != binding || int(decorations[[2]uint32{id, 34}]) != group || len(t) < 3 {
				continue
			}
			have := map[number]bool{}
			flatten(types, members, types[pointer][2], 0, 0, have)
			if len(have) == 0 {
				continue
			}
			for _, n := range l.numbers {
				if !have[n] {
					return fmt.Errorf("group %d binding %d has no %s at byte %d, stride %d", l.group, l.binding, n.of, n.offset, n.stride)
				}
			}
		}
	}
	return nil
}

// flatten collects the numbers of a type at an offset. For an array it collects the first element.
func flatten(types map[uint32]spirvType, members map[[3]uint32]uint32, id uint32, offset, stride int, have map[number]bool) {
	switch t := types[id]; t[0] {
	case 21, 22, 23: // int, float, vector
		have[number{offset, shapeOf(types, t), 0}] = true
	case 24: // matrix
		s := shapeOf(types, types[t[1]])
		s.cols = int(t[2])
		have[number{offset, s, stride}] = true
	case 28, 29: // arrays
		flatten(types, members, t[1], offset, stride, have)
	case 30: // struct
		for i, m := range t[1:] {
			at, ok := members[[3]uint32{id, uint32(i), 35}]
			if !ok {
				return
			}
			flatten(types, members, m, offset+int(at), int(members[[3]uint32{id, uint32(i), 7}]), have)
		}
	}
}

func shapeOf(types map[uint32]spirvType, t spirvType) shape {
	switch t[0] {
	case 21:
		return shape{"ui"[t[2]&1], 1, 0}
	case 23:
		s := shapeOf(types, types[t[1]])
		s.rows = int(t[2])
		return s
	}
	return shape{'f', 1, 0}
}
