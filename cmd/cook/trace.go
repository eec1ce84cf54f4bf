package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
)

// streamEnding is that of a recording as it is recorded.
const streamEnding = ".events"

// A trace is a recording on its way to its file, which gets its name when it is
// complete.
type trace struct {
	name   string
	file   *atomicfile.File // what is to get the name
	stream *os.File         // what is recorded; the same if that is what is wanted
	write  func(io.Writer, export.Recording) error
	start  time.Time
	*events.Recorder
}

// startTrace begins to record for a file whose ending says in which format.
func startTrace(name string) (*trace, error) {
	t := &trace{name: name}
	var known bool
	if t.write, known = export.ByEnding(name); !known && !strings.HasSuffix(name, streamEnding) {
		return nil, fmt.Errorf("trace %s: the ending says the format; have %s", name, strings.Join(append(export.Endings(), streamEnding), ", "))
	}
	var err error
	if t.file, err = atomicfile.Create(filepath.Dir(name), 0o666); err != nil {
		return nil, fmt.Errorf("trace %s: %w", name, err)
	}
	t.stream = t.file.File
	if t.write != nil {
		if t.stream, err = os.CreateTemp("", "cook-trace-"); err != nil {
			t.file.Discard()
			return nil, fmt.Errorf("trace %s: %w", name, err)
		}
	}
	t.start = time.Now()
	t.Recorder = events.New(t.stream, events.Options{})
	return t, nil
}

// finish writes the file, and returns how many events there was no room for.
func (t *trace) finish() (dropped int64, err error) {
	defer t.file.Discard()
	if t.write != nil {
		defer os.Remove(t.stream.Name())
		defer t.stream.Close()
	}
	if err = t.Close(); err == nil && t.write != nil {
		err = t.convert()
	}
	if err == nil {
		err = t.file.Commit(t.name)
	}
	if err != nil {
		return 0, fmt.Errorf("trace %s: %w", t.name, err)
	}
	return t.Stats().Dropped, nil
}

// convert writes the recording in the format that is wanted.
func (t *trace) convert() error {
	if _, err := t.stream.Seek(0, io.SeekStart); err != nil {
		return err
	}
	recorded := events.Read(bufio.NewReaderSize(t.stream, 1<<16))
	out := bufio.NewWriterSize(t.file, 1<<16)
	err := t.write(out, export.Recording{
		Workers: recorded.Workers, Events: recorded.All(), Dropped: recorded.Dropped, Process: "cook", Start: t.start,
	})
	if err != nil {
		return err
	}
	return out.Flush()
}
