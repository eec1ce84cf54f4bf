package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
)

// A subject is the asset being cooked: its images and all decisions about them.
type subject struct {
	o *Image
	// pictures are the faces of layer 0, then the faces of layer 1 and so on. If there are neither
	// layers nor faces, it is a single image.
	pictures []*pixmap.Map
	looked   *pixmap.Content // analysis of the images; nil until it is needed
	levels   int             // number of levels; 0 means that the options set it
	used     usage
	beside   string    // the role that the names of neighboring files suggest; "" for none
	variants []variant // sizes of output images, for PNG and WebP
	sheet    *sheet    // frames on the image, nil without frames = "sheet"
	kept     []byte    // the source's bytes, if they are the output
	lossy    bool      // a WebP file loses colors
	file     source.Info
	decision
	// reasons are the lines that Explain returns.
	reasons []string
}

func (s *subject) addReason(format string, args ...any) {
	s.reasons = append(s.reasons, fmt.Sprintf(format, args...))
}

// muchGarbage is the number of garbage bytes of a decoder above which the recipe starts a garbage
// collection. By itself, the collector waits until the heap has doubled.
const muchGarbage = 64 << 20

// loadSubject reads the source and the additional images that the options name.
func (s *subject) loadSubject(ctx context.Context, job *recipe.Job) error {
	read := s.readPicture
	if s.o.makesSheet() {
		read = s.readSheet
	}
	m, info, err := read(ctx, job, file{ext: job.Ext(), open: job.Open, read: job.Source}, nil)
	if err != nil {
		return err
	}
	if info.Memory-int64(m.Bytes()) > muchGarbage {
		runtime.GC()
	}
	s.file = info
	for _, note := range info.Notes {
		s.addReason("%s", note)
	}
	if s.used.gltf != "" {
		s.explainIgnored(job, info)
	} else {
		if info.Profile != "" {
			s.addReason("%s: cook reads the colors as sRGB anyway; convert them to sRGB when exporting", info.Profile)
		}
		if info.Gamma != 0 && s.o.mayBeSRGB() {
			s.addReason("a gamma of %.5f was applied to convert the colors to sRGB", float64(info.Gamma)/100000)
		}
	}
	if m, err = s.assembleChannels(ctx, job, m); err != nil {
		return err
	}
	s.pictures = []*pixmap.Map{m}
	if len(s.o.Faces) == 6 {
		s.pictures = nil // the six faces replace the source
	}
	for _, name := range slices.Concat(s.o.Faces, s.o.Layers) {
		other, err := s.readBeside(ctx, job, name, m)
		if err != nil {
			return err
		}
		if other.Depth() > m.Depth() { // the estimate knows only the bit depth of the source
			return fmt.Errorf("%s: the image has more bits per channel than the source; make it the source, or save it with fewer bits", name)
		}
		// With layers or faces, no channel comes from another file; checkPictures ensures it.
		if other, err = s.assembleChannels(ctx, job, other); err != nil {
			return err
		}
		s.pictures = append(s.pictures, other)
	}
	return s.convertToDeepest(ctx)
}

// explainIgnored lists the metadata that is ignored because a glTF names the file.
func (s *subject) explainIgnored(job *recipe.Job, info source.Info) {
	if info.Profile != "" {
		s.addReason("%s is ignored, as glTF requires; %s", info.Profile, s.used.gltf)
	}
	if info.Gamma != 0 {
		s.addReason("a gamma of %.5f is ignored, as glTF requires; %s", float64(info.Gamma)/100000, s.used.gltf)
	}
	if info.Orientation > 1 {
		job.Warn("orientation %d in the Exif data is ignored, as by most glTF loaders; some browsers rotate the image: save the image rotated", info.Orientation)
	}
}

// convertToDeepest converts all images to the greatest bit depth among them.
func (s *subject) convertToDeepest(ctx context.Context) error {
	deepest := pixmap.Bits8
	for _, m := range s.pictures {
		deepest = max(deepest, m.Depth())
	}
	var err error
	for i, m := range s.pictures {
		if s.pictures[i], err = pixmap.Convert(ctx, m, deepest, s.o.storedMeaning()); err != nil {
			return err
		}
	}
	return nil
}

// assembleChannels builds each channel of the output from the channel of the source or of another
// image that the options name.
func (s *subject) assembleChannels(ctx context.Context, job *recipe.Job, m *pixmap.Map) (*pixmap.Map, error) {
	var parts [4]pixmap.Part
	files, asItIs := map[string]*pixmap.Map{"": m}, true
	for c := range parts {
		p, err := s.o.channelSource(c)
		if err != nil {
			return nil, err
		}
		if files[p.file] == nil {
			other, err := s.readBeside(ctx, job, p.file, m)
			if err != nil {
				return nil, err
			}
			if files[p.file], err = pixmap.Convert(ctx, other, m.Depth(), s.o.storedMeaning()); err != nil {
				return nil, err
			}
		}
		parts[c] = pixmap.Part{From: files[p.file], Channel: p.Channel}
		asItIs = asItIs && p == part{Channel: pixmap.Channel{Of: channelKeys[c][0]}}
	}
	if asItIs {
		return m, nil
	}
	made, err := pixmap.Assemble(ctx, m.W, m.H, m.Depth(), parts)
	if err == nil {
		job.Hold("pixels", made.Bytes())
	}
	return made, err
}

