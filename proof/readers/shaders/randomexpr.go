package main

import (
	"fmt"
	"strings"
)

// expr returns a random expression of a shape, nested at most depth levels deep.
func (g *generator) expr(s shape, depth int) string {
	if depth <= 0 || g.chance(5) {
		return g.leafExpr(s)
	}
	depth--
	if g.chance(8) {
		if text := g.call(s, depth); text != "" {
			return text
		}
	}
	if g.chance(6) {
		return fmt.Sprintf("select(%s, %s, %s)", g.expr(s, depth), g.expr(s, depth), g.condition(s, depth))
	}
	switch {
	case s.cols > 0:
		return g.matrix(s, depth)
	case s.scalar == 'b':
		return g.booleanExpr(s, depth)
	case g.chance(3):
		return g.shared(s, depth)
	case s.scalar == 'f':
		return g.floatExpr(s, depth)
	}
	return g.integerExpr(s, depth)
}

// condition returns the condition for a call of select whose values have the given shape.
func (g *generator) condition(s shape, depth int) string {
	if s.cols == 0 && s.rows > 1 && g.chance(2) {
		return g.expr(shape{'b', s.rows, 0}, depth)
	}
	return g.expr(boolean, depth)
}

// leafExpr returns an expression without operators.
func (g *generator) leafExpr(s shape) string {
	var found []string
	for _, p := range g.places {
		switch {
		case p.of == s:
			found = append(found, p.text)
		case p.use == constant: // naga does not support swizzles of constants
		case p.of.cols == 0 && p.of.scalar == s.scalar && p.of.rows > s.rows && s.cols == 0: // this is a swizzle
			found = append(found, g.swizzle("("+p.text+")", p.of.rows, s.rows))
		}
	}
	if len(found) > 0 && !g.chance(4) {
		return pick(g, found...)
	}
	return g.literal(s)
}

func (g *generator) swizzle(text string, from, to int) string {
	var b strings.Builder
	b.WriteString(text + ".")
	letters := pick(g, "xyzw", "rgba")
	for range to {
		b.WriteByte(letters[g.IntN(from)])
	}
	return b.String()
}

// literal returns a literal value.
func (g *generator) literal(s shape) string {
	if s.rows > 1 || s.cols > 0 {
		return g.construct(s, 0)
	}
	switch s.scalar {
	case 'b':
		return pick(g, "true", "false")
	case 'i':
		return pick(g, "0i", "1i", "2", "-3i", "-7", "2147483647i", "i32(-2147483648)")
	case 'u':
		return pick(g, "0u", "1u", "3u", "31u", "4294967295u")
	}
	return pick(g, "0.5", "1.0", "-2.25f", "1e-3", "3f", "1e10", "7.0")
}

// construct returns a call of the constructor of a shape.
func (g *generator) construct(s shape, depth int) string {
	if s.cols == 0 && s.rows > 1 && g.chance(5) {
		return fmt.Sprintf("%s(%s)", s, g.expr(shape{s.scalar, 1, 0}, depth))
	}
	if g.chance(8) {
		return s.String() + "()"
	}
	var parts []string
	if s.cols > 0 {
		for range s.cols {
			parts = append(parts, g.expr(shape{'f', s.rows, 0}, depth))
		}
		return fmt.Sprintf("%s(%s)", s, strings.Join(parts, ", "))
	}
	for left := s.rows; left > 0; {
		n := 1
		if left > 1 && left < s.rows || s.rows > 2 && left == s.rows {
			n = 1 + g.IntN(min(left, 2))
		}
		parts = append(parts, g.expr(shape{s.scalar, n, 0}, depth))
		left -= n
	}
	return fmt.Sprintf("%s(%s)", s, strings.Join(parts, ", "))
}

// call returns a call of an earlier function, or "" if no function returns the shape.
func (g *generator) call(s shape, depth int) string {
	for _, h := range g.helpers {
		if h.result == s {
			var args []string
			for _, t := range h.takes {
				args = append(args, g.expr(t, depth-1))
			}
			return fmt.Sprintf("%s(%s)", h.name, strings.Join(args, ", "))
		}
	}
	return ""
}

// matrix returns an expression that creates a matrix.
func (g *generator) matrix(s shape, depth int) string {
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.expr(s, depth), pick(g, "+", "-"), g.expr(s, depth))
	case 1:
		inner := 2 + g.IntN(3)
		return fmt.Sprintf("(%s * %s)", g.expr(shape{'f', s.rows, inner}, depth), g.expr(shape{'f', inner, s.cols}, depth))
	case 2:
		return fmt.Sprintf("(%s * %s)", g.expr(s, depth), g.expr(float, depth))
	case 3:
		return fmt.Sprintf("(%s * %s)", g.expr(float, depth), g.expr(s, depth))
	case 4:
		return fmt.Sprintf("transpose(%s)", g.expr(shape{'f', s.cols, s.rows}, depth))
	}
	return g.construct(s, depth)
}

