package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Carrier transfers snapshots. It waits while the server does not answer, and gives up after a
// minute.
type Carrier struct {
	server   string // name in messages
	keys     Keys
	maker    maker
	link     *link
	sent     *sender
	received *downloads
	stop     context.CancelFunc

	mu  sync.Mutex
	why error // why the server was given up
}

// carrierBatch limits the bytes of blobs in one request. It is larger than smallBatch, because no
// look-up waits behind a snapshot.
const carrierBatch = 4 << 20

// NewCarrier opens the server of opt in the background. It passes a message for the user to note if
// the server does not answer for a time.
func NewCarrier(ctx context.Context, opt Options, note func(string)) *Carrier {
	ctx, stop := context.WithCancel(ctx)
	c := &Carrier{server: opt.Name, keys: opt.Keys, maker: maker{Run: opt.Run, Host: opt.Host}, stop: stop}
	c.link = newLink(ctx, linkOptions{
		open: opt.Open, silence: opt.Silence, once: true,
		noteOutage: func(why error) { note(fmt.Sprintf("%s: %v; waiting for the server", opt.Name, why)) },
		noteEnd: func(why error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.why = why
		},
	})
	traffic := &traffic{publish: func(remote.Traffic) {}}
	c.received = &downloads{traffic: traffic, link: c.link, store: opt.Store, requested: map[store.Artifact]*download{}, sharing: sharing{carrierBatch, carrierBatch}}
	c.received.trip = func() time.Duration { return 0 }
	c.sent = &sender{link: c.link, store: opt.Store, traffic: traffic}
	c.link.uplink.rate = c.sent.pace.rate
	go c.limitOutages(ctx)
	return c
}

// limitOutages gives up a server that does not answer for mostOutage.
func (c *Carrier) limitOutages(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if d, why := c.link.outages.lasts(); d >= mostOutage {
			c.link.giveUpServer(why)
		}
	}
}

// Close ends all transfers, and closes the server.
func (c *Carrier) Close() {
	c.stop()
	c.link.closeServer()
	c.received.running.Wait() // the transfers remove their unfinished files
}

// MovedBytes returns the number of uploaded bytes, and the number of bytes that were downloaded into
// the store.
func (c *Carrier) MovedBytes() (up, down int64) {
	c.sent.mu.Lock()
	up = c.sent.sent
	c.sent.mu.Unlock()
	c.received.mu.Lock()
	defer c.received.mu.Unlock()
	return up, c.received.arrived.bytes
}

// CountRequests returns the number of requests so far.
func (c *Carrier) CountRequests() int64 {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	return c.link.requests
}

// openedServer returns the server when it is open.
func (c *Carrier) openedServer(ctx context.Context) (Server, error) {
	server, err := c.link.awaitServer(ctx, wholeRun)
	return server, c.explainFailure(err)
}

func (c *Carrier) callRetryingNamed(ctx context.Context, one call) error {
	return c.explainFailure(c.link.callRetrying(ctx, one))
}

// explainFailure returns an error with the name of the server. It has the reason why the server was given
// up, if that is the cause.
func (c *Carrier) explainFailure(err error) error {
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, errOff) && c.why != nil {
		err = c.why
	}
	return fmt.Errorf("%s: %w", c.server, err)
}

// PublishTree uploads files as the snapshot with the given name. It replaces an earlier snapshot with
// this name.
func (c *Carrier) PublishTree(ctx context.Context, name SnapshotName, files []remote.File) error {
	server, err := c.openedServer(ctx)
	if err != nil {
		return err
	}
	traits := server.Traits()
	if err := c.keys.checkUploads(traits); err != nil {
		return c.explainFailure(err)
	}
	digests := make([]Digest, len(files))
	err = Each(len(files), func(i int) (err error) {
		if files[i].From == "" {
			digests[i] = traits.Function.Of(files[i].Text)
			return nil
		}
		if digests[i], err = digestOfFile(&files[i], traits.Function); errors.Is(err, errInputChanged) {
			err = fmt.Errorf("%s is not as cook has made it; cook the assets again", pathname.Show(files[i].From))
		}
		return err
	})
	if err != nil {
		return err
	}
	tree, contents, paths := folder{}, map[Digest]content{}, map[Digest]string{}
	for i, d := range digests {
		file := &files[i]
		if contents[d] = (content{file: file}); file.From == "" {
			contents[d] = content{message: file.Text}
		}
		paths[d] = file.Path
		if err := tree.addNode(file.Path, &messages.FileNode{Digest: d}); err != nil {
			return err
		}
	}
	d, encoded := tree.encodeSnapshotTree(traits.Function)
	contents[d], paths[d] = content{message: encoded}, "the list of files"
	id := name.snapshotAction(traits.Function)
	if traits.Actions {
		for _, message := range id.blobs {
			contents[traits.Function.Of(message)] = content{message: message}
		}
	}
	if err := c.uploadGroups(ctx, traits, contents, paths); err != nil {
		return err
	}
	made := c.maker
	made.At = time.Now().UTC().Truncate(time.Millisecond)
	ar, err := encodeSnapshot(name, d, made, c.keys.Sign)
	if err != nil {
		return err
	}
	return c.callRetryingNamed(ctx, call{how: wholeRun, up: true, do: func(ctx context.Context, server Server) error {
		return server.PutResult(ctx, id.Digest, ar)
	}})
}

