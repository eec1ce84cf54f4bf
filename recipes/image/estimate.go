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

// estimateMemory implements Traits.Estimate. It refuses every header that Cook would refuse. It
// does not know the extension. So Cook, which also checks the head first, reports files that are
// not images.
func (o *Image) estimateMemory(head []byte, size int64) (int64, error) {
	info, err := source.Probe(head, "", size, o.MaxSize)
	if errors.Is(err, source.ErrFormat) {
		// TGA has no signature. If the file is not a TGA either, Cook reports the error.
		info, err = source.Probe(head, ".tga", size, o.MaxSize)
		if errors.Is(err, source.ErrFormat) || errors.Is(err, source.ErrTruncated) {
			return recipe.HeadSize, nil
		}
	}
	if err != nil {
		// In a JPEG the size may follow a large profile. In a TIFF it may be at the end.
		return 0, err
	}
	l, err := o.layoutFor(info.W, info.H)
	if err != nil {
		return 0, err
	}
	if o.makesSheet() {
		if int64(len(head)) < size {
			return 0, recipe.ErrShortHead // the number of frames is not known yet
		}
		return o.estimateSheet(head, info, l), nil
	}
	need := o.peakBytes(info, l, size)
	if o.IsUASTC() {
		l.tw, l.th = o.multipleOf4(l.tw), o.multipleOf4(l.th)
		need = max(need, o.peakBytes(info, l, size))
	}
	return need, nil
}

// peakBytes returns the maximum number of bytes that Cook holds at once. For each stage it adds
// the stage's own memory and the memory kept from the previous stage.
func (o *Image) peakBytes(info source.Info, l layout, size int64) int64 {
	// fixed covers tables, buffers and the helpers of Job.Each. A helper takes about 12 KB, and a
	// whole run has at most one per CPU.
	const fixed = 1 << 20
	whole := bytesOf(info.W, info.H, info.Depth)
	before := int64(l.pictures) * bytesOf(l.w, l.h, info.Depth)
	after := int64(l.pictures) * bytesOf(l.tw, l.th, info.Depth)

	loading := size + info.Memory
	if l.beside > 0 {
		// The size of the additional images is known, but not their format.
		pixels := int64(info.W) * int64(info.H)
		loading = max(loading, int64(l.beside)*whole+3*besideBytes(info.W, info.H)+besideMemory*pixels)
	}
	assembling := whole
	if l.assembles {
		assembling = int64(l.beside+2) * whole // source, additional images, and the result or a converted image
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

// besideBytes limits the file size of an additional image, for a source of w by h pixels.
func besideBytes(w, h int) int64 { return 16*int64(w)*int64(h) + 1<<20 }

// besideMemory is the memory per pixel for decoding an additional image, including the result. Of
// the usual formats, progressive JPEG needs the most.
const besideMemory = 24

// makingMemory returns the memory for making levels and texels, without the images.
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
		// Add histograms of alpha. A level that is encoded again also needs a copy, its blocks and
		// their decoded pixels.
		most += 8<<16 + bytesOf(coveringSide, coveringSide, d) + 2*coveringPixels + 8*coveringPixels
	}
	if o.Premultiply {
		most += 16 * int64(l.tw) * 64 // memory for the rows of the bands, until they are collected
	}
	return most + o.texelMemory(d, l)
}

// packingMemory returns the memory that the texels need while they are written.
func (o *Image) packingMemory(d pixmap.Depth, l layout) int64 {
	if o.Container != "ktx2" || o.Zstd == 0 {
		return o.texelMemory(d, l)
	}
	return o.texelMemory(d, l) + zstdEncoderMemory(o.Zstd)
}

// texelMemory returns the memory of the texels of all levels of all images.
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

// mayHaveLevels reports whether the texture may have smaller levels. It ignores the role in the
// path, because the pixels may contradict it.
func (o *Image) mayHaveLevels() bool {
	r := role.Parse(o.Kind) // an image of unknown role gets levels, unless options forbid them
	return o.smallerLevels(r)
}

// possibleFormats returns the formats that Cook may choose.
func (o *Image) possibleFormats(d pixmap.Depth, l layout) []texture.Format {
	if f, err := texture.ParseFormat(o.Format); err == nil {
		return []texture.Format{f}
	}
	var all []texture.Format
	for _, f := range o.desktopFormats(d, l) {
		if f == texture.RGBA8 { // some roles use RGBA8 on every GPU
			all = append(all, f)
		}
		all = append(all, o.gpu().Instead(f, true), o.gpu().Instead(f, false))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// desktopFormats returns the formats that Cook may choose for desktop GPUs.
func (o *Image) desktopFormats(d pixmap.Depth, l layout) []texture.Format {
	likely := o.likelyRole()
	switch {
	case d == pixmap.Float:
		return []texture.Format{texture.BC6H, texture.R32F, texture.RGBA16F}
	case likely == role.LUT && d == pixmap.Bits16, isNumbers(likely) && d == pixmap.Bits16:
		return []texture.Format{texture.RGBA8, texture.BC7, texture.RGBA16}
	case likely == role.LUT, likely == role.Height:
		return []texture.Format{texture.RGBA8, texture.BC7}
	}
	if o.Preset == "pixel" {
		return []texture.Format{texture.RGBA8}
	}
	all := []texture.Format{texture.BC4, texture.BC5, texture.BC7}
	if d == pixmap.Bits16 { // a material may declare that the image has heights
		all = append(all, texture.R16)
	}
	if int64(l.tw)*int64(l.th) <= largestPlain {
		all = append(all, texture.RGBA8)
	}
	return all
}

// zstdEncoderMemory returns the measured memory of the Zstandard encoder, without its output.
func zstdEncoderMemory(level int) int64 {
	switch {
	case level < 3:
		return 10 << 20
	case level < 10:
		return 22 << 20
	}
	return 54 << 20
}
