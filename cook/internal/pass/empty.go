package pass

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/pathname"
)

// noteEmpty says that there are no assets, and warns if all files are left out.
func (s *Session) noteEmpty(ctx context.Context, t *Tally) {
	if t.Found.Assets > 0 || t.Errors > 0 || !s.Scope.whole() {
		return
	}
	text := "no assets in " + pathname.Show(s.Place.Dir)
	if name := s.firstFile(ctx); name != "" {
		s.warn("", fmt.Errorf("%s; what is there is left out, such as %s", text, pathname.Show(name)))
		return
	}
	s.Observer.Note(text)
}

// firstFile returns the first file of the asset folder that is neither rules nor ours, ""
// if there is none.
func (s *Session) firstFile(ctx context.Context) (name string) {
	root, own := s.Assets.Name(), s.ownFolders()
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case err != nil:
			return nil // had it to be read, it was reported
		case d.IsDir() && slices.Contains(own, path):
			return fs.SkipDir
		case d.IsDir(), d.Name() == scan.ConfigName, d.Name() == scan.IgnoreName, path == filepath.Join(root, scan.IDsName):
			return nil
		}
		name, _ = pathname.Below(root, path)
		return fs.SkipAll
	})
	return name
}
