package image

import (
	"context"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/image/vp8"
	"github.com/assetcook/assetcook/internal/image/webp"
	"github.com/assetcook/assetcook/internal/jobs"
)

// With webp_quality, WebP files lose colors, as JPEG files do. Numbers stay exact.

// lossyFormats are source formats whose images usually grow when stored without loss.
var lossyFormats = map[string]bool{"JPEG": true, "WebP": true}

// noteLarger is a note about lossy images that are larger than their lossy sources, shown once per run.
const noteLarger = `images: %s files become larger WebP files, which lose more; lower webp_quality, or keep the files with format = "auto" and gpu = "none"`

// keepSmall is the advice for images that became much larger.
const keepSmall = `if your engine loads such files, format = "auto" with gpu = "none" keeps the sources, and format = "webp" with webp_quality = 80 makes small images`

// reportGrowth reports an output of the given size that is much larger than a source in a lossy format.
func (s *subject) reportGrowth(job *recipe.Job, became string, size int64) {
	if lossyFormats[s.file.Format] && size > 2*job.Size() {
		jobs.Grew(job, jobs.Growth{Format: s.file.Format, Became: became, Advice: keepSmall, To: size})
	}
}

// keepWebP keeps a WebP source whose pixels no option changes, and reports whether it did. With
// webp_quality, it keeps only lossy sources, which would lose again.
func (s *subject) keepWebP(job *recipe.Job) (bool, error) {
	if !s.o.keepsWebP(s.file) {
		return false, nil
	}
	data, err := job.Source()
	if err != nil || s.o.WebPQuality > 0 && !source.IsLossyWebP(data) {
		return false, err
	}
	s.addReason("format webp: the source stays as it is")
	s.kept = data
	return true, nil
}

// decideLoss decides whether a WebP file loses colors.
func (s *subject) decideLoss(ctx context.Context) error {
	if s.o.WebPQuality == 0 {
		return nil
	}
	c, err := s.analyzePictures(ctx)
	switch {
	case err != nil:
		return err
	case !s.role.Treatment().Colors:
		s.addReason("lossless: images with the role %v hold numbers", s.role)
	case s.o.Preset == "pixel":
		s.addReason(`lossless: preset = "pixel"`)
	case c.Colors <= texture.MaxColors:
		s.addReason("lossless: %d colors are small without loss", c.Colors)
	default:
		s.lossy = true
		s.addReason("lossy colors: webp_quality = %d", s.o.WebPQuality)
	}
	return nil
}

// lossOptions returns the options of the encoder.
func (s *subject) lossOptions() vp8.Options {
	return vp8.Options{Quality: s.o.WebPQuality, Effort: s.o.quality(), ByAlpha: !s.alphaIsNumber()}
}

// webpMemory returns the memory for encoding a WebP file of w by h pixels.
func (o *Image) webpMemory(w, h int) int64 {
	if o.WebPQuality > 0 {
		return webp.LossyMemory(w, h)
	}
	return webp.Memory(w, h)
}
