package run

import (
	"errors"
	"fmt"
	"io"

	"github.com/assetcook/assetcook/cook/cli/internal/viewer"
	"github.com/assetcook/assetcook/profile/events"
)

// A recording is the timeline of a run on its way to a file, to viewers or to both.
type recording struct {
	events *events.Recorder
	trace  *trace          // nil without -trace
	feed   *feed           // nil without -feed
	viewer *viewer.Process // nil without -http
}

// startRecording opens the places that the command line names, and begins to record.
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
			return nil, errors.Join(err, rec.discard())
		}
		to = append(to, rec.feed.stream)
		fmt.Fprintf(r.call.Stderr, "cook: timeline at %s\n", rec.feed.socket.Name())
	}
	if r.to.http != "" {
		if rec.viewer, err = viewer.Start(r.to.http, &r.project, r.call.Stderr); err != nil {
			return nil, errors.Join(err, rec.discard())
		}
		to = append(to, rec.viewer.Stream)
	}
	rec.events = events.New(io.MultiWriter(to...), events.Options{Names: 1 << 21, NameBytes: 128 << 20})
	return rec, nil
}

// discard gives up a recording that has not begun.
func (rec *recording) discard() (err error) {
	if rec.trace != nil {
		rec.trace.discard()
	}
	if rec.feed != nil {
		err = rec.feed.endFeed(0)
	}
	return err
}

// finishRecording ends a recording and writes its file, unless the run did not begin.
func (rec *recording) finishRecording(began bool) error {
	err := rec.events.Close()
	var feedErr error
	if rec.feed != nil {
		feedErr = rec.feed.endFeed(takeRest)
	}
	if rec.trace == nil {
		return errors.Join(err, feedErr)
	}
	defer rec.trace.discard()
	switch {
	case !began: // the recording of an earlier run is worth more
		return feedErr
	case err != nil:
		err = fmt.Errorf("trace %s: recording into the directory of temporary files (TMPDIR): %w", rec.trace.name, err)
	default:
		err = rec.trace.save()
	}
	return errors.Join(err, feedErr)
}

// warnMissing prints how much a recording lacks.
func (r *cookOptions) warnMissing(stats events.Stats) {
	what := "recording"
	if r.to.trace != "" {
		what = "trace " + r.to.trace
	}
	if stats.Dropped > 0 {
		fmt.Fprintf(r.call.Stderr, "cook: %s: %d events are missing, they came faster than they could be written\n", what, stats.Dropped)
	}
	if stats.Unnamed > 0 {
		fmt.Fprintf(r.call.Stderr, "cook: %s: %d names found no room and are shown as …\n", what, stats.Unnamed)
	}
}
