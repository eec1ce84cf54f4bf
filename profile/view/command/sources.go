package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/mapped"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/profile/view"
)

// snapshotEnding is the file ending of memory snapshots.
const snapshotEnding = ".json"

// dialTimeout is the maximum time until a program accepts the viewer's connection.
const dialTimeout = 5 * time.Second

// A gathering collects the sources of a view, and the functions that close them.
type gathering struct {
	view.Sources
	close []func() error
}

// closeAll closes the connections to all programs.
func (g *gathering) closeAll() {
	for _, f := range g.close {
		f()
	}
}

// openRecording opens all files and addresses of the command line. It calls end when an attached
// viewer must end.
func (v *Viewer) openRecording(ctx context.Context, end func()) (*gathering, error) {
	g := &gathering{Sources: view.Sources{Title: v.title(), Token: view.NewToken(), Tabs: v.Tabs, Dumps: "."}}
	for _, name := range v.Files {
		if err := v.gatherInto(ctx, g, name, end); err != nil {
			g.closeAll()
			return nil, err
		}
	}
	return g, nil
}

func (v *Viewer) gatherInto(ctx context.Context, g *gathering, name string, end func()) error {
	switch {
	case name == "-":
		v.addStream(ctx, g, "standard input", v.Stdin, end)
		return nil
	case strings.HasSuffix(name, snapshotEnding):
		return addSnapshot(g, name)
	}
	_, err := os.Stat(name)
	if host, port, bad := net.SplitHostPort(name); err != nil && bad == nil && host != "" && port != "" {
		conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", name)
		if err != nil {
			return fmt.Errorf("no program serves its stream at %s: %w", name, err)
		}
		g.close = append(g.close, conn.Close)
		v.addStream(ctx, g, name, conn, func() {})
		return nil
	}
	if err != nil {
		return err
	}
	return v.addRecording(g, name)
}

// addRecording adds a file to the view. The counters of the view come from the first file.
func (v *Viewer) addRecording(g *gathering, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	m, err := mapped.Of(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	// The file stays mapped until the process ends, because readers may use it until then.
	tape := events.OpenTape(m.Data)
	if err := tape.State().Err; err != nil {
		if tape.State().Start.IsZero() { // The recording could not be read at all.
			return fmt.Errorf("%s: %w", name, err)
		}
		v.print(name, frontend.Warning, err.Error()+"; the page shows the events before the damage")
	}
	g.Recordings = append(g.Recordings, view.Recording{Name: filepath.Base(name), Tape: tape})
	if g.Counters == nil {
		rows := rowsOf(tape)
		g.Counters = counters.New(counters.Options{Max: 3*maxNames + 16, Frames: rows + 1})
		set := g.Counters
		go func() { // This runs in the background, because the page does not need the result at once.
			if err := replay(set, tape, rows); err != nil {
				v.print(name, frontend.Err, err.Error())
			}
		}()
	}
	return nil
}

// addSnapshot adds a file with a memory snapshot.
func addSnapshot(g *gathering, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	capture, err := memory.ReadCapture(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	capture.Name = filepath.Base(name)
	g.Snapshots = append(g.Snapshots, capture)
	return nil
}

// addStream adds a live stream. It calls end when no more data can arrive.
func (v *Viewer) addStream(ctx context.Context, g *gathering, name string, from io.Reader, end func()) {
	tape := events.NewTape(0)
	g.Recordings = append(g.Recordings, view.Recording{Name: name, Tape: tape})
	if g.Counters == nil {
		g.Counters = counters.New(counters.Options{Max: 3*maxNames + 16, Frames: liveKept})
	}
	set := g.Counters
	go func() {
		r := bufio.NewReaderSize(from, 64<<10)
		err := follow(set, events.Read(io.TeeReader(r, tape)))
		if err != nil && ctx.Err() == nil && !errors.Is(err, io.ErrClosedPipe) {
			v.print(name, frontend.Err, err.Error())
		}
		if v.Attached {
			io.Copy(io.Discard, r) // Standard input ends when the program that started the viewer closes it or ends.
			end()
		}
	}()
}
