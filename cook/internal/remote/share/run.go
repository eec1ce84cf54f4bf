package share

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/internal/pathname"
)

// runs are the actions that the server executes for the run.
type runs struct {
	mu     sync.Mutex
	out    map[uint64]context.CancelFunc // by the number of the request
	inRow  int                           // failed executions in a row
	off    bool                          // no more executions in this run
	inputs inputs
}

func newRuns() runs {
	return runs{out: map[uint64]context.CancelFunc{}, inputs: inputs{hashes: map[string]string{}, sent: map[Digest]*sending{}}}
}

// begin returns a context for a request, which drop cancels.
func (r *runs) begin(ctx context.Context, seq uint64) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out[seq] = cancel
	return ctx
}

func (r *runs) drop(seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel, ok := r.out[seq]; ok {
		cancel()
		delete(r.out, seq)
	}
}

// ended counts the outcome of an execution, and reports whether to stop executing.
func (r *runs) ended(err error) (off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inRow++
	if err == nil {
		r.inRow = 0
	}
	r.off = r.off || r.inRow >= failsInRow || errors.Is(err, ErrRefused) || errors.Is(err, errOff) || errors.Is(err, errNoExecution)
	return r.off
}

func (r *runs) isOff() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.off
}

// errNoExecution says that a server does not execute actions.
var errNoExecution = errors.New("the server executes nothing, so all is cooked here")

// answerRun executes an action on the server. Its transfers continue when its context ends,
// because other actions may wait for them.
func (s *sharer) answerRun(ctx, all context.Context, r remote.Request) (a remote.Answer) {
	defer s.runs.drop(r.Seq)
	if s.runs.isOff() {
		return remote.Answer{Off: true}
	}
	var err error
	a.Record, a.Over, err = s.runShared(ctx, all, r.Root)
	if ctx.Err() != nil {
		return remote.Answer{}
	}
	a.Off = s.runs.ended(err)
	if err == nil {
		return a
	}
	if !errors.Is(err, errOff) { // already reported
		consequence := "it is cooked here"
		if a.Off {
			consequence = "nothing more is executed there in this run, and all is cooked here"
		}
		why := fmt.Errorf("executing %s: %w; %s", pathname.Show(r.Root.Asset), err, consequence)
		if errors.Is(err, errNoExecution) {
			why = err
		}
		s.noteOnce("run", why)
	}
	return remote.Answer{Off: a.Off}
}

// runShared executes an action, brings its artifacts into the store, and returns its record. over
// is the time beyond cooking, without the upload of inputs.
func (s *sharer) runShared(ctx, all context.Context, root *remote.Root) (rec []byte, over time.Duration, err error) {
	server, err := s.link.ready(ctx, true)
	if err != nil {
		return nil, 0, err
	}
	traits := server.Traits()
	executor, ok := server.(Executor)
	if !ok || !traits.Executes {
		return nil, 0, errNoExecution
	}
	if len(root.Files) == 0 {
		return nil, 0, errors.New("an action without a program")
	}
	o, err := s.orderOf(root, traits.Function)
	if err != nil {
		return nil, 0, err
	}
	begun := time.Now()
	known := false
	var ar *messages.ActionResult
	err = s.link.do(ctx, 0, func(ctx context.Context, server Server) (err error) {
		ar, err = server.Result(ctx, o.Digest)
		return err
	})
	if err == nil {
		known = true
		if rec, _, err = s.accept(ctx, all, root, ar); err == nil {
			return rec, time.Since(begun), nil
		}
	} else if !errors.Is(err, ErrMissing) {
		return nil, 0, err
	}
	for try := 0; ; try++ {
		if err := s.provide(all, traits, o.contents); err != nil {
			return nil, 0, err
		}
		begun = time.Now()
		if ar, err = s.execute(ctx, executor, root, o.Digest, known || try > 0); !errors.Is(err, ErrInputs) || try > 0 {
			break
		}
		s.runs.inputs.forget(o.contents) // the server lost them
	}
	if err != nil {
		return nil, 0, err
	}
	rec, cooking, err := s.accept(ctx, all, root, ar)
	return rec, time.Since(begun) - cooking, err
}

// longWait is the time after which a wait for a result is reported.
const longWait = 30 * time.Second

// execute asks the server to execute an action with uploaded inputs. A failed execution does not
// stop the sharing of results.
func (s *sharer) execute(ctx context.Context, executor Executor, root *remote.Root, action Digest, anew bool) (ar *messages.ActionResult, err error) {
	wait := 2 * executionTime
	if root.Wait > 0 {
		wait = min(wait, root.Wait)
	}
	late := time.AfterFunc(longWait, func() {
		s.noteOnce("waiting", fmt.Errorf("executing %s: no result after %v, it is waited for until %v; the machine may have ended, or none has the platform that was asked for", pathname.Show(root.Asset), longWait, wait))
	})
	defer late.Stop()
	err = s.link.once(ctx, s.link.server, wait, func(error) bool { return false }, func(ctx context.Context, _ Server) (err error) {
		ar, err = executor.Execute(ctx, action, anew)
		return err
	})
	return ar, err
}

