package cook

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/clean"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// SetListAll makes every directory be listed, as on a system where the stamps of directories
// tell nothing.
func (p *Project) SetListAll() { p.listAll = true }

// SetFullScan makes runs list the whole tree and keep the index.
func (p *Project) SetFullScan() { p.fullScan = true }

// SetFileTime gives the file system of the output directory a clock of its own: stamp converts the stamp
// of a new file to the time of that clock.
func (p *Project) SetFileTime(stamp func(scan.Stamp) scan.Stamp) { p.fileTime = stamp }

// CleanAfter is Clean, with something that happens after the output directory was opened.
func (p Project) CleanAfter(ctx context.Context, opened func()) (removed int, err error) {
	s, err := session.Open(p.sessionOptions(), session.Look)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	opened()
	return clean.Run(ctx, s)
}
