package image

import (
	"errors"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// estimateMemory implements Traits.Estimate. It refuses every header that Cook would refuse. It does
// not know the extension, so Cook reports files that are not images; Cook checks the head first
// as well.
func (o *Image) estimateMemory(head []byte, size int64) (int64, error) {
	info, err := source.Probe(head, "", size, o.MaxSize)
	if errors.Is(err, source.ErrFormat) {
		// TGA has no signature. If it is not a TGA file either, Cook reports the error.
		info, err = source.Probe(head, ".tga", size, o.MaxSize)
		if errors.Is(err, source.ErrFormat) || errors.Is(err, source.ErrTruncated) {
			return recipe.HeadSize, nil
		}
	}
	if err != nil {
		// A JPEG may have its size behind a large profile, a TIFF at its end.
		return 0, err
	}
	l, err := o.layoutFor(info.W, info.H)
	if err != nil {
		return 0, err
	}
	need := o.peakBytes(info, l, size)
	if o.IsUASTC() {
		l.tw, l.th = o.multipleOf4(l.tw), o.multipleOf4(l.th)
		need = max(need, o.peakBytes(info, l, size))
	}
	return need, nil
}

// peakBytes returns the maximal number of bytes that Cook holds at once. It sums, for each stage, the
// stage's own memory and the memory that lives on from the stage before.
func (o *Image) peakBytes(info source.Info, l layout, size int64) int64 {
	// Tables and buffers, and the helpers of Job.Each: some 12 KB each, and at most one per CPU
	// in a whole run.
	const fixed = 1 << 20
	whole := bytesOf(info.W, info.H, info.Depth)
	before := int64(l.pictures) * bytesOf(l.w, l.h, info.Depth)
	after := int64(l.pictures) * bytesOf(l.tw, l.th, info.Depth)

	loading := size + info.Memory
	if l.beside > 0 {
		// Only the size of the other images is known.
		pixels := int64(info.W) * int64(info.H)
		loading = max(loading, int64(l.beside)*whole+3*besideBytes(info.W, info.H)+besideMemory*pixels)
	}
	assembling := whole
	if l.assembles {
		assembling = int64(l.beside+2) * whole // plus one image: the result, or the image in another depth
	}
	cutting := int64(1+len(o.Layers))*whole + before
	if !o.cutsFaces() {
		cutting = before
	}
	resizing := before
	if l.w != l.tw || l.h != l.th {
		resizing += after + pixmap.ResizeMemory(l.w, l.h, l.tw, l.th, info.Depth, o.mipFilter())
	}
	if o.writesPictures() {
		return fixed + max(loading, assembling, cutting, o.picturePeak(info.Depth, l))
	}
	return fixed + max(loading, assembling, cutting, resizing, after+o.makingMemory(info.Depth, l), o.packingMemory(info.Depth, l))
}

// bytesOf returns the memory of the pixels of a map.
func bytesOf(w, h int, d pixmap.Depth) int64 {
	channels := 4 * int64(w) * int64(h)
	switch d {
	case pixmap.Float:
		return 4 * channels
	case pixmap.Bits16:
		return 2 * channels
	}
	return channels
}

// besideBytes is the size limit of the file of an image beside a source of w by h pixels.
func besideBytes(w, h int) int64 { return 16*int64(w)*int64(h) + 1<<20 }

// besideMemory is the memory per pixel for decoding such an image, including the result. It is
// the maximum over the usual formats, a progressive JPEG.
const besideMemory = 24

// makingMemory returns the memory of levels and texels, without the images.
func (o *Image) makingMemory(d pixmap.Depth, l layout) int64 {
	mips := pixmap.MipOptions{
		Sampling: pixmap.Sampling{Filter: o.mipFilter(), Normal: o.likelyRole() == role.Normal},
		Coverage: o.Coverage, Whole: o.wholeLevels(), Levels: 1,
	}
	if o.Wrap == "repeat" || o.Wrap == "repeat-y" {
		mips.WrapY = pixmap.Repeat
	}
	if o.mayHaveLevels() {
		mips.Levels = 0
	}
	most := int64(0)
	for _, f := range o.possibleFormats(d, l) {
		mips.Block = blockRows(f)
		encoding := texenc.Memory(f, d, l.tw, o.rowsAtOnce(f, l.tw, l.th, d), texenc.Options{RDO: o.RDO})
		levels := pixmap.MipMemory(l.tw, l.th, d, mips)
		if o.prefilters() {
			levels = pixmap.PrefilterMemory(l.tw)
		}
		most = max(most, levels+encoding)
	}
	if o.Coverage > 0 {
		// Counts, and for each level that is encoded again a copy, its blocks and their decoded
		// pixels.
		most += 8<<16 + bytesOf(coveringSide, coveringSide, d) + 2*coveringPixels + 8*coveringPixels
	}
	if o.Premultiply {
		most += 16 * int64(l.tw) * 64 // rows of bands, until they are collected
	}
	return most + o.texelMemory(d, l)
}

// packingMemory returns the memory of texels while they are written.
func (o *Image) packingMemory(d pixmap.Depth, l layout) int64 {
	if o.Container != "ktx2" || o.Zstd == 0 {
		return o.texelMemory(d, l)
	}
	return o.texelMemory(d, l) + zstdEncoderMemory(o.Zstd)
}

// texelMemory returns the memory of all levels of all images.
func (o *Image) texelMemory(d pixmap.Depth, l layout) int64 {
	most := int64(0)
	for _, f := range o.possibleFormats(d, l) {
		sum := int64(0)
		for i := range texture.MaxLevels(l.tw, l.th) {
			if w, h := texture.LevelSize(l.tw, l.th, i); i == 0 || o.mayHaveLevels() {
				sum += f.Bytes(w, h)
			}
		}
		most = max(most, sum*int64(l.pictures))
	}
	return most
}

// mayHaveLevels reports whether there may be smaller levels. The pixels may show that the path is
// wrong about an image.
func (o *Image) mayHaveLevels() bool {
	r := role.Parse(o.Kind) // Unknown has levels unless options forbid it
	return o.smallerLevels(r)
}

// possibleFormats returns the possible formats.
func (o *Image) possibleFormats(d pixmap.Depth, l layout) []texture.Format {
	if f, err := texture.ParseFormat(o.Format); err == nil {
		return []texture.Format{f}
	}
	var all []texture.Format
	for _, f := range o.desktopFormats(d, l) {
		if f == texture.RGBA8 { // roles may keep it
			all = append(all, f)
		}
		all = append(all, o.gpu().Instead(f, true), o.gpu().Instead(f, false))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// desktopFormats returns the formats that may be chosen for desktops.
func (o *Image) desktopFormats(d pixmap.Depth, l layout) []texture.Format {
	if d == pixmap.Float {
		return []texture.Format{texture.BC6H, texture.RGBA16F}
	}
	if o.likelyRole() == role.LUT {
		return []texture.Format{texture.RGBA8, texture.RGBA16F}
	}
	if o.Preset == "pixel" {
		return []texture.Format{texture.RGBA8}
	}
	if int64(l.tw)*int64(l.th) > largestPlain {
		return []texture.Format{texture.BC4, texture.BC5, texture.BC7}
	}
	return []texture.Format{texture.BC4, texture.BC5, texture.BC7, texture.RGBA8}
}

// zstdEncoderMemory returns the measured memory of the encoder, without its output.
func zstdEncoderMemory(level int) int64 {
	switch {
	case level < 3:
		return 10 << 20
	case level < 10:
		return 22 << 20
	}
	return 54 << 20
}
