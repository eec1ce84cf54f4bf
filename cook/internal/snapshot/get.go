package snapshot

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/advice"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Got is the result of a Getter.
type Got struct {
	Files      int          `json:"files,omitempty"`   // files of the export
	Bytes      int64        `json:"bytes,omitempty"`   // their total size
	Results    int          `json:"results,omitempty"` // results in the store from which a cook can start
	Lost       int          `json:"lost,omitempty"`    // results whose artifacts the server no longer has
	Written    int          `json:"written"`
	Removed    int          `json:"removed"`
	Downloaded int          `json:"downloaded"` // blobs that the store lacked
	Down       int64        `json:"bytes_down"` // their total size
	Requests   int64        `json:"requests"`
	Origin     store.Origin `json:"origin"` // publisher of the snapshot
	Kept       []string     `json:"-"`      // edited files in the directory that the snapshot does not have
}

// A Getter gets a snapshot.
type Getter struct {
	Carrier *share.Carrier
	Store   *store.Store
	Name    share.SnapshotName
}

// GetInto makes a directory equal to the export of a snapshot, as [export.Source.CopyTo] does. With
// dryRun, it changes nothing, and Downloaded and Down count what would be downloaded.
func (g Getter) GetInto(ctx context.Context, to string, workers int, dryRun bool) (Got, error) {
	r, err := g.openSnapshot(ctx)
	if err != nil {
		return Got{}, err
	}
	got := Got{Origin: r.snap.Origin}
	from, err := r.openExport(ctx)
	if err != nil {
		return got, err
	}
	from.Fetch = func(ctx context.Context, files []export.File) error {
		wants, err := r.wantsOf(files)
		if err != nil || dryRun {
			got.countMissingBlobs(g.Store, wants)
			return err
		}
		lost, such, err := r.fetchWants(ctx, wants)
		if err == nil && lost > 0 {
			err = errIncomplete(lost, len(r.snap.Files), such)
		}
		return err
	}
	source, err := export.FromOrigin(from)
	if err != nil {
		return got, fmt.Errorf("the manifest of the snapshot: %w", err)
	}
	done, err := source.CopyTo(ctx, to, workers, dryRun)
	got.Files, got.Bytes, got.Written, got.Removed, got.Kept = done.Files, done.Bytes, done.Written, done.Removed, done.Kept
	if !dryRun {
		r.countTransfers(&got)
	}
	return got, advice.For(err)
}

// countTransfers counts the downloads so far.
func (r *reader) countTransfers(got *Got) {
	got.Downloaded, got.Requests = r.fetched, r.carrier.CountRequests()
	_, got.Down = r.carrier.MovedBytes()
}

// countMissingBlobs counts the blobs that a store lacks.
func (g *Got) countMissingBlobs(in *store.Store, wants []want) {
	seen := map[store.BlobID]bool{}
	for _, w := range wants {
		if !seen[w.to.Blob] && !in.HasBlob(w.to.Blob, w.to.Size) {
			seen[w.to.Blob] = true
			g.Downloaded++
			g.Down += w.to.Size
		}
	}
}

// openExport returns the origin of the files that an engine loads, without the function Fetch.
func (r *reader) openExport(ctx context.Context) (export.Origin, error) {
	lists, err := r.readPaths(ctx, r.manifestPaths())
	return export.Origin{
		Read: func(name string) ([]byte, error) {
			text, ok := lists[inFiles(name)]
			if !ok {
				return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
			}
			return text, nil
		},
		Open: func(f export.File) (*os.File, error) { return r.store.OpenBlob(store.BlobID(f.BLAKE3), f.Size) },
	}, err
}

// wantsOf returns the blobs of files that an engine loads.
func (r *reader) wantsOf(files []export.File) ([]want, error) {
	wants := make([]want, len(files))
	for i, f := range files {
		d, ok := r.files[inFiles(f.Path)]
		if !ok || d.Size != f.Size {
			return nil, fmt.Errorf("the manifest of the snapshot lists %s, which the snapshot does not have", f.Path)
		}
		wants[i] = want{inFiles(f.Path), d, store.Artifact{Blob: store.BlobID(f.BLAKE3), Size: f.Size}}
	}
	return wants, nil
}

