// Package likeness compares cooked textures with the pictures that they were cooked from.
//
//	made, err := likeness.Open(out, "wood.png.ktx2")
//	db, err := likeness.Compare(ctx, assets, &asset, made)
package likeness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
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

// Compare returns how like a texture is to its source, in dB as [cooked.PSNR] has it. An
// error says why that cannot be told.
func Compare(ctx context.Context, assets *confine.Dir, a *survey.Asset, made *texture.Texture) (float64, error) {
	switch {
	case int64(made.W)*int64(made.H) > LargestPicture:
		return 0, errors.New("too large to compare")
	case assets == nil:
		return 0, errors.New("not compared: the asset folder was not given")
	case made.Pictures() > 1:
		return 0, errors.New("not compared: more than one picture")
	}
	if by := movesPixels(a.Method); by != "" {
		return 0, fmt.Errorf("not compared: option %s changes what is stored", by)
	}
	data, err := Read(assets, a.Path)
	if err != nil {
		return 0, fmt.Errorf("not compared: %w", err)
	}
	if store.BlobID(hashing.DigestOf(data)) != a.Source {
		return 0, errors.New("not compared: the source has changed since it was cooked")
	}
	m, err := Decode(ctx, data, a.Path, made.SRGB || made.Format.Float())
	if err != nil {
		return 0, fmt.Errorf("not compared: %w", err)
	}
	level, err := cooked.Level(ctx, made, 0, 0)
	if err != nil {
		return 0, err
	}
	db, err := cooked.PSNR(ctx, made, level, m)
	if errors.Is(err, cooked.ErrSize) {
		return 0, fmt.Errorf("not compared: scaled from %d x %d", m.W, m.H)
	}
	return db, err
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
