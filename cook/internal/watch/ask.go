package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/peer"
)

// LongWait is when a cook says what it waits for: later than it is clear that there will
// be no answer.
const LongWait = 2 * time.Second

// Ask lets the watcher of the output folder, if there is one, say how a pass of this
// session would end: tally is nil if it does not know, or if the session wants more than
// an end. beside reports whether a watcher is alive, which may hold the lock for a
// moment.
func Ask(ctx context.Context, s *pass.Session) (tally *pass.Tally, beside bool) {
	m := s.Mode
	switch {
	case !s.Used() || m.DryRun:
		return nil, false
	case m.Force || m.FullScan || m.IgnoreStamps || m.Strict || len(s.Scope.Patterns) > 0 || s.Scope.Source != "" || m.EveryAction:
		_, beside = Beside(ctx, s)
		return nil, beside
	}
	text, err := ask(ctx, s)
	if err != nil {
		return nil, false
	}
	if json.Unmarshal(text, &tally) != nil {
		return nil, true
	}
	return tally, true
}

// ask asks the watcher, and says so if that takes long.
func ask(ctx context.Context, s *pass.Session) (answer []byte, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answer, err = peer.Ask(ctx, s.State.Folder(), []byte(question(s)))
	}()
	timer := time.NewTimer(LongWait)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
		pid, _ := peer.Listens(ctx, s.State.Folder())
		s.Observer.Note(fmt.Sprintf("a watching cook (%s) is at work on the same output folder; waiting for its answer", peer.Process(pid)))
		<-answered
	}
	var silent *peer.SilentError
	if errors.As(err, &silent) {
		s.Observer.Note(fmt.Sprintf("a watching cook (%v); looking at the tree without it", silent))
	}
	return answer, err
}

// Beside returns the watcher's process ("process 1234") if one has the session's output
// folder, be it stopped.
func Beside(ctx context.Context, s *pass.Session) (process string, ok bool) {
	if !s.Used() {
		return "", false
	}
	pid, ok := peer.Listens(ctx, s.State.Folder())
	if !ok {
		return "", false
	}
	return peer.Process(pid), true
}

// Alive reports whether the watcher of the session's output folder shows signs of life.
func Alive(ctx context.Context, s *pass.Session) bool {
	if !s.Used() {
		return false
	}
	_, err := peer.Ask(ctx, s.State.Folder(), nil)
	return err == nil
}
