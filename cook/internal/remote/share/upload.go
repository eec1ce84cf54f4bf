package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// uploads give results to the server, some at a time: those blobs that it lacks, then what
// refers to them.
type uploads struct {
	mu     sync.Mutex
	queue  []kept
	active int
	idle   chan struct{} // closed when nothing is queued and nothing active; nil if nobody waits
	left   []kept        // that failed for want of the server
	done   int64
	bytes  int64
}

const (
	uploaders    = 4
	uploadGroup  = 500 // results that look for missing blobs together
	largeUploads = 8   // blobs of a group that have a request each, at a time
)

// A kept is a key under which the store has what is to be uploaded, and what cooked that.
type kept struct {
	remote.Key
	maker
}

// made are keys whose results the run has just cooked.
func (s *sharer) made(keys []remote.Key) []kept {
	by := maker{s.Run, s.Host, time.Now().UTC().Truncate(time.Millisecond)}
	all := make([]kept, len(keys))
	for i, k := range keys {
		all[i] = kept{k, by}
	}
	return all
}

// keep uploads the result of a key when its turn has come.
func (s *sharer) keep(ctx context.Context, keys []kept) {
	u := &s.uploads
	u.mu.Lock()
	defer u.mu.Unlock()
	u.queue = append(u.queue, keys...)
	if len(u.queue) > 0 && u.active < uploaders {
		u.active++
		go s.upload(ctx)
	}
}

// upload uploads what is queued.
func (s *sharer) upload(ctx context.Context) {
	u := &s.uploads
	for {
		u.mu.Lock()
		group := u.queue[:min(uploadGroup, len(u.queue))]
		u.queue = u.queue[len(group):]
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
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, ErrUnavailable), errors.Is(err, errOff):
			u.left = append(u.left, group...)
		default:
			if errors.Is(err, ErrRefused) || errors.Is(err, ErrFull) {
				u.queue = nil // the others would end in the same way
			}
			u.mu.Unlock()
			// The run may be slow to read, and what it sends meanwhile must be taken.
			s.noteOnce("upload", fmt.Errorf("upload: %w", err))
			continue
		}
		u.mu.Unlock()
	}
}

// A gift is an entry that is to be on the server, and what it needs there.
type gift struct {
	key    remote.Key
	entry  *entry
	action action
}

// uploadGroup uploads some results. Those that are no longer in the store are left out.
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
	Each(len(keys), func(i int) error { // what gift is going to merge with
		if !keys[i].Reads {
			s.lookUp(ctx, s.find(keys[i].Key))
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
		if traits.Actions {
			for _, message := range g.action.blobs {
				contents[traits.Function.Of(message)] = content{message: message}
			}
		}
		gifts = append(gifts, g)
	}
	if err := s.uploadContents(ctx, traits, contents); err != nil {
		return err
	}
	return Each(len(gifts), func(i int) error { return s.uploadResult(ctx, gifts[i]) })
}

// uploadResult uploads what refers to blobs that are on the server.
func (s *sharer) uploadResult(ctx context.Context, g gift) error {
	ar, err := g.entry.encode(g.key, s.Keys.Sign)
	if err == nil {
		err = s.link.do(ctx, int64(len(ar.StdoutRaw)), func(ctx context.Context, server Server) error {
			return server.PutResult(ctx, g.action.Digest, ar)
		})
	}
	switch {
	case err == nil && g.entry.result != nil:
		s.uploads.add(1, 0)
	case err == nil:
	case ctx.Err() != nil, errors.Is(err, ErrUnavailable), errors.Is(err, errOff), errors.Is(err, ErrRefused), errors.Is(err, ErrFull):
		return err
	default: // of this one, such as that a blob of it has just been evicted
		s.noteOnce("upload", fmt.Errorf("upload: %w", err))
	}
	return nil
}

// gift returns the entry that makes what the store has under a key known, and adds the
// contents that it needs. There is none if the store has nothing, or nothing new.
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
		// Two that add to what is there at the same time may lose one of the two additions,
		// which costs a miss.
		// A signature could not be kept by a run that does not sign, and one that does
		// vouches for what it merges.
		there := s.find(k.Key)
		switch found := s.lookUp(ctx, there); {
		case found && s.Keys.Sign == nil && there.signed != nil,
			found && (s.Keys.Sign == nil || s.Keys.vouches(there.signed)) && !e.merge(there.entry):
			return g, false
		}
	}
	return gift{k.Key, e, actionOf(k.Key, f)}, e.result != nil || len(e.readSets) > 0
}

