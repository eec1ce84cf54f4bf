// Package reload reports changed artifacts to running programs, which can then reload them. For
// example, a running game shows a texture while an artist paints it.
//
//	for batch, err := range reload.Follow(ctx, "build/data") {
//		if err != nil {
//			log.Print(err)
//			continue
//		}
//		for _, c := range batch.Changes {
//			fmt.Println(c.Path, c.Blob, c.Removed, c.Cause)
//		}
//	}
//
// # Sources of changes
//
// A watcher (cook -watch, or cook.Watch) reports the changes of each round through a Unix socket in
// the output directory, as soon as all artifacts of the round are in place. Follow finds other
// changes, such as changes by a cook without a watcher, by comparing the manifest with the reported
// changes. If there is no watcher, or the system does not support Unix sockets, Follow checks the
// stamp of the manifest four times a second. Programs can start in any order.
//
// # Guarantees
//
// Artifacts are renamed into place before they are reported. An opened file is therefore complete,
// with the reported content or a newer one. A change may be reported twice.
//
// Batches are cumulative. A program that starts with the artifacts at its call of Follow, and
// applies every batch, has the artifacts of the current manifest. A batch normally contains the
// changes of one cook. After a comparison, or if the program was too slow, a batch contains all
// changes since the last batch.
//
// # Browsers
//
// [Handler] sends batches as server-sent events, and serves a JavaScript module that calls
// functions for the changed paths. The command "cook -watch -http ADDRESS" serves the same, so that
// a game in a browser or in another language needs no Go.
package reload

import (
	"context"
	"iter"

	"github.com/assetcook/assetcook/cook/internal/eventstream"
)

// A Batch is the changes of one cook, sorted by path.
type Batch struct {
	Number  int // counts from 1 in each call of Follow
	Changes []Change
}

// A Change is an artifact with new content, or a removed artifact. It has the fields
//
//	Path    string         // path with slashes, relative to the output directory
//	Blob    hashing.Digest // BLAKE3 hash of the content; zero if the artifact was removed
//	Removed bool
//	Cause   Cause
type Change = eventstream.Change

// A Cause is the asset whose artifact has changed, and the reason for its cook. It has the fields
//
//	Source string
//	Target string
//	Reason string    // one line, such as "content changed: 3f2a -> 9c01"
//	Saved  time.Time // time when the source was last written
//
// Reason is "", and Saved is zero, for a change that only the manifest shows.
type Cause = eventstream.Cause

// Follow yields the changes in an output directory that happen after this call, until ctx ends.
// Call it before you load the artifacts. The directory need not exist yet.
//
// Follow yields an error once if the manifest cannot be read. The sequence continues, and the
// changes follow when the manifest is readable again.
//
// Follow keeps the paths and blob IDs of all artifacts in memory. The sequence can be iterated only
// once.
func Follow(ctx context.Context, out string) iter.Seq2[Batch, error] {
	f := followManifest(out)
	return func(yield func(Batch, error) bool) {
		if f.fault != nil && !yield(Batch{}, f.fault) {
			return
		}
		for number := 0; ; {
			batches, err := f.waitForChanges(ctx)
			if ctx.Err() != nil || err != nil && !yield(Batch{}, err) {
				return
			}
			for _, changes := range batches {
				number++
				if !yield(Batch{number, changes}, nil) {
					return
				}
			}
		}
	}
}
