package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/socket"
	"github.com/assetcook/assetcook/profile/events"
)

// maxViewers bounds the viewers of a feed. It hangs up on more.
const maxViewers = 64

// takeRest is the time that viewers have for the rest of the stream when a run has ended.
const takeRest = time.Second

// A feed serves the stream of a recorder to viewers that connect.
type feed struct {
	stream  *events.Feed
	socket  *os.File
	stop    context.CancelFunc // accepts no more viewers
	hangUp  context.CancelFunc
	serving sync.WaitGroup
	err     error // of accept; read it after serving
}

// listenFeed serves a stream at an address of [socket.ListenTCP].
func listenFeed(addr string) (*feed, error) {
	listening, err := socket.ListenTCP(addr)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, errors.New("-feed is not available on this system")
	case err != nil:
		return nil, fmt.Errorf("feed: %w", err)
	}
	f := &feed{stream: events.NewFeed(), socket: listening}
	viewing, hangUp := context.WithCancel(context.Background())
	accepting, stop := context.WithCancel(viewing)
	context.AfterFunc(accepting, func() { listening.Close() })
	f.stop, f.hangUp = stop, hangUp
	f.serving.Go(func() { f.err = f.accept(accepting, viewing) })
	return f, nil
}

// accept accepts viewers until accepting ends, and serves each until viewing ends.
func (f *feed) accept(accepting, viewing context.Context) error {
	slots := make(chan struct{}, maxViewers)
	for {
		conn, err := socket.Accept(accepting, f.socket)
		if err != nil {
			if accepting.Err() != nil {
				return nil
			}
			return fmt.Errorf("feed: %w; later viewers were not served", err)
		}
		select {
		case slots <- struct{}{}:
			f.serving.Go(func() {
				defer func() { <-slots }()
				f.stream.ServeConn(viewing, conn)
			})
		default:
			conn.Close()
		}
	}
}

// endFeed accepts no more viewers, waits until the present viewers have the whole stream, and hangs up
// on viewers that take longer than patience.
func (f *feed) endFeed(patience time.Duration) error {
	f.stop()
	late := time.AfterFunc(patience, f.hangUp)
	defer late.Stop()
	f.serving.Wait()
	f.hangUp()
	return f.err
}
