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
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/child"
	"github.com/assetcook/assetcook/profile/events"
)

// A viewing is a started viewer that follows the run, for -http. It ends
// when its standard input does, whatever ends this process.
type viewing struct {
	stream *events.Feed
	viewer *child.Process
	told   chan struct{} // closed when the viewer has been given all of the stream
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
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{attachedView, "-http", addr}, projectArgs(p)...)
	cmd := exec.Command(program, append(args, "-")...)
	cmd.Stderr = inherited(stderr)
	viewer, err := child.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	address, err := addressOf(viewer)
	if err != nil {
		viewer.Kill()
		return nil, fmt.Errorf("pages: %w", err)
	}
	fmt.Fprint(stderr, address)
	v := &viewing{stream: events.NewFeed(), viewer: viewer, told: make(chan struct{})}
	go io.Copy(io.Discard, viewer)
	go func() {
		defer close(v.told)
		v.stream.WriteStream(context.Background(), viewer) // fails only when the viewer has exited
	}()
	return v, nil
}

// startTime is how long a viewer may take until it serves.
const startTime = 20 * time.Second

// addressOf returns the address that a viewer prints as its first line.
func addressOf(viewer *child.Process) (string, error) {
	late := time.AfterFunc(startTime, viewer.Kill)
	line, err := bufio.NewReaderSize(viewer, 4<<10).ReadSlice('\n')
	switch onTime := late.Stop(); {
	case !onTime:
		return "", fmt.Errorf("the viewer does not serve after %v", startTime)
	case err != nil:
		return "", errors.New("the viewer did not start") // it has said why
	}
	return string(line), nil
}

// stay leaves the pages open after the run, until ctx or the viewer ends.
func (v *viewing) stay(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-v.told:
		select {
		case <-ctx.Done():
		case <-v.viewer.Ended():
		}
	}
	v.viewer.Close()
}
