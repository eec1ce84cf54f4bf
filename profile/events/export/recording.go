package export

import (
	"io"
	"iter"
	"strings"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A Recording is the input of an export. Workers, Dropped and Open are called after the last event,
// because the reader of a stream knows the results only then. Each may be nil. See [OfStream].
type Recording struct {
	// Events is iterated over once. Events of one worker must come in the order of their ends. If
	// Events yields an error, the export writes the events before it and returns the error.
	Events iter.Seq2[events.Event, error]

	Workers func() []string       // returns the names of the rows; default "worker 3" and so on
	Dropped func() int64          // returns the number of missing events; exported as a counter
	Open    func() []events.Event // returns the unended scopes, which are drawn to the end of the recording
	Process string                // name of the recorded program; default "recording"
	Start   time.Time             // wall clock of time 0; may be zero
	Started func() time.Time      // returns the start time; called after the last event if Start is zero; may be nil
}

// OfStream returns the recording of a stream. The stream must be unread.
func OfStream(s *events.Stream) Recording {
	return Recording{Events: s.All(), Workers: s.Workers, Dropped: s.Dropped, Open: s.Open, Started: s.Start}
}

// A format is one way to write a recording.
type format struct {
	ending string
	write  func(io.Writer, Recording) error
}

func formats() []format {
	return []format{
		{".pftrace", writePerfetto},
		{".json.gz", writeChrome},
		{".folded", writeFolded},
		{".pprof", writePprof},
	}
}

// ByEnding returns the function that writes the format for this file name, and reports whether one
// exists.
func ByEnding(name string) (write func(io.Writer, Recording) error, ok bool) {
	for _, f := range formats() {
		if strings.HasSuffix(name, f.ending) {
			return f.write, true
		}
	}
	return nil, false
}

// Endings returns the endings that [ByEnding] accepts, for error messages.
func Endings() []string {
	var endings []string
	for _, f := range formats() {
		endings = append(endings, f.ending)
	}
	return endings
}
