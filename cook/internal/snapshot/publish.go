package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/lookup"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/advice"
)

// A Published counts the parts of a published snapshot.
type Published struct {
	Files   int   `json:"files"`   // files that an engine loads
	Bytes   int64 `json:"bytes"`   // total size of these files
	Results int   `json:"results"` // results from which a checkout can start
	Missing int   `json:"missing"` // results that the store has lost
	Up      int64 `json:"bytes_up"`
}

// Publish uploads the files of an export, and the results of the last run, as a snapshot.
func Publish(ctx context.Context, of session.Options, from *export.Source, carrier *share.Carrier, name share.SnapshotName) (Published, error) {
	s, err := session.Open(of, session.Look)
	if err != nil {
		return Published{}, advice.For(err)
	}
	defer s.Close()
	p := &publisher{session: s, name: name}
	p.addExport(from)
	err = p.addRunResults()
	if err == nil {
		err = p.addIndex()
	}
	if err == nil {
		err = carrier.PublishTree(ctx, name, p.files)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	p.sum.Up, _ = carrier.MovedBytes()
	return p.sum, advice.For(err)
}

// A publisher collects the files of a snapshot.
type publisher struct {
	session *session.Session
	name    share.SnapshotName
	files   []remote.File
	sum     Published
}

// addExport adds the files that an engine loads.
func (p *publisher) addExport(from *export.Source) {
	for _, l := range from.Manifest() {
		p.files = append(p.files, remote.File{Path: inFiles(l.Name), Text: l.Data})
		p.sum.Files++
		p.sum.Bytes += int64(len(l.Data))
	}
	for _, f := range from.Artifacts() {
		p.files = append(p.files, remote.File{Path: inFiles(f.Path), From: from.NameOf(f.Path), Blob: f.BLAKE3.String(), Size: f.Size})
		p.sum.Files++
		p.sum.Bytes += f.Size
	}
}

// addRunResults adds the results of the last run.
func (p *publisher) addRunResults() error {
	if !store.Exists(p.session.Place.Cache) {
		return nil
	}
	from, err := store.OpenReadOnly(p.session.Place.Cache)
	if err != nil {
		return err
	}
	if err := p.session.CheckOwner(); err != nil {
		return err
	}
	known, err := p.session.LoadIndex()
	if err != nil {
		return err
	}
	defer known.Close()
	var lines bytes.Buffer
	seen := map[store.ResultID]bool{}
	for a := range p.session.CheckedIndex(known.Index).Results().Actions() {
		ofTarget := p.name.Target == "" || a.Target == p.name.Target
		if !ofTarget || a.State != index.Done || len(a.Made) == 0 || !lookup.StoresMethod(a.Method, p.session.Basis.Recipes) {
			continue
		}
		key := lookup.UploadKeys(a.ID, a.Deps)[0]
		if seen[key.Result] {
			continue
		}
		seen[key.Result] = true
		e, err := entryOf(from, key)
		if errors.Is(err, store.ErrMissing) || errors.Is(err, store.ErrDamaged) {
			p.sum.Missing++
			continue
		}
		if err != nil {
			return err
		}
		p.sum.Results++
		if err := json.NewEncoder(&lines).Encode(e); err != nil {
			return err
		}
	}
	if lines.Len() > 0 {
		p.files = append(p.files, remote.File{Path: resultsName, Text: lines.Bytes()})
	}
	return nil
}

// addIndex adds the index of the last run.
func (p *publisher) addIndex() error {
	flat, changes, err := p.session.State.Index.FileNames()
	if err != nil {
		return err
	}
	for path, name := range map[string]string{indexName: flat, changesName: changes} {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		d, err := share.BLAKE3.OfReader(f)
		f.Close()
		if err != nil {
			return err
		}
		p.files = append(p.files, remote.File{Path: path, From: name, Blob: d.Hash, Size: d.Size})
	}
	return nil
}

// entryOf returns the entry of a result of the store.
func entryOf(from *store.Store, key remote.Key) (e entry, err error) {
	r, err := from.Result(key.Result)
	if err != nil {
		return e, err
	}
	e.Key, e.Origin = key, r.Origin
	if e.Result, err = store.MarshalResult(key.Result, r); err != nil || !key.Reads {
		return e, err
	}
	sets, err := from.ReadSets(key.Action)
	e.ReadSets = store.MarshalReadSets(key.Action, sets)
	return e, err
}
