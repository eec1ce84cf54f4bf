package survey

import (
	"path"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Source returns the path of a source, given its path in the asset directory, its path from the
// working directory, or the path of an artifact.
func Source(s *session.Session, last *index.Index, name string) string {
	given := path.Clean(filepath.ToSlash(name))
	if _, err := s.Assets.Stat(given); err == nil {
		return given
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return given
	}
	if rel, ok := pathname.Below(s.Assets.Name(), abs); ok {
		return rel
	}
	if dir, err := filepath.Abs(s.Place.Dir); err == nil {
		if rel, ok := pathname.Below(dir, abs); ok {
			return rel
		}
	}
	output := given
	if rel, ok := pathname.Below(s.Place.Out, abs); ok {
		output = rel
	}
	index.Guard(func() error {
		if err := last.Load(); err != nil {
			return err
		}
		if source, ok := last.Results().Owner(output); ok {
			given = source
		}
		return nil
	})
	return given
}
