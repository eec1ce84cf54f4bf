package shader

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gogpu/naga/ir"

	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// checkOffsets compares naga's offsets of struct members with the offsets that WGSL defines. naga
// ignores a member's @align when it computes the alignment of its struct, and of the structs and
// arrays that contain it.
func checkOffsets(m *ir.Module, source []byte) error {
	l := wgslLayout{module: m, attributes: map[string]attribute{}}
	if err := l.readMemberAttributes(withoutComments(source)); err != nil {
		return err
	}
	for _, v := range m.GlobalVariables {
		if v.Space != ir.SpaceUniform && v.Space != ir.SpaceStorage {
			continue
		}
		if _, _, err := l.measureType(v.Type); err != nil {
			return err
		}
	}
	return nil
}

// A wgslLayout computes type layouts by the rules of WGSL.
type wgslLayout struct {
	module     *ir.Module
	attributes map[string]attribute // attributes of members, by struct.member
}

// An attribute holds @align and @size of a member. They are 0 if they are absent.
type attribute struct{ align, size int }

var (
	structStart     = lazyregexp.New(`\bstruct\s+(\w+)\s*\{([^}]*)\}`)
	memberAttribute = lazyregexp.New(`@(align|size)\s*\(\s*([^)]*?)\s*,?\s*\)`)
	memberName      = lazyregexp.New(`(\w+)\s*:`)
)

// readMemberAttributes reads the attributes of all struct members.
func (l *wgslLayout) readMemberAttributes(code []byte) error {
	for _, s := range structStart().FindAllSubmatch(code, -1) {
		for _, text := range splitMembers(s[2]) {
			name := memberName().FindSubmatch(memberAttribute().ReplaceAll(text, nil))
			if name == nil {
				continue
			}
			var a attribute
			for _, found := range memberAttribute().FindAllSubmatch(text, -1) {
				n, err := constantNumber(code, string(found[2]))
				if err != nil {
					return &declarationError{"struct", string(s[1]), fmt.Errorf("member %s: the value of @%s(%s) must be a number", name[1], found[1], found[2])}
				}
				if string(found[1]) == "align" {
					a.align = n
				} else {
					a.size = n
				}
			}
			l.attributes[string(s[1])+"."+string(name[1])] = a
		}
	}
	return nil
}

// splitMembers splits the body of a struct at the commas outside brackets.
func splitMembers(body []byte) (list [][]byte) {
	depth := 0
	start := 0
	for i, c := range body {
		switch c {
		case '<', '(', '[':
			depth++
		case '>', ')', ']':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, body[start:i])
				start = i + 1
			}
		}
	}
	return append(list, bytes.TrimSpace(body[start:]))
}

// constantNumber returns the value of a number, or of a constant that is declared with a number.
func constantNumber(code []byte, text string) (int, error) {
	if isIdentifier(text) {
		if m := regexp.MustCompile(`\bconst\s+` + text + `\s*(?::[^=;]*)?=\s*(\w+)\s*;`).FindSubmatch(code); m != nil {
			text = string(m[1])
		}
	}
	n, err := strconv.ParseInt(strings.TrimRight(text, "iu"), 0, 32)
	return int(n), err
}

// measureType returns the size and alignment of a type.
func (l *wgslLayout) measureType(h ir.TypeHandle) (size, alignment int, err error) {
	switch t := l.module.Types[h].Inner.(type) {
	case ir.ScalarType:
		return int(t.Width), int(t.Width), nil
	case ir.AtomicType:
		return int(t.Scalar.Width), int(t.Scalar.Width), nil
	case ir.VectorType:
		size, alignment = vectorSize(t.Size)
		return size * int(t.Scalar.Width) / 4, alignment * int(t.Scalar.Width) / 4, nil
	case ir.MatrixType:
		_, column := vectorSize(t.Rows)
		column = column * int(t.Scalar.Width) / 4
		return column * int(t.Columns), column, nil
	case ir.ArrayType:
		size, alignment, err = l.measureType(t.Base)
		if stride := roundUpTo(size, max(alignment, 1)); err == nil && stride != int(t.Stride) {
			err = &declarationError{"struct", l.module.Types[t.Base].Name, fmt.Errorf("array elements of this struct are %d bytes apart in the output, but %d in WGSL; write @size on the last member instead of @align", t.Stride, stride)}
		}
		size = int(t.Stride)
		if t.Size.Constant != nil {
			size *= int(*t.Size.Constant)
		}
		return size, alignment, err
	case ir.StructType:
		return l.measureStruct(l.module.Types[h].Name, t)
	}
	return 0, 1, nil
}

func (l *wgslLayout) measureStruct(name string, t ir.StructType) (end, alignment int, err error) {
	alignment = 1
	for _, m := range t.Members {
		size, natural, err := l.measureType(m.Type)
		if err != nil {
			return 0, 0, err
		}
		a := l.attributes[name+"."+m.Name]
		if a.align > 0 {
			natural = a.align
		}
		if a.size > 0 {
			size = a.size
		}
		alignment = max(alignment, natural)
		at := roundUpTo(end, natural)
		if at != int(m.Offset) {
			return 0, 0, &declarationError{"struct", name, fmt.Errorf("the member %s would be at byte %d, but WGSL wants byte %d; write @align(%d) before it", m.Name, m.Offset, at, natural)}
		}
		end = at + size
	}
	return roundUpTo(end, alignment), alignment, nil
}
