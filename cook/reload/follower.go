package reload

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/feed"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/regular"
)

// lookTime is the interval between checks of the manifest if there is no watcher.
const lookTime = 250 * time.Millisecond

// A follower tracks the artifacts of an output directory, in the last state that it reported.
type follower struct {
	out    string
	listed map[string]artifact
	seen   os.FileInfo   // stamp of the manifest when it was last read; nil if there was none
	at     feed.Position // position in the watcher's feed
	fault  error         // error of the last reading of the manifest; nil if none
}

type artifact struct {
	blob           hashing.Digest
	source, target string
}

// followManifest returns a follower that starts with the artifacts of the current manifest. It
// starts without artifacts if the manifest cannot be read.
func followManifest(out string) *follower {
	if abs, err := filepath.Abs(out); err == nil {
		out = abs
	}
	f := &follower{out: out}
	_, f.fault = f.compareManifest()
	return f
}

// waitForChanges waits for changes, and returns one list for each batch. It returns an error if ctx
// ends, or if the manifest cannot be read for a new reason.
func (f *follower) waitForChanges(ctx context.Context) ([][]Change, error) {
	for ctx.Err() == nil {
		told, err := feed.Ask(ctx, filepath.Join(statedir.Home(f.out), manifest.StateDir), f.at)
		switch {
		case err == nil && !told.Compare:
			f.at = told.Position
			return f.applyReported(told.Batches), nil
		case err == nil:
			f.at = told.Position
		case f.fault == nil && sameStamp(f.manifestStamp(), f.seen):
			// The position in the feed is not needed, because the manifest shows all changes.
			f.at = feed.Position{}
			pauseBetweenLooks(ctx)
			continue
		default:
			f.at = feed.Position{}
		}
		before := f.fault
		var changes []Change
		if changes, f.fault = f.compareManifest(); f.fault != nil {
			f.at = feed.Position{} // this follower has missed changes that the watcher reported
			if before == nil || before.Error() != f.fault.Error() {
				return nil, f.fault
			}
			pauseBetweenLooks(ctx)
		}
		if len(changes) > 0 {
			return [][]Change{changes}, nil
		}
	}
	return nil, ctx.Err()
}

func pauseBetweenLooks(ctx context.Context) {
	timer := time.NewTimer(lookTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (f *follower) applyReported(batches [][]feed.Change) [][]Change {
	var all [][]Change
	for _, batch := range batches {
		changes := make([]Change, 0, len(batch))
		for _, c := range batch {
			to := Change{
				Path: string(c.Path), Removed: c.Removed,
				Cause: Cause{Source: string(c.Source), Target: c.Target, Reason: c.Reason, Saved: c.Saved},
			}
			copy(to.Blob[:], c.Blob)
			if c.Removed {
				delete(f.listed, to.Path)
			} else {
				f.listed[to.Path] = artifact{to.Blob, to.Cause.Source, c.Target}
			}
			changes = append(changes, to)
		}
		if len(changes) > 0 {
			all = append(all, changes)
		}
	}
	return all
}

// compareManifest reads the manifest and returns its differences from the reported artifacts.
func (f *follower) compareManifest() ([]Change, error) {
	f.seen = f.manifestStamp() // taken before reading, so that a later change leads to another comparison
	now, err := f.readArtifacts()
	if err != nil {
		return nil, err
	}
	var changes []Change
	for path, a := range now {
		if was, ok := f.listed[path]; !ok || was.blob != a.blob {
			changes = append(changes, Change{Path: path, Blob: a.blob, Cause: Cause{Source: a.source, Target: a.target}})
		}
	}
	for path, a := range f.listed {
		if _, ok := now[path]; !ok {
			changes = append(changes, Change{Path: path, Removed: true, Cause: Cause{Source: a.source, Target: a.target}})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	f.listed = now
	return changes, nil
}

// readTries limits how often the manifest is read again after a cook has replaced a part during the
// reading.
const readTries = 20

// readArtifacts returns all artifacts in the manifest. It returns none if there is no manifest.
func (f *follower) readArtifacts() (map[string]artifact, error) {
	for try := 1; ; try++ {
		now, err := f.readOnce()
		if err == nil || try == readTries || !errors.Is(err, fs.ErrNotExist) {
			return now, err
		}
	}
}

func (f *follower) readOnce() (map[string]artifact, error) {
	root, err := f.readManifestFile(manifest.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]artifact{}, nil
	}
	if err != nil {
		return nil, err
	}
	now := make(map[string]artifact, len(f.listed))
	for a, err := range manifest.Read(root, f.readManifestFile) {
		if err != nil {
			return nil, err
		}
		for _, o := range a.Outputs {
			now[o.Path] = artifact{o.BLAKE3, a.Source, a.Target}
		}
	}
	return now, nil
}

func (f *follower) readManifestFile(name string) ([]byte, error) {
	file, err := regular.Open(filepath.Join(f.out, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// manifestStamp returns the stamp of the manifest, or nil if there is no manifest. Each change
// gives a new stamp, because a rename replaces the file.
func (f *follower) manifestStamp() os.FileInfo {
	info, err := os.Stat(filepath.Join(f.out, manifest.Name))
	if err != nil {
		return nil
	}
	return info
}

// sameStamp reports whether two stamps are equal. Both may be nil.
func sameStamp(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
