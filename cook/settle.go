package cook

import (
	"context"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/lease"
)

// settle looks at new artifacts once more: a stamp that has become old enough
// since it was taken may be trusted. But it was not old when the content was
// summed. That does no harm where each change gives a file another time, as it
// does on file systems that stamp finely what has been asked for its stamp;
// elsewhere the artifact is summed again.
func (k *kitchen) settle(made []index.Artifact) {
	for i := range made {
		m := &made[i]
		if m.Settled || !k.clock.SettledSince(m.Stamp) {
			continue
		}
		info, err := k.out.Root().Lstat(m.Path)
		if err == nil && scan.StampOf(info) == m.Stamp {
			m.Settled = k.stampsFinely(m.Stamp.Device) || k.stillHolds(m)
		}
	}
}

// stampsFinely reports whether the file system of the output folder is known to
// give each change a time of its own, and a device is where it lies.
func (k *kitchen) stampsFinely(device uint64) bool {
	k.fineOnce.Do(func() {
		k.fine, k.fineDevice = finely(k.lock.sign)
	})
	return k.fine && device == k.fineDevice
}

// finely reports whether stamps of a file that is written again and again differ
// by less than any tick of a clock would have them: that of Linux moves by 1 ms
// or more. Some tries are for the case that others had the processor meanwhile.
func finely(write func() (scan.Stamp, error)) (fine bool, device uint64) {
	const tries = 8
	last, err := write()
	for range tries {
		if err != nil {
			return false, 0
		}
		var now scan.Stamp
		now, err = write()
		if step := now.CTime - last.CTime; err == nil && step > 0 && step < int64(time.Millisecond)*9/10 {
			return true, now.Device
		}
		last = now
	}
	return false, 0
}

// stillHolds reports whether an artifact, whose stamp is old, has its content, and
// nobody who could change it under that stamp.
func (k *kitchen) stillHolds(m *index.Artifact) bool {
	f, err := k.out.OpenFile(m.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	if lease.File(f) == lease.Busy {
		return false
	}
	got, err := hashing.NewSummer(k.checksum).Sum(context.Background(), f, hashing.WantSum)
	return err == nil && got.Sum == m.Sum
}
