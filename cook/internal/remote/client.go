// Package remote lets a run download results from a server that a team shares, and upload its
// own.
//
//	execute --Look, Fetch, Keep, Run--> Client --wire--> serve-remote --gRPC or HTTP--> server
//	      \                                                   /
//	       `------------------- store -----------------------'
//
// A separate process, "cook serve-remote", speaks to the server: its network libraries use memory
// and threads that the run does not count, and the run survives its hang or crash. A [Client]
// starts it with the first request, so a run without work neither starts it nor connects.
//
// # Actions that other machines cook
//
// A server may have machines that execute actions. Run lets one of them cook an action with
// this program: see [Action] and [Record]. Afterwards the artifacts are in the store. The run
// compares the dependencies in the record with the files here.
//
// # Failure is a miss
//
// No method returns an error. The run cooks every asset whose result does not arrive in time, and
// passes the reason once to the note function of [New]. The first line in each direction has the
// version of the protocol. If serve-remote has another version, dies, prints an invalid answer, or
// prints nothing for half a minute, every later request is a miss, and one note reports that.
//
// Package cook/internal/remote/share is the other end of the wire.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/child"
)

// Options select a server, and how a run uses the server.
type Options struct {
	URL     string   // "" if there is no server
	Program string   // program that is started with the argument Serve
	Args    []string // arguments with the address and the credentials
	Read    bool     // set if the run downloads results
	Upload  bool     // set if the run uploads results
	NoRace  bool     // set if the run waits for answers instead of cooking at the same time
	Exec    bool     // set if other machines may cook
	Always  bool     // set if other machines also cook quick actions
	Jobs    int      // maximum number of concurrent actions on other machines
	// Flush is how long Close waits for uploads. 0 means a default, which is longer on CI machines.
	Flush time.Duration
	// Traffic is called with reports about transfers, from one goroutine at a time. It may be nil.
	Traffic func(Traffic)
}

// OptionsOf returns the options for the server of a project.
func OptionsOf(r rules.Remote) (opt Options, err error) {
	if r.URL == "" {
		return opt, nil
	}
	if err := rules.CheckRemote(r.URL); err != nil {
		return opt, fmt.Errorf("remote: %w", err)
	}
	opt = Options{URL: r.URL, Program: r.Program, Read: !r.NoRead, NoRace: r.NoRace, Jobs: r.Jobs}
	switch r.Exec {
	case "", rules.ExecNever:
	case rules.ExecAuto, rules.ExecAlways:
		opt.Exec, opt.Always = true, r.Exec == rules.ExecAlways
		opt.NoRace = opt.NoRace || opt.Always
	default:
		return opt, fmt.Errorf("remote execution: want auto, always or never, not %q", r.Exec)
	}
	if opt.Exec && len(r.Trust) > 0 {
		return opt, errors.New("remote execution: results of other machines are not signed, but trust accepts only signed results; remove one of the two")
	}
	switch r.Upload {
	case "", "ci":
		opt.Upload = inCI()
	case "always":
		opt.Upload = true
	case "never":
	default:
		return opt, fmt.Errorf("remote upload: want never, ci or always, not %q", r.Upload)
	}
	for _, f := range [...]struct{ name, value string }{
		{"url", r.URL}, {"project", r.File}, {"ca", r.CA}, {"cert", r.Cert}, {"key", r.Key}, {"token-file", r.TokenFile}, {"basic-file", r.BasicFile},
		{"sign-key", r.SignKey},
	} {
		if f.value != "" {
			opt.Args = append(opt.Args, "-"+f.name, f.value)
		}
	}
	for _, property := range r.Platform {
		opt.Args = append(opt.Args, "-platform", property)
	}
	for _, file := range r.Trust {
		opt.Args = append(opt.Args, "-trust", file)
	}
	return opt, nil
}

// The end of a run waits for uploads. The next run does the remaining uploads, but the next run of a
// CI machine may begin with an empty store.
const (
	flushTime   = 10 * time.Second
	ciFlushTime = 10 * time.Minute
)

// inCI reports whether the run is on a CI machine, according to the environment variable CI.
func inCI() bool { return os.Getenv("CI") != "" && os.Getenv("CI") != "false" }

