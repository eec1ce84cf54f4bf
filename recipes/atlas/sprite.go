package atlas

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/spritesheet"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A sprite holds the pixels of an image without its empty edges.
type sprite struct {
	w, h int
	pix  []uint8 // layout as in pixmap.Map
}

// A namedSprite is a sprite with one of its names.
type namedSprite struct {
	name   string
	sprite int // index in the list of distinct sprites
	// of is the size of the original image. x and y are the sprite's position in it.
	of   spritesheet.Size
	x, y int
	// borders is nil except for nine-patches.
	borders *spritesheet.Borders
}

// ninePatch is the suffix of nine-patch names, before the extension. Black pixels in a one-pixel
// border mark the parts that stretch. The top row marks them horizontally, the left column
// vertically. This is Android's format.
const ninePatch = ".9"

// largestSide limits the sides of an image. It exceeds the page limit, because empty edges may
// be cut off.
func (o *atlasOptions) largestSide() int { return max(2*o.MaxSize, 1024) }

// largestImage limits the memory for decoding and shrinking one image.
func (o *atlasOptions) largestImage() int64 {
	side := o.largestSide()
	return 24*int64(side)*int64(side) + o.resizing(side, side)
}

// resizing returns the maximum memory for shrinking an image.
func (o *atlasOptions) resizing(w, h int) int64 {
	memory := int64(0)
	for _, part := range []int{1, 2, 4, 8} {
		if len(o.Scales) > 1 {
			memory = max(memory, pixmap.ResizeMemory(w, h, (w+part)/(part+1), (h+part)/(part+1), pixmap.Bits8, pixmap.Box))
		}
	}
	return memory
}

// batch limits the memory of images that are decoded at once. A single larger image may exceed
// it.
func (o *atlasOptions) batch() int64 { return 64 << 20 }

// maxSprites limits the number of sprites, so that a layout takes at most a second or two.
const maxSprites = 50000

// A decodedImage is a file with its image. The recipe makes a sprite from it.
type decodedImage struct {
	file
	data   []byte
	frames int // number of frames in the file, if there are several
	sprite
	namedSprite
}

// content identifies sprites with equal pixels.
type content struct {
	w, h int
	pix  hashing.Digest
}

// readImages reads files in order and makes sprites of them. It works in batches that idle
// processors share.
func (o *atlasOptions) readImages(ctx context.Context, job *recipe.Job, files []file, a *atlas) error {
	defer job.Step("read")()
	if len(files) > maxSprites {
		return fmt.Errorf("the list has %d sprites; an atlas has at most %d", len(files), maxSprites)
	}
	known := map[content]int{}
	called := map[string]string{}
	room := int64(o.Pages) * int64(o.MaxSize) * int64(o.MaxSize)
	for len(files) > 0 {
		batch, err := o.loadBatch(job, files)
		if err != nil {
			return err
		}
		files = files[len(batch):]
		err = job.Each(ctx, len(batch), func(i int) error { return o.decodeSprite(ctx, &batch[i], a.scale) })
		if err != nil {
			return err
		}
		for _, p := range batch {
			name := o.spriteName(p.file.name)
			if !utf8.ValidString(name) {
				return fmt.Errorf("%s: the name is not UTF-8, which JSON requires; rename the file", pathname.Show(p.file.name))
			}
			if other, ok := called[name]; ok {
				return fmt.Errorf("%s and %s are both called %s; rename one, or choose other names with the option name", pathname.Show(other), pathname.Show(p.file.name), pathname.Show(name))
			}
			called[name] = p.file.name
			if p.frames > 1 {
				job.Warn("%s holds %d frames, but the atlas has only the first; save each frame as an image", pathname.Show(p.file.name), p.frames)
			}
			id := content{p.w, p.h, hashing.DigestOf(p.pix)}
			which, ok := known[id]
			if !ok {
				which = len(a.sprites)
				known[id] = which
				a.sprites = append(a.sprites, p.sprite)
				job.Hold("sprites", len(p.pix))
				if p.w > o.MaxSize || p.h > o.MaxSize {
					return o.tooLarge(name, &p.sprite)
				}
				if room -= int64(p.w) * int64(p.h); room < 0 {
					return o.isFull(len(a.sprites) + len(files))
				}
			}
			p.namedSprite.name, p.namedSprite.sprite = name, which
			a.names = append(a.names, p.namedSprite)
		}
	}
	slices.SortFunc(a.names, func(x, y namedSprite) int { return strings.Compare(x.name, y.name) })
	return nil
}

// loadBatch reads the files of one batch.
func (o *atlasOptions) loadBatch(job *recipe.Job, files []file) (batch []decodedImage, err error) {
	memory := int64(0)
	for _, file := range files {
		if len(batch) > 0 && (memory > o.batch() || len(batch) == 1024) {
			break
		}
		data, err := o.readImageFile(job, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pathname.Show(file.name), err)
		}
		info, err := source.Probe(data, recipe.Ext(file.name), int64(len(data)), o.largestSide())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pathname.Show(file.name), err)
		}
		memory += int64(len(data)) + info.Memory + o.resizing(info.W, info.H)
		batch = append(batch, decodedImage{file: file, data: data})
	}
	return batch, nil
}

// readImageFile reads a file. The file may be huge, or not an image.
func (o *atlasOptions) readImageFile(job *recipe.Job, f file) ([]byte, error) {
	size, err := f.imageFileSize(job)
	if err == nil && size > o.largestImage() {
		err = fmt.Errorf("the file has %d bytes, too many for an image of %d x %d pixels, the largest sprite that max_size allows", size, o.largestSide(), o.largestSide())
	}
	switch {
	case err != nil:
		return nil, err
	case f.made != nil:
		return job.ReadArtifact(f.made.Path)
	}
	return job.Read(f.name)
}

