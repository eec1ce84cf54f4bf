// Package snapshot publishes the cooked state of a project on a server that shares results, and
// gets it on machines that may lack the sources.
//
// A snapshot is a tree of files on the server:
//
//	files/manifest.json, files/...  what an engine loads, as in an export
//	results                         a line for each result of a recipe, see [entry]
//	index, changes                  the index of the publisher, for cook why -against
//
// [Getter.GetInto] makes a directory equal to an export: it downloads the contents that neither the directory
// nor the store has. [Getter.ImportResults] brings the results into the store, so that a cook of a checkout with
// sources cooks only what differs.
//
// The server keeps equal contents once. A new snapshot refers to contents of older snapshots, but
// to no other part of them, so an old snapshot can expire alone.
package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Parts of the tree of a snapshot.
const (
	filesDir    = "files"
	resultsName = "results"
	indexName   = "index"
	changesName = "changes"
)

// An entry is a result in a snapshot, a line of JSON.
type entry struct {
	Key remote.Key `json:"key"`
	// Result and ReadSets are encoded as in the store. ReadSets is nil if the recipe read only its
	// source.
	Result   []byte `json:"result"`
	ReadSets []byte `json:"readSets,omitempty"`
	// Origin names the machine that cooked the result. It is zero for the publisher.
	Origin store.Origin `json:"origin,omitzero"`
}

// decodeEntries decodes the results of a snapshot.
func decodeEntries(text []byte) (all []entry, err error) {
	for line := range bytes.Lines(text) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("the results of the snapshot: line %d: %w", len(all)+1, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// A reader reads a snapshot of a server.
type reader struct {
	carrier *share.Carrier
	store   *store.Store
	snap    *share.Snapshot
	files   map[string]share.Digest // digests by path in the tree
	fetched int                     // number of downloaded blobs
}

func (g Getter) openSnapshot(ctx context.Context) (*reader, error) {
	name := g.Name
	snap, err := g.Carrier.FindSnapshot(ctx, name)
	if errors.Is(err, share.ErrNoSnapshot) {
		of := ""
		if name.Target != "" {
			of = " for the target " + pathname.Show(name.Target)
		}
		return nil, fmt.Errorf("%w %s%s; cook snapshot publish makes one", err, pathname.Show(name.Ref), of)
	}
	if err != nil {
		return nil, err
	}
	r := &reader{carrier: g.Carrier, store: g.Store, snap: snap, files: make(map[string]share.Digest, len(snap.Files))}
	for _, f := range snap.Files {
		r.files[f.Path] = f.Digest
	}
	return r, nil
}

// readPaths returns the contents of files of the tree.
func (r *reader) readPaths(ctx context.Context, paths []string) (map[string][]byte, error) {
	digests := make([]share.Digest, len(paths))
	for i, p := range paths {
		digests[i] = r.files[p]
	}
	contents, err := r.carrier.ReadContents(ctx, digests)
	if errors.Is(err, share.ErrMissing) {
		return nil, errIncomplete(1, len(r.files), paths[0])
	}
	if err != nil {
		return nil, err
	}
	byPath := map[string][]byte{}
	for i, p := range paths {
		byPath[p] = contents[i]
	}
	return byPath, nil
}

// A want is a blob that the store must get.
type want struct {
	path   string // path in the tree, for messages
	digest share.Digest
	to     store.Artifact
}

// fetchWants brings blobs into the store, unless the store has them, and returns how many the server
// lacks, with the path of one of them.
func (r *reader) fetchWants(ctx context.Context, wants []want) (lost int, such string, err error) {
	var from []share.Digest
	var to []store.Artifact
	var paths []string
	seen := map[store.BlobID]bool{}
	for _, w := range wants {
		if seen[w.to.Blob] || r.store.CheckBlob(ctx, w.to.Blob, w.to.Size) == nil {
			continue
		}
		seen[w.to.Blob] = true
		from, to, paths = append(from, w.digest), append(to, w.to), append(paths, w.path)
	}
	for i, err := range r.carrier.FetchBlobs(ctx, from, to) {
		switch {
		case err == nil:
			r.fetched++
		case ctx.Err() != nil:
			return 0, "", ctx.Err()
		case errors.Is(err, share.ErrMissing):
			lost, such = lost+1, paths[i]
		default:
			return 0, "", fmt.Errorf("%s: %w", paths[i], err)
		}
	}
	return lost, such, nil
}

// errIncomplete is the error of a snapshot whose contents the server has dropped.
func errIncomplete(lost, of int, such string) error {
	return fmt.Errorf("the server no longer has %d of the %d files of the snapshot, such as %s; publish the snapshot again", lost, of, strings.TrimPrefix(such, filesDir+"/"))
}

// manifestPaths returns the paths of the manifest in the tree.
func (r *reader) manifestPaths() (paths []string) {
	for _, f := range r.snap.Files {
		name, ok := strings.CutPrefix(f.Path, filesDir+"/")
		if ok && (name == manifest.Name || manifest.IsPart(name)) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// inFiles returns the path in the tree of a file of the export.
func inFiles(name string) string { return path.Join(filesDir, name) }
