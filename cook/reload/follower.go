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

// lookTime is the interval at which the manifest is checked when there is no watcher.
const lookTime = 250 * time.Millisecond

// A follower tracks the artifacts of an output directory as last reported to the caller.
type follower struct {
	out    string
	listed map[string]artifact
	seen   os.FileInfo   // the manifest when it was last read, nil for none
	at     feed.Position // position in the feed of the watcher
	fault  error         // error of the last comparison with the manifest
}

// An artifact is an entry of the manifest.
type artifact struct {
	blob           hashing.Digest
	source, target string
}

// followManifest returns a follower that starts with the artifacts in the current manifest, or with
// none if the manifest cannot be read.
func followManifest(out string) *follower {
	if abs, err := filepath.Abs(out); err == nil {
		out = abs
	}
	f := &follower{out: out}
	_, f.fault = f.compareManifest()
	return f
}

// waitForChanges waits for changes and returns a list for each batch. An error means that the
// manifest cannot be read, for a different reason than before, or that ctx has ended.
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
			// After any error, the manifest still shows the changes.
			f.at = feed.Position{}
			pauseBetweenLooks(ctx)
			continue
		default:
			f.at = feed.Position{}
		}
		before := f.fault
		var changes []Change
		if changes, f.fault = f.compareManifest(); f.fault != nil {
			f.at = feed.Position{} // the watcher reported changes that this follower has missed
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

// pauseBetweenLooks waits for lookTime, or until ctx ends.
func pauseBetweenLooks(ctx context.Context) {
	timer := time.NewTimer(lookTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// applyReported adds changes that a watcher has reported.
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

// compareManifest reads the manifest and returns how it differs from the reported artifacts.
func (f *follower) compareManifest() ([]Change, error) {
	f.seen = f.manifestStamp() // a change between this line and reading leads to another comparison
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

// readTries limits how often the manifest is read again because a cook replaced a part of it in the
// meantime.
const readTries = 20

// readArtifacts returns all artifacts that the manifest lists, or none if there is no manifest.
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

// readManifestFile reads a file of the manifest.
func (f *follower) readManifestFile(name string) ([]byte, error) {
	file, err := regular.Open(filepath.Join(f.out, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// manifestStamp returns the stamp of the manifest, or nil if there is no manifest. A manifest is
// always replaced by a rename, so each change gives a new stamp.
func (f *follower) manifestStamp() os.FileInfo {
	info, err := os.Stat(filepath.Join(f.out, manifest.Name))
	if err != nil {
		return nil
	}
	return info
}

// sameStamp reports whether two stamps belong to the same manifest.
func sameStamp(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}
