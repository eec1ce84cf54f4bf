package export

import (
	"io"
	"iter"
	"strings"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// A Recording is what is exported. Workers, Dropped and Open are asked after the last
// event, when a reader of a stream knows them; each may be nil. See [OfStream].
type Recording struct {
	// Events are read once. Those of one worker have to come in order of their end.
	// After an error what came before is still written, and the error returned.
	Events iter.Seq2[events.Event, error]

	Workers func() []string       // names of the rows; "worker 3" for what has none
	Dropped func() int64          // how many events are missing, shown as a counter
	Open    func() []events.Event // scopes that have not ended, drawn to the end of the recording
	Process string                // what was recorded; "recording" if empty
	Start   time.Time             // wall clock of time 0; may be zero
	Started func() time.Time      // is asked after the last event if Start is zero; may be nil
}

// OfStream returns the recording of a stream of which nothing has been read.
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

// ByEnding returns the function that writes what a file of that name should hold,
// and whether there is one.
func ByEnding(name string) (write func(io.Writer, Recording) error, ok bool) {
	for _, f := range formats() {
		if strings.HasSuffix(name, f.ending) {
			return f.write, true
		}
	}
	return nil, false
}

// Endings returns the endings that [ByEnding] knows, for a message to who gave
// another one.
func Endings() []string {
	var endings []string
	for _, f := range formats() {
		endings = append(endings, f.ending)
	}
	return endings
}
