package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// Options say which server, and what may be done with it.
type Options struct {
	URL     string   // "" for none
	Program string   // cook-remote
	Args    []string // that say which server, and how to reach it
	Read    bool     // take results
	Upload  bool     // give results
	// Traffic is told what passes, by one goroutine at a time; nil if that is not of interest.
	Traffic func(Traffic)
}

// OptionsOf returns the options for what a project says of its server.
func OptionsOf(r rules.Remote) (opt Options, err error) {
	if r.URL == "" {
		return opt, nil
	}
	if err := rules.CheckRemote(r.URL); err != nil {
		return opt, fmt.Errorf("remote: %w", err)
	}
	opt = Options{URL: r.URL, Program: r.Program, Read: !r.NoRead}
	switch r.Upload {
	case "", "ci":
		opt.Upload = os.Getenv("CI") != "" && os.Getenv("CI") != "false"
	case "always":
		opt.Upload = true
	case "never":
	default:
		return opt, fmt.Errorf("remote upload: want never, ci or always, not %q", r.Upload)
	}
	for _, f := range [...]struct{ name, value string }{
		{"url", r.URL}, {"ca", r.CA}, {"cert", r.Cert}, {"key", r.Key}, {"token-file", r.TokenFile}, {"basic-file", r.BasicFile},
		{"sign-key", r.SignKey},
	} {
		if f.value != "" {
			opt.Args = append(opt.Args, "-"+f.name, f.value)
		}
	}
	for _, file := range r.Trust {
		opt.Args = append(opt.Args, "-trust", file)
	}
	return opt, nil
}

// flushTime is how long the end of a run waits for uploads. What is left the next run
// uploads.
const flushTime = 10 * time.Second

// patience is how long a run waits for answers in all, beyond what cooking would take.
const patience = time.Second

// A Client asks for results on behalf of a run. A nil one knows nothing and keeps nothing.
type Client struct {
	opt  Options
	note func(string)

	starting sync.Once
	begin    func() (io.ReadWriteCloser, error) // starts cook-remote

	mu      sync.Mutex // guards what follows, and writing to conn
	conn    io.ReadWriteCloser
	to      *json.Encoder
	seq     uint64
	waiting map[uint64]chan<- Answer
	ended   bool // no answer will come any more

	patience atomic.Int64 // what is left of it, as a time.Duration

	received chan struct{} // closed when nothing is noted any more; nil if nothing was begun
}

// New returns a client for the runs that use a store, nil if there is no server to ask. note
// is called with what the user should know, by one goroutine at a time.
func New(opt Options, s *store.Store, note func(string)) *Client {
	if opt.URL == "" || s == nil || !opt.Read && !opt.Upload {
		return nil
	}
	return NewOver(opt, note, func() (io.ReadWriteCloser, error) { return startProgram(opt, s.Dir()) })
}

// NewOver is New for a cook-remote that is spoken to over what begin returns.
func NewOver(opt Options, note func(string), begin func() (io.ReadWriteCloser, error)) *Client {
	c := &Client{opt: opt, note: note, begin: begin, waiting: map[uint64]chan<- Answer{}}
	c.patience.Store(int64(patience))
	return c
}

// Expect says which keys will be looked for, so that answers are on their way before the
// first question; and if fetch is true, the blobs of what is found.
func (c *Client) Expect(keys []Key, fetch bool) {
	const some = 1000 // in a line
	if c == nil || !c.opt.Read {
		return
	}
	for len(keys) > 0 {
		n := min(some, len(keys))
		c.send(Request{Op: Expect, Keys: keys[:n], Fetch: fetch})
		keys = keys[n:]
	}
}

// Known is what a server says of a key. None of it is proved before its blobs are fetched.
type Known struct {
	ReadSets []store.ReadSet // of the action
	Result   *store.Result   // nil if there is none
}

