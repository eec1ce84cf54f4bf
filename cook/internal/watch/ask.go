package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/peer"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/stats"
)

// LongWait is the time after which a cook reports that it waits. By then a stopped watcher has
// been noticed.
const LongWait = 2 * time.Second

// Ask asks the watcher of the output directory for the result of a pass of this session. known is
// nil if the watcher does not know, or if the session wants more than a result. beside reports
// whether a watcher is alive; it may hold the lock for a moment.
func Ask(ctx context.Context, s *session.Session) (known *stats.Stats, beside bool) {
	m := s.Mode
	switch {
	case !s.Used() || m.DryRun:
		return nil, false
	case m.Force || m.FullScan || m.IgnoreStamps || m.Strict || len(s.Scope.Patterns) > 0 || s.Scope.Source != "" || m.EveryAction:
		_, beside = Beside(ctx, s)
		return nil, beside
	}
	text, err := askWatcher(ctx, s)
	if err != nil {
		return nil, false
	}
	if json.Unmarshal(text, &known) != nil {
		return nil, true
	}
	return known, true
}

// askWatcher asks the watcher, with a note if that takes long.
func askWatcher(ctx context.Context, s *session.Session) (answer []byte, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answer, err = peer.Ask(ctx, s.State.Folder(), []byte(readQuestion(s)))
	}()
	timer := time.NewTimer(LongWait)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
		pid, _ := peer.Listens(ctx, s.State.Folder())
		s.Observer.Note(fmt.Sprintf("a watching cook (%s) is at work on the same output directory; waiting for its answer", peer.Process(pid)))
		<-answered
	}
	var silent *peer.SilentError
	if errors.As(err, &silent) {
		s.Observer.Note(fmt.Sprintf("a watching cook (%v); looking at the tree without it", silent))
	}
	return answer, err
}

// Beside returns the process ("process 1234") of the output directory's watcher, even if it is
// stopped.
func Beside(ctx context.Context, s *session.Session) (process string, ok bool) {
	if !s.Used() {
		return "", false
	}
	pid, ok := peer.Listens(ctx, s.State.Folder())
	if !ok {
		return "", false
	}
	return peer.Process(pid), true
}

// Alive reports whether the watcher of the output directory shows signs of life.
func Alive(ctx context.Context, s *session.Session) bool {
	if !s.Used() {
		return false
	}
	_, err := peer.Ask(ctx, s.State.Folder(), nil)
	return err == nil
}