// patience limits the total time that a run waits for answers to unexpected requests, in excess of
// the expected cook times of the actions.
const patience = 200 * time.Millisecond

// A Client requests results from a server for one run. A nil Client has no results and uploads
// none.
type Client struct {
	opt  Options
	note func(string)
	stop context.Context // canceled when the run ends or is interrupted

	starting sync.Once
	begin    func() (io.ReadWriteCloser, error) // starts serve-remote

	to requests

	mu      sync.Mutex // guards the fields below
	seq     uint64
	waiting map[uint64]func(a Answer, ok bool) // function to call with each pending answer, by its number; ok is false if none will arrive
	answers map[Key]*Answer                    // answers for expected keys; nil if the server has sent no result

	patience atomic.Int64 // unused part of the constant patience, in nanoseconds

	talk talk
}

// One goroutine at a time writes requests. A write blocks until serve-remote reads it. Meanwhile
// another goroutine reads answers; otherwise both processes could wait for each other.
type requests struct {
	sync.Mutex
	*json.Encoder
}

// New returns a client for a run that uses a store, or nil if there is no server. Soon after ctx
// ends, the client stops waiting for answers. It calls note with messages for the user, from one
// goroutine at a time.
func New(ctx context.Context, opt Options, s *store.Store, note func(string)) *Client {
	if opt.URL == "" || s == nil || !opt.Read && !opt.Upload && !opt.Exec {
		return nil
	}
	return NewOver(ctx, opt, note, func() (io.ReadWriteCloser, error) {
		return child.Start(exec.Command(opt.Program, append([]string{Serve, "-store", s.Dir()}, opt.Args...)...))
	})
}

// NewOver is like New, but begin opens the connection to serve-remote. Close on the connection must
// end pending reads and writes.
func NewOver(ctx context.Context, opt Options, note func(string), begin func() (io.ReadWriteCloser, error)) *Client {
	c := &Client{opt: opt, note: note, stop: ctx, begin: begin, waiting: map[uint64]func(Answer, bool){}, answers: map[Key]*Answer{}}
	c.patience.Store(int64(patience))
	return c
}

// Reads reports whether the client looks for results.
func (c *Client) Reads() bool { return c != nil && c.opt.Read }

// An Expectation is a result that a run will probably request.
type Expectation struct {
	Key
	Asset string         // path of the asset, for messages
	Have  []store.BlobID // blobs that need not be downloaded
}

// Expect looks up results and downloads their blobs into the store, in the given order. It omits
// downloads that would take longer than cooking. For each result it calls arrived with the index of
// the result, from one goroutine at a time. whole reports whether the store has all blobs of the
// result. Afterwards, Look returns the result without a request.
func (c *Client) Expect(wanted []Expectation, arrived func(n int, whole bool)) {
	const some = 1000 // maximum number of keys in a request
	for first := 0; first < len(wanted); first += some {
		part := wanted[first:min(first+some, len(wanted))]
		r := Request{Op: Expect, Keys: make([]Key, len(part)), Have: make([][]store.BlobID, len(part)), Assets: make([]string, len(part))}
		for n, w := range part {
			r.Keys[n], r.Have[n], r.Assets[n] = w.Key, w.Have, w.Asset
		}
		c.sendFor(r, func(n int, a Answer, ok bool) {
			if ok && (a.ReadSets != nil || a.Result != nil) { // nil also stands for an answer without a result
				c.mu.Lock()
				c.answers[part[n].Key] = &a
				c.mu.Unlock()
			}
			arrived(first+n, a.Found)
		})
	}
}

// Expects reports whether Expect was called for a key.
func (c *Client) Expects(k Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.answers[k]
	return ok || c.waiting == nil
}

// Forget cancels the look-up of expected results.
func (c *Client) Forget(keys ...Key) {
	if c != nil && len(keys) > 0 {
		c.sendOnly(Request{Op: Forget, Keys: keys})
	}
}

// A Known is a server's answer for a key. It is not verified until its blobs are fetched.
type Known struct {
	ReadSets []store.ReadSet
	Result   *store.Result // nil if the server has no result
}