// booleanExpr returns a boolean expression, scalar or vector.
func (g *generator) booleanExpr(s shape, depth int) string {
	of := shape{pick(g, byte('i'), 'u', 'f'), s.rows, 0}
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("!(%s)", g.expr(s, depth))
	case 1:
		return fmt.Sprintf("(%s %s %s)", g.expr(s, depth), pick(g, "&", "|"), g.expr(s, depth))
	case 2:
		if s.rows == 1 {
			return fmt.Sprintf("(%s %s %s)", g.expr(s, depth), pick(g, "&&", "||"), g.expr(s, depth))
		}
		of.scalar = 'b'
		return fmt.Sprintf("(%s %s %s)", g.expr(of, depth), pick(g, "==", "!="), g.expr(of, depth))
	case 3:
		if s.rows == 1 {
			return fmt.Sprintf("%s(%s)", pick(g, "any", "all"), g.expr(shape{'b', 2 + g.IntN(3), 0}, depth))
		}
	case 4:
		return fmt.Sprintf("%s(%s)", s, g.expr(of, depth))
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(of, depth), pick(g, "<", "<=", ">", ">=", "==", "!="), g.expr(of, depth))
}

// shared returns an expression with an operator that both integers and floats have.
func (g *generator) shared(s shape, depth int) string {
	e := func() string { return g.expr(s, depth) }
	one := func() string { return g.expr(shape{s.scalar, 1, 0}, depth) }
	switch g.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", e(), pick(g, "+", "-", "*", "/", "%"), e())
	case 2:
		return fmt.Sprintf("%s(%s, %s)", pick(g, "min", "max"), e(), e())
	case 3:
		return fmt.Sprintf("clamp(%s, %s, %s)", e(), e(), e())
	case 4:
		if s.scalar != 'u' {
			return fmt.Sprintf("-(%s)", e())
		}
		return fmt.Sprintf("abs(%s)", e())
	case 5:
		from := shape{pick(g, byte('i'), 'u', 'f', 'b'), s.rows, 0}
		return fmt.Sprintf("%s(%s)", s, g.expr(from, depth))
	case 6:
		from := shape{pick(g, byte('i'), 'u', 'f'), s.rows, 0}
		return fmt.Sprintf("bitcast<%s>(%s)", s, g.expr(from, depth))
	case 7:
		if s.rows == 1 {
			n := 2 + g.IntN(3)
			return fmt.Sprintf("dot(%s, %s)", g.expr(shape{s.scalar, n, 0}, depth), g.expr(shape{s.scalar, n, 0}, depth))
		}
		if g.chance(2) {
			return fmt.Sprintf("(%s %s %s)", one(), pick(g, "+", "-", "*", "/", "%"), e())
		}
		return fmt.Sprintf("(%s %s %s)", e(), pick(g, "+", "-", "*", "/", "%"), one())
	case 8:
		n := max(2, s.rows) + g.IntN(5-max(2, s.rows))
		return g.swizzle("("+g.expr(shape{s.scalar, n, 0}, depth)+")", n, s.rows)
	case 9:
		if s.rows == 1 {
			n := 2 + g.IntN(3)
			return fmt.Sprintf("(%s)[%s]", g.expr(shape{s.scalar, n, 0}, depth), g.indexBelow(n))
		}
	}
	return g.construct(s, depth)
}