// digest returns the server's name of a blob.
func (s *sharer) digest(f Function, a store.Artifact) (Digest, error) {
	if f == BLAKE3 {
		return Digest{a.Blob.String(), a.Size}, nil
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

// A content is one that the server may lack: a blob of the store, a message, or a file.
type content struct {
	artifact store.Artifact
	message  []byte       // nil for others
	file     *remote.File // likewise
}

// uploadContents uploads those contents that the server lacks.
func (s *sharer) uploadContents(ctx context.Context, traits Traits, contents map[Digest]content) error {
	digests := make([]Digest, 0, len(contents))
	for d := range contents {
		digests = append(digests, d)
	}
	if len(digests) == 0 {
		return nil
	}
	var missing []Digest
	err := s.link.do(ctx, int64(100*len(digests)), func(ctx context.Context, server Server) (err error) {
		missing, err = server.Missing(ctx, digests)
		return err
	})
	if err != nil {
		return err
	}
	b := batch{limit: min(traits.Batch, smallBatch)}
	large, largeCtx := errgroup.WithContext(ctx)
	large.SetLimit(largeUploads)
	for _, d := range missing {
		c, ok := contents[d]
		switch {
		case !ok: // it was not asked about
		case !s.link.isSmall(d):
			large.Go(func() error { return s.uploadLarge(largeCtx, d, c) })
		case err == nil:
			err = s.uploadSmall(ctx, d, c, &b)
		}
	}
	if err == nil {
		err = s.sendBatch(ctx, &b)
	}
	return cmp.Or(err, large.Wait())
}

// A batch is of small blobs that one request takes.
type batch struct {
	limit, size int64
	digests     []Digest
	contents    [][]byte
}

func (s *sharer) uploadSmall(ctx context.Context, d Digest, c content, b *batch) error {
	r, err := s.openContent(c, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, d.Size))
	if c.file != nil && (err != nil || s.link.server.Traits().Function.Of(data) != d) {
		return errors.Join(err, errInputChanged)
	}
	if err != nil || int64(len(data)) != d.Size {
		return fmt.Errorf("blob %s of the store: %w", d.Hash, errors.Join(err, store.ErrDamaged))
	}
	if b.size+d.Size > b.limit {
		if err := s.sendBatch(ctx, b); err != nil {
			return err
		}
	}
	b.size += d.Size
	b.digests, b.contents = append(b.digests, d), append(b.contents, data)
	return nil
}

func (s *sharer) sendBatch(ctx context.Context, b *batch) error {
	if len(b.digests) == 0 {
		return nil
	}
	is := s.traffic.begin(true, len(b.digests), b.size)
	defer is.end()
	err := s.link.do(ctx, b.size, func(ctx context.Context, server Server) error {
		return server.WriteSmall(ctx, b.digests, b.contents)
	})
	if err == nil {
		is.passed(b.size)
		s.uploads.add(0, b.size)
	}
	b.size, b.digests, b.contents = 0, nil, nil
	return err
}

func (s *sharer) uploadLarge(ctx context.Context, d Digest, c content) error {
	is := s.traffic.begin(true, 1, d.Size)
	defer is.end()
	err := s.link.do(ctx, d.Size, func(ctx context.Context, server Server) error {
		return server.Write(ctx, d, func(offset int64) (io.ReadCloser, error) {
			r, err := s.openContent(c, offset)
			if err != nil {
				return nil, err
			}
			return is.reader(r), nil
		})
	})
	if err == nil {
		s.uploads.add(0, d.Size)
	}
	return err
}

func (u *uploads) add(entries, bytes int64) {
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

// flush waits until all is uploaded, for a time at most and no longer than ctx, and returns what
// is left.
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
	select {
	case <-idle:
	case <-time.After(longest):
	case <-ctx.Done():
	case <-s.link.ctx.Done():
	}
	stop()
	<-idle // soon: all requests have ended
	u.mu.Lock()
	defer u.mu.Unlock()
	return append(u.left, u.queue...)
}
