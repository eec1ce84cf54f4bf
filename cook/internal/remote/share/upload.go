package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// uploads sends results to the server in groups: first the blobs that the server lacks, then the
// records that refer to them. Results that earlier runs left over come last.
type uploads struct {
	mu     sync.Mutex
	queue  []kept
	later  []kept // left over by earlier runs
	own    int    // groups of this run in flight
	active int
	idle   chan struct{} // closed when nothing is queued or active; may be nil
	left   []kept        // for a later run
	failed failures
	done   int64
	bytes  int64
}

// failures counts the results that the server did not take.
type failures struct {
	results int64
	asset   string // of the first failure
	why     error
}

const (
	uploaders    = 4
	uploadGroup  = 500         // results that share one request for missing blobs
	laterGroup   = 50          // the same for results of earlier runs
	laterTime    = time.Second // Options.LaterTime by default
	largeUploads = 8           // concurrent requests of a group for large blobs
	mostTries    = 5           // runs that try to upload a result
)

// A kept is the key of a result in the store that is to be uploaded, and the run that cooked it.
type kept struct {
	remote.Key
	maker
	Asset string `json:"asset,omitempty"`
	Tries int    `json:"tries,omitempty"` // runs in which the server refused it
}

// made returns the keys of results that the run has just cooked.
func (s *sharer) made(r *remote.Request) []kept {
	by := maker{s.Run, s.Host, time.Now().UTC().Truncate(time.Millisecond)}
	all := make([]kept, len(r.Keys))
	for i, k := range r.Keys {
		all[i] = kept{Key: k, maker: by, Asset: assetOf(r, i)}
	}
	return all
}

// keep queues results of this run and of earlier runs for upload.
func (s *sharer) keep(ctx context.Context, keys, later []kept) {
	u := &s.uploads
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queue, u.later = append(u.queue, keys...), append(u.later, later...)
	if u.active < uploaders {
		u.active++
		go s.upload(ctx)
	}
}

// next takes the next group of keys from the queues, and reports whether it is of this run.
func (u *uploads) next() (group []kept, own bool) {
	queue, most := &u.queue, uploadGroup
	if own = len(*queue) > 0; own {
		u.own++
	} else {
		queue, most = &u.later, laterGroup
	}
	group = (*queue)[:min(most, len(*queue))]
	*queue = (*queue)[len(group):]
	return group, own
}

// upload uploads the queued results.
func (s *sharer) upload(ctx context.Context) {
	u := &s.uploads
	for {
		u.mu.Lock()
		group, own := u.next()
		if len(group) == 0 {
			u.active--
			if u.active == 0 && u.idle != nil {
				close(u.idle)
				u.idle = nil
			}
			u.mu.Unlock()
			return
		}
		u.mu.Unlock()
		err := s.uploadGroup(ctx, group)
		u.mu.Lock()
		if own {
			u.own--
		}
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, ErrUnavailable), errors.Is(err, errOff):
			u.left = append(u.left, group...)
		case errors.Is(err, ErrFull): // all uploads would fail now; a later run may find room
			u.left = append(append(append(u.left, group...), u.queue...), u.later...)
			u.queue, u.later = nil, nil
		case errors.Is(err, ErrRefused):
			u.queue, u.later = nil, nil
		}
		u.mu.Unlock()
		if err == nil || ctx.Err() != nil || errors.Is(err, errOff) {
			continue
		}
		// Send without the lock: the run may read slowly while it sends requests.
		s.noteOnce("upload", fmt.Errorf("upload: %w", err))
	}
}

// fail records a result that the server did not take. A later run retries it unless it would fail
// again.
func (s *sharer) fail(ctx context.Context, k kept, why error) {
	u := &s.uploads
	u.mu.Lock()
	defer u.mu.Unlock()
	again := true
	if ctx.Err() == nil && !errors.Is(why, errOff) {
		u.failed.results++
		if u.failed.why == nil {
			u.failed.asset, u.failed.why = k.Asset, why
		}
		k.Tries++
		again = isUnavailable(why) || errors.Is(why, ErrFull)
	}
	if again && k.Tries < mostTries {
		u.left = append(u.left, k)
	}
}

