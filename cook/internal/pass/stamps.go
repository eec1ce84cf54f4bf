package pass

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
)

// recheckStamps looks at new artifacts once more: a stamp that has become old enough
// since it was taken may be trusted. But it was not old when the content was summed.
// That does no harm where each change gives a file another time, as it does on file
// systems that stamp finely what has been asked for its stamp; elsewhere the artifact
// is summed again. fine reports whether the file system of a device is known to stamp
// finely.
func (s *Session) recheckStamps(made []index.Artifact, fine func(device uint64) bool) {
	summer := hashing.NewSummer(s.Checksum)
	for i := range made {
		m := &made[i]
		if m.Settled || !s.Clock.SettledSince(m.Stamp) {
			continue
		}
		info, err := s.Out.Root().Lstat(m.Path)
		if err == nil && scan.StampOf(info) == m.Stamp {
			m.Settled = fine(m.Stamp.Device) || contents.Holds(context.Background(), summer, s.Out, m.Path, m)
		}
	}
}
