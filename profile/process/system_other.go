//go:build !linux

package process

import "github.com/assetcook/assetcook/internal/sysmem"

type system struct{ usage rusage }

func (*system) open() {}

func (*system) close() {}

func (s *system) read(f *figures) {
	readUsage(f, &s.usage)
	if peak := sysmem.PeakRSS(); peak != 0 {
		f.PeakRSS = peak
	}
}