// noteFailed sends a note about the results that the server did not take.
func (s *sharer) noteFailed() {
	s.uploads.mu.Lock()
	f := s.uploads.failed
	s.uploads.mu.Unlock()
	if f.results == 0 {
		return
	}
	then := "it is cooked on each machine"
	if isUnavailable(f.why) || errors.Is(f.why, ErrFull) {
		then = "later runs try again"
	}
	of := pathname.Show(cmp.Or(f.asset, "an asset"))
	if f.results > 1 {
		of = fmt.Sprintf("%d results, one of them of %s", f.results, of)
	} else {
		of = "the result of " + of
	}
	s.note(fmt.Sprintf("upload: the server did not take %s: %v; %s", of, f.why, then))
}

// A gift is an entry to be uploaded, with the blobs it needs on the server.
type gift struct {
	kept
	entry  *entry
	action action
	needs  []Digest
}

// uploadGroup uploads some results, but skips results that are no longer in the store. An error
// concerns the whole group. A single refused result does not stop the others.
func (s *sharer) uploadGroup(ctx context.Context, keys []kept) error {
	server, err := s.link.ready(ctx, true)
	if err != nil {
		return err
	}
	traits := server.Traits()
	if !traits.Uploads {
		return fmt.Errorf("%w: it takes no results from here", ErrRefused)
	}
	if len(s.Keys.Trust) > 0 && s.Keys.Sign == nil {
		return errNoKey
	}
	Each(len(keys), func(i int) error { // gift merges with these entries
		if !keys[i].Reads {
			s.lookUp(ctx, s.findResult(keys[i].Key, keys[i].Asset))
		}
		return nil
	})
	var gifts []gift
	contents := map[Digest]content{}
	for _, k := range keys {
		g, ok := s.gift(ctx, k, traits.Function, contents)
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
	failed, err := s.uploadContents(ctx, traits, contents)
	if err != nil {
		return err
	}
	return Each(len(gifts), func(i int) error {
		for _, d := range gifts[i].needs {
			if why := failed[d]; why != nil {
				s.fail(ctx, gifts[i].kept, why)
				return nil
			}
		}
		return s.uploadResult(ctx, gifts[i])
	})
}

// uploadResult uploads an entry whose blobs are on the server.
func (s *sharer) uploadResult(ctx context.Context, g gift) error {
	ar, err := g.entry.encode(g.Key, s.Keys.Sign)
	if err == nil {
		err = s.link.uploadBlob(ctx, int64(len(ar.StdoutRaw)), func(ctx context.Context, server Server) error {
			return server.PutResult(ctx, g.action.Digest, ar)
		})
	}
	switch {
	case err == nil && g.entry.result != nil:
		s.uploads.countUpload(1, 0)
	case err == nil:
	case errors.Is(err, ErrRefused):
		return err
	default:
		s.fail(ctx, g.kept, err)
	}
	return nil
}

// gift returns the entry to upload for a key, and adds the contents that it needs. ok is false if
// the store has no result, or the server has it already.
func (s *sharer) gift(ctx context.Context, k kept, f Function, contents map[Digest]content) (g gift, ok bool) {
	e := &entry{origin: store.Origin{Run: k.Run, Host: k.Host, At: k.At}}
	if r, err := s.Store.Result(k.Result); err == nil {
		e.result = &r
		for _, a := range r.Artifacts {
			d, err := s.digest(f, a)
			if err != nil {
				return g, false
			}
			contents[d] = content{artifact: a}
			e.files = append(e.files, d)
		}
	}
	if !k.Reads {
		if sets, err := s.Store.ReadSets(k.Action); err == nil {
			e.readSets = sets
		}
		// If two machines add to an entry at the same time, one addition may be lost, which costs
		// a miss. A run without a key cannot keep a signature, so it leaves signed entries
		// unchanged. A run with a key vouches for the entries that it merges.
		there := s.findResult(k.Key, k.Asset)
		switch found := s.lookUp(ctx, there); {
		case found && s.Keys.Sign == nil && there.signed != nil,
			found && (s.Keys.Sign == nil || s.Keys.vouches(there.signed)) && !e.merge(there.entry):
			return g, false
		}
	}
	return gift{kept: k, entry: e, action: actionOf(k.Key, f)}, e.result != nil || len(e.readSets) > 0
}

// digest returns the server's digest of a blob.
func (s *sharer) digest(f Function, a store.Artifact) (Digest, error) {
	if f == BLAKE3 {
		return Digest{Hash: a.Blob.String(), Size: a.Size}, nil
	}
	r, err := s.Store.OpenBlob(a.Blob, a.Size)
	if err != nil {
		return Digest{}, err
	}
	defer r.Close()
	d, err := f.OfReader(r)
	if err == nil && d.Size != a.Size {
		err = fmt.Errorf("%w: blob %s has %d bytes", store.ErrDamaged, a.Blob, d.Size)
	}
	return d, err
}

// A content is a possible upload: a blob of the store, a message, or a file.
type content struct {
	artifact store.Artifact
	message  []byte       // nil for others
	file     *remote.File // nil for others
}

// A giving is the upload of several contents, each of which may fail.
type giving struct {
	batch
	mu     sync.Mutex
	failed map[Digest]error
	inRow  int   // failures without a success in between
	err    error // the reason to stop all uploads
}

// ended records the outcome of one blob. It gives up the whole upload after several failures in a
// row, and at once for an error that all other blobs would have as well.
func (g *giving) ended(ctx context.Context, d Digest, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		g.inRow = 0
		return
	}
	g.failed[d] = err
	if isUnavailable(err) || errors.Is(err, ErrFull) {
		g.inRow++
	}
	if g.err == nil && (ctx.Err() != nil || errors.Is(err, errOff) || errors.Is(err, ErrRefused) || g.inRow >= failsInRow) {
		g.err = err
	}
}

