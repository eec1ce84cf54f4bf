package cook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/watch"
)

// concerns reports whether a quick run has to look at a folder.
func (m *watchman) concerns(f *index.Folder) bool {
	if m.all {
		return true
	}
	dir := m.name(f)
	return m.dirty[dir] || m.always[dir] || !m.watched[dir]
}

// name returns a folder's absolute name.
func (m *watchman) name(f *index.Folder) string {
	switch f.Tree {
	case index.Assets:
		return filepath.Join(m.assets, string(f.Real))
	case index.Out:
		return filepath.Join(m.out, string(f.Real))
	}
	return filepath.Clean(string(f.Path))
}

// recognize makes a run, which has the lock, look at everything if the index is not
// the one that the last round left. Another cook then knows of files that this
// watcher has not learned of, and they look unchanged.
func (m *watchman) recognize(k *kitchen) {
	now := k.indexStamps()
	m.all = m.all || now == nil || !maps.Equal(now, m.index)
}

// learn takes from a quick run which folders there are, and which of them need a
// look each time: those with links, whose targets may change anywhere, and those
// with files that have another name elsewhere.
func (m *watchman) learn(q *quick) {
	if m.all {
		m.always = map[string]bool{}
	}
	parts := q.live.Parts()
	m.learnFolders(parts[:]...)
	for _, f := range q.found.Linked {
		at := parts[f.Part].Folder(f.Row)
		m.always[m.name(&at)] = true
	}
	m.learnUses(q)
	m.vouched, m.doubt = true, false
	odd := map[string]bool{}           // those are looked at each time
	for _, f := range q.tree.Folders { // some of them new
		name := filepath.Join(m.assets, filepath.FromSlash(f.Real))
		m.folders = append(m.folders, name)
		if f.Odd {
			m.always[name] = true
		}
		odd[slashed(f.Path)] = f.Odd
	}
	for _, e := range q.tree.Entries {
		if dir, _ := path.Split(e.Path); odd[dir] && !q.fresh[e.Path] {
			continue
		}
		// A file that came with a second name: the first may be anywhere. A symbolic
		// link may have brought one that is no asset by itself.
		if info, err := q.assets.Root().Stat(e.Path); err != nil || linked(info) {
			m.doubt = true
			return
		}
	}
}

// learnUses takes from a quick run what recipes use besides the assets: the
// folders of new dependencies and outputs, links to files, and programs.
func (m *watchman) learnUses(q *quick) {
	use := func(file string) {
		dir := filepath.Dir(file)
		m.folders = append(m.folders, dir)
		if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			m.always[dir] = true // what it leads to may change anywhere
		}
	}
	for i := range q.done {
		for _, d := range q.done[i].Deps {
			use(filepath.Join(m.assets, filepath.FromSlash(d.Path)))
		}
		for _, o := range q.done[i].Made {
			use(filepath.Join(m.out, filepath.FromSlash(o.Path)))
		}
	}
	if !m.all {
		return
	}
	for _, x := range q.live.Parts() {
		for node := range x.Nodes() {
			if p := x.Probe(node); !p.Idle() && p.Role == index.Other {
				file := x.NodePath(node)
				if !filepath.IsAbs(file) {
					file = filepath.Join(m.assets, filepath.FromSlash(file))
				}
				use(file)
			}
		}
	}
	m.tools = map[string]string{}
	for name := range q.tools {
		m.tools[name], _ = recipe.FindTool(m.assets, name)
	}
}

// sameTools reports whether the names of programs still mean the same files.
func (m *watchman) sameTools() bool {
	for name, was := range m.tools {
		if file, _ := recipe.FindTool(m.assets, name); file != was {
			return false
		}
	}
	return true
}

func (m *watchman) learnFolders(parts ...*index.Index) {
	for _, x := range parts {
		for row := range x.Folders() {
			f := x.Folder(row)
			if f.Dead {
				continue
			}
			name := m.name(&f)
			m.folders = append(m.folders, name)
			if f.Odd {
				if m.always == nil {
					m.always = map[string]bool{}
				}
				m.always[name] = true
			}
		}
	}
}

// answer is what a watcher says to a cook that asks: how its own run would end.
type answer struct {
	UpToDate bool           `json:"up_to_date"`
	Summary  report.Summary `json:"summary"`
}

