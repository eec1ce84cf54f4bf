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
	// pictures are the faces of layer 0, then of layer 1 and so on; a single one without faces or
	// layers.
	pictures []*pixmap.Map
	looked   *pixmap.Content // analysis of the images; nil before it was made
	levels   int             // number of levels; 0 follows the options
	used     usage
	variants []variant // for images as output
	decision
	// reasons are the result of Explain.
	reasons []string
}

func (s *subject) addReason(format string, args ...any) {
	s.reasons = append(s.reasons, fmt.Sprintf(format, args...))
}

// muchGarbage is the amount of a decoder's garbage that justifies an explicit collection. By
// itself, the collector waits until the heap has doubled, and the texture is smaller than the
// image.
const muchGarbage = 64 << 20

// loadSubject reads the source and the other images that options name.
func (s *subject) loadSubject(ctx context.Context, job *recipe.Job) error {
	m, info, err := s.readPicture(ctx, job, file{ext: job.Ext(), open: job.Open, read: job.Source}, nil)
	if err != nil {
		return err
	}
	if info.Memory-int64(m.Bytes()) > muchGarbage {
		runtime.GC()
	}
	for _, note := range info.Notes {
		s.addReason("%s", note)
	}
	if s.used.gltf != "" {
		s.explainIgnored(job, info)
	} else {
		if info.Profile != "" {
			s.addReason("%s: colors are taken to be sRGB all the same", info.Profile)
		}
		if info.Gamma != 0 && s.o.mayBeSRGB() {
			s.addReason("gamma of %.5f was applied to reach sRGB", float64(info.Gamma)/100000)
		}
	}
	if m, err = s.assembleChannels(ctx, job, m); err != nil {
		return err
	}
	s.pictures = []*pixmap.Map{m}
	if len(s.o.Faces) == 6 {
		s.pictures = nil // the source is among them, or only stands for them
	}
	for _, name := range slices.Concat(s.o.Faces, s.o.Layers) {
		other, err := s.readBeside(ctx, job, name, m)
		if err != nil {
			return err
		}
		if other.Depth() > m.Depth() { // the estimate knows only the source
			return fmt.Errorf("%s: more bits a channel than the source has; make the picture with most bits the source, or save this one with less", name)
		}
		// With layers or faces, channels come from no other file: see checkPictures.
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
		s.addReason("%s: ignored, as glTF asks; %s", info.Profile, s.used.gltf)
	}
	if info.Gamma != 0 {
		s.addReason("gamma of %.5f is ignored, as glTF asks; %s", float64(info.Gamma)/100000, s.used.gltf)
	}
	if info.Orientation > 1 {
		job.Warn("orientation %d of its Exif data is ignored, as most loaders of glTF do; some browsers turn it: save it turned", info.Orientation)
	}
}

// convertToDeepest converts all images to the depth of the deepest.
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

// assembleChannels puts channels of the source and of other images where the options want them.
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

// readBeside reads an image that an option names. It must have the size of like.
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
}

// readPicture reads an image. It checks the head first: the file may be huge and not an image,
// or, if like is not nil, an image of another size.
func (s *subject) readPicture(ctx context.Context, job *recipe.Job, f file, like *pixmap.Map) (*pixmap.Map, source.Info, error) {
	head, size, err := readPictureHead(f.open)
	if err != nil {
		return nil, source.Info{}, err
	}
	_, err = source.Probe(head, f.ext, size, s.o.MaxSize)
	if err != nil && !errors.Is(err, recipe.ErrShortHead) {
		return nil, source.Info{}, err
	}
	if like != nil {
		if most := besideBytes(like.W, like.H); size > most {
			return nil, source.Info{}, fmt.Errorf("%d bytes are too many beside a source of %d x %d pixels (at most %d); save it without what is no picture", size, like.W, like.H, most)
		}
	}
	data, err := f.read()
	if err != nil {
		return nil, source.Info{}, err
	}
	if like != nil {
		info, err := source.Probe(data, f.ext, int64(len(data)), s.o.MaxSize)
		if err != nil {
			return nil, source.Info{}, err
		}
		if info.W != like.W || info.H != like.H {
			return nil, source.Info{}, fmt.Errorf("picture of %d x %d pixels beside a source of %d x %d; they must be alike", info.W, info.H, like.W, like.H)
		}
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
	job.Hold("decoded pictures", m.Bytes())
	if info.Frames > 1 {
		job.Warn("it holds %d frames, of which the texture has the first; save them as pictures of their own, for layers or an atlas", info.Frames)
	}
	return m, info, nil
}

// readPictureHead returns the first bytes of a file, and its size.
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

// mayBeSRGB reports whether numbers may be sRGB colors, as far as the options say.
func (o *Image) mayBeSRGB() bool { return o.SRGB && o.likelyRole().Treatment().Colors }

// storedMeaning returns the meaning of the source's numbers.
func (o *Image) storedMeaning() pixmap.Color {
	switch {
	case o.mayBeSRGB():
		return pixmap.SRGB
	case o.likelyRole().Treatment().Colors:
		return pixmap.Linear
	}
	return pixmap.Data
}
