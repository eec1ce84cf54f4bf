package image

import (
	"bytes"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/recipe/image/ktx2"
	"github.com/assetcook/assetcook/cook/recipe/image/tga"
)

// Estimate implements recipe.Estimator. It refuses what Cook would refuse by
// the same header. It is not told the extension, so it leaves it to Cook, which
// looks at the head first as well, to say what is no picture at all.
func (o *Image) Estimate(head []byte, size int64) (int64, error) {
	f, ok := byMagic(head)
	if !ok {
		if err := notPicture(head); err != nil {
			return 0, err
		}
		if _, err := tga.ReadHeader(bytes.NewReader(head)); err != nil {
			return recipe.HeadSize, nil
		}
		f = tgaFormat()
	}
	// A JPEG may have its size behind a large profile, a TIFF at its end.
	p, err := f.inspect(head, size, o.MaxSize)
	if err != nil {
		return 0, err
	}
	return o.peak(p, size), nil
}

// peak returns the most bytes that Cook holds at once for a picture. Each
// stage's own and what lives on from the stage before it are counted.
func (o *Image) peak(p picture, size int64) int64 {
	base := 4 * p.pixels()
	decoding := 3*size + p.decoder // decoders copy parts of the source
	converting := size + p.decoder + base

	levels, wide := base, int64(0) // what is written, and the filter's levels
	if o.Mips {
		for i := 1; i < ktx2.MaxLevels(p.w, p.h); i++ {
			w, h := ktx2.LevelSize(p.w, p.h, i)
			levels += 4 * int64(w) * int64(h)
			if i <= 2 { // it holds two levels at a time, of 8 bytes a pixel
				wide += 8 * int64(w) * int64(h)
			}
		}
		wide += 4 * 8 * int64(p.w) // rows
	}
	packed := int64(0)
	if o.Zstd > 0 {
		packed = levels + zstdMemory(o.Zstd)
	}
	const fixed = 1 << 20 // tables and buffers
	return fixed + max(decoding, converting, levels+max(wide, packed))
}

// zstdMemory returns what the encoder takes besides its output, measured.
func zstdMemory(level int) int64 {
	switch {
	case level < 3:
		return 10 << 20
	case level < 10:
		return 22 << 20
	}
	return 54 << 20
}
