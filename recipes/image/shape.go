package image

import (
	"context"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// A layout holds the sizes and counts of the images that the options make from a source.
type layout struct {
	w, h     int // size of each image before resizing
	tw, th   int // size of each image after resizing
	pictures int
	beside   int // number of additional files
	// assembles is true if channels are moved or images are converted to another bit depth.
	assembles bool
}

// layoutFor returns the layout for a source of w by h pixels. It returns an error if the source
// must be refused.
func (o *Image) layoutFor(w, h int) (layout, error) {
	if o.POT == "require" && (notPowerOfTwo(w) || notPowerOfTwo(h)) && !o.cutsFaces() {
		return layout{}, requireError(w, h)
	}
	l := layout{w: w, h: h, pictures: 1 + len(o.Layers), beside: len(o.Layers)}
	switch o.Cube {
	case "faces":
		l.pictures, l.beside = 6, len(o.Faces)
		if w != h {
			return layout{}, fmt.Errorf("the faces of a cube must be square, but this face has %d x %d pixels", w, h)
		}
	case "cross", "equirect":
		side := pixmap.FaceSide(w, h)
		if o.Cube == "equirect" {
			side = pixmap.EquirectSide(w, h)
		}
		switch {
		case side == 0 && o.Cube == "equirect":
			return layout{}, fmt.Errorf("the image has %d x %d pixels, but an equirectangular image must be twice as wide as high", w, h)
		case side == 0:
			return layout{}, fmt.Errorf("the image has %d x %d pixels; want a cross (4:3 or 3:4) or a strip (6:1 or 1:6) of six square faces", w, h)
		}
		if o.POT == "require" && notPowerOfTwo(side) {
			return layout{}, requireError(side, side)
		}
		l.w, l.h, l.pictures = side, side, 6*l.pictures
	}
	files := map[string]bool{"": true}
	for c := range 4 {
		p, err := o.channelSource(c)
		if err == nil && !files[p.file] {
			files[p.file] = true
			l.beside++
		}
		l.assembles = l.assembles || p != part{Channel: pixmap.Channel{Of: channelKeys[c][0]}}
	}
	l.assembles = l.assembles || l.beside > 0
	l.tw, l.th = o.targetSize(l.w, l.h)
	if o.prefilters() && pixmap.PrefilterLevels(l.tw) == 1 {
		return layout{}, fmt.Errorf(`faces of %d x %d pixels are too small for prefilter = %q, which needs at least 32`, l.tw, l.th, o.Prefilter)
	}
	return l, nil
}

// cutsFaces reports whether six faces are cut from each image.
func (o *Image) cutsFaces() bool { return o.Cube == "cross" || o.Cube == "equirect" }

func requireError(w, h int) error {
	return fmt.Errorf(`the image has %d x %d pixels, but its sides must be powers of two (pot = "require")`, w, h)
}

func notPowerOfTwo(n int) bool { return pixmap.Down.PowerOfTwo(n) != n }

// targetSize returns the size that options fit and pot demand for an image of w by h pixels.
func (o *Image) targetSize(w, h int) (int, int) {
	tw, th := w, h
	if o.Fit > 0 {
		tw, th = pixmap.Fit(w, h, o.Fit)
	}
	tw, th = o.powerOfTwo(tw), o.powerOfTwo(th)
	if o.IsUASTC() && (tw != w || th != h) { // rounded here, so that the image is scaled only once
		tw, th = o.multipleOf4(tw), o.multipleOf4(th)
	}
	return tw, th
}

// multipleOf4 rounds a side up to a multiple of 4, or down if option fit forbids that.
// KHR_texture_basisu requires such sides, and so does WebGL for BC formats.
func (o *Image) multipleOf4(n int) int {
	up := (n + 3) &^ 3
	if o.Fit > 0 && up > o.Fit {
		return max(4, o.Fit&^3)
	}
	return up
}

func (o *Image) powerOfTwo(n int) int {
	r := pixmap.Down
	switch o.POT {
	case "up":
		r = pixmap.Up
	case "nearest":
		r = pixmap.Nearest
	case "down":
	case "4":
		return o.multipleOf4(n)
	default:
		return n
	}
	if p := r.PowerOfTwo(n); o.Fit == 0 || p <= o.Fit {
		return p
	}
	return pixmap.Down.PowerOfTwo(o.Fit)
}

// faces cuts the faces of a cube from one image.
func (o *Image) faces(ctx context.Context, m *pixmap.Map) ([]*pixmap.Map, error) {
	if o.Cube == "equirect" {
		return pixmap.Equirect(ctx, m, o.storedMeaning())
	}
	return pixmap.Faces(ctx, m)
}

// cutAndFlip cuts faces from crosses and spheres, and mirrors every image.
func (s *subject) cutAndFlip(ctx context.Context, job *recipe.Job) error {
	for _, m := range s.pictures {
		if _, err := s.o.layoutFor(m.W, m.H); err != nil {
			return err
		}
	}
	if s.o.cutsFaces() {
		var all []*pixmap.Map
		for i, m := range s.pictures {
			faces, err := s.o.faces(ctx, m)
			if err != nil {
				return err
			}
			all, s.pictures[i] = append(all, faces...), nil
			for _, f := range faces {
				job.Hold("pixels", f.Bytes())
			}
		}
		s.pictures = all
	}
	x, y := s.o.Flip == "x" || s.o.Flip == "xy", s.o.Flip == "y" || s.o.Flip == "xy"
	for _, m := range s.pictures {
		if err := pixmap.Flip(ctx, m, x, y); err != nil {
			return err
		}
	}
	for i := 0; s.o.Cube != "none" && i < len(s.pictures); i += 6 {
		f := s.pictures[i : i+6]
		if x {
			f[0], f[1] = f[1], f[0]
		}
		if y {
			f[2], f[3] = f[3], f[2]
		}
	}
	return nil
}

// resizeToOptions scales every image to the size that the options demand.
func (s *subject) resizeToOptions(ctx context.Context, job *recipe.Job) error {
	first := s.pictures[0]
	w, h := s.o.targetSize(first.W, first.H)
	return s.scalePictures(ctx, job, w, h, fmt.Sprintf("fit = %d, pot = %q", s.o.Fit, s.o.POT))
}

// alignToBlocks scales images that become UASTC or UASTC HDR to sides that are multiples of 4. For other
// formats, it warns if Direct3D or WebGL require such sides.
func (s *subject) alignToBlocks(ctx context.Context, job *recipe.Job) error {
	first := s.pictures[0]
	w, h := s.o.multipleOf4(first.W), s.o.multipleOf4(first.H)
	if f := s.choice.Format; f != texture.UASTC && f != texture.UASTCHDR {
		reader := ""
		switch {
		case s.o.Container == "dds":
			reader = "Direct3D"
		case s.o.GPU == "web":
			reader = "WebGL"
		}
		if blocks := strings.HasPrefix(s.choice.Format.String(), "bc"); blocks && reader != "" && (w != first.W || h != first.H) {
			job.Warn(`%d x %d pixels in %v: %s takes only sides that are multiples of 4; set pot = "4" to scale them, or save the image with such sides`,
				first.W, first.H, s.choice.Format, reader)
		}
		return nil
	}
	return s.scalePictures(ctx, job, w, h, fmt.Sprintf("glTF and WebGL need sides that are multiples of 4 for %v", s.choice.Format))
}

// scalePictures scales every image to the given size. Messages contain the reason.
func (s *subject) scalePictures(ctx context.Context, job *recipe.Job, w, h int, why string) error {
	first := s.pictures[0]
	if w == first.W && h == first.H {
		return nil
	}
	s.addReason("size %d x %d: scaled from %d x %d (%s)", w, h, first.W, first.H, why)
	s.looked = nil
	for i, m := range s.pictures {
		made, err := pixmap.Resize(ctx, m, w, h, s.sampling())
		if err != nil {
			return err
		}
		s.pictures[i] = made
		job.Hold("pixels", made.Bytes())
	}
	return nil
}
