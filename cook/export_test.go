package cook

import "github.com/assetcook/assetcook/cook/internal/scan"

// SetListAll makes every folder be listed, as on a system where the stamps of folders
// tell nothing.
func (p *Project) SetListAll() { p.listAll = true }

// SetFileTime gives the file system of the output folder a clock of its own: stamp
// turns that of a file just written into what it shows.
func (p *Project) SetFileTime(stamp func(scan.Stamp) scan.Stamp) { p.fileTime = stamp }
