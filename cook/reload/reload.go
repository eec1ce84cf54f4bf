// Package reload tells running programs which artifacts have changed, so that they can
// load them again: in a game, textures change while they are painted.
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
// # Who tells
//
// A watching cook (cook -watch, or cook.Watch) tells what each of its rounds has changed,
// at a Unix socket in the output folder, as soon as all artifacts of the round are in
// place. What other cooks change beside it, or while there is no watcher, is found by
// comparing the manifest with what was told before; without a watcher, or on systems
// where it cannot be asked, a look at the manifest's stamp four times a second shows that
// there is something to compare. No program needs to be started in any order.
//
// # What holds
//
// Artifacts are renamed into place before they are told, so a file that is opened is
// whole: as it was told, or newer. A change may be told twice. What a batch says holds
// for the state that all batches before it have led to: a program that applies every
// batch to the list of artifacts at the time of its call of Follow has what the manifest
// lists now. A batch is one cook, unless the program was too slow, or the batch comes
// from a comparison: then it is all that has changed since.
//
// # Browsers
//
// [Handler] passes batches on as server-sent events, and serves a module of JavaScript
// that calls functions for the paths that have changed.
package reload

import (
	"context"
	"iter"
	"time"

	"github.com/assetcook/assetcook/hashing"
)

// A Batch is what one cook has changed, sorted by path.
type Batch struct {
	Number  int // from 1, for each call of Follow
	Changes []Change
}

// A Change is an artifact that has another content than before, or is none any more.
type Change struct {
	Path    string         // in the output folder, with slashes
	Blob    hashing.Digest // BLAKE3 of its content; zero if it was removed
	Removed bool
	Cause   Cause
}

// A Cause is the asset whose artifact has changed, and why it was cooked.
type Cause struct {
	Source string
	Target string
	// Reason is one line, such as "content changed: 3f2a -> 9c01". It is "" and Saved is zero where only
	// the manifest shows the change.
	Reason string
	// Saved is when the source was written.
	Saved time.Time
}

// Follow yields what changes in an output folder from this call on, until ctx ends: call
// it before the artifacts are loaded. The folder need not exist yet.
//
// An error says that the manifest cannot be read, and is yielded once, until it is another
// one. It does not end the loop: what has changed meanwhile comes when the
// manifest can be read again.
//
// Follow holds the paths and blob IDs of all artifacts. The sequence can be used once.
func Follow(ctx context.Context, out string) iter.Seq2[Batch, error] {
	f := follow(out)
	return func(yield func(Batch, error) bool) {
		if f.fault != nil && !yield(Batch{}, f.fault) {
			return
		}
		for number := 0; ; {
			batches, err := f.next(ctx)
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