func (g *giving) over() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err != nil
}

// uploadContents uploads the contents that the server lacks. It returns the errors of the refused
// contents, and the error that stops all further uploads.
func (s *sharer) uploadContents(ctx context.Context, traits Traits, contents map[Digest]content) (map[Digest]error, error) {
	g := &giving{batch: batch{limit: min(traits.Batch, smallBatch)}, failed: map[Digest]error{}}
	var digests []Digest
	for d := range contents {
		if traits.MaxBlob > 0 && d.Size > traits.MaxBlob {
			g.failed[d] = fmt.Errorf("an artifact of %s is %w, which takes %s", human.Bytes(d.Size), ErrTooLarge, human.Bytes(traits.MaxBlob))
		} else {
			digests = append(digests, d)
		}
	}
	if len(digests) == 0 {
		return g.failed, nil
	}
	var missing []Digest
	err := s.link.do(ctx, int64(100*len(digests)), func(ctx context.Context, server Server) (err error) {
		missing, err = server.Missing(ctx, digests)
		return err
	})
	if err != nil {
		return nil, err
	}
	var large errgroup.Group
	large.SetLimit(largeUploads)
	for _, d := range missing {
		c, ok := contents[d]
		switch {
		case !ok: // the caller did not ask for it
		case g.over():
		case s.link.isSmall(d):
			s.uploadSmall(ctx, d, c, g)
		default:
			large.Go(func() error {
				g.ended(ctx, d, s.uploadLarge(ctx, d, c))
				return nil
			})
		}
	}
	s.sendBatch(ctx, g)
	large.Wait()
	return g.failed, g.err
}

// A batch is a set of small blobs for one request.
type batch struct {
	limit, size int64
	digests     []Digest
	contents    [][]byte
}

