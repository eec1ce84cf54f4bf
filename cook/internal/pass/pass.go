package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/profile/guid"
)

// Done is what a pass came to, besides its events.
type Done struct {
	Tally
	Took time.Duration // since the session began
	// Delta and Actions are what was seen to, and what is known of it now.
	Delta   *Delta
	Actions []index.Action
	// Detail is what the history keeps of the pass beside its tally; nil if nothing was to
	// be done.
	Detail *execute.Detail
	// Rules are those that the pass followed; nil if it had to do with none.
	Rules *RuleTexts
	// First says that nothing was known of the output folder. Copied and LeftOut are what
	// a first run tells of.
	First           bool
	Copied, LeftOut []Kind
	// ID names the pass in the history; it is zero if it has none yet.
	ID guid.ID
	// Placed are the files of the output folder that were renamed into place, by their
	// absolute names, if a watcher is to know.
	Placed []string
	// Behind are the targets that were not asked for and of which the pass found that there
	// is work to do.
	Behind []string
}

// Run brings the output folder up to date. What was done is returned with every error.
func Run(ctx context.Context, s *Session, where Where) (*Done, error) {
	return RunWatched(ctx, s, where, Watching{})
}

// Watching holds the functions that a pass calls for a watcher; each may be nil.
type Watching struct {
	// Changed is called when all artifacts are in place, before anything is waited for
	// that only the next run needs. What then fails is the pass's error.
	Changed func([]Changed)
	// Hesitate waits until a new failure counts; see execute.Options.
	Hesitate func()
	// Learn is called when all is done, while the index that the delta is about can still
	// serve to look up its refs.
	Learn func(*Done) error
}

// RunWatched is Run for a watcher.
func RunWatched(ctx context.Context, s *Session, where Where, watching Watching) (*Done, error) {
	done := &Done{}
	s, meter := s.metered()
	defer func() { s.finishPass(done, meter) }()
	known, err := s.Load()
	if err != nil {
		return done, err
	}
	defer known.Close()
	s.Observer.Stage("scan")
	s = s.ignoringDirtyStamps()
	err = runPass(ctx, s, known.Index, where, meter, done, watching)
	if errors.Is(err, index.ErrFault) && known.ID() != "" && ctx.Err() == nil {
		// A part of the index that the decision did not need, but what was to be done then.
		s.Observer.Note(fmt.Sprintf("%v; everything is checked anew", s.State.Describe(err)))
		s.Observer.Stage("scan")
		err = runPass(ctx, s, index.Empty(), nil, meter, done, watching)
	}
	return done, err
}

// runPass is RunWatched, given what is known.
func runPass(ctx context.Context, s *Session, last *index.Index, where Where, meter *meter, done *Done, watching Watching) error {
	delta, todo, err := Decide(ctx, s, last, where)
	if err != nil {
		return err
	}
	done.Delta = delta
	if rules := cmp.Or(todo.Rules, delta.Edited.Rules); rules != nil {
		done.Rules = &rules.RuleTexts
	}
	if done.First = delta.Whole && delta.Last.ID() == ""; done.First {
		done.Copied, done.LeftOut = firstKinds(delta, todo)
	}
	if todo.works() {
		if err := s.CheckOwner(); err != nil {
			return err
		}
	}
	if err := s.begin(delta, todo, meter, where != nil); err != nil {
		return err
	}
	if err := s.recordIDs(todo.IDs); err != nil {
		return err
	}
	if s.Remote.URL != "" && todo.works() {
		s = s.named() // by which others know where results came from
		done.ID = s.Probe.Run
	}
	work, err := Execute(ctx, s, delta, todo, watching.Hesitate)
	meter.addRead(delta, todo, work)
	if work != nil && work.Done != nil {
		done.Detail, meter.Remote = work.Detail, work.Remote
	}
	if err == nil && ctx.Err() == nil {
		s.noteEmpty(ctx, &meter.Tally)
	}
	if err != nil || s.Mode.DryRun {
		return errors.Join(err, ctx.Err())
	}
	if watching.Changed != nil {
		watching.Changed(changed(delta, todo, work))
	}
	if todo.works() {
		if err := s.State.SetOwner(s.Assets.Name()); err != nil {
			s.Observer.Note(err.Error())
		}
	}
	commit := func() error { return Commit(s, delta, todo, work, done) }
	if delta.Whole {
		err = commit() // all of the index was checked
	} else {
		err = index.Guard(commit)
	}
	if err != nil {
		return err
	}
	if watching.Learn != nil {
		for file := range work.Placed {
			done.Placed = append(done.Placed, filepath.Join(s.Out.Name(), filepath.FromSlash(file)))
		}
		if err := index.Guard(func() error { return watching.Learn(done) }); err != nil {
			return err
		}
	}
	s.trim(ctx, todo.Store)
	return ctx.Err()
}

// named returns a session whose run has an ID.
func (s *Session) named() *Session {
	with := *s
	if with.Probe.Run.IsZero() {
		with.Probe.Run = guid.New()
	}
	return &with
}

// ignoringDirtyStamps returns a session that trusts no stamp if the last run was cut off
// while it put sources on the disk.
func (s *Session) ignoringDirtyStamps() *Session {
	if s.Out == nil || !s.State.Dirty() {
		return s
	}
	s.Observer.Note("the last run was cut off while it put sources on the disk; everything is read again")
	with := *s
	with.Mode.IgnoreStamps = true
	return &with
}

// begin reports what was found out and what is planned. From here on the pass is not
// begun again. A narrow pass was told where to look.
func (s *Session) begin(d *Delta, t *Todo, m *meter, narrow bool) error {
	if d.Whole && !s.Mode.DryRun {
		if err := s.State.ClearLeftovers(); err != nil {
			return err
		}
	}
	for _, p := range d.Tree.Problems {
		if p.Fatal() {
			s.Observer.Event(execute.Event{Path: p.Path, Outcome: execute.Error, Err: errors.New(p.Reason())})
		}
	}
	s.warnOfNewProblems(d, narrow)
	m.Looked = d.looked()
	m.Looked.Stats += t.Looked
	err := index.Guard(func() error {
		m.addRest(t.Rest, t.Touched)
		s.reportRest(d, m.Observer)
		return nil
	})
	if err == nil && (d.Whole || len(d.Concerned) > 0) {
		s.Observer.Planned(t.expected())
	}
	return err
}

// addRead counts what was read to find out what differs.
func (m *meter) addRead(d *Delta, t *Todo, w *Work) {
	m.Checksummed = Count{Assets: int(d.Read.Files), In: d.Read.Bytes, Time: d.Read.Took + t.Reading}
	if w != nil {
		m.Checksummed.Time += w.Learning
	}
	if t.Contents != nil {
		read := t.Contents.Read()
		m.Checksummed.Assets += int(read.Files.Load())
		m.Checksummed.In += read.Bytes.Load()
	}
}

// trim shrinks the store if that is due.
func (s *Session) trim(ctx context.Context, store *store.Store) {
	if store != nil && store.TrimDue(s.Time.Now(), s.Limits.CacheSize) {
		if _, err := store.Trim(ctx, s.Limits.CacheSize, s.Time.Now()); err != nil && ctx.Err() == nil {
			s.Observer.Note(fmt.Sprintf("store: %v", err))
		}
	}
}
