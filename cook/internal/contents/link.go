package contents

import (
	"context"
	"io/fs"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// IsLink reports whether a name of the asset tree is a symbolic link. It looks at each name once.
func (s *Contents) IsLink(ctx context.Context, path string) (bool, error) {
	f := s.At(ctx, dependency.Dependency{Kind: dependency.Link, Path: path})
	return f.Known(), f.Err
}

// lookAtLink fills f for a symbolic link, as a file whose content is the link's text. f is absent
// if the name is no symbolic link, even if a file has the name.
func (s *Contents) lookAtLink(f *File, on dependency.Dependency) {
	text, stamp, err := s.readLink(on.Path)
	switch {
	case pathname.IsAbsent(err):
		return // Absent
	case err != nil:
		f.How, f.Err = Unreadable, err
		return
	}
	s.setContent(f, on, []byte(text), stamp)
}

// readLink returns the text of a symbolic link, and the link's stamp from before it was read. The
// error is fs.ErrNotExist if the name is no symbolic link.
func (s *Contents) readLink(link string) (text string, stamp scan.Stamp, err error) {
	root := s.opt.Assets.Root()
	info, err := root.Lstat(link)
	if err != nil {
		return "", stamp, err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return "", stamp, fs.ErrNotExist
	}
	text, err = root.Readlink(link)
	return text, scan.StampOf(info), err
}

// Relink reports whether a link still has the text recorded in f.
func (s *Contents) Relink(f File) (same bool, err error) {
	text, _, err := s.readLink(f.Path)
	return err == nil && s.summer.SumBytes([]byte(text), hashing.WantSum).Sum == f.Sum, err
}
