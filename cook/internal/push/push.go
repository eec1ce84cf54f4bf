// Package push uploads the results of the last run to a server that shares results, for a server
// that is new or has lost its results.
package push

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/advice"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// A Sum counts the assets of the last run, for all targets. Equal assets have one result.
type Sum struct {
	Uploaded int   `json:"uploaded"` // results that the server lacked
	Bytes    int64 `json:"bytes_up"` // bytes of the uploaded artifacts
	Known    int   `json:"known"`    // results that the server had
	Refused  int   `json:"refused"`  // results that the server did not accept
	Left     int   `json:"left"`     // results that the next run with uploads tries to upload
	Missing  int   `json:"missing"`  // results that the store has lost
	Copied   int   `json:"copied"`   // assets whose results are not shared, because their recipes only copy
	Failed   int   `json:"failed"`   // assets that could not be cooked
}

// Complete reports whether the server has all results that the store has.
func (s Sum) Complete() bool { return s.Refused == 0 && s.Left == 0 }

// flush is how long Run waits for uploads. An outage of a minute ends the wait earlier.
const flush = 24 * time.Hour

// Run uploads the results that the store has and the server of a project lacks. For a chain of
// recipes, Run uploads only the final result.
//
// A server that cannot be reached or refuses results is not an error: the observer gets a note with
// the reason, and Sum has the counts.
func Run(ctx context.Context, of session.Options) (sum Sum, err error) {
	s, err := session.Open(of, session.Look)
	if err != nil {
		return sum, advice.For(err)
	}
	defer s.Close()
	sum, err = pushResults(ctx, s)
	return sum, advice.For(err)
}

// pushResults does the work of Run with an open session.
func pushResults(ctx context.Context, s *session.Session) (sum Sum, err error) {
	opt, err := remote.OptionsOf(s.Place.Remote)
	if err != nil {
		return sum, err
	}
	if err := s.CheckOwner(); err != nil {
		return sum, err
	}
	known, err := s.LoadIndex()
	if err != nil {
		return sum, err
	}
	defer known.Close()
	last := s.CheckedIndex(known.Index)
	switch {
	case opt.URL == "":
		return sum, session.Configf("no server is given")
	case last.ID() == "":
		return sum, session.Configf("nothing was cooked into %s yet, so there are no results to upload; run cook first", s.Place.Out)
	case !store.Exists(s.Place.Cache):
		return sum, session.Configf("there is no store in %s, so there are no results to upload", s.Place.Cache)
	}
	from, err := store.Open(s.Place.Cache)
	if err != nil {
		return sum, err
	}
	opt.Upload, opt.Read, opt.Exec, opt.Flush = true, false, false, flush
	opt.Args = append(opt.Args, "-push")
	client := remote.New(ctx, opt, from, s.Observer.Note)
	p := pusher{recipes: s.Basis.Recipes, store: from, client: client, sum: &sum, seen: map[store.ResultID]bool{}}
	for a := range last.Results().Actions() {
		if ctx.Err() != nil {
			break
		}
		p.pushResult(a)
	}
	stats := client.Close(ctx)
	if ctx.Err() != nil {
		return sum, ctx.Err()
	}
	if p.damaged != nil {
		s.Observer.Note(fmt.Sprintf("store: %v", p.damaged))
	}
	sum.Uploaded, sum.Known, sum.Bytes = int(stats.Uploaded), int(stats.Known), stats.Up
	rest := max(0, p.sent-sum.Uploaded-sum.Known)
	sum.Left = min(rest, int(stats.Left))
	sum.Refused = rest - sum.Left
	return sum, nil
}

// A pusher hands the results of actions to a client.
type pusher struct {
	recipes *recipeset.Set
	store   *store.Store
	client  *remote.Client
	sum     *Sum
	seen    map[store.ResultID]bool
	sent    int   // number of results that the client got
	damaged error // first error of the store, besides missing entries
}

// pushResult uploads the result of an action, or counts the reason against it.
func (p *pusher) pushResult(a *index.Action) {
	switch {
	case a.State != index.Done:
		p.sum.Failed++
		return
	case len(a.Made) == 0: // only other assets use the source
		return
	case !lookup.StoresMethod(a.Method, p.recipes):
		p.sum.Copied++
		return
	}
	keys := lookup.UploadKeys(a.ID, a.Deps)
	id := keys[0].Result
	if p.seen[id] {
		return
	}
	p.seen[id] = true
	whole, err := hasResult(p.store, id)
	if p.damaged == nil {
		p.damaged = err
	}
	if !whole {
		p.sum.Missing++
		return
	}
	p.sent++
	p.client.Keep(a.Path, keys...)
}

// hasResult reports whether a store has a result with all of its blobs.
func hasResult(s *store.Store, id store.ResultID) (bool, error) {
	r, err := s.Result(id)
	if errors.Is(err, store.ErrMissing) {
		return false, nil
	}
	whole := err == nil
	for _, a := range r.Artifacts {
		whole = whole && s.HasBlob(a.Blob, a.Size)
	}
	return whole, err
}