// imageFileSize returns the size of the file in bytes.
func (f *file) imageFileSize(job *recipe.Job) (int64, error) {
	if f.made != nil {
		return f.made.Size, nil
	}
	opened, err := job.OpenDep(f.name)
	if err != nil {
		return 0, err
	}
	info, err := opened.Stat()
	if err = errors.Join(err, opened.Close()); err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// decodeSprite decodes an image into a sprite.
func (o *atlasOptions) decodeSprite(ctx context.Context, p *decodedImage, scale float64) error {
	m, info, err := source.Decode(ctx, p.data, recipe.Ext(p.file.name), o.largestSide())
	color := pixmap.SRGB
	if !o.SRGB {
		color = pixmap.Linear
	}
	if p.data = nil; err == nil {
		m, err = pixmap.Convert(ctx, m, pixmap.Bits8, color)
	}
	if err == nil {
		clearUnseen(m.Pix8)
		p.sprite, p.of, p.frames = sprite{w: m.W, h: m.H, pix: m.Pix8}, spritesheet.Size{W: m.W, H: m.H}, info.Frames
		patch := strings.HasSuffix(strings.TrimSuffix(strings.ToLower(p.file.name), recipe.Ext(p.file.name)), ninePatch)
		if patch {
			err = p.peel()
		}
		if err == nil {
			err = o.shrinkImage(ctx, p, scale/slices.Max(o.scales()), color)
		}
		if err == nil && o.Trim && !patch {
			p.trimEdges(o.TrimAlpha)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", pathname.Show(p.file.name), err)
	}
	return nil
}

// shrinkImage shrinks an image, and the borders of a nine-patch.
func (o *atlasOptions) shrinkImage(ctx context.Context, p *decodedImage, by float64, color pixmap.Color) error {
	if by == 1 {
		return nil
	}
	scaled := func(n int) int { return int(math.Round(float64(n) * by)) }
	w, h := max(1, scaled(p.w)), max(1, scaled(p.h))
	m, err := pixmap.Resize(ctx, &pixmap.Map{W: p.w, H: p.h, Pix8: p.pix}, w, h, pixmap.Sampling{Color: color})
	if err != nil {
		return err
	}
	clearUnseen(m.Pix8)
	p.sprite, p.of = sprite{w: w, h: h, pix: m.Pix8}, spritesheet.Size{W: w, H: h}
	if b := p.borders; b != nil {
		b.Left, b.Top = scaled(b.Left), scaled(b.Top)
		b.Right, b.Bottom = min(scaled(b.Right), w-b.Left), min(scaled(b.Bottom), h-b.Top)
	}
	return nil
}

// clearUnseen sets invisible pixels to transparent black.
func clearUnseen(pix []uint8) {
	for ; len(pix) > 0; pix = pix[4:] {
		if pix[3] == 0 {
			pix[0], pix[1], pix[2] = 0, 0, 0
		}
	}
}

// trimEdges cuts off the empty edges. If the sprite is empty, one pixel remains.
func (p *decodedImage) trimEdges(empty int) {
	s := &p.sprite
	left, top, right, bottom := s.w, s.h, 0, 0
	for y := range s.h {
		for x := range s.w {
			if int(s.pix[4*(y*s.w+x)+3]) > empty {
				left, right = min(left, x), max(right, x+1)
				top, bottom = min(top, y), y+1
			}
		}
	}
	if right == 0 {
		left, top, right, bottom = 0, 0, 1, 1
	}
	s.cutTo(left, top, right-left, bottom-top)
	p.x, p.y = left, top
}

// cutTo crops the sprite and copies the remaining pixels to new memory.
func (s *sprite) cutTo(x, y, w, h int) {
	pix := make([]uint8, 0, 4*w*h)
	for row := range h {
		from := 4 * ((y+row)*s.w + x)
		pix = append(pix, s.pix[from:from+4*w]...)
	}
	s.pix, s.w, s.h = pix, w, h
}

// peel removes and decodes the marker border of a nine-patch.
func (p *decodedImage) peel() error {
	s := &p.sprite
	if s.w < 3 || s.h < 3 {
		return fmt.Errorf("an image of %d x %d pixels is too small for the border of a nine-patch; make it larger, or remove %s from its name", s.w, s.h, ninePatch)
	}
	left, right, err := s.stretch(s.w-2, func(i int) int { return 1 + i })
	if err != nil {
		return fmt.Errorf("the top row of pixels %w", err)
	}
	top, bottom, err := s.stretch(s.h-2, func(i int) int { return (1 + i) * s.w })
	if err != nil {
		return fmt.Errorf("the left column of pixels %w", err)
	}
	s.cutTo(1, 1, s.w-2, s.h-2)
	p.of = spritesheet.Size{W: s.w, H: s.h}
	p.borders = &spritesheet.Borders{Left: left, Right: right, Top: top, Bottom: bottom}
	return nil
}

// stretch returns how many of n pixels are before the black pixels, and how many after them.
func (s *sprite) stretch(n int, at func(i int) int) (before, after int, err error) {
	before, after = n, n
	for i := range n {
		p := s.pix[4*at(i):][:4]
		switch {
		case p[3] == 0:
		case p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 255:
			before, after = min(before, i), n-1-i
		default:
			return 0, 0, fmt.Errorf("has the color #%02x%02x%02x%02x; in a nine-patch, whose name ends in %s, border pixels must be black or transparent", p[0], p[1], p[2], p[3], ninePatch)
		}
	}
	if before == n {
		return 0, 0, errors.New("has no black pixel; mark the stretching parts of a nine-patch with black pixels")
	}
	return before, after, nil
}
