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
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// executions are the actions that the server executes for the run.
type executions struct {
	out       *answers
	platform  []string
	run       string // ID of the run
	blobs     *sender
	downloads *downloads
	inputs    inputs

	mu      sync.Mutex
	cancels map[uint64]context.CancelFunc // functions that cancel executions, by request number
	inRow   int                           // number of successive failures
	off     bool                          // set if the run executes no more actions on the server
}

func newExecutions(out *answers, opt Options, sent *sender, received *downloads) *executions {
	return &executions{
		out: out, platform: opt.Platform, run: opt.Run, blobs: sent, downloads: received, cancels: map[uint64]context.CancelFunc{},
		inputs: inputs{hashes: map[string]string{}, sent: map[Digest]*sending{}},
	}
}

// beginExecution returns a context for a request, which cancelExecution cancels.
func (x *executions) beginExecution(ctx context.Context, seq uint64) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cancels[seq] = cancel
	return ctx
}

func (x *executions) cancelExecution(seq uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if cancel, ok := x.cancels[seq]; ok {
		cancel()
		delete(x.cancels, seq)
	}
}

// answerRun executes an action on the server. Its transfers continue after ctx ends, because other
// actions may wait for the same blobs.
func (x *executions) answerRun(ctx, all context.Context, r remote.Request) (a remote.Answer) {
	defer x.cancelExecution(r.Seq)
	if x.executionsOff() {
		return remote.Answer{Off: true}
	}
	var err error
	a.Record, a.Origin, a.Over, err = x.runShared(ctx, all, r.Root)
	if ctx.Err() != nil {
		return remote.Answer{}
	}
	a.Off = x.countExecution(err)
	if err == nil {
		return a
	}
	if !errors.Is(err, errOff) { // giveUpServer has reported errOff
		consequence := "this machine cooks the asset"
		if a.Off {
			consequence = "this machine cooks the remaining assets"
		}
		why := fmt.Errorf("cannot execute %s: %w; %s", pathname.Show(r.Root.Asset), err, consequence)
		if errors.Is(err, errNoExecution) {
			why = err
		}
		x.out.noteFirst("run", why)
	}
	return remote.Answer{Off: a.Off}
}

// countExecution counts an execution, and reports whether to stop executing actions.
func (x *executions) countExecution(err error) (off bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case err == nil:
		x.inRow = 0
	case !errors.Is(err, errDown): // an outage of the server says nothing about its machines
		x.inRow++
	}
	x.off = x.off || x.inRow >= failsInRow || errors.Is(err, ErrRefused) || errors.Is(err, errOff) || errors.Is(err, errNoExecution)
	return x.off
}

func (x *executions) executionsOff() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.off
}

// errNoExecution reports a server that does not execute actions.
var errNoExecution = errors.New("the server executes no actions, so this machine cooks all assets")

// runShared executes an action, stores its artifacts, and returns its record. from names this run
// and the machine, according to the server. over is the total time without the cook time and the
// upload of inputs.
func (x *executions) runShared(ctx, all context.Context, root *remote.Root) (rec []byte, from store.Origin, over time.Duration, err error) {
	server, err := x.blobs.link.awaitServer(ctx, firstTry)
	if err != nil {
		return nil, from, 0, err
	}
	traits := server.Traits()
	executor, ok := server.(Executor)
	if !ok || !traits.Executes {
		return nil, from, 0, errNoExecution
	}
	if len(root.Files) == 0 {
		return nil, from, 0, errors.New("the action has no program")
	}
	o, err := x.orderOf(root, traits.Function)
	if err != nil {
		return nil, from, 0, err
	}
	begun := time.Now()
	known := false
	var ar *messages.ActionResult
	err = x.blobs.link.callRetrying(ctx, call{do: func(ctx context.Context, server Server) (err error) {
		ar, err = server.Result(ctx, o.Digest)
		return err
	}})
	if err == nil {
		known = true
		if rec, _, err = x.acceptExecution(ctx, all, root, ar); err == nil {
			return rec, x.executionOrigin(ar), time.Since(begun), nil
		}
	} else if !errors.Is(err, ErrMissing) {
		return nil, from, 0, err
	}
	for try := 0; ; try++ {
		if err := x.provide(all, traits, o.contents); err != nil {
			return nil, from, 0, err
		}
		begun = time.Now()
		if ar, err = x.executeOnServer(ctx, executor, root, o.Digest, known || try > 0); !errors.Is(err, ErrInputs) || try > 0 {
			break
		}
		x.inputs.forgetSent(o.contents) // the server has lost these inputs
	}
	if err != nil {
		return nil, from, 0, err
	}
	rec, cooking, err := x.acceptExecution(ctx, all, root, ar)
	return rec, x.executionOrigin(ar), time.Since(begun) - cooking, err
}

// executionOrigin returns this run and the machine that executed an action.
func (x *executions) executionOrigin(ar *messages.ActionResult) store.Origin {
	o := maker{}.validOrigin(ar)
	o.Run = x.run
	return o
}