// listen opens the socket. One watcher of an output folder is enough.
func (m *watchman) listen() (*watch.Listener, error) {
	k, err := begin(m.opt)
	if err != nil {
		return nil, err
	}
	defer k.close()
	m.assets, m.out = k.assets.Name(), k.out.Name()
	dir := k.outFile(plan.StateDir)
	socket, err := watch.Listen(dir)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, &LockedError{Path: filepath.Join(dir, "socket"), Holder: "another cook -watch"}
	case err != nil && m.opt.Observer != nil:
		m.opt.Observer.Note(err.Error() + "; every cook looks for itself")
	}
	return socket, nil
}

// serve answers those who ask.
func (m *watchman) serve(ctx context.Context, socket *watch.Listener) {
	if socket == nil {
		return
	}
	defer socket.Close()
	// What is known to be due is done, also if the client goes away meanwhile.
	err := socket.Serve(ctx, func(_ context.Context, question []byte) []byte {
		text, _ := json.Marshal(m.answer(ctx, string(question)))
		return text
	})
	if err != nil && ctx.Err() == nil && m.opt.Observer != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.opt.Observer.Note(err.Error() + "; every cook looks for itself")
	}
}

// answer makes sure that everything is up to date now and says so.
func (m *watchman) answer(ctx context.Context, asked string) answer {
	if asked == "" {
		return answer{} // a sign of life is all that is wanted
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		if m.due() {
			m.hurry()
		}
	}()
	if m.events == nil || asked != m.asked {
		return answer{}
	}
	before := m.rounds
	worked := report.Summary{}
	for range mostRounds {
		if !m.look(ctx) && (len(m.always) == 0 || m.rounds > before) {
			break
		}
		if m.round(ctx) != nil || !m.good || ctx.Err() != nil {
			return answer{}
		}
		if m.summary.UpToDate() != m.summary.Found.Assets && worked.Found.Assets == 0 {
			worked = m.summary
		}
	}
	switch {
	case !m.good || !m.vouched || asked != m.asked || m.all || len(m.dirty) > 0:
		return answer{}
	case worked.Found.Assets > 0:
		return answer{UpToDate: true, Summary: worked}
	}
	return answer{UpToDate: true, Summary: report.Summary{Found: m.summary.Found, ByStamp: m.summary.Found, Saved: m.summary.Saved}}
}

// question tells a watcher what a run of one's own would go by: the identity, and
// whatever else decides what it does.
func (k *kitchen) question() string {
	return fmt.Sprintf("%s %t %s", k.identity, k.OutputsByFolder, os.Getenv("PATH"))
}

// askWatcher lets a watcher say how this run would end, if there is one that would
// do the same. beside says that a watcher is at work, which may have the lock for a
// moment. One that does not answer is none.
func (k *kitchen) askWatcher(ctx context.Context) (told, beside bool) {
	if k.out == nil || k.watch != nil || k.DryRun {
		return false, false
	}
	dir := k.outFile(plan.StateDir)
	if k.Force || k.Verify || k.Strict || len(k.Patterns) > 0 || k.Observer.EveryAsset() {
		_, beside = watch.Listens(ctx, dir)
		return false, beside
	}
	text, err := k.ask(ctx, dir, k.question())
	if err != nil {
		return false, false
	}
	var a answer
	if json.Unmarshal(text, &a) != nil || !a.UpToDate {
		return false, true
	}
	k.summary, k.summary.Told = a.Summary, true
	return true, true
}

// longWait is when a run says whom it waits for: later than it is clear that there
// will be no answer.
const longWait = 2 * time.Second

// ask asks a watcher, and says so if that takes long.
func (k *kitchen) ask(ctx context.Context, dir, question string) (answer []byte, err error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answer, err = watch.Ask(ctx, dir, []byte(question))
	}()
	timer := time.NewTimer(longWait)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
		pid, _ := watch.Listens(ctx, dir)
		k.Observer.Note(fmt.Sprintf("cook -watch (%s) is at work on the same output folder; waiting for its answer", watch.Process(pid)))
		<-answered
	}
	var silent *watch.SilentError
	if errors.As(err, &silent) {
		k.Observer.Note(fmt.Sprintf("cook -watch (%v); looking at the tree without it", silent))
	}
	return answer, err
}
