// Package child runs programs and exchanges data with them over standard input and output. The
// exchange always ends, whatever the program does.
//
// Reading ends when the program exits, closes its output or is killed. The error describes the
// cause and quotes the program's standard error. A program that keeps running after the end of its
// input is killed. Reading does not wait for descendants of the program that keep its output open.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/pathname"
)

const (
	// endTime is how long a program may keep running after the end of its input or its output.
	endTime = 2 * time.Second
	// drainTime is how long the pipe of an output may stay open after the program has exited.
	drainTime = time.Second
)

// A Process is a running program. Read reads from its standard output, and Write writes to its
// standard input. Both return an error once the program has exited.
type Process struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	output *os.File
	said   Head          // start of the program's standard error
	ended  chan struct{} // closed when the program has exited and err is set
	err    error
}

// Start starts a command whose standard input and output must not be set. Unless cmd.Stderr is set,
// the error at the end of reading quotes the program's standard error.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, said: Head{Most: 4 << 10}, ended: make(chan struct{})}
	cmd.WaitDelay = drainTime
	if cmd.Stderr == nil {
		cmd.Stderr = &p.said
	}
	var err error
	if p.input, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, print, err := os.Pipe()
	if err != nil {
		p.input.Close()
		return nil, err
	}
	p.output, cmd.Stdout = output, print
	err = cmd.Start()
	print.Close()
	if err != nil {
		p.input.Close()
		output.Close()
		return nil, err
	}
	go func() {
		p.err = p.exitReason(cmd.Wait())
		close(p.ended)
		time.AfterFunc(drainTime, func() { output.Close() })
	}()
	return p, nil
}

// exitReason returns an error that describes how the program exited, or nil if it succeeded and
// printed no error.
func (p *Process) exitReason(err error) error {
	if p.cmd.ProcessState.Success() {
		err = nil // ignore the error of a pipe that is still open
	}
	switch said := p.stderrExcerpt(); {
	case err == nil && said == "":
		return nil
	case err == nil:
		return fmt.Errorf("the program printed: %s", said)
	case said == "":
		return err
	default:
		return fmt.Errorf("%w: %s", err, said)
	}
}

// stderrExcerpt returns the first lines that the program printed to its standard error.
func (p *Process) stderrExcerpt() string {
	const most = 4 // maximum number of quoted lines
	lines := strings.FieldsFunc(p.said.String(), func(r rune) bool { return r == '\n' || r == '\r' })
	text := strings.Join(lines[:min(most, len(lines))], "; ")
	if text == "" {
		return ""
	}
	return pathname.Show(text)
}

// Read reads the program's output. At its end the error is io.EOF if the program succeeded and
// printed no error; otherwise the error describes the reason.
func (p *Process) Read(b []byte) (int, error) {
	n, err := p.output.Read(b)
	if err == nil {
		return n, nil
	}
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-p.ended:
		if p.err != nil {
			return n, p.err
		}
		return n, io.EOF
	case <-timer.C:
		return n, errors.New("the program closed its output but is still running")
	}
}

// Write writes to the standard input of the program.
func (p *Process) Write(b []byte) (int, error) { return p.input.Write(b) }

// Ended returns a channel that is closed when the program has exited.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Close closes the program's input, and kills the program if it does not exit soon. It returns an
// error that describes how the program exited.
func (p *Process) Close() error {
	p.input.Close()
	timer := time.AfterFunc(endTime, p.Kill)
	defer timer.Stop()
	<-p.ended
	return p.err
}

// Kill kills the program at once.
func (p *Process) Kill() { p.cmd.Process.Kill() }

// A Head is a writer that keeps the first bytes and drops the others.
type Head struct {
	Most int // maximum number of bytes to keep

	mu   sync.Mutex
	kept []byte
}

func (h *Head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, b[:min(len(b), max(0, h.Most-len(h.kept)))]...)
	return len(b), nil
}

// Bytes returns the bytes that were kept.
func (h *Head) Bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept[:len(h.kept):len(h.kept)]
}

func (h *Head) String() string { return string(h.Bytes()) }