// longWait is how long a result may take before a note tells the user.
const longWait = 30 * time.Second

// executeOnServer executes an action whose inputs are on the server. If that fails, the run still
// shares results.
func (x *executions) executeOnServer(ctx context.Context, executor Executor, root *remote.Root, action Digest, anew bool) (ar *messages.ActionResult, err error) {
	wait := 2 * executionTime
	if root.Wait > 0 {
		wait = min(wait, root.Wait)
	}
	late := time.AfterFunc(longWait, func() {
		x.out.noteFirst("waiting", fmt.Errorf("executing %s: the server has sent no result for %v, and the run waits until %v; the machine may have ended, or no machine has the requested platform", pathname.Show(root.Asset), longWait, wait))
	})
	defer late.Stop()
	limited, cancel := context.WithTimeoutCause(ctx, wait, errSilent)
	defer cancel()
	err = x.blobs.link.callDirectly(limited, x.blobs.link.opening.server, func(ctx context.Context, _ Server) (err error) {
		ar, err = executor.Execute(ctx, action, anew)
		return err
	})
	return ar, err
}

// acceptExecution checks the result of an action, and stores its artifacts. It returns the record
// and the cook time. Every inconsistency is an error.
func (x *executions) acceptExecution(ctx, whole context.Context, root *remote.Root, ar *messages.ActionResult) ([]byte, time.Duration, error) {
	if ar.ExitCode != 0 {
		stderr := strings.TrimSpace(string(ar.StderrRaw))
		line, _, _ := strings.Cut(stderr, "\n")
		return nil, 0, fmt.Errorf("the program ended on the server with status %d: %s", ar.ExitCode, pathname.Show(line[:min(len(line), 200)]))
	}
	wrong := func(format string, args ...any) ([]byte, time.Duration, error) {
		return nil, 0, fmt.Errorf("%w: %s", errPoisoned, fmt.Sprintf(format, args...))
	}
	if len(ar.OutputDirectories)+len(ar.OutputSymlinks) > 0 {
		return wrong("the result has outputs that are not files")
	}
	files := map[string]messages.OutputFile{}
	for _, f := range ar.OutputFiles {
		if _, twice := files[f.Path]; twice {
			return wrong("two files of the result are called %q", f.Path)
		}
		files[f.Path] = f
	}
	text, err := x.readExecutionRecord(ctx, files[path.Join(remote.OutDir, remote.RecordFile)])
	if err != nil {
		return nil, 0, err
	}
	var rec remote.Record
	if err := json.Unmarshal(text, &rec); err != nil || rec.Format != remote.ActionFormat {
		return wrong("the record of the result has format %d: %v", rec.Format, err)
	}
	if rec.Refused != "" || rec.Error != "" {
		return text, rec.CookTime, nil
	}
	made, err := rec.Result()
	if err != nil {
		return wrong("%v", err)
	}
	if len(made.Artifacts) != root.Outputs || len(files) != root.Outputs+1 {
		return wrong("the result lists %d artifacts and has %d files; the action makes %d artifacts", len(made.Artifacts), len(files), root.Outputs)
	}
	var all []*download
	for i, a := range made.Artifacts {
		d := files[path.Join(remote.OutDir, strconv.Itoa(i))].Digest
		if d.Size != a.Size || len(d.Hash) != 64 {
			return wrong("file %d of the result has %d bytes, but its artifact must have %d", i, d.Size, a.Size)
		}
		if !x.blobs.store.HasBlob(a.Blob, a.Size) {
			all = append(all, x.downloads.requestBlob(whole, d, a, new(atomic.Bool)))
		}
	}
	for _, d := range all {
		if !x.blobs.link.outages.waitUnlessDown(ctx, d.done, false) { // the download continues, because other results may need the blob
			return nil, 0, cmp.Or(ctx.Err(), errDown)
		}
		if d.err != nil {
			err = d.err
			x.downloads.forgetFailed(d.to)
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return text, rec.CookTime, nil
}

// readExecutionRecord reads the record among an action's outputs.
func (x *executions) readExecutionRecord(ctx context.Context, f messages.OutputFile) (text []byte, err error) {
	d := f.Digest
	if d.Size <= 0 || d.Size > maxRecord {
		return nil, fmt.Errorf("%w: the result has no %s", errPoisoned, remote.RecordFile)
	}
	if text = f.Contents; len(text) == 0 {
		err = x.blobs.link.callRetrying(ctx, call{size: d.Size, do: func(ctx context.Context, server Server) error {
			r, err := server.Read(ctx, d)
			if err != nil {
				return err
			}
			defer r.Close()
			text, err = io.ReadAll(io.LimitReader(r, d.Size+1))
			return err
		}})
	}
	if err == nil && x.blobs.link.opening.server.Traits().Function.Of(text) != d {
		err = fmt.Errorf("%w: the %s does not match its digest", errPoisoned, remote.RecordFile)
	}
	return text, err
}
