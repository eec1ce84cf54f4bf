package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/cli/internal/viewer"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/socket"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
)

// A recording is the timeline of a run while it is written to a file, to viewers or to both.
type recording struct {
	events *events.Recorder
	trace  *trace          // nil unless -trace is set
	feed   *feed           // nil unless -feed is set
	viewer *viewer.Process // nil unless -http is set
}

// startRecording opens the files and connections that the command line names, and begins to record.
func (r *cookOptions) startRecording() (rec *recording, err error) {
	rec = new(recording)
	var to []io.Writer
	if r.to.trace != "" {
		if rec.trace, err = createTrace(r.to.trace, r.project.Dir); err != nil {
			return nil, err
		}
		to = append(to, rec.trace.stream)
	}
	if r.to.feed != "" {
		if rec.feed, err = listenFeed(r.to.feed); err != nil {
			return nil, errors.Join(err, rec.discardPlaces())
		}
		to = append(to, rec.feed.stream)
		fmt.Fprintf(r.call.Stderr, "cook: timeline at %s\n", rec.feed.socket.Name())
	}
	if r.to.http != "" {
		if rec.viewer, err = viewer.Start(r.to.http, &r.project, r.call.Stderr); err != nil {
			return nil, errors.Join(err, rec.discardPlaces())
		}
		to = append(to, rec.viewer.Stream)
	}
	rec.events = events.New(io.MultiWriter(to...), events.Options{Names: 1 << 21, NameBytes: 128 << 20})
	return rec, nil
}

// discardPlaces removes the files and connections of a recording that has not begun.
func (rec *recording) discardPlaces() (err error) {
	if rec.trace != nil {
		rec.trace.removeStream()
	}
	if rec.feed != nil {
		err = rec.feed.endFeed(0)
	}
	return err
}

// finishRecording ends a recording. It writes the -trace file unless the run did not begin.
func (rec *recording) finishRecording(began bool) error {
	err := rec.events.Close()
	var feedErr error
	if rec.feed != nil {
		feedErr = rec.feed.endFeed(takeRest)
	}
	if rec.trace == nil {
		return errors.Join(err, feedErr)
	}
	defer rec.trace.removeStream()
	switch {
	case !began:
		return feedErr
	case err != nil:
		err = fmt.Errorf("trace %s: cannot record into the temporary directory (TMPDIR): %w", rec.trace.name, err)
	default:
		err = rec.trace.saveTrace()
	}
	return errors.Join(err, feedErr)
}

// warnMissing prints how many events a recording lacks.
func (r *cookOptions) warnMissing(stats events.Stats) {
	what := "recording"
	if r.to.trace != "" {
		what = "trace " + r.to.trace
	}
	if stats.Dropped > 0 {
		fmt.Fprintf(r.call.Stderr, "cook: %s: %d events are missing, because the disk could not keep up\n", what, stats.Dropped)
	}
	if stats.Unnamed > 0 {
		fmt.Fprintf(r.call.Stderr, "cook: %s: %d names did not fit into the recording and are shown as …\n", what, stats.Unnamed)
	}
}

// streamEnding is the extension of a file that holds the recorded stream without conversion.
const streamEnding = ".events"

// A trace is the -trace file of a recording. The stream is written to a temporary file, and
// converted when the recording is complete.
type trace struct {
	name   string
	stream *os.File
	write  func(io.Writer, export.Recording) error // nil if the file holds the unconverted stream
	start  time.Time
}

// createTrace prepares a trace file, whose extension selects the format. It returns an error if the
// file is in the asset directory or cannot be written.
func createTrace(name, assets string) (*trace, error) {
	t := &trace{name: name}
	var known bool
	if t.write, known = export.ByEnding(name); !known && !strings.HasSuffix(name, streamEnding) {
		return nil, fmt.Errorf("trace %s: unknown format; use one of the extensions %s", name, strings.Join(append(export.Endings(), streamEnding), ", "))
	}
	if err := placeFile(name, assets); err != nil {
		return nil, fmt.Errorf("trace %s: %w", name, err)
	}
	var err error
	if t.stream, err = os.CreateTemp("", "cook-trace-"); err != nil {
		return nil, fmt.Errorf("trace %s: temporary directory (TMPDIR): %w", name, err)
	}
	os.Remove(t.stream.Name()) // Unix deletes an open file when the process ends; on Windows, discard deletes the file
	t.start = time.Now()
	return t, nil
}

