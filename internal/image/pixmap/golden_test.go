package pixmap

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

// fingerprint returns a hash of the values of maps.
func fingerprint(maps ...*Map) string {
	h := sha256.New()
	for _, m := range maps {
		fmt.Fprintln(h, m.W, m.H, m.Depth())
		h.Write(m.Pix8)
		for _, v := range m.Pix16 {
			h.Write(binary.LittleEndian.AppendUint16(nil, v))
		}
		for _, v := range m.PixF {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// All machines compute the same bytes. If these hashes change, so do outputs, and the version of
// the recipe must be raised.
func TestGolden(t *testing.T) {
	picture := func(d Depth) *Map {
		m := New(93, 58, Bits8)
		noise(m.Pix8, false)
		return deep(m, d)
	}
	work := []struct {
		name string
		do   func(m *Map) ([]*Map, error)
	}{
		{"box", func(m *Map) ([]*Map, error) { return Mips(t.Context(), m, MipOptions{}) }},
		{"kaiser", func(m *Map) ([]*Map, error) {
			return Mips(t.Context(), m, MipOptions{Sampling: Sampling{Filter: Kaiser, WrapX: Repeat}, Coverage: 0.4})
		}},
		{"mitchell", func(m *Map) ([]*Map, error) {
			return Mips(t.Context(), m, MipOptions{Sampling: Sampling{Filter: Mitchell, Color: Linear}})
		}},
		{"repeat", func(m *Map) ([]*Map, error) {
			tall := &Map{W: m.H, H: m.W, Pix8: m.Pix8, Pix16: m.Pix16, PixF: m.PixF}
			a, err := Mips(t.Context(), m, MipOptions{Sampling: Sampling{Filter: Kaiser, WrapX: Repeat, WrapY: Repeat}})
			if err != nil {
				return nil, err
			}
			b, err := Mips(t.Context(), tall, MipOptions{Sampling: Sampling{Filter: Mitchell, WrapY: Repeat, Color: Data, Normal: true}})
			return append(a, b...), err
		}},
		{"box and coverage", func(m *Map) ([]*Map, error) {
			return Mips(t.Context(), m, MipOptions{Sampling: Sampling{Color: Linear, WrapY: Repeat}, Coverage: 0.6, Levels: 4})
		}},
		{"normal", func(m *Map) ([]*Map, error) {
			return Mips(t.Context(), m, MipOptions{Sampling: Sampling{Color: Data, Normal: true}})
		}},
		{"resize", func(m *Map) ([]*Map, error) {
			r, err := Resize(t.Context(), m, 64, 101, Sampling{Filter: Kaiser})
			return []*Map{r}, err
		}},
		{"premultiply", func(m *Map) ([]*Map, error) { return []*Map{m}, Premultiply(t.Context(), m, SRGB) }},
		{"convert", func(m *Map) ([]*Map, error) {
			a, err := Convert(t.Context(), m, (m.Depth()+1)%3, SRGB)
			if err != nil {
				return nil, err
			}
			b, err := Convert(t.Context(), m, (m.Depth()+2)%3, SRGB)
			return []*Map{a, b}, err
		}},
	}
	want := map[string][3]string{
		"box":              {"8887425bc624c3c5", "d6ea45b7ce445963", "35a9ef29ad9ea725"},
		"kaiser":           {"e262e35b5aed86d1", "9e49ac89890a21d9", "59b3d03a34d4e59f"},
		"mitchell":         {"8b5e5c922727e063", "25777addd8feda79", "74dc181d08545b9b"},
		"repeat":           {"ba2823e94104eac6", "e87e11a97366c0a1", "166ce7c4031ef662"},
		"box and coverage": {"beda9a2d97117102", "dec51ae6b0b64135", "57f0555fa59ae8f4"},
		"normal":           {"282253f11ee22e53", "79cdb2974e14f40e", "7648c60abae20a1b"},
		"resize":           {"f351942afb653f67", "6d236a81f81f3e5d", "0e7e3452f5328212"},
		"premultiply":      {"e4bdb7a9e74d44f7", "f7b1945878a55f9a", "325596e5c278f158"},
		"convert":          {"660f5adf9c05fd1e", "f7b2e7b914440cf6", "e90c242873c3ea51"},
	}
	for _, w := range work {
		var got [3]string
		for d := range got {
			maps, err := w.do(picture(Depth(d)))
			if err != nil {
				t.Fatal(err)
			}
			got[d] = fingerprint(maps...)
		}
		if got != want[w.name] {
			t.Errorf("%q: {%q, %q, %q},", w.name, got[0], got[1], got[2])
		}
	}
}
