package pixmap

import (
	"context"
	"errors"
	"testing"

	"github.com/assetcook/assetcook/internal/countdown"
)

// of makes a map of eight bits.
func of(w, h int, pix ...byte) *Map { return &Map{W: w, H: h, Pix8: pix} }

// deep returns m at another depth, number by number: 255 becomes 65535 or 1.
func deep(m *Map, d Depth) *Map {
	made := New(m.W, m.H, d)
	for i, v := range m.Pix8 {
		switch d {
		case Float:
			made.PixF[i] = float32(v) / 255
		case Bits16:
			made.Pix16[i] = 257 * uint16(v)
		default:
			made.Pix8[i] = v
		}
	}
	return made
}

// Every function stops when its context is cancelled, and checks the context once for each row.
func TestWorkStopsAtEveryCheck(t *testing.T) {
	picture := func(d Depth) *Map {
		m := New(24, 18, Bits8)
		noise(m.Pix8, false)
		return deep(m, d)
	}
	for name, work := range map[string]func(context.Context, *Map) error{
		"box": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{})
			return err
		},
		"coverage": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{Coverage: 0.5})
			return err
		},
		"kaiser": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{Sampling: Sampling{Filter: Kaiser}})
			return err
		},
		"one": func(ctx context.Context, m *Map) error {
			_, err := Mips(ctx, m, MipOptions{Levels: 1})
			return err
		},
		"resize": func(ctx context.Context, m *Map) error {
			_, err := Resize(ctx, m, 9, 7, Sampling{})
			return err
		},
		"same": func(ctx context.Context, m *Map) error {
			_, err := Resize(ctx, m, 24, 18, Sampling{})
			return err
		},
		"convert": func(ctx context.Context, m *Map) error {
			_, err := Convert(ctx, m, (m.Depth()+1)%3, SRGB)
			return err
		},
		"stay": func(ctx context.Context, m *Map) error {
			_, err := Convert(ctx, m, m.Depth(), SRGB)
			return err
		},
		"flip":     func(ctx context.Context, m *Map) error { return Flip(ctx, m, true, true) },
		"multiply": func(ctx context.Context, m *Map) error { return Premultiply(ctx, m, SRGB) },
		"faces": func(ctx context.Context, m *Map) error {
			_, err := Faces(ctx, m)
			return err
		},
		"analyse": func(ctx context.Context, m *Map) error {
			_, err := Analyse(ctx, m, 4)
			return err
		},
		"assemble": func(ctx context.Context, m *Map) error {
			p := Part{m, Channel{Of: 'r'}}
			_, err := Assemble(ctx, m.W, m.H, m.Depth(), [4]Part{p, p, p, p})
			return err
		},
	} {
		for _, d := range []Depth{Bits8, Bits16, Float} {
			ctx := countdown.New(t.Context(), 1<<30)
			if err := work(ctx, picture(d)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			looks := 1<<30 - ctx.Left
			if least := 18; looks < least && name != "one" && name != "same" && name != "stay" && name != "resize" || looks == 0 {
				t.Errorf("%s: the context is checked %d times", name, looks)
			}
			for n := range looks {
				if err := work(countdown.New(t.Context(), n), picture(d)); !errors.Is(err, context.Canceled) {
					t.Fatalf("%s: cancelled at check %d of %d: error %v", name, n, looks, err)
				}
			}
		}
	}
}
