package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/feed"
	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/peer"
	"github.com/assetcook/assetcook/cook/internal/state"
)

// question is all that decides what a pass of a session would do where nothing has to
// be cooked anew: a watcher with the same question does the same.
func question(s *pass.Session) string {
	return fmt.Sprintf("%s %q %t %t %s", s.Fingerprint, s.Scope.Asked(), s.Mode.OutputsByFolder, s.Mode.ListAll, os.Getenv("PATH"))
}

// listen opens the socket, nil if there can be none. One watcher of an output folder is
// enough.
func (m *watcher) listen() (*peer.Listener, error) {
	s, err := pass.Open(m.opt, pass.Ask)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	m.opt, m.places = s.Options, placesOf(s)
	dir := s.State.Folder()
	socket, err := peer.Listen(dir)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, &state.LockedError{Path: filepath.Join(dir, "socket"), Holder: "another watching cook"}
	case err != nil:
		s.Observer.Note(err.Error() + "; every cook looks for itself")
	}
	return socket, nil
}

// serve answers cooks that ask, and programs that follow what changes.
func (m *watcher) serve(ctx context.Context, socket *peer.Listener) {
	if socket == nil {
		return
	}
	defer socket.Close()
	err := socket.Serve(ctx, func(client context.Context, question []byte) []byte {
		if feed.Asks(question) {
			return feed.Reply(client, m.feed, question, func() { m.mu.Lock(); defer m.mu.Unlock() })
		}
		// What is known to be due is done, also if the client goes away meanwhile.
		text, _ := json.Marshal(m.answer(ctx, string(question)))
		return text
	})
	if err != nil && ctx.Err() == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.opt.Observer.Note(err.Error() + "; every cook looks for itself")
	}
}

// answer makes sure that everything is up to date now, and returns how a pass of the
// cook that asks would end, nil if that is not known.
func (m *watcher) answer(ctx context.Context, asked string) *pass.Tally {
	if asked == "" {
		return nil // a sign of life is all that is wanted
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		if m.pending.due() {
			m.hurry()
		}
	}()
	if m.watched.events == nil || asked != m.last.question {
		return nil
	}
	before := m.rounds
	var worked *pass.Tally
	for range mostRounds {
		if !m.look(ctx) && (len(m.learned.always) == 0 || m.rounds > before) {
			break
		}
		if m.round(ctx) != nil || !m.last.good || ctx.Err() != nil {
			return nil
		}
		if t := m.last.tally; worked == nil && t.UpToDate() != t.Found.Assets {
			worked = &t
		}
	}
	switch {
	case !m.last.good || !m.learned.vouched || asked != m.last.question || m.pending.all || len(m.pending.folders) > 0:
		return nil
	case worked != nil:
		return worked
	}
	t := &m.last.tally
	return &pass.Tally{Found: t.Found, Outcomes: pass.Outcomes{ByStamp: t.Found}, Saved: t.Saved}
}