// readBeside reads an image that an option names. The image must have the same size as like.
func (s *subject) readBeside(ctx context.Context, job *recipe.Job, name string, like *pixmap.Map) (*pixmap.Map, error) {
	f := file{
		ext:  recipe.Ext(name),
		open: func() (fs.File, error) { return job.OpenDep(name) },
		read: func() ([]byte, error) { return job.Read(name) },
	}
	m, _, err := s.readPicture(ctx, job, f, like)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, err
}

// A file is a readable image file.
type file struct {
	ext  string
	open func() (fs.File, error)
	read func() ([]byte, error)
	most int64 // largest allowed size in bytes; 0 for no limit
}

// readChecked reads a file, and returns it with its header. It checks the head first, because the
// file may be huge and not an image.
func (s *subject) readChecked(f file) ([]byte, source.Info, error) {
	head, size, err := readPictureHead(f.open)
	if err != nil {
		return nil, source.Info{}, err
	}
	_, err = source.Probe(head, f.ext, size, s.o.MaxSize)
	if err != nil && !errors.Is(err, recipe.ErrShortHead) {
		return nil, source.Info{}, err
	}
	if f.most > 0 && size > f.most {
		return nil, source.Info{}, fmt.Errorf("the file has %d bytes, but next to this source at most %d are allowed; save it without extra data", size, f.most)
	}
	data, err := f.read()
	if err != nil {
		return nil, source.Info{}, err
	}
	info, err := source.Probe(data, f.ext, int64(len(data)), s.o.MaxSize)
	return data, info, err
}

// readPicture reads an image. If like is not nil, the sizes must be equal.
func (s *subject) readPicture(ctx context.Context, job *recipe.Job, f file, like *pixmap.Map) (*pixmap.Map, source.Info, error) {
	if like != nil {
		f.most = besideBytes(like.W, like.H)
	}
	data, info, err := s.readChecked(f)
	if err != nil {
		return nil, source.Info{}, err
	}
	if like != nil && (info.W != like.W || info.H != like.H) {
		return nil, source.Info{}, fmt.Errorf("the image has %d x %d pixels, but the source has %d x %d; make their sizes equal", info.W, info.H, like.W, like.H)
	}
	decode := source.Decode
	switch {
	case s.used.gltf != "":
		decode = source.DecodeStored
	case !s.o.mayBeSRGB():
		decode = source.DecodeData
	}
	m, info, err := decode(ctx, data, f.ext, s.o.MaxSize)
	if err != nil {
		return nil, source.Info{}, err
	}
	job.Hold("decoded images", m.Bytes())
	s.warnOfContent(job, info, 1)
	return m, info, nil
}

// warnOfContent warns about content of a file that the output lacks. The output has the given
// number of frames.
func (s *subject) warnOfContent(job *recipe.Job, info source.Info, frames int) {
	if info.Frames > frames && !(s.o.keepsPixels() && isKept(info, job.Ext())) {
		advice, has := "save the images as separate files", "the texture has only the first one"
		if source.IsAnimation(info.Format) {
			advice = `set frames = "sheet" in a rule to keep all in one image, or ` + advice
		}
		if s.o.keepsWebP(info) {
			has = "engines draw only the first frame"
		}
		job.Warn("the file holds %d %s, but %s; %s", info.Frames, framesOf(info.Format), has, advice)
	}
	for _, lost := range info.Lost {
		if s.addReason("%s", lost); !s.o.mayBeSRGB() {
			job.Warn("%s", lost)
		}
	}
}

// framesOf returns the word that messages use for the images in a file of a format.
func framesOf(format string) string {
	switch format {
	case "TIFF":
		return "pages"
	case "JPEG":
		return "images, such as a gain map or a second view,"
	}
	return "frames"
}

// readPictureHead returns the first bytes of a file, and the file's size.
func readPictureHead(open func() (fs.File, error)) ([]byte, int64, error) {
	f, err := open()
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	head, err := io.ReadAll(io.LimitReader(f, recipe.HeadSize))
	return head, info.Size(), err
}

// mayBeSRGB reports whether the options allow the values to be sRGB colors.
func (o *Image) mayBeSRGB() bool { return o.SRGB && o.likelyRole().Treatment().Colors }

// storedMeaning returns how to interpret the values of the source.
func (o *Image) storedMeaning() pixmap.Color {
	switch {
	case o.mayBeSRGB():
		return pixmap.SRGB
	case o.likelyRole().Treatment().Colors:
		return pixmap.Linear
	}
	return pixmap.Data
}
