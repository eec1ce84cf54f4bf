package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/pathname"
)

// sendAndWait sends a request and waits for its answer.
func (c *Client) sendAndWait(ctx context.Context, r Request, worth time.Duration) (Answer, bool) {
	_, got := c.sendForOne(r)
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

// sendOnly sends a request without an answer.
func (c *Client) sendOnly(r Request) { c.sendFor(r, nil) }

// sendForOne sends a request with one answer, and returns the number of the answer. The channel is
// closed after the answer, or if no answer will arrive.
func (c *Client) sendForOne(r Request) (seq uint64, answer <-chan Answer) {
	got := make(chan Answer, 1)
	seq = c.sendFor(r, func(_ int, a Answer, ok bool) {
		if ok {
			got <- a
		}
		close(got)
	})
	return seq, got
}

// sendFor sends a request, and returns the number of its first answer. It calls answer for each
// answer: once per key for an Expect, otherwise once. ok is false if the answer will not arrive.
func (c *Client) sendFor(r Request, answer func(n int, a Answer, ok bool)) uint64 {
	c.starting.Do(c.startProcess)
	answers := 0
	switch {
	case answer == nil:
	case r.Op == Expect:
		answers = len(r.Keys)
	default:
		answers = 1
	}
	if !c.writeRequest(&r, answers, answer) {
		for n := range answers {
			answer(n, Answer{}, false)
		}
	}
	return r.Seq
}

// writeRequest writes a request, and registers answer for its answers. It returns false if answer
// will not be called.
func (c *Client) writeRequest(r *Request, answers int, answer func(n int, a Answer, ok bool)) bool {
	c.to.Lock()
	defer c.to.Unlock()
	if !c.registerAnswer(r, answers, answer) {
		return false
	}
	if c.to.Encode(r) == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		return true // receiveAnswers has called answer
	}
	for n := range answers {
		delete(c.waiting, r.Seq+uint64(n))
	}
	return false
}

// registerAnswer numbers the answers of a request and registers the function for them. It returns
// false if no more answers will arrive.
func (c *Client) registerAnswer(r *Request, answers int, answer func(n int, a Answer, ok bool)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		return false
	}
	if answers > 0 {
		r.Seq = c.seq + 1
		c.seq += uint64(answers)
	}
	for n := range answers {
		c.waiting[r.Seq+uint64(n)] = func(a Answer, ok bool) { answer(n, a, ok) }
	}
	if r.Op == Expect {
		for _, k := range r.Keys {
			c.answers[k] = nil
		}
	}
	return true
}

// A talk is the connection of a client to its serve-remote.
type talk struct {
	conn     io.ReadWriteCloser // nil until the first request
	received chan struct{}      // closed when receiveAnswers has returned
	silent   chan struct{}      // closed when serve-remote has been silent for too long
	steps    atomic.Int64       // incremented by receiveAnswers; odd while it handles an answer

	// The client's mu guards the following fields.
	ending    bool  // set if the run has ended
	why       error // why no more answers will arrive
	userNoted bool  // set if the user has got a note
}

// startProcess starts serve-remote. If that fails, every request is a miss.
func (c *Client) startProcess() {
	conn, err := c.begin()
	c.mu.Lock()
	if err != nil {
		c.waiting = nil
		c.mu.Unlock()
		c.note(fmt.Sprintf("remote: %v; %s", err, withoutServer))
		return
	}
	c.talk.conn, c.to.Encoder, c.talk.received = conn, json.NewEncoder(conn), make(chan struct{})
	c.mu.Unlock()
	abandon := context.AfterFunc(c.stop, func() {
		select {
		case <-c.talk.received:
		case <-time.After(endTime):
			conn.Close()
		}
	})
	go func() {
		defer close(c.talk.received)
		defer abandon()
		c.receiveAnswers(conn)
	}()
	c.to.Encode(Request{Op: Hello, Wire: WireVersion}) // receiveAnswers will notice a failure
}

