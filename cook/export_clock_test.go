//go:build linux || darwin

package cook

import "github.com/assetcook/assetcook/cook/scan"

// FileTime returns options under which the file system of the output folder has a
// clock of its own: stamp turns that of a file just written into what it shows.
func FileTime(opt Options, stamp func(scan.Stamp) scan.Stamp) Options {
	opt.fileTime = stamp
	return opt
}
