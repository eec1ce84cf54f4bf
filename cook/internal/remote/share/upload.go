package share

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
)

const (
	uploaders   = 4
	uploadGroup = 500         // number of results per request for missing blobs
	laterGroup  = 50          // same as uploadGroup, for results of earlier runs
	laterTime   = time.Second // default of Options.LaterTime
	mostTries   = 5           // maximum number of runs that try to upload a result
	mostOutage  = time.Minute // maximum outage that the end of a run waits for
)

// An uploader sends results to the server in groups: first the blobs that the server lacks, then
// the records. Results of earlier runs come last.
type uploader struct {
	blobs     *sender
	looks     *lookups
	out       *answers
	keys      Keys
	maker     maker
	laterTime time.Duration
	pending   string
	push      bool // see Options.Push
	resumed   bool // set once the file Options.Pending was read
	queue     uploadQueue
}

// An uploadQueue has the results to be uploaded.
type uploadQueue struct {
	mu     sync.Mutex
	queue  []queuedResult
	later  []queuedResult // results of earlier runs
	own    int            // number of groups in flight with results of this run
	active int
	idle   chan struct{}  // closed when nothing is queued or in flight; may be nil
	left   []queuedResult // results that a later run must upload
	failed failures
	done   int64 // number of uploaded results
	known  int64 // number of results that the server had
}

// failures counts the results that the server did not accept.
type failures struct {
	results int64
	asset   string
	why     error
}

// A queuedResult is in the store and waits for its upload.
type queuedResult struct {
	remote.Key
	maker
	Asset string `json:"asset,omitempty"`
	Tries int    `json:"tries,omitempty"` // number of runs that have tried to upload the result
}

// newlyCooked returns the keys of results that this run has cooked.
func (u *uploader) newlyCooked(r *remote.Request) []queuedResult {
	by := u.maker
	if !u.push {
		by.At = time.Now().UTC().Truncate(time.Millisecond)
	}
	all := make([]queuedResult, len(r.Keys))
	for i, k := range r.Keys {
		all[i] = queuedResult{Key: k, maker: by, Asset: assetOf(r, i)}
	}
	return all
}

// enqueue queues results of this run and of earlier runs for upload.
func (u *uploader) enqueue(ctx context.Context, keys, later []queuedResult) {
	q := &u.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue, q.later = append(q.queue, keys...), append(q.later, later...)
	if q.active < uploaders {
		q.active++
		go u.uploadQueued(ctx)
	}
}

// nextGroup removes the next group of keys from the queues. own reports whether this run has cooked
// these results.
func (q *uploadQueue) nextGroup() (group []queuedResult, own bool) {
	queue, most := &q.queue, uploadGroup
	if own = len(*queue) > 0; own {
		q.own++
	} else {
		queue, most = &q.later, laterGroup
	}
	group = (*queue)[:min(most, len(*queue))]
	*queue = (*queue)[len(group):]
	return group, own
}

// uploadQueued uploads the queued results.
func (u *uploader) uploadQueued(ctx context.Context) {
	q := &u.queue
	for {
		q.mu.Lock()
		group, own := q.nextGroup()
		if len(group) == 0 {
			q.active--
			if q.active == 0 && q.idle != nil {
				close(q.idle)
				q.idle = nil
			}
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		err := u.uploadGroup(ctx, group)
		q.mu.Lock()
		if own {
			q.own--
		}
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, ErrUnavailable), errors.Is(err, errOff):
			q.left = append(q.left, group...)
		case errors.Is(err, ErrFull): // the server is full; a later run may find space
			q.left = append(append(append(q.left, group...), q.queue...), q.later...)
			q.queue, q.later = nil, nil
		case errors.Is(err, ErrRefused):
			q.queue, q.later = nil, nil
		}
		q.mu.Unlock()
		if err == nil || ctx.Err() != nil || errors.Is(err, errOff) {
			continue
		}
		// Send without the lock: the run may read slowly while it sends requests.
		u.out.noteFirst("upload", fmt.Errorf("upload: %w", err))
	}
}

