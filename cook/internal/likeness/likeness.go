// Package likeness compares cooked textures with their source images.
//
//	made, err := likeness.Open(out, "wood.png.ktx2")
//	found, err := likeness.NewJudge(assets, recipes).Look(ctx, &asset, made)
package likeness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// These are limits of the compared files.
const (
	LargestFile    = 256 << 20 // maximum size of a source or a texture in bytes
	LargestPicture = 64 << 20
)

// IsTexture reports whether an artifact is a texture, judging by its name.
func IsTexture(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".ktx2" || ext == ".dds"
}

// Open reads a cooked texture.
func Open(out *confine.Dir, name string) (*texture.Texture, error) {
	data, err := Read(out, name)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	return cooked.Open(data, 8*LargestPicture)
}

// A Finding is the role of a texture and its similarity to the source.
type Finding struct {
	Role string // "" if the role is unknown
	Why  string // the reason for the role
	cooked.Measure
}

// A Judge compares textures with the images that their recipes prepared from the sources.
type Judge struct {
	assets  *confine.Dir
	recipes *recipeset.Set
	clock   *scan.Clock
}

// NewJudge returns a Judge for textures of the given recipes. It compares textures of other
// recipes with the unchanged sources. assets is nil if the sources are not available.
func NewJudge(assets *confine.Dir, recipes *recipeset.Set) *Judge {
	return &Judge{assets, recipes, scan.NewClock(time.Now(), time.Now)}
}

// Look compares a texture with its source. An error says why they could not be compared; the other
// fields of f are set even then.
func (j *Judge) Look(ctx context.Context, a *survey.Asset, made *texture.Texture) (f Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not compared: %v", p)
		}
	}()
	f.Measure = cooked.Unmeasured()
	switch {
	case int64(made.W)*int64(made.H) > LargestPicture:
		return f, errors.New("not compared: the image is too large")
	case j.assets == nil:
		return f, errors.New("not compared: the asset directory was not given")
	}
	data, err := Read(j.assets, a.Path)
	if err != nil {
		return f, fmt.Errorf("not compared: %w", err)
	}
	if store.BlobID(hashing.DigestOf(data)) != a.Source {
		return f, errors.New("not compared: the source has changed since it was cooked")
	}
	p, err := j.prepared(ctx, a, made, data)
	if err != nil {
		return f, fmt.Errorf("not compared: %w", err)
	}
	f.Role, f.Why = p.Role.String(), p.Why
	if made.Images() > 1 || len(p.Images) != 1 {
		return f, errors.New("not compared: the texture has more than one image")
	}
	f.Measure, err = p.Measure(ctx, made)
	if errors.Is(err, cooked.ErrSize) {
		err = fmt.Errorf("not compared: the texture was scaled from %d x %d pixels", p.Images[0].W, p.Images[0].H)
	}
	return f, err
}

// A preparer is a recipe that can return the image that it encodes.
type preparer interface {
	Prepared(context.Context, *recipe.Job) (*cooked.Prepared, error)
}

// prepared returns the image that was encoded as a texture: the image that its recipe prepared, or
// else the source itself.
func (j *Judge) prepared(ctx context.Context, a *survey.Asset, made *texture.Texture, data []byte) (*cooked.Prepared, error) {
	r, c, err := a.Method.Cooker(j.recipes)
	if p, ok := c.(preparer); ok {
		sums, _ := hashing.Lookup("xxh3")
		reading := survey.Reading{Assets: j.assets, Recipes: j.recipes, Checksum: sums, Clock: j.clock}
		return p.Prepared(ctx, survey.NewJob(ctx, reading, r, a.Path, int64(len(data))))
	}
	if by := movesPixels(a.Method); by != "" {
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("option %s changes the stored values", by)
	}
	m, err := Decode(ctx, data, a.Path, made.SRGB || made.Format.Float())
	if err != nil {
		return nil, err
	}
	return &cooked.Prepared{Images: []*pixmap.Map{m}}, nil
}

// Decode decodes a source, as colors or as raw values.
func Decode(ctx context.Context, data []byte, name string, colors bool) (*pixmap.Map, error) {
	decode := source.DecodeData
	if colors {
		decode = source.Decode
	}
	m, _, err := decode(ctx, data, strings.ToLower(path.Ext(name)), texture.MaxSide)
	return m, err
}

// movesPixels returns the option of recipe image that makes a texture's values differ from its
// source's values, or "" if no option does so. For other recipes it returns "", because their
// textures are compared with the unchanged source.
func movesPixels(m *survey.Method) string {
	if m.Recipe != "image" {
		return ""
	}
	for _, o := range []struct{ key, neutral string }{{"r", ""}, {"g", ""}, {"b", ""}, {"a", ""}, {"flip", "none"}, {"cube", "none"}, {"premultiply", "false"}} {
		if v, ok := m.Options[o.key]; ok && strings.Trim(v, `"`) != o.neutral {
			return o.key
		}
	}
	return ""
}

// Read reads a regular file of bounded size. Errors do not name the file.
func Read(dir *confine.Dir, name string) ([]byte, error) {
	f, err := dir.OpenFile(name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, reason(err)
	}
	if info.Size() > LargestFile {
		return nil, fmt.Errorf("the file is too large: %d bytes", info.Size())
	}
	return io.ReadAll(io.LimitReader(f, LargestFile))
}

func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
