package pixmap

import (
	"context"
	"fmt"
	"strings"
)

// A Channel is the source of the values of one channel.
type Channel struct {
	// Of is 'r', 'g', 'b' or 'a' for a channel, '0' for zeros, or '1' for the maximum value.
	Of byte
	// Invert replaces each value v by 1 - v.
	Invert bool
}

// ParseChannel parses "r", "g", "b", "a", "0", "1", or a letter after "1-", which inverts it.
func ParseChannel(s string) (Channel, error) {
	letter, invert := strings.CutPrefix(s, "1-")
	if len(letter) == 1 && (strings.Contains("rgba", letter) || !invert && strings.Contains("01", letter)) {
		return Channel{Of: letter[0], Invert: invert}, nil
	}
	return Channel{}, fmt.Errorf(`channel %q is unknown; use r, g, b, a, 1-r, 1-g, 1-b, 1-a, 0 or 1`, s)
}

// String returns the form that ParseChannel reads.
func (c Channel) String() string {
	if c.Invert {
		return "1-" + string(c.Of)
	}
	return string(c.Of)
}

// A Part is a channel of a map.
type Part struct {
	From *Map
	Channel
}

// Assemble returns a map of w by h pixels whose red, green, blue and alpha are the four parts. The
// maps of the parts must have that size and depth. Parts with Of '0' or '1' need no map.
func Assemble(ctx context.Context, w, h int, d Depth, parts [4]Part) (*Map, error) {
	for i, p := range parts {
		switch {
		case p.Of == '0' || p.Of == '1':
		case p.From == nil || !strings.ContainsRune("rgba", rune(p.Of)):
			return nil, fmt.Errorf("channel %c has no source", "rgba"[i])
		case p.From.W != w || p.From.H != h:
			return nil, fmt.Errorf("channel %c comes from an image of %d x %d pixels, but the other images have %d x %d; make them equal",
				"rgba"[i], p.From.W, p.From.H, w, h)
		case p.From.Depth() != d:
			return nil, fmt.Errorf("channel %c comes from an image with another bit depth; save all images with the same depth", "rgba"[i])
		}
	}
	made := New(w, h, d)
	return made, assembleInto(ctx, made, parts)
}

// Isolate changes m in place: red becomes the given channel, one of 'r', 'g', 'b' and 'a', green
// and blue become 0, and alpha becomes 1.
func Isolate(ctx context.Context, m *Map, of byte) error {
	zero := Part{Channel: Channel{Of: '0'}}
	return assembleInto(ctx, m, [4]Part{{From: m, Channel: Channel{Of: of}}, zero, zero, {Channel: Channel{Of: '1'}}})
}

// SpreadXY copies green to alpha, then red to green and blue, in place. It turns the x and y of a
// normal map into gray and alpha, which block compression encodes independently.
func SpreadXY(ctx context.Context, m *Map) error {
	return eachRow(ctx, m, func(from, to int) {
		spreadXY(m.Pix8, from, to)
		spreadXY(m.Pix16, from, to)
		spreadXY(m.PixF, from, to)
	})
}

func spreadXY[T uint8 | uint16 | float32](pix []T, from, to int) {
	for i := from; i < min(to, len(pix)); i += 4 {
		x, y := pix[i], pix[i+1]
		pix[i+1], pix[i+2], pix[i+3] = x, x, y
	}
}

// Invert replaces each value v of the given channel, one of 'r', 'g', 'b' and 'a', by 1 - v.
func Invert(ctx context.Context, m *Map, of byte) error {
	var parts [4]Part
	for c, letter := range "rgba" {
		parts[c] = Part{From: m, Channel: Channel{Of: byte(letter), Invert: byte(letter) == of}}
	}
	return assembleInto(ctx, m, parts)
}

// assembleInto fills the map row by row. Within a row, it fills channel by channel.
func assembleInto(ctx context.Context, made *Map, parts [4]Part) error {
	d := made.Depth()
	return eachRow(ctx, made, func(from, to int) {
		for c, p := range parts {
			switch {
			case d == Float:
				assembleChannel(made.PixF, p, c, from, to, pixF, 1)
			case d == Bits16:
				assembleChannel(made.Pix16, p, c, from, to, pix16, 65535)
			default:
				assembleChannel(made.Pix8, p, c, from, to, pix8, 255)
			}
		}
	})
}

func pix8(m *Map) []uint8   { return m.Pix8 }
func pix16(m *Map) []uint16 { return m.Pix16 }
func pixF(m *Map) []float32 { return m.PixF }

// assembleChannel fills channel c of the elements of dst in the index range [from, to).
func assembleChannel[T uint8 | uint16 | float32](dst []T, p Part, c, from, to int, pix func(*Map) []T, top T) {
	var src []T
	fill, of := T(0), 0
	switch p.Of {
	case '0':
	case '1':
		fill = top
	default:
		src, of = pix(p.From), strings.IndexByte("rgba", p.Of)
	}
	for i := from; i < to; i += 4 {
		v := fill
		if src != nil {
			v = src[i+of]
		}
		if p.Invert {
			v = top - v
		}
		dst[i+c] = v
	}
}

// Premultiply multiplies the colors of m by their alpha in place. It multiplies in linear light,
// for every encoding.
func Premultiply(ctx context.Context, m *Map, c Color) error {
	l, row := light{m: m, color: c}, make([]float32, 4*m.W)
	top := l.alphaTop()
	for y := range m.H {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.widenRow(row, y)
		for i := 0; i+4 <= len(row); i += 4 {
			p := row[i : i+4 : i+4]
			alpha := float64(p[3]) / top
			if alpha == 1 {
				continue
			}
			p[0], p[1], p[2] = float32(float64(p[0])*alpha), float32(float64(p[1])*alpha), float32(float64(p[2])*alpha)
		}
		l.narrowRow(m, y, row, nil)
	}
	return nil
}
