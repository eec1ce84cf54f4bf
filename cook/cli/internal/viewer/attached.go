package viewer

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
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/events"
)

// A Process is a started viewer that follows the run, for -http. It ends with its standard input,
// whatever ends this process.
type Process struct {
	Stream *events.Feed // the recording of the run
	viewer *child.Process
	sent   chan struct{} // closed when the viewer has the whole stream
}

// projectArgs returns the flags that name the directories, rules and targets of a project.
func projectArgs(p *cook.Project) (args []string) {
	for _, f := range [][2]string{{"-dir", p.Dir}, {"-out", p.Out}, {"-cache", p.Cache}, {"-config", p.Config}, {"-target", strings.Join(p.Targets, ",")}} {
		if f[1] != "" {
			args = append(args, f[:]...)
		}
	}
	return args
}

// Start starts a viewer of a run at an address, and returns when the viewer serves.
func Start(addr string, p *cook.Project, stderr io.Writer) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := append([]string{Attached, "-http", addr}, projectArgs(p)...)
	cmd := exec.Command(program, append(args, "-")...)
	cmd.Stderr = frontend.Inherited(stderr)
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
	v := &Process{Stream: events.NewFeed(), viewer: viewer, sent: make(chan struct{})}
	go io.Copy(io.Discard, viewer)
	go func() {
		defer close(v.sent)
		v.Stream.WriteStream(context.Background(), viewer) // fails only when the viewer has exited
	}()
	return v, nil
}

// startTime bounds the time until a viewer serves.
const startTime = 20 * time.Second

// addressOf returns the first line of a viewer, which has its address.
func addressOf(viewer *child.Process) (string, error) {
	late := time.AfterFunc(startTime, viewer.Kill)
	line, err := bufio.NewReaderSize(viewer, 4<<10).ReadSlice('\n')
	switch onTime := late.Stop(); {
	case !onTime:
		return "", fmt.Errorf("the viewer does not serve after %v", startTime)
	case err != nil:
		return "", errors.New("the viewer did not start") // its error is on standard error
	}
	return string(line), nil
}

// Stay keeps the pages open after the run, until ctx or the viewer ends.
func (v *Process) Stay(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-v.sent:
		select {
		case <-ctx.Done():
		case <-v.viewer.Ended():
		}
	}
	v.viewer.Close()
}