// uploadGroup uploads the results that are still in the store. It returns an error only if no
// result of the group can be uploaded. A single refused result does not stop the group.
func (u *uploader) uploadGroup(ctx context.Context, keys []queuedResult) error {
	server, err := u.blobs.link.awaitServer(ctx, wholeRun)
	if err != nil {
		return err
	}
	traits := server.Traits()
	if err := u.keys.checkUploads(traits); err != nil {
		return err
	}
	// The run may have cooked a result before it asked the server. Keys that the run has looked up
	// cost no request.
	Each(len(keys), func(i int) error {
		u.looks.lookUp(ctx, keys[i].Key, keys[i].Asset, wholeRun)
		return nil
	})
	var gifts []gift
	contents := map[Digest]content{}
	for _, k := range keys {
		g, ok := u.giftOf(ctx, k, traits.Function, contents)
		if !ok {
			continue
		}
		g.needs = g.entry.files
		if traits.Actions {
			for _, message := range g.action.blobs {
				d := traits.Function.Of(message)
				contents[d] = content{message: message}
				g.needs = append(slices.Clip(g.needs), d)
			}
		}
		gifts = append(gifts, g)
	}
	failed, err := u.blobs.uploadContents(ctx, traits, contents)
	if err != nil {
		return err
	}
	return Each(len(gifts), func(i int) error {
		if gifts[i].known {
			u.queue.countKnown(gifts[i].entry)
			return nil
		}
		for _, d := range gifts[i].needs {
			if why := failed[d]; why != nil {
				u.recordRefusal(ctx, gifts[i].key, why)
				return nil
			}
		}
		return u.uploadResult(ctx, gifts[i])
	})
}

// A gift is an entry to upload, with the blobs that it refers to.
type gift struct {
	key    queuedResult
	entry  *entry
	action action
	needs  []Digest
	known  bool // the server has the entry, but may lack blobs
}

// giftOf returns the entry to upload for a key, and adds its blobs to contents. ok is false if the
// store has neither a result nor read sets, or if this machine must not replace the server's entry.
func (u *uploader) giftOf(ctx context.Context, k queuedResult, f Function, contents map[Digest]content) (g gift, ok bool) {
	e := &entry{origin: store.Origin{Run: k.Run, Host: k.Host, At: k.At}}
	if r, err := u.blobs.store.Result(k.Result); err == nil {
		e.result = &r
		if made := (maker{r.Origin.Run, r.Origin.Host, r.Origin.At}); made != (maker{}) {
			e.origin = made.validOrigin(&messages.ActionResult{})
		}
		for _, a := range r.Artifacts {
			d, err := u.blobs.blobDigest(f, a)
			if err != nil {
				return g, false
			}
			contents[d] = content{artifact: a, damaged: u.looks.blobs.isDamaged(a)}
			e.files = append(e.files, d)
		}
	}
	if !k.Reads {
		if sets, err := u.blobs.store.ReadSets(k.Action); err == nil {
			e.readSets = sets
		}
	}
	// If two machines add to an entry at the same time, one addition may be lost. This only causes a
	// miss. A run without a signing key leaves signed entries unchanged, because it cannot sign them
	// again.
	switch there, _ := u.looks.lookUp(ctx, k.Key, k.Asset, wholeRun); {
	case there == nil:
	case u.keys.Sign == nil && there.signed != nil:
		u.queue.countKnown(e)
		return g, false
	case u.keys.Sign == nil || u.keys.vouches(there.signed):
		g.known = !e.addOld(there)
	}
	return gift{key: k, entry: e, action: actionOf(k.Key, f), known: g.known}, e.result != nil || len(e.readSets) > 0
}

// uploadResult uploads an entry whose blobs are on the server.
func (u *uploader) uploadResult(ctx context.Context, g gift) error {
	ar, err := g.entry.encodeEntry(g.key.Key, u.keys.Sign)
	if err == nil {
		err = u.blobs.link.callRetrying(ctx, call{size: int64(len(ar.StdoutRaw)), how: wholeRun, up: true, do: func(ctx context.Context, server Server) error {
			return server.PutResult(ctx, g.action.Digest, ar)
		}})
	}
	switch {
	case err == nil && g.entry.result != nil:
		u.queue.countUploaded()
	case err == nil:
	case errors.Is(err, ErrRefused):
		return err
	default:
		u.recordRefusal(ctx, g.key, err)
	}
	return nil
}

// recordRefusal records that the server did not accept a result. A later run tries again, unless
// the error is permanent.
func (u *uploader) recordRefusal(ctx context.Context, k queuedResult, why error) {
	q := &u.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	again := true
	if ctx.Err() == nil && !errors.Is(why, errOff) {
		q.failed.results++
		if q.failed.why == nil {
			q.failed.asset, q.failed.why = k.Asset, why
		}
		k.Tries++
		again = isUnavailable(why) || errors.Is(why, ErrFull)
	}
	if again && k.Tries < mostTries {
		q.left = append(q.left, k)
	}
}