// ImportResults brings the results of a snapshot into the store.
func (g Getter) ImportResults(ctx context.Context) (Got, error) {
	r, err := g.openSnapshot(ctx)
	if err != nil {
		return Got{}, err
	}
	done := Got{Origin: r.snap.Origin}
	if _, ok := r.files[resultsName]; !ok {
		return done, nil
	}
	text, err := r.readPaths(ctx, []string{resultsName})
	if err != nil {
		return done, err
	}
	entries, err := decodeEntries(text[resultsName])
	if err != nil {
		return done, err
	}
	there, err := r.wantsByBlob(ctx)
	if err != nil {
		return done, err
	}
	var results []store.Result
	var wants []want
	for _, e := range entries {
		result, err := store.UnmarshalResult(e.Key.Result, e.Result)
		if err != nil {
			return done, fmt.Errorf("the results of the snapshot: %w", err)
		}
		result.Origin = r.snap.OriginOf(e.Origin)
		results = append(results, result)
		for _, a := range result.Artifacts {
			if w, ok := there[a.Blob]; ok && w.to.Size == a.Size {
				wants = append(wants, w)
			}
		}
	}
	if _, _, err = r.fetchWants(ctx, wants); err == nil {
		err = g.putResults(entries, results, &done)
	}
	r.countTransfers(&done)
	return done, advice.For(err)
}

// putResults records the results whose blobs the store has.
func (g Getter) putResults(entries []entry, results []store.Result, done *Got) error {
	for i, e := range entries {
		whole := true
		for _, a := range results[i].Artifacts {
			whole = whole && g.Store.HasBlob(a.Blob, a.Size)
		}
		if !whole {
			done.Lost++
			continue
		}
		if e.ReadSets != nil {
			sets, err := store.UnmarshalReadSets(e.Key.Action, e.ReadSets)
			if err != nil {
				return fmt.Errorf("the results of the snapshot: %w", err)
			}
			for k := range sets {
				if err := g.Store.AddReadSet(e.Key.Action, sets[len(sets)-1-k]); err != nil { // the newest set comes last
					return err
				}
			}
		}
		if err := g.Store.PutResult(e.Key.Result, results[i]); err != nil {
			return err
		}
		done.Results++
	}
	return nil
}

// wantsByBlob returns all artifacts of the export.
func (r *reader) wantsByBlob(ctx context.Context) (map[store.BlobID]want, error) {
	from, err := r.openExport(ctx)
	if err != nil {
		return nil, err
	}
	source, err := export.FromOrigin(from)
	if err != nil {
		return nil, fmt.Errorf("the manifest of the snapshot: %w", err)
	}
	wants, err := r.wantsOf(source.Artifacts())
	byBlob := make(map[store.BlobID]want, len(wants))
	for _, w := range wants {
		byBlob[w.to.Blob] = w
	}
	return byBlob, err
}

// ReadIndex returns the index of the run that was published. It does not need a store.
func (g Getter) ReadIndex(ctx context.Context) (*index.Index, error) {
	r, err := g.openSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	if _, ok := r.files[indexName]; !ok {
		return nil, fmt.Errorf("the snapshot %s has no index; publish the snapshot again with this version of cook", pathname.Show(g.Name.Ref))
	}
	contents, err := r.readPaths(ctx, []string{indexName, changesName})
	if err != nil {
		return nil, err
	}
	var x *index.Index
	err = index.Guard(func() (err error) {
		x, err = index.Open(contents[indexName], contents[changesName])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the index of the snapshot %s: %w; publish the snapshot again with this version of cook", pathname.Show(g.Name.Ref), err)
	}
	return x, nil
}
