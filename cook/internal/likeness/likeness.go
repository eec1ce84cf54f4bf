// Package likeness compares cooked textures with the pictures that they were cooked from.
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
)

// Bounds of what is looked at.
const (
	LargestFile    = 256 << 20 // bytes of a source or a texture
	LargestPicture = 64 << 20  // pixels
)

// IsTexture reports whether an artifact is a texture by its name.
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

// A Finding is what is known of a texture besides what the file says.
type Finding struct {
	Role string // "" if its recipe does not tell
	Why  string // what decided on the role
	cooked.Measure
}

// A Judge compares textures with what their recipes prepare of the sources.
type Judge struct {
	assets  *confine.Dir
	recipes *recipe.Set
	clock   *scan.Clock
}

// NewJudge returns a judge of textures that some recipes made. Those of others are compared
// with their sources as they are. Assets is nil if the sources are not at hand.
func NewJudge(assets *confine.Dir, recipes *recipe.Set) *Judge {
	return &Judge{assets, recipes, scan.NewClock(time.Now(), time.Now)}
}

// Look compares a texture with the source that it was cooked from. An error says why that
// cannot be told, beside what could be.
func (j *Judge) Look(ctx context.Context, a *survey.Asset, made *texture.Texture) (f Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("not compared: %v", p)
		}
	}()
	f.Measure = cooked.Unmeasured()
	switch {
	case int64(made.W)*int64(made.H) > LargestPicture:
		return f, errors.New("too large to compare")
	case j.assets == nil:
		return f, errors.New("not compared: the asset folder was not given")
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
	if made.Pictures() > 1 || len(p.Pictures) != 1 {
		return f, errors.New("not compared: more than one picture")
	}
	f.Measure, err = p.Measure(ctx, made)
	if errors.Is(err, cooked.ErrSize) {
		err = fmt.Errorf("not compared: scaled from %d x %d", p.Pictures[0].W, p.Pictures[0].H)
	}
	return f, err
}

// A preparer is a recipe that says what it encodes.
type preparer interface {
	Prepared(context.Context, *recipe.Job) (*cooked.Prepared, error)
}

// prepared returns what a texture was encoded from: what its recipe makes of the source, or
// the source itself where there is no such recipe.
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
		return nil, fmt.Errorf("option %s changes what is stored", by)
	}
	m, err := Decode(ctx, data, a.Path, made.SRGB || made.Format.Float())
	if err != nil {
		return nil, err
	}
	return &cooked.Prepared{Pictures: []*pixmap.Map{m}}, nil
}

// Decode decodes a source, as colors or as numbers that are to stay as they are.
func Decode(ctx context.Context, data []byte, name string, colors bool) (*pixmap.Map, error) {
	decode := source.DecodeData
	if colors {
		decode = source.Decode
	}
	m, _, err := decode(ctx, data, strings.ToLower(path.Ext(name)), texture.MaxSide)
	return m, err
}

// movesPixels names the option of recipe image that makes a texture of other numbers than
// the source's, "" for none. Textures of other recipes are compared as they are.
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
		return nil, fmt.Errorf("%d bytes are too many", info.Size())
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
