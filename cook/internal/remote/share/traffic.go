package share

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
)

const (
	// tellTime is how often the run is told what passes.
	tellTime = 250 * time.Millisecond
	// rateTicks is over how many of these times a rate is taken.
	rateTicks = 8
	// mostTold bounds how many transfers the run is told of.
	mostTold = 20_000
)

// A traffic is what passes between the run and the server, as the run is told of it.
type traffic struct {
	tell func(remote.Traffic)

	mu     sync.Mutex
	now    amount
	active int
	begun  int // transfers so far
}

// An amount is bytes, down and up.
type amount struct{ down, up int64 }

// A transfer is blobs that travel together.
type transfer struct {
	of *traffic
	remote.Transfer
}

// begin begins a transfer. It ends with end.
func (t *traffic) begin(up bool, blobs int, bytes int64) *transfer {
	t.mu.Lock()
	t.active++
	t.begun++
	is := &transfer{t, remote.Transfer{ID: t.begun, Up: up, Blobs: blobs, Bytes: bytes}}
	t.mu.Unlock()
	is.tell()
	return is
}

func (t *transfer) end() {
	t.of.mu.Lock()
	t.of.active--
	t.of.mu.Unlock()
	t.Ended = true
	t.tell()
}

func (t *transfer) tell() {
	if t.ID <= mostTold {
		told := t.Transfer
		t.of.tell(remote.Traffic{Transfer: &told})
	}
}

// passed counts bytes that have come or gone.
func (t *transfer) passed(n int64) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.Up {
		t.of.now.up += n
	} else {
		t.of.now.down += n
	}
}

// reader counts what is read of a content.
func (t *transfer) reader(r io.ReadCloser) io.ReadCloser { return &counted{r, t} }

type counted struct {
	io.ReadCloser
	transfer *transfer
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.transfer.passed(int64(n))
	return n, err
}

// follow tells the run at each tick how much has passed and how fast, as long as there is
// news, and once more when all has passed.
func (t *traffic) follow(ctx context.Context, ticks <-chan time.Time) {
	type sample struct {
		at time.Time
		amount
	}
	var lately []sample // one at each tick; none while nothing is on its way
	var told amount
	for {
		var at time.Time
		select {
		case at = <-ticks:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		now := sample{at, t.now}
		active := t.active > 0
		t.mu.Unlock()
		if !active && now.amount == told && lately == nil {
			continue
		}
		news := remote.Traffic{Down: now.down, Up: now.up, Active: active}
		lately = append(lately, now)
		lately = lately[max(0, len(lately)-rateTicks):]
		if first := lately[0]; at.After(first.at) {
			took := at.Sub(first.at).Seconds()
			news.DownRate = int64(float64(now.down-first.down) / took)
			news.UpRate = int64(float64(now.up-first.up) / took)
		}
		if !active {
			lately = nil
		}
		told = now.amount
		t.tell(news)
	}
}