// provide uploads the inputs that the server lacks, each once for all actions.
func (s *sharer) provide(ctx context.Context, traits Traits, contents map[Digest]content) error {
	in := &s.runs.inputs
	mine, others := map[Digest]content{}, map[Digest]*sending{}
	in.mu.Lock()
	for d, c := range contents {
		if there, ok := in.sent[d]; ok {
			others[d] = there
		} else {
			mine[d] = c
			in.sent[d] = &sending{done: make(chan struct{})}
		}
	}
	in.mu.Unlock()
	failed, err := s.uploadContents(ctx, traits, mine)
	for _, bad := range failed {
		err = cmp.Or(err, bad)
	}
	in.mu.Lock()
	for d := range mine {
		sent := in.sent[d]
		if sent.err = err; err != nil {
			delete(in.sent, d)
		}
		close(sent.done)
	}
	in.mu.Unlock()
	for _, there := range others {
		if <-there.done; there.err != nil {
			return there.err
		}
	}
	return err
}

// forget makes provide ask the server for some inputs again.
func (in *inputs) forget(contents map[Digest]content) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for d := range contents {
		if there, ok := in.sent[d]; ok {
			select {
			case <-there.done:
				delete(in.sent, d)
			default:
			}
		}
	}
}

// accept checks the result of an action, brings its artifacts into the store, and returns the
// record and the cook time. Any inconsistency is an error.
func (s *sharer) accept(ctx, whole context.Context, root *remote.Root, ar *messages.ActionResult) ([]byte, time.Duration, error) {
	if ar.ExitCode != 0 {
		said := strings.TrimSpace(string(ar.StderrRaw))
		line, _, _ := strings.Cut(said, "\n")
		return nil, 0, fmt.Errorf("the program ended with status %d there: %s", ar.ExitCode, pathname.Show(line[:min(len(line), 200)]))
	}
	wrong := func(format string, args ...any) ([]byte, time.Duration, error) {
		return nil, 0, fmt.Errorf("%w: %s", errPoisoned, fmt.Sprintf(format, args...))
	}
	if len(ar.OutputDirectories)+len(ar.OutputSymlinks) > 0 {
		return wrong("it has outputs that are no files")
	}
	files := map[string]messages.OutputFile{}
	for _, f := range ar.OutputFiles {
		if _, twice := files[f.Path]; twice {
			return wrong("two files are called %q", f.Path)
		}
		files[f.Path] = f
	}
	text, err := s.readRecord(ctx, files[path.Join(remote.OutDir, remote.RecordFile)])
	if err != nil {
		return nil, 0, err
	}
	var rec remote.Record
	if err := json.Unmarshal(text, &rec); err != nil || rec.Format != remote.ActionFormat {
		return wrong("format %d, %v", rec.Format, err)
	}
	if rec.Refused != "" || rec.Error != "" {
		return text, rec.CookTime, nil
	}
	made, err := rec.Result()
	if err != nil {
		return wrong("%v", err)
	}
	if len(made.Artifacts) != root.Outputs || len(files) != root.Outputs+1 {
		return wrong("%d artifacts in %d files, want %d", len(made.Artifacts), len(files), root.Outputs)
	}
	var all []*download
	for i, a := range made.Artifacts {
		d := files[path.Join(remote.OutDir, strconv.Itoa(i))].Digest
		if d.Size != a.Size || len(d.Hash) != 64 {
			return wrong("file %d has %d bytes, its artifact %d", i, d.Size, a.Size)
		}
		if !s.Store.HasBlob(a.Blob, a.Size) {
			all = append(all, s.downloads.want(whole, d, a, new(atomic.Bool)))
		}
	}
	for _, d := range all {
		select {
		case <-d.done:
		case <-ctx.Done(): // the download continues, because others may wait for it
			return nil, 0, ctx.Err()
		}
		if d.err != nil {
			err = d.err
			s.downloads.forget(d.to)
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return text, rec.CookTime, nil
}

// readRecord reads the record among an action's outputs.
func (s *sharer) readRecord(ctx context.Context, f messages.OutputFile) (text []byte, err error) {
	d := f.Digest
	if d.Size <= 0 || d.Size > maxRecord {
		return nil, fmt.Errorf("%w: it has no %s", errPoisoned, remote.RecordFile)
	}
	if text = f.Contents; len(text) == 0 {
		err = s.link.do(ctx, d.Size, func(ctx context.Context, server Server) error {
			r, err := server.Read(ctx, d)
			if err != nil {
				return err
			}
			defer r.Close()
			text, err = io.ReadAll(io.LimitReader(r, d.Size+1))
			return err
		})
	}
	if err == nil && s.link.server.Traits().Function.Of(text) != d {
		err = fmt.Errorf("%w: the %s is another one", errPoisoned, remote.RecordFile)
	}
	return text, err
}