const (
	// speaker is the name of the process in notes.
	speaker = "the process that speaks to the server"

	// withoutServer tells the user the consequence of a failed serve-remote.
	withoutServer = "this run goes on without the server, and downloads and uploads no more results"

	// The client gives up serve-remote after these times.
	endTime    = 2 * time.Second // time to wait for the last answers after the run has ended
	mostSilent = 6               // number of Beat intervals without a line
)

// receiveAnswers passes on answers until serve-remote ends, writes an invalid line, or is silent
// for too long. Then it sends a note with the reason, and ends all waits for answers.
func (c *Client) receiveAnswers(conn io.ReadWriteCloser) {
	c.talk.silent = make(chan struct{})
	over := make(chan struct{})
	go c.closeIfSilent(over, conn)
	why := c.passOnAnswers(conn)
	close(over)
	select {
	case <-c.talk.silent:
		why = fmt.Errorf("the process has sent nothing for %v", mostSilent*Beat)
	default:
	}
	c.mu.Lock()
	left := c.waiting
	c.waiting = nil
	if c.talk.why = why; !c.talk.ending {
		c.talk.userNoted = true
	}
	say := c.talk.userNoted
	c.mu.Unlock()
	if say && c.stop.Err() == nil {
		if why == io.EOF {
			why = errors.New("the process ended early")
		}
		c.note(fmt.Sprintf("remote: %s: %v; %s", speaker, why, withoutServer))
	}
	for _, answer := range left {
		answer(Answer{}, false)
	}
	go conn.Close()
	io.Copy(io.Discard, conn) // serve-remote exits only after its output was read
}

// closeIfSilent closes the connection if nothing arrives for too long while receiveAnswers waits.
func (c *Client) closeIfSilent(over <-chan struct{}, conn io.Closer) {
	ticker := time.NewTicker(Beat)
	defer ticker.Stop()
	for last, quiet := int64(0), 0; quiet < mostSilent; {
		select {
		case <-ticker.C:
		case <-over:
			return
		}
		quiet++
		if now := c.talk.steps.Load(); now != last || now%2 == 1 {
			last, quiet = now, 0
		}
	}
	close(c.talk.silent)
	conn.Close()
}

// passOnAnswers passes on answers until they end, and returns the reason. If serve-remote has ended
// normally, the reason is io.EOF.
func (c *Client) passOnAnswers(from io.Reader) error {
	const longest = 64 << 20 // limit for a line in bytes, including encoded records of the store
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, longest)
	hint := " (if its version differs from the version of cook, install both again)"
	for first := true; lines.Scan(); first, hint = false, "" {
		var a Answer
		switch err := json.Unmarshal(lines.Bytes(), &a); {
		case err != nil:
			return fmt.Errorf("the process printed %s, which is not an answer%s", pathname.Show(lines.Text()), hint)
		case first && a.Wire != WireVersion:
			return fmt.Errorf("the protocol of the process is %d, not %d%s", a.Wire, WireVersion, hint)
		}
		c.talk.steps.Add(1)
		c.handle(a)
		c.talk.steps.Add(1)
	}
	switch err := lines.Err(); {
	case err != nil:
		return fmt.Errorf("%w%s", err, hint)
	case hint != "":
		return fmt.Errorf("the process ended at once%s", hint)
	}
	return io.EOF
}

// handle calls the function that waits for an answer.
func (c *Client) handle(a Answer) {
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
		answer(a, true)
	}
}

// noteEnd sends a note if serve-remote ended with an error or too early. answered reports whether
// its Stats arrived.
func (c *Client) noteEnd(answered bool) {
	why := c.talk.why
	switch {
	case c.talk.userNoted, c.stop.Err() != nil, answered && why == io.EOF:
		return
	case why == io.EOF:
		why = errors.New("the process ended early")
	}
	consequence := ""
	if !answered {
		consequence = "; results of this run may be missing on the server"
	}
	c.note(fmt.Sprintf("remote: %s: %v%s", speaker, why, consequence))
}
