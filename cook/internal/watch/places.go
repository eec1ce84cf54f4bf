package watch

import (
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// places are the directories of a round.
type places struct {
	assets, out string // absolute
	config      string // directory of Place.Config, "" for none
	roots       [2]os.FileInfo
	mounts      string
	local       bool // both file systems report every change
}

func placesOf(s *session.Session) places {
	p := places{assets: s.Assets.Name(), out: s.Out.Name(), mounts: mounts()}
	p.local = allLocal(p.mounts, p.assets) && allLocal(p.mounts, p.out)
	for i, name := range [...]string{p.assets, p.out} {
		p.roots[i], _ = os.Stat(name) // nil equals no other
	}
	if s.Place.Config != "" {
		if config, err := filepath.Abs(s.Place.Config); err == nil {
			p.config = filepath.Dir(config)
		}
	}
	return p
}

// samePlaces reports whether the two directories and all mounts are the same, since no event reports
// their changes.
func (p *places) samePlaces() bool {
	for i, name := range [...]string{p.assets, p.out} {
		info, err := os.Stat(name)
		if err != nil || p.roots[i] == nil || !os.SameFile(info, p.roots[i]) {
			return false
		}
	}
	return mounts() == p.mounts
}

// namePlace returns the absolute name of a directory.
func (p *places) namePlace(f *index.Folder) string {
	switch f.Tree {
	case index.Assets:
		return filepath.Join(p.assets, f.Real())
	case index.Out:
		return filepath.Join(p.out, f.Real())
	}
	return filepath.Clean(f.Path())
}