// placeFile checks that a file can be written, and that it is neither an asset nor in one of cook's
// own directories.
func placeFile(name, assets string) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return errors.New("this is a directory; name a file")
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if real, err := filepath.Abs(assets); err == nil {
		if real, err = filepath.EvalSymlinks(real); err == nil {
			if _, inside := pathname.Below(real, dir); inside {
				return errors.New("the file would be cooked as an asset; choose a directory outside of the assets")
			}
		}
	}
	for part := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		if part == ".cook" || part == ".cook-work" {
			return errors.New("the directory belongs to cook; choose another directory")
		}
	}
	f, err := atomicfile.Create(dir, 0o666)
	if err != nil {
		return err
	}
	f.Discard()
	return nil
}

func (t *trace) removeStream() {
	t.stream.Close()
	busyfile.Remove(t.stream.Name())
}

// saveTrace writes the trace file after the end of the stream.
func (t *trace) saveTrace() error {
	_, err := t.stream.Seek(0, io.SeekStart)
	if err == nil {
		err = atomicfile.Write(t.name, 0o666, t.convertStream)
	}
	if err != nil {
		return fmt.Errorf("trace %s: %w", t.name, err)
	}
	return nil
}

func (t *trace) convertStream(w io.Writer) error {
	if t.write == nil {
		_, err := io.Copy(w, t.stream)
		return err
	}
	recorded := events.Read(bufio.NewReaderSize(t.stream, 1<<16))
	out := bufio.NewWriterSize(w, 1<<16)
	err := t.write(out, export.Recording{
		Workers: recorded.Workers, Events: recorded.All(), Dropped: recorded.Dropped, Open: recorded.Open, Process: "cook", Start: t.start,
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// maxViewers limits the number of connected viewers. The feed closes further connections.
const maxViewers = 64

// takeRest is how long viewers may take to read the rest of the stream after a run.
const takeRest = time.Second

// A feed serves the stream of a recording to connected viewers.
type feed struct {
	stream  *events.Feed
	socket  *os.File
	stop    context.CancelFunc
	hangUp  context.CancelFunc
	serving sync.WaitGroup
	err     error // error of acceptViewers; valid after serving.Wait
}

// listenFeed listens at an address in the form of [socket.ListenTCP].
func listenFeed(addr string) (*feed, error) {
	listening, err := socket.ListenTCP(addr)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, errors.New("this system does not support -feed")
	case err != nil:
		return nil, fmt.Errorf("feed: %w", err)
	}
	f := &feed{stream: events.NewFeed(), socket: listening}
	viewing, hangUp := context.WithCancel(context.Background())
	accepting, stop := context.WithCancel(viewing)
	context.AfterFunc(accepting, func() { listening.Close() })
	f.stop, f.hangUp = stop, hangUp
	f.serving.Go(func() { f.err = f.acceptViewers(accepting, viewing) })
	return f, nil
}

// acceptViewers accepts viewers until the first context is done. It serves each viewer until the
// second context is done.
func (f *feed) acceptViewers(accepting, viewing context.Context) error {
	slots := make(chan struct{}, maxViewers)
	for {
		conn, err := socket.Accept(accepting, f.socket)
		if err != nil {
			if accepting.Err() != nil {
				return nil
			}
			return fmt.Errorf("feed: %w; further viewers could not connect", err)
		}
		select {
		case slots <- struct{}{}:
			f.serving.Go(func() {
				defer func() { <-slots }()
				f.stream.ServeConn(viewing, conn)
			})
		default:
			conn.Close()
		}
	}
}

// endFeed stops accepting viewers, and waits until the viewers have read the whole stream. It
// closes connections that are still open after the duration patience.
func (f *feed) endFeed(patience time.Duration) error {
	f.stop()
	late := time.AfterFunc(patience, f.hangUp)
	defer late.Stop()
	f.serving.Wait()
	f.hangUp()
	return f.err
}