// Look returns the server's result for a key of an asset, or the read sets that other machines
// used. For an expected key, it does not wait for the answer. For other keys, it asks the server,
// and waits no longer than the expected cook time in worth plus the unused part of patience.
func (c *Client) Look(ctx context.Context, k Key, asset string, worth time.Duration) (known Known) {
	if !c.Reads() {
		return known
	}
	c.mu.Lock()
	arrived, expected := c.answers[k]
	c.mu.Unlock()
	switch {
	case arrived != nil:
		return c.decodeKnown(k, arrived)
	case expected:
		return known
	}
	if a, ok := c.sendAndWait(ctx, Request{Op: Look, Keys: []Key{k}, Assets: []string{asset}}, worth); ok {
		return c.decodeKnown(k, &a)
	}
	return known
}

// decodeKnown decodes an answer for a key. For a malformed answer it returns the zero value.
func (c *Client) decodeKnown(k Key, a *Answer) (known Known) {
	var err error
	if a.ReadSets != nil {
		if known.ReadSets, err = store.UnmarshalReadSets(k.Action, a.ReadSets); err != nil {
			return Known{}
		}
	}
	if a.Result != nil {
		r, err := store.UnmarshalResult(k.Result, a.Result)
		if err != nil {
			return Known{}
		}
		r.Origin = a.Origin
		r.Origin.Server = c.opt.URL
		known.Result = &r
	}
	return known
}

// Fetch downloads the blobs of a result into the store, and reports whether the store has all of
// them. It omits a download that would take longer than cooking. It waits no longer than the
// expected cook time in worth plus the unused part of patience.
func (c *Client) Fetch(ctx context.Context, k Key, worth time.Duration) bool {
	if !c.Reads() {
		return false
	}
	a, ok := c.sendAndWait(ctx, Request{Op: Fetch, Keys: []Key{k}}, worth)
	return ok && a.Found
}

// An Execution is the result of executing an action on another machine.
type Execution struct {
	Record Record
	Origin store.Origin  // machine that executed the action, according to the server
	Over   time.Duration // total time without the cook time and the upload of inputs
	// Off means that no more actions will be executed.
	Off bool
}

// Run lets the server execute an action, and stops waiting when ctx ends. If ok is true, the result
// has a record, and the artifacts are in the store.
func (c *Client) Run(ctx context.Context, root *Root) (ran Execution, ok bool) {
	if c == nil || !c.opt.Exec {
		return Execution{Off: true}, false
	}
	seq, got := c.sendForOne(Request{Op: Run, Root: root})
	select {
	case a, ok := <-got:
		ran = Execution{Origin: a.Origin, Over: a.Over, Off: a.Off || !ok}
		ran.Origin.Server = c.opt.URL
		ok = ok && a.Record != nil && json.Unmarshal(a.Record, &ran.Record) == nil && ran.Record.Format == ActionFormat
		return ran, ok
	case <-ctx.Done():
		c.sendOnly(Request{Op: Drop, Seq: seq})
		return Execution{}, false
	}
}

// Keep uploads records of an asset from the store, at any time before the run ends.
func (c *Client) Keep(asset string, keys ...Key) {
	if c != nil && c.opt.Upload {
		c.sendOnly(Request{Op: Keep, Keys: keys, Assets: slices.Repeat([]string{asset}, len(keys))})
	}
}

// Close ends the use of the server. If ctx is done, the next run does the remaining uploads.
func (c *Client) Close(ctx context.Context) Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	begun := c.talk.conn != nil
	c.talk.ending = true
	c.mu.Unlock()
	if !begun {
		return Stats{}
	}
	flush := c.opt.Flush
	switch {
	case ctx.Err() != nil:
		flush = 0
	case flush > 0:
	case inCI():
		flush = ciFlushTime
	default:
		flush = flushTime
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), flush+2*time.Second)
	defer cancel()
	a, ok := c.sendAndWait(ending, Request{Op: End, Flush: flush}, flush+2*time.Second)
	c.talk.conn.Close()
	<-c.talk.received
	c.noteEnd(ok)
	if a.Stats == nil {
		return Stats{}
	}
	if !c.opt.Read {
		a.Stats.Looked, a.Stats.Hits = 0, 0 // these counts are about uploads
	}
	return *a.Stats
}
