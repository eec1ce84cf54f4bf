package clean

import (
	"context"
	"fmt"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// Store removes everything from the store that the index does not record: other results of this
// project, and all results of other projects. The session was opened with Look. The lock of the
// output directory keeps cooks of this project away meanwhile.
func Store(ctx context.Context, s *session.Session) (store.TrimStats, error) {
	ok, err := beginClean(ctx, s)
	if err != nil {
		return store.TrimStats{}, err
	}
	if !ok {
		return store.TrimStats{}, neverCooked(s)
	}
	known, err := s.LoadIndex()
	if err != nil {
		return store.TrimStats{}, err
	}
	defer known.Close()
	last := s.CheckedIndex(known.Index)
	if last.ID() == "" {
		return store.TrimStats{}, neverCooked(s)
	}
	keep := recordedOutputs(last)
	in, err := store.Open(s.Place.Cache)
	if err != nil {
		return store.TrimStats{}, err
	}
	stats, err := in.TrimTo(ctx, keep, s.Clock.Now())
	if err != nil {
		return stats, err
	}
	return stats, s.State.CheckLock()
}

func neverCooked(s *session.Session) error {
	return &session.ConfigError{Err: fmt.Errorf("output directory %s has no index, so it is not known which results its last run used; run cook first", s.Place.Out)}
}

// recordedOutputs returns the entries that restore all artifacts of an index: for a chain only the result
// of the whole chain, not of its steps.
func recordedOutputs(x *index.Index) *store.Keep {
	keep := &store.Keep{}
	for a := range x.Results().Actions() {
		if a.State != index.Done {
			continue
		}
		keep.Result(a.ID, plan.ResultID(a.ID, a.Deps))
		for _, m := range a.Made {
			keep.Blob(m.Blob)
		}
	}
	return keep
}