func (s *sharer) uploadSmall(ctx context.Context, d Digest, c content, g *giving) {
	data, err := s.readContent(d, c)
	if err != nil {
		g.ended(ctx, d, err)
		return
	}
	if g.size+d.Size > g.limit {
		s.sendBatch(ctx, g)
	}
	g.size += d.Size
	g.digests, g.contents = append(g.digests, d), append(g.contents, data)
}

// readContent reads a small content.
func (s *sharer) readContent(d Digest, c content) ([]byte, error) {
	r, err := s.openContent(c, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, d.Size))
	if c.file != nil && (err != nil || s.link.server.Traits().Function.Of(data) != d) {
		return nil, errors.Join(err, errInputChanged)
	}
	if err != nil || int64(len(data)) != d.Size {
		return nil, fmt.Errorf("blob %s of the store: %w", d.Hash, errors.Join(err, store.ErrDamaged))
	}
	return data, nil
}

// sendBatch uploads the blobs of the batch together, or one by one if that fails.
func (s *sharer) sendBatch(ctx context.Context, g *giving) {
	b := g.batch
	g.batch = batch{limit: b.limit}
	if len(b.digests) == 0 || g.over() {
		return
	}
	is := s.traffic.begin(true, len(b.digests), b.size)
	err := s.link.uploadBlob(ctx, b.size, func(ctx context.Context, server Server) error {
		return server.WriteSmall(ctx, b.digests, b.contents)
	})
	if err == nil {
		is.passed(b.size)
		s.uploads.countUpload(0, b.size)
	}
	is.end()
	for i, d := range b.digests {
		one := err
		if err != nil && len(b.digests) > 1 && !g.over() {
			one = s.uploadLarge(ctx, d, content{message: b.contents[i]})
		}
		g.ended(ctx, d, one)
	}
}

// uploadLarge uploads a blob with its own request.
func (s *sharer) uploadLarge(ctx context.Context, d Digest, c content) error {
	is := s.traffic.begin(true, 1, d.Size)
	defer is.end()
	err := s.link.uploadBlob(ctx, d.Size, func(ctx context.Context, server Server) error {
		return server.Write(ctx, d, func(offset int64) (io.ReadCloser, error) {
			r, err := s.openContent(c, offset)
			if err != nil {
				return nil, err
			}
			return is.reader(r), nil
		})
	})
	if err == nil {
		s.uploads.countUpload(0, d.Size)
	}
	return err
}

func (u *uploads) countUpload(entries, bytes int64) {
	u.mu.Lock()
	u.done += entries
	u.bytes += bytes
	u.mu.Unlock()
}

// openContent opens a content at an offset.
func (s *sharer) openContent(c content, offset int64) (io.ReadCloser, error) {
	if c.file != nil {
		return openInput(c.file, offset)
	}
	if c.message != nil {
		return io.NopCloser(bytes.NewReader(c.message[offset:])), nil
	}
	f, err := s.Store.OpenBlob(c.artifact.Blob, c.artifact.Size)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// flush waits until all results are uploaded, ctx ends, or longest has passed, and returns the
// remaining ones. It waits less for results of earlier runs.
func (s *sharer) flush(ctx context.Context, longest time.Duration, stop context.CancelFunc) []kept {
	u := &s.uploads
	u.mu.Lock()
	idle := make(chan struct{})
	if u.active == 0 {
		close(idle)
	} else {
		u.idle = idle
	}
	u.mu.Unlock()
	ticker := time.NewTicker(cmp.Or(s.LaterTime, laterTime))
	defer ticker.Stop()
	end := time.After(longest)
	for waiting := true; waiting; {
		select {
		case <-idle:
			waiting = false
		case <-ticker.C:
			u.mu.Lock()
			waiting = len(u.queue) > 0 || u.own > 0
			u.mu.Unlock()
		case <-end:
			waiting = false
		case <-ctx.Done():
			waiting = false
		case <-s.link.ctx.Done():
			waiting = false
		}
	}
	stop()
	<-idle // soon: all requests have ended
	u.mu.Lock()
	defer u.mu.Unlock()
	return append(append(u.left, u.queue...), u.later...)
}
