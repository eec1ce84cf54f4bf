package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/assetcook/assetcook/internal/diagnosis"
	"github.com/assetcook/assetcook/internal/mapped"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/internal/stat"
	"github.com/assetcook/assetcook/profile/memory"
	"github.com/assetcook/assetcook/profile/view/internal/diagnose"
	"github.com/assetcook/assetcook/profile/view/internal/timeline"
)

// DiagnoseFiles returns the findings in a file, which is a recording or a memory snapshot, or in the
// differences between two files of one kind. frame is the name of the scopes that are frames.
//
// The error of a recording that ends early comes with the findings before its end. Other errors
// come with an empty verdict.
func DiagnoseFiles(ctx context.Context, files []string, frame string) (d diagnosis.Diagnosis, err error) {
	subjects := make([]subject, len(files))
	for i, name := range files {
		release, err := subjects[i].openSubject(name)
		if err != nil {
			return diagnosis.Diagnosis{}, fmt.Errorf("%s: %w", pathname.Show(name), withoutName(err))
		}
		defer release()
	}
	a, b := &subjects[0], &subjects[len(subjects)-1]
	switch {
	case (a.captured == nil) != (b.captured == nil):
		return d, fmt.Errorf("%s and %s are a recording and a memory snapshot; name two files of one kind", pathname.Show(files[0]), pathname.Show(files[1]))
	case a.captured != nil && a != b:
		return diagnose.CompareMemory(a.captured, b.captured), nil
	case a.captured != nil:
		return a.captured.DiagnoseMemory(), nil
	case a != b:
		d, err = diagnose.CompareRecordings(ctx, &a.recorded, &b.recorded)
	default:
		d, err = a.recorded.DiagnoseRecording(ctx, frame)
	}
	if err != nil {
		return diagnosis.Diagnosis{}, err
	}
	for i := range subjects {
		if damage := subjects[i].recorded.Err; damage != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w; the findings cover only the events before the damage", pathname.Show(files[i]), damage))
		}
	}
	return d, err
}

// A subject is a file to diagnose: a memory snapshot or, if captured is nil, a recording.
type subject struct {
	recorded diagnose.Recorded
	captured *diagnose.Captured
}

// openSubject reads a file. The returned function frees the memory of a recording.
func (s *subject) openSubject(name string) (release func() error, err error) {
	file, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<20)
	if first, err := r.Peek(1); err == nil && first[0] == '{' {
		capture, err := memory.ReadCapture(r)
		s.captured = &diagnose.Captured{Name: name, Capture: capture}
		return func() error { return nil }, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	m, err := mapped.Of(file)
	if err != nil {
		return nil, err
	}
	s.recorded = diagnose.Recorded{Name: name, Line: timeline.New(events.OpenTape(m.Data))}
	s.recorded.Report, s.recorded.Err = stat.Summarize(events.Read(bytes.NewReader(m.Data)), stat.Options{})
	if s.recorded.Err != nil && s.recorded.Report.Start.IsZero() { // The recording could not be read at all.
		m.Close()
		return nil, s.recorded.Err
	}
	return m.Close, nil
}

// withoutName returns the cause of an error about a file. The caller adds the name in a form that
// fits on a line.
func withoutName(err error) error {
	var about *fs.PathError
	if errors.As(err, &about) {
		return about.Err
	}
	return err
}