// uploadGroups uploads the contents that the server lacks, and returns an error if the server does
// not accept all of them. paths are the names of contents for messages.
func (c *Carrier) uploadGroups(ctx context.Context, traits Traits, contents map[Digest]content, paths map[Digest]string) error {
	const atOnce = 10_000 // number of digests in a request for missing blobs
	group := map[Digest]content{}
	flush := func() error {
		failed, err := c.sent.uploadContents(ctx, traits, group)
		for d, why := range failed {
			err = cmp.Or(err, fmt.Errorf("the server did not accept %s: %w", cmp.Or(paths[d], "a message"), why))
		}
		clear(group)
		return c.explainFailure(err)
	}
	for d, content := range contents {
		if group[d] = content; len(group) == atOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// ReadContents returns the contents of blobs, which are held in memory. The error wraps ErrMissing if
// the server does not have one of them.
func (c *Carrier) ReadContents(ctx context.Context, digests []Digest) ([][]byte, error) {
	server, err := c.openedServer(ctx)
	if err != nil {
		return nil, err
	}
	traits := server.Traits()
	contents := make([][]byte, len(digests))
	for _, d := range digests {
		if d.Size < 0 || d.Size > MaxTree {
			return nil, c.explainFailure(fmt.Errorf("%w: the blob %s has %d bytes, and at most %d are read", errSnapshotWrong, d.Hash, d.Size, MaxTree))
		}
	}
	for done := 0; done < len(digests); {
		end, size := done+1, digests[done].Size
		for end < len(digests) && size+digests[end].Size <= max(traits.Batch, carrierBatch) && end-done < 1000 {
			size += digests[end].Size
			end++
		}
		if err := c.readContentGroup(ctx, digests[done:end], contents[done:end], size); err != nil {
			return nil, err
		}
		done = end
	}
	for i, d := range digests {
		if traits.Function.Of(contents[i]) != d {
			return nil, c.explainFailure(fmt.Errorf("%w: the blob %s has another content", errSnapshotWrong, d.Hash))
		}
	}
	return contents, nil
}

// readContentGroup reads blobs by one request, if their total size permits.
func (c *Carrier) readContentGroup(ctx context.Context, digests []Digest, contents [][]byte, size int64) error {
	return c.callRetryingNamed(ctx, call{size: size, how: wholeRun, do: func(ctx context.Context, server Server) error {
		if size <= server.Traits().Batch {
			errs := slices.Repeat([]error{ErrMissing}, len(digests))
			err := server.ReadSmall(ctx, digests, func(i int, content []byte, err error) { contents[i], errs[i] = content, err })
			return cmp.Or(err, errors.Join(errs...))
		}
		return Each(len(digests), func(i int) error {
			r, err := server.Read(ctx, digests[i])
			if err != nil {
				return err
			}
			defer r.Close()
			contents[i], err = io.ReadAll(io.LimitReader(r, digests[i].Size+1))
			return err
		})
	}})
}

// FetchBlobs brings blobs into the store: the blob with the digest from[i] as the artifact to[i]. It
// returns an error for each blob, or nil.
func (c *Carrier) FetchBlobs(ctx context.Context, from []Digest, to []store.Artifact) []error {
	errs := make([]error, len(from))
	if _, err := c.openedServer(ctx); err != nil {
		return append(errs[:0], slices.Repeat([]error{err}, len(from))...)
	}
	var forgotten atomic.Bool // never set: all blobs are needed until the context ends
	all := make([]*download, len(from))
	for i := range from {
		all[i] = c.received.requestBlob(ctx, from[i], store.Artifact{Blob: to[i].Blob, Size: to[i].Size}, &forgotten)
	}
	for i, d := range all {
		<-d.done
		errs[i] = c.explainFailure(d.err)
	}
	return errs
}