// Look asks what the server knows of a key: the result, and for an action without known
// dependencies what it read elsewhere. It waits no longer than worth, as long as cooking is
// expected to take, and the run's patience.
func (c *Client) Look(ctx context.Context, k Key, worth time.Duration) (known Known) {
	if c == nil || !c.opt.Read {
		return known
	}
	a, ok := c.ask(ctx, Request{Op: Look, Keys: []Key{k}}, worth)
	if !ok {
		return known
	}
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

// Fetch brings the blobs of a result into the store, unless they take longer than cooking it
// does, by what is known of the link, or then than worth and the run's patience. It reports
// whether they are there.
func (c *Client) Fetch(ctx context.Context, k Key, worth time.Duration) bool {
	if c == nil || !c.opt.Read {
		return false
	}
	a, ok := c.ask(ctx, Request{Op: Fetch, Keys: []Key{k}}, worth)
	return ok && a.Found
}

// Keep gives the server what the store has under keys, some time until the run has ended: the
// result of an action that reads, before the read sets of the action.
func (c *Client) Keep(keys ...Key) {
	if c != nil && c.opt.Upload {
		c.send(Request{Op: Keep, Keys: keys})
	}
}

// Close ends the work for a run. If ctx is done, what was not uploaded yet is left for the
// next run.
func (c *Client) Close(ctx context.Context) Stats {
	if c == nil {
		return Stats{}
	}
	c.mu.Lock()
	begun := c.conn != nil
	c.mu.Unlock()
	if !begun {
		return Stats{}
	}
	flush := flushTime
	if ctx.Err() != nil {
		flush = 0
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), flush+2*time.Second)
	defer cancel()
	a, _ := c.ask(ending, Request{Op: End, Flush: flush}, flush)
	c.conn.Close()
	<-c.received
	if a.Stats == nil {
		return Stats{}
	}
	if !c.opt.Read {
		a.Stats.Looked, a.Stats.Hits = 0, 0 // only for what an upload adds to
	}
	return *a.Stats
}

// ask sends a request and waits for its answer.
func (c *Client) ask(ctx context.Context, r Request, worth time.Duration) (Answer, bool) {
	got := make(chan Answer, 1)
	if !c.sendFor(r, got) {
		return Answer{}, false
	}
	select { // often it is there already
	case a, ok := <-got:
		return a, ok
	default:
	}
	begun := time.Now()
	defer func() { c.patience.Add(-int64(max(0, time.Since(begun)-worth))) }()
	timer := time.NewTimer(worth + max(0, time.Duration(c.patience.Load())))
	defer timer.Stop()
	select {
	case a, ok := <-got:
		return a, ok
	case <-timer.C:
		return Answer{}, false
	case <-ctx.Done():
		return Answer{}, false
	}
}

func (c *Client) send(r Request) { c.sendFor(r, nil) }

// sendFor sends a request. Its answer comes to a channel, which is closed if none will; nil
// for a request without one.
func (c *Client) sendFor(r Request, answer chan<- Answer) bool {
	c.starting.Do(c.start)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	if answer != nil {
		c.seq++
		r.Seq = c.seq
		c.waiting[r.Seq] = answer
	}
	if err := c.to.Encode(r); err != nil {
		delete(c.waiting, r.Seq)
		return false
	}
	return true
}

// start starts cook-remote. If it cannot be, everything is a miss.
func (c *Client) start() {
	conn, err := c.begin()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.ended = true
		c.note(fmt.Sprintf("remote: %v; this run goes on without it", err))
		return
	}
	c.conn, c.to, c.received = conn, json.NewEncoder(conn), make(chan struct{})
	go func() {
		defer close(c.received)
		c.receive(conn)
	}()
}

// receive hands answers to those who wait for them.
func (c *Client) receive(from io.Reader) {
	d := json.NewDecoder(bufio.NewReader(from))
	for {
		var a Answer
		if d.Decode(&a) != nil {
			break
		}
		if a.Note != "" {
			c.note("remote: " + a.Note)
		}
		if a.Traffic != nil && c.opt.Traffic != nil {
			c.opt.Traffic(*a.Traffic)
		}
		c.mu.Lock()
		answer := c.waiting[a.Seq]
		delete(c.waiting, a.Seq)
		c.mu.Unlock()
		if answer != nil {
			answer <- a
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for seq, answer := range c.waiting {
		close(answer)
		delete(c.waiting, seq)
	}
}

// startProgram starts cook-remote with a pipe to it and one from it.
func startProgram(opt Options, store string) (io.ReadWriteCloser, error) {
	program := exec.Command(opt.Program, append([]string{"-serve", "-store", store}, opt.Args...)...)
	in, err := program.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return &process{program: program, WriteCloser: in, out: out, drained: make(chan struct{})}, nil
}

// A process is a program that is spoken to by its standard input and output.
type process struct {
	program *exec.Cmd
	io.WriteCloser
	out     io.Reader
	drained chan struct{} // closed when out has ended; only then the program may be waited for
	ended   sync.Once
}

func (p *process) Read(b []byte) (int, error) {
	n, err := p.out.Read(b)
	if err != nil {
		p.ended.Do(func() { close(p.drained) })
	}
	return n, err
}

// Close lets the program end, and ends it if it does not.
func (p *process) Close() error {
	p.WriteCloser.Close()
	timer := time.AfterFunc(2*time.Second, func() { p.program.Process.Kill() })
	defer timer.Stop()
	<-p.drained
	return p.program.Wait()
}
