package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/parallel"
)

// A stored is an artifact that the store may have, and one action that made it.
type stored struct {
	store.Artifact
	action *index.Action
}

// checkStore reads the records and blobs from which this tree would be restored, and
// returns how many blobs are intact. What the store does not have is no difference: it
// may be trimmed at any time. After the index was lost no records are known.
func checkStore(ctx context.Context, s *pass.Session, r *reporter, actions []index.Action, lost bool) (intact int, err error) {
	if !store.Exists(s.Place.Cache) {
		return 0, nil
	}
	opened := s.OpenStore()
	if opened == nil {
		return 0, nil // which was noted
	}
	var blobs []stored
	for i := range actions {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		a := &actions[i]
		if a.State != index.Done || !s.Wants(a) {
			continue
		}
		for _, m := range storedOf(a) {
			blobs = append(blobs, stored{m, a})
		}
		if !lost {
			checkRecords(opened, r, a)
		}
	}
	slices.SortFunc(blobs, func(a, b stored) int { return bytes.Compare(a.Blob[:], b.Blob[:]) })
	blobs = slices.CompactFunc(blobs, func(a, b stored) bool { return a.Blob == b.Blob })
	return checkBlobs(ctx, opened, r, blobs, s.Limits.Workers)
}

// storedOf are the artifacts of an action as the store has them.
func storedOf(a *index.Action) []store.Artifact {
	list := make([]store.Artifact, len(a.Made))
	for i, m := range a.Made {
		list[i] = store.Artifact{Blob: m.Blob, Size: m.Stamp.Size}
	}
	return list
}

// checkBlobs reads blobs, and returns how many are intact.
func checkBlobs(ctx context.Context, opened *store.Store, r *reporter, blobs []stored, workers int) (int, error) {
	var intact atomic.Int64
	parallel.Each(ctx, workers, len(blobs), func(_, i int) error {
		switch err := opened.CheckBlob(ctx, blobs[i].Blob, blobs[i].Size); {
		case err == nil:
			intact.Add(1)
		case ctx.Err() == nil:
			reportStore(r, blobs[i].action, err)
		}
		return nil
	})
	return int(intact.Load()), ctx.Err()
}

// checkRecords reads what the store knows of an action.
func checkRecords(opened *store.Store, r *reporter, a *index.Action) {
	if len(a.Deps) > 0 {
		if _, err := opened.ReadSets(a.ID); err != nil {
			reportStore(r, a, err)
		}
	}
	result, err := opened.Result(plan.ResultID(a.ID, a.Deps))
	if err != nil {
		reportStore(r, a, err)
		return
	}
	if slices.Equal(storedOf(a), result.Artifacts) {
		return
	}
	// Two cooks of the same inputs have made different things of them.
	recipe := plan.RecipeOf(a.Method)
	r.found(Finding{Kind: NotReproducible, Path: a.Path, Target: a.Target, Recipe: recipe,
		Text: fmt.Sprintf("the store has another result of the same inputs: the recipe %q is not deterministic", recipe)})
}

// reportStore reports an entry that is damaged or cannot be read.
func reportStore(r *reporter, a *index.Action, err error) {
	if errors.Is(err, store.ErrMissing) {
		return
	}
	f := Finding{Kind: StoreDamaged, Path: a.Path, Target: a.Target, Text: fmt.Sprintf("store: %v", err)}
	var kept *fs.PathError // if it could not be removed
	if errors.Is(err, store.ErrDamaged) && !errors.As(err, &kept) {
		f.Text += "; it is removed, and cooked anew when it is needed"
	}
	r.found(f)
}
