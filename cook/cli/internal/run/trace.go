package run

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
)

// streamEnding is the ending of a file that holds the recorded stream itself.
const streamEnding = ".events"

// A trace is the file of a recording. The stream goes to a temporary file, and becomes the file
// when the recording is complete.
type trace struct {
	name   string
	stream *os.File
	write  func(io.Writer, export.Recording) error // nil for the stream itself
	start  time.Time
}

// createTrace prepares a file, whose ending says its format, and reports now if it cannot be written.
// The file must not be in the directory assets.
func createTrace(name, assets string) (*trace, error) {
	t := &trace{name: name}
	var known bool
	if t.write, known = export.ByEnding(name); !known && !strings.HasSuffix(name, streamEnding) {
		return nil, fmt.Errorf("trace %s: the ending says the format; have %s", name, strings.Join(append(export.Endings(), streamEnding), ", "))
	}
	if err := placeFile(name, assets); err != nil {
		return nil, fmt.Errorf("trace %s: %w", name, err)
	}
	var err error
	if t.stream, err = os.CreateTemp("", "cook-trace-"); err != nil {
		return nil, fmt.Errorf("trace %s: directory of temporary files (TMPDIR): %w", name, err)
	}
	os.Remove(t.stream.Name()) // it ends with the process; on Windows discard removes it
	t.start = time.Now()
	return t, nil
}

// placeFile checks that a file can be made, and that it lies neither among the assets nor in a
// directory of cook's own.
func placeFile(name, assets string) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return errors.New("is a directory; name a file")
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
				return errors.New("lies among the assets and would be cooked; choose a place outside")
			}
		}
	}
	for part := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		if part == ".cook" || part == ".cook-work" {
			return errors.New("is in a directory of cook itself; choose a place outside")
		}
	}
	f, err := atomicfile.Create(dir, 0o666)
	if err != nil {
		return err
	}
	f.Discard()
	return nil
}

// discard removes the stream.
func (t *trace) discard() {
	t.stream.Close()
	busyfile.Remove(t.stream.Name())
}

// save writes the file. The stream has ended.
func (t *trace) save() error {
	_, err := t.stream.Seek(0, io.SeekStart)
	if err == nil {
		err = atomicfile.Write(t.name, 0o666, t.convert)
	}
	if err != nil {
		return fmt.Errorf("trace %s: %w", t.name, err)
	}
	return nil
}

// convert writes the recording in the format of the file.
func (t *trace) convert(w io.Writer) error {
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
