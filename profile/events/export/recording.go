package export

import (
	"io"
	"iter"
	"strings"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A Recording is the input of an export. Workers, Dropped and Open are called after the last
// event, because a stream's reader knows the results only then; each may be nil. See [OfStream].
type Recording struct {
	// Events is iterated over once. Events of one worker must come in the order of their ends.
	// After an error the events before it are still written, and the error is returned.
	Events iter.Seq2[events.Event, error]

	Workers func() []string       // names of the rows; default "worker 3" and so on
	Dropped func() int64          // number of missing events, shown as a counter
	Open    func() []events.Event // unended scopes, drawn to the end of the recording
	Process string                // name of the recorded program; default "recording"
	Start   time.Time             // wall clock of time 0; may be zero
	Started func() time.Time      // called after the last event if Start is zero; optional
}

// OfStream returns the recording of a stream. The stream must not have been read yet.
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
		{".pftrace", WritePerfetto},
		{".json.gz", WriteChrome},
		{".folded", WriteFolded},
		{".pprof", WritePprof},
	}
}

// ByEnding returns the function that writes the format for this file name, and whether there is
// one.
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
