package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/clean"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// SetListAll makes runs list every directory, as on a system where the stamps of directories are
// unreliable.
func (p *Project) SetListAll() { p.listAll = true }

// SetFullScan makes runs list the whole tree and keep the index.
func (p *Project) SetFullScan() { p.fullScan = true }

// SetFileTime simulates a separate clock for the file system of the output directory: stamp
// converts the stamp of a new file to that clock.
func (p *Project) SetFileTime(stamp func(scan.Stamp) scan.Stamp) { p.fileTime = stamp }

// CleanAfter is like Clean, but calls a function after the output directory was opened.
func (p Project) CleanAfter(ctx context.Context, opened func()) (removed int, err error) {
	s, err := session.Open(p.sessionOptions(), session.Look)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	opened()
	return clean.Run(ctx, s)
}
