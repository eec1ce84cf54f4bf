package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/profile/events"
)

// A viewing is that of -http: a viewer that has been started and follows the run. It ends
// when its standard input does, whatever ends this process.
type viewing struct {
	stream *events.Feed
	input  io.WriteCloser // of the viewer
	told   chan struct{}  // closed when the viewer has been given all of the stream
	ended  chan struct{}  // closed when the viewer has ended
}

// projectArgs are the flags that say where a project is.
func projectArgs(p *cook.Project) (args []string) {
	for _, f := range [][2]string{{"-dir", p.Dir}, {"-out", p.Out}, {"-cache", p.Cache}, {"-config", p.Config}, {"-target", strings.Join(p.Targets, ",")}} {
		if f[1] != "" {
			args = append(args, f[:]...)
		}
	}
	return args
}

// openViewer starts a viewer of a run at an address, and returns when it serves.
func openViewer(addr string, p *cook.Project, stderr io.Writer) (*viewing, error) {
	program, err := findViewer()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{"-attached", "-http", addr, "-program", self}, projectArgs(p)...)
	viewer := exec.Command(program, append(args, "-")...)
	viewer.Stderr = inherited(stderr)
	input, err := viewer.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := viewer.StdoutPipe()
	if err == nil {
		err = viewer.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	said := bufio.NewReader(output)
	line, err := said.ReadString('\n') // where it serves, once it does
	if err != nil {
		input.Close()
		viewer.Wait() // it has said why
		return nil, errors.New("pages: the viewer did not start")
	}
	fmt.Fprint(stderr, line)
	f := &viewing{stream: events.NewFeed(), input: input, told: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(f.ended)
		io.Copy(io.Discard, said)
		viewer.Wait() // it has said what went wrong
	}()
	go func() {
		defer close(f.told)
		f.stream.WriteStream(context.Background(), input) // an error is a viewer that has ended
	}()
	return f, nil
}

// stay leaves the pages open after the run, until ctx or the viewer ends.
func (v *viewing) stay(ctx context.Context) {
	<-v.told
	select {
	case <-ctx.Done():
	case <-v.ended:
	}
	v.input.Close()
	<-v.ended
}