// noteFailed sends a note about the results that were not accepted.
func (u *uploader) noteFailed() {
	u.queue.mu.Lock()
	f := u.queue.failed
	u.queue.mu.Unlock()
	if f.results == 0 {
		return
	}
	then := "each machine cooks the asset"
	if isUnavailable(f.why) || errors.Is(f.why, ErrFull) {
		then = "later runs try to upload again"
	}
	of := pathname.Show(cmp.Or(f.asset, "an asset"))
	if f.results > 1 {
		of = fmt.Sprintf("%d results, such as the result of %s", f.results, of)
	} else {
		of = "the result of " + of
	}
	u.out.writeNote(fmt.Sprintf("upload: the server did not accept %s: %v; %s", of, f.why, then))
}

// countUploaded counts an uploaded result.
func (q *uploadQueue) countUploaded() {
	q.mu.Lock()
	q.done++
	q.mu.Unlock()
}

// countKnown counts an entry that the server has, if it has a result.
func (q *uploadQueue) countKnown(e *entry) {
	if e.result == nil {
		return
	}
	q.mu.Lock()
	q.known++
	q.mu.Unlock()
}

// flushUploads waits until all results are uploaded, ctx ends, or the time in longest has passed.
// It waits less for results of earlier runs, and during an outage. It returns the results that
// remain.
func (u *uploader) flushUploads(ctx context.Context, longest time.Duration, stop context.CancelFunc) []queuedResult {
	q := &u.queue
	q.mu.Lock()
	idle := make(chan struct{})
	if q.active == 0 {
		close(idle)
	} else {
		q.idle = idle
	}
	q.mu.Unlock()
	ticker := time.NewTicker(u.laterTime)
	defer ticker.Stop()
	end := time.After(longest)
	for waiting := true; waiting; {
		select {
		case <-idle:
			waiting = false
		case <-ticker.C:
			q.mu.Lock()
			waiting = len(q.queue) > 0 || q.own > 0
			q.mu.Unlock()
			outage, _ := u.blobs.link.outages.lasts()
			waiting = waiting && outage < min(longest/10, mostOutage)
		case <-end:
			waiting = false
		case <-ctx.Done():
			waiting = false
		case <-u.blobs.link.ctx.Done():
			waiting = false
		}
	}
	stop()
	<-idle // all requests were canceled or have ended
	q.mu.Lock()
	defer q.mu.Unlock()
	return append(append(q.left, q.queue...), q.later...)
}

// maxPending limits the keys that wait for a later run.
const maxPending = 100_000

// savePending adds keys to the file for a later run. Losing them only causes misses.
func (u *uploader) savePending(keys []queuedResult) {
	if len(keys) == 0 || u.pending == "" {
		return
	}
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	for _, k := range keys[:min(maxPending, len(keys))] {
		e.Encode(k)
	}
	err := os.MkdirAll(filepath.Dir(u.pending), 0o777)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(u.pending, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
			_, err = f.Write(lines.Bytes())
			f.Close()
		}
	}
	if err != nil {
		u.out.noteFirst("pending", fmt.Errorf("upload: cannot save %d results for the next run to upload: %w", len(keys), err))
	}
}

// takePending reads and removes the keys of earlier runs, once. It skips incomplete lines.
func (u *uploader) takePending() (keys []queuedResult) {
	again := u.resumed
	u.resumed = true
	if again || u.push || u.pending == "" {
		return nil
	}
	mine := fmt.Sprintf("%s-%d", u.pending, os.Getpid()) // renaming prevents another run from taking the file too
	if busyfile.Rename(u.pending, mine) != nil {
		return nil
	}
	defer busyfile.Remove(mine)
	data, err := os.ReadFile(mine)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(data) {
		var k queuedResult
		if json.Unmarshal(line, &k) == nil && len(keys) < maxPending {
			keys = append(keys, k)
		}
	}
	return keys
}

// countActions returns the number of different actions of keys.
func countActions(keys []queuedResult) int {
	seen := map[store.ActionID]bool{}
	for _, k := range keys {
		seen[k.Action] = true
	}
	return len(seen)
}