// floatExpr returns an expression of floats.
func (g *generator) floatExpr(s shape, depth int) string {
	e := func() string { return g.expr(s, depth) }
	if g.stage != "compute" || g.chance(3) {
		if text := g.sample(s, depth); text != "" && g.chance(3) {
			return text
		}
	}
	switch g.IntN(10) {
	case 0, 1, 2:
		return fmt.Sprintf("%s(%s)", pick(g, "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "degrees", "exp", "exp2", "floor", "fract",
			"inverseSqrt", "log", "log2", "radians", "round", "saturate", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "acosh", "asinh", "atanh", "quantizeToF16"), e())
	case 3:
		return fmt.Sprintf("%s(%s, %s)", pick(g, "atan2", "pow", "step"), e(), e())
	case 4:
		return fmt.Sprintf("%s(%s, %s, %s)", pick(g, "fma", "mix", "smoothstep"), e(), e(), e())
	case 5:
		if s.rows == 1 {
			n := shape{'f', 2 + g.IntN(3), 0}
			if g.chance(2) {
				return fmt.Sprintf("length(%s)", g.expr(n, depth))
			}
			return fmt.Sprintf("distance(%s, %s)", g.expr(n, depth), g.expr(n, depth))
		}
		switch g.IntN(5) {
		case 0:
			return fmt.Sprintf("normalize(%s)", e())
		case 1:
			return fmt.Sprintf("reflect(%s, %s)", e(), e())
		case 2:
			return fmt.Sprintf("faceForward(%s, %s, %s)", e(), e(), e())
		case 3:
			return fmt.Sprintf("refract(%s, %s, %s)", e(), e(), g.expr(float, depth))
		}
		return fmt.Sprintf("mix(%s, %s, %s)", e(), e(), g.expr(float, depth))
	case 6:
		switch {
		case s.rows == 1:
			n := 2 + g.IntN(3)
			return fmt.Sprintf("determinant(%s)", g.expr(shape{'f', n, n}, depth))
		case s.rows == 3 && g.chance(2):
			return fmt.Sprintf("cross(%s, %s)", e(), e())
		case g.chance(2):
			n := 2 + g.IntN(3)
			return fmt.Sprintf("(%s * %s)", g.expr(shape{'f', s.rows, n}, depth), g.expr(shape{'f', n, 0}, depth))
		}
		n := 2 + g.IntN(3)
		return fmt.Sprintf("(%s * %s)", g.expr(shape{'f', n, 0}, depth), g.expr(shape{'f', n, s.rows}, depth))
	case 7:
		switch {
		case s.rows == 2:
			return fmt.Sprintf("%s(%s)", pick(g, "unpack2x16snorm", "unpack2x16unorm", "unpack2x16float"), g.expr(unsigned, depth))
		case s.rows == 4:
			return fmt.Sprintf("%s(%s)", pick(g, "unpack4x8snorm", "unpack4x8unorm"), g.expr(unsigned, depth))
		}
		return fmt.Sprintf("ldexp(%s, %s)", e(), g.expr(shape{'i', s.rows, 0}, depth))
	case 8:
		part := pick(g, "modf .fract", "modf .whole", "frexp .fract")
		return strings.Replace(part, " ", "("+e()+")", 1)
	}
	if s.rows > 1 { // takes a column of a matrix
		n := 2 + g.IntN(3)
		return fmt.Sprintf("(%s)[%s]", g.expr(shape{'f', s.rows, n}, depth), pick(g, "1", "0u", g.indexBelow(n)))
	}
	return fmt.Sprintf("(%s)[1].x", g.expr(shape{'f', 2 + g.IntN(3), 2 + g.IntN(3)}, depth))
}

// integerExpr returns an expression of integers.
func (g *generator) integerExpr(s shape, depth int) string {
	e := func() string { return g.expr(s, depth) }
	u := func() string { return g.expr(unsigned, depth) }
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", e(), pick(g, "&", "|", "^"), e())
	case 1:
		return fmt.Sprintf("~(%s)", e())
	case 2, 3:
		return fmt.Sprintf("(%s %s %s)", e(), pick(g, "<<", ">>"), g.expr(shape{'u', s.rows, 0}, depth))
	case 4, 5:
		return fmt.Sprintf("%s(%s)", pick(g, "abs", "countLeadingZeros", "countOneBits", "countTrailingZeros", "firstLeadingBit", "firstTrailingBit", "reverseBits"), e())
	case 6:
		if g.chance(2) {
			return fmt.Sprintf("extractBits(%s, %s, %s)", e(), u(), u())
		}
		return fmt.Sprintf("insertBits(%s, %s, %s, %s)", e(), e(), u(), u())
	case 7:
		switch {
		case s == unsigned:
			return fmt.Sprintf("%s(%s)", pick(g, "pack2x16snorm", "pack2x16unorm", "pack2x16float"), g.expr(shape{'f', 2, 0}, depth))
		case s == integer:
			return fmt.Sprintf("frexp(%s).exp", g.expr(float, depth))
		case s.scalar == 'i':
			return fmt.Sprintf("sign(%s)", e())
		}
	case 8:
		if s == unsigned {
			if g.chance(3) {
				return fmt.Sprintf("%s(%s)", pick(g, "pack4x8snorm", "pack4x8unorm"), g.expr(shape{'f', 4, 0}, depth))
			}
			if text := g.query(depth); text != "" {
				return text
			}
		}
		if s == integer || s == unsigned {
			n := 2 + g.IntN(3)
			return fmt.Sprintf("dot(%s, %s)", g.expr(shape{s.scalar, n, 0}, depth), g.expr(shape{s.scalar, n, 0}, depth))
		}
	}
	return fmt.Sprintf("(%s %s %s)", e(), pick(g, "+", "-", "*"), e())
}
