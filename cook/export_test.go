package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/clean"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// SetListAll makes runs list every directory, as on systems with unreliable stamps of directories.
func (p *Project) SetListAll() { p.listAll = true }

// SetFullScan makes runs list the whole tree but keep the index.
func (p *Project) SetFullScan() { p.fullScan = true }

// SetFileTime simulates a file system with its own clock. The function stamp adjusts the stamps of
// new files.
func (p *Project) SetFileTime(stamp func(scan.Stamp) scan.Stamp) { p.fileTime = stamp }

// CleanAfter is like Clean, but calls a function after it has opened the output directory.
func (p Project) CleanAfter(ctx context.Context, opened func()) (removed int, err error) {
	s, err := session.Open(p.sessionOptions(), session.Look)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	opened()
	return clean.Run(ctx, s)
}
