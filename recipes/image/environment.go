package image

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
)

// hasIrradiance reports whether the recipe writes spherical harmonics beside the texture.
func (o *Image) hasIrradiance() bool { return o.Irradiance == "sh" }

// writeIrradiance writes the spherical harmonics of each cube as the job's i-th output. The JSON is
// one object, or a list if the texture is an array.
func (s *subject) writeIrradiance(ctx context.Context, job *recipe.Job, i int) error {
	defer job.Step("irradiance")()
	var text bytes.Buffer
	for first := 0; first < len(s.pictures); first += 6 {
		h, err := pixmap.Radiance(ctx, s.pictures[first:first+6], s.colorMeaning(), job.Each)
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

// writeHarmonics writes a list of nine RGB coefficients.
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
			// Nine digits suffice for a float32. The coefficients are float64, because sums of
			// light may exceed the range of a float32.
			text.Write(strconv.AppendFloat(text.AvailableBuffer(), v, 'g', 9, 64))
		}
		text.WriteByte(']')
	}
	text.WriteString("\n  ]")
}

// prefilters reports whether mipmaps are prefiltered for image-based lighting.
func (o *Image) prefilters() bool { return o.Prefilter == "ggx" || o.Prefilter == "filament" }

// levelRoughness returns the mapping from mipmap level to roughness.
func (o *Image) levelRoughness() pixmap.Roughness {
	if o.Prefilter == "filament" {
		return pixmap.FilamentRoughness
	}
	return pixmap.LinearRoughness
}

// checkLighting checks the options for cubes in image-based lighting.
func (o *Image) checkLighting() error {
	option := o.lighting()
	wrong := func(key, got, want string) error {
		return &recipe.OptionError{Key: key, Got: got, Want: want + " with " + option}
	}
	switch {
	case option == "":
		return nil
	case o.Cube == "none":
		return wrong("cube", strconv.Quote(o.Cube), `"cross", "equirect" or "faces"`)
	case role.Parse(o.Kind) != role.Unknown && !role.Parse(o.Kind).Treatment().Colors:
		return wrong("kind", strconv.Quote(o.Kind), "a kind that holds colors, such as environment")
	case !o.prefilters():
		return nil
	case o.Mips == "false":
		return wrong("mips", o.Mips, "true or auto")
	case o.Coverage > 0:
		return wrong("coverage", fmt.Sprint(o.Coverage), "0")
	}
	return nil
}

// lighting returns the name of the option that makes a cube for image-based lighting. It returns ""
// if none is set.
func (o *Image) lighting() string {
	switch {
	case o.prefilters():
		return fmt.Sprintf("prefilter = %q", o.Prefilter)
	case o.hasIrradiance():
		return fmt.Sprintf("irradiance = %q", o.Irradiance)
	}
	return ""
}

// makeSmaller makes the smaller mipmap levels of the i-th image. The levels of a prefiltered cube
// need all its faces, so they are made together with the first face.
func (s *subject) makeSmaller(ctx context.Context, job *recipe.Job, i, n int, take func(level int, band *pixmap.Map) error) error {
	switch {
	case !s.o.prefilters():
		return pixmap.MipBands(ctx, s.pictures[i], s.mipOptions(n), take)
	case i%6 == 0:
		return pixmap.Prefilter(ctx, s.pictures[i:i+6], s.colorMeaning(), s.o.levelRoughness(), job.Each, take)
	}
	return nil
}
