package image

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// hasIrradiance reports whether spherical harmonics are written beside the texture.
func (o *Image) hasIrradiance() bool { return o.Irradiance == "sh" }

// writeIrradiance writes the harmonics of each cube as the job's i-th output: one object, or a
// list if the texture is an array.
func (s *subject) writeIrradiance(ctx context.Context, job *recipe.Job, i int) error {
	defer job.Step("irradiance")()
	var text bytes.Buffer
	for first := 0; first < len(s.pictures); first += 6 {
		h, err := pixmap.Radiance(ctx, s.pictures[first:first+6], s.color(), job.Each)
		if err != nil {
			return err
		}
		if first > 0 {
			text.WriteString(",\n")
		}
		text.WriteString("{\n")
		writeHarmonics(&text, "radiance", h)
		text.WriteString(",\n")
		writeHarmonics(&text, "irradiance", h.Irradiance())
		text.WriteString("\n}")
	}
	all := text.String()
	if len(s.o.Layers) > 0 {
		all = "[" + all + "]"
	}
	out, err := job.Create(i)
	if err != nil {
		return err
	}
	_, err = out.WriteString(all + "\n")
	return errors.Join(err, out.Close())
}

// writeHarmonics writes a list of nine colors.
func writeHarmonics(text *bytes.Buffer, name string, h pixmap.Harmonics) {
	text.WriteString("  " + strconv.Quote(name) + ": [")
	for i, color := range h {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString("\n    [")
		for k, v := range color {
			if k > 0 {
				text.WriteString(", ")
			}
			// Nine digits suffice for a float32. Sums of light may exceed the range of a float32.
			text.Write(strconv.AppendFloat(text.AvailableBuffer(), v, 'g', 9, 64))
		}
		text.WriteByte(']')
	}
	text.WriteString("\n  ]")
}
