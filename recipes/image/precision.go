package image

import (
	"context"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Programs compute with heights, so an error of one 8-bit step shows as a terrace. Heights are
// stored exactly, and so is other data of more than 8 bits. If bits or channels are lost, the run
// has a note.

// isNumbers reports whether images of a role are stored with all bits of their sources.
func isNumbers(r role.Role) bool { return r == role.Height || r == role.Data || r == role.Mask }

// keepsNumbers chooses a format that exactly holds heights, or all channels of other data of more
// than 8 bits. It reports whether it did. Images that materials use keep block formats, unless they
// are gray heights.
func (s *subject) keepsNumbers(c pixmap.Content) bool {
	depth := s.pictures[0].Depth()
	one := c.One
	if s.kind == "data" && one != "r001" {
		one = "" // shaders read data from its own channel
	}
	shading := s.used.gltf != "" || s.used.role != role.Unknown && (s.role != role.Height || one == "")
	if !isNumbers(s.role) || shading || s.role != role.Height && (depth != pixmap.Bits16 || !c.Fine) {
		return false
	}
	f := exactFormat(depth, one != "", c.Fine)
	if s.choice = (texture.Choice{Format: s.o.gpu().Instead(f, false)}); one != "" {
		s.choice = oneChannel(one, s.choice.Format)
	}
	if s.choice.Swizzle == "r001" { // a texture with one channel is read as r001 anyway
		s.choice.Swizzle = ""
	}
	why := "heights keep their exact values"
	if s.role != role.Height {
		why = `the data has 16 bits (format = "bc7" or "bc4" makes a smaller file with 8 bits)`
	}
	s.addReason("format %v: %s", s.choice.Format, why)
	return true
}

// exactFormat returns a format that exactly holds values of a bit depth, with one channel or with
// four. fine is pixmap.Content.Fine. No exact format has four float channels.
func exactFormat(d pixmap.Depth, one, fine bool) texture.Format {
	pick := func(single, four texture.Format) texture.Format {
		if one {
			return single
		}
		return four
	}
	switch {
	case d == pixmap.Float && fine:
		return pick(texture.R32F, texture.RGBA16F)
	case d == pixmap.Float:
		return pick(texture.R16F, texture.RGBA16F)
	case d == pixmap.Bits16 && fine:
		return pick(texture.R16, texture.RGBA16)
	}
	return pick(texture.R8, texture.RGBA8)
}

// reportLoss records the bits and channels of data, and the colors above 1, that format f drops.
func (s *subject) reportLoss(ctx context.Context, job *recipe.Job, f texture.Format) error {
	depth := s.pictures[0].Depth()
	if s.kind == "color" && depth == pixmap.Float && !f.Float() {
		return s.reportBright(ctx, job, f)
	}
	if s.kind == "color" || depth == pixmap.Bits8 && len(f.Channels()) == 4 {
		return nil
	}
	c, err := s.analyzePictures(ctx)
	if err != nil {
		return err
	}
	if s.losesChannels(c, f) {
		kept := map[string]string{"r": "red", "rg": "red and green", "rgb": "red, green and blue"}[f.Channels()]
		s.noteLoss(job, "%v stores only %s, but more channels are in use; write format = %q in a rule to keep all",
			f, kept, exactFormat(depth, false, c.Fine))
	}
	if f.Bits() < bitsOf(depth, c.Fine) {
		s.noteLoss(job, "%s", loss(depth, f.Bits(), f.String(), s.betterThan(c, f)))
	}
	return nil
}

// reportBright records that format f stores colors above 1 as 1.
func (s *subject) reportBright(ctx context.Context, job *recipe.Job, f texture.Format) error {
	c, err := s.analyzePictures(ctx)
	if err != nil || c.Bright == 0 {
		return err
	}
	better := `write format = "bc6h" or "rgba16f" in a rule to keep them`
	if s.o.GPU == "web" {
		better = "save the image as .hdr, and write gpu = \"none\" in a rule to keep the file"
	}
	text := fmt.Sprintf("%v stores these colors as 1; %s", f, better)
	s.addReason("%.0f %% of the pixels are brighter than 1: %s", 100*c.Bright, text)
	job.Note("images with colors above 1: %s", text)
	return nil
}

// reportWebPLoss reports that data of more than 8 bits loses bits in WebP, which has 8.
func (s *subject) reportWebPLoss(ctx context.Context, job *recipe.Job) error {
	if s.kind == "color" {
		return nil
	}
	c, err := s.analyzePictures(ctx)
	if err == nil && c.Fine {
		s.noteLoss(job, "%s", loss(pixmap.Bits16, 8, "webp", betterPNG))
	}
	return err
}

// noteLoss adds a note about a loss. For heights there is one note per directory and run, for other
// images one per run.
func (s *subject) noteLoss(job *recipe.Job, format string, args ...any) {
	named := "data images"
	switch s.role {
	case role.Height:
		named = "heights"
		if dir := jobs.Directory(job); dir != "" {
			named += " in " + pathname.Show(dir)
		}
	case role.Normal:
		named = "normal maps"
	}
	text := fmt.Sprintf(format, args...)
	s.addReason("%s", text)
	job.Note("%s: %s", named, text)
}

// loss returns the message that a format drops bits. better is the advice at its end.
func loss(d pixmap.Depth, bits int, format, better string) string {
	have := "16 bits per channel"
	if d == pixmap.Float {
		have = "floats"
	}
	return fmt.Sprintf("%s are reduced to %d bits in %s; %s", have, bits, format, better)
}

// bitsOf returns how many bits the values of a depth need. fine is pixmap.Content.Fine.
func bitsOf(d pixmap.Depth, fine bool) int {
	switch {
	case d == pixmap.Float && fine:
		return texture.R32F.Bits()
	case d == pixmap.Float:
		return texture.R16F.Bits()
	case d == pixmap.Bits16 && fine:
		return texture.R16.Bits()
	}
	return texture.R8.Bits()
}

// betterPNG is the advice for engines that load only 8 bits.
const betterPNG = `write format = "png" in a rule to keep them in the file`

// betterThan returns the advice for images that lose bits in format f.
func (s *subject) betterThan(c pixmap.Content, f texture.Format) string {
	depth := s.pictures[0].Depth()
	better := exactFormat(depth, c.One != "", c.Fine)
	switch {
	case f == texture.UASTC: // Engines that store everything as UASTC load no other textures.
		return betterPNG
	case s.kind == "normal" && c.Opaque && better == texture.RGBA16:
		better = texture.RG16
	case better == texture.R16 && s.o.gpu() != texture.Desktop:
		better = texture.R32F // Most engines read this format, but some cannot filter it.
	}
	if better == f || better == texture.RGBA16 && s.o.gpu() != texture.Desktop {
		return `split the channels into images with format = "r32f" to keep them`
	}
	return fmt.Sprintf("write format = %q in a rule to keep them", better)
}

// losesChannels reports whether format f drops channels in use. The z channel of a normal map does
// not count, because shaders can compute it.
func (s *subject) losesChannels(c pixmap.Content, f texture.Format) bool {
	stored := f.Channels()
	if s.choice.From != 0 || len(stored) == 4 {
		return false
	}
	if i := strings.IndexAny(c.One, "rgba"); c.One != "" {
		return i >= 0 && !strings.Contains(stored, c.One[i:i+1])
	}
	return !c.Opaque || stored == "r" || stored == "rg" && !c.Blue && s.kind != "normal"
}
