package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
)

// bytesOfEvent is the memory that an event takes during a conversion. It is the size documented in
// package export, doubled because lists grow by copying.
const bytesOfEvent = 80

// A window is the time range to convert. It includes all events that overlap it.
type window struct{ from, to int64 }

func (w window) has(e *events.Event) bool { return e.Time <= w.to && e.Time+max(e.Dur, 0) >= w.from }

// count reads all events, and returns the number of events in the window. Each number of a vector
// counts as an event. A truncated stream is not an error.
func (w window) count(s *events.Stream) (int64, error) {
	n := int64(0)
	for e, err := range s.All() {
		if errors.Is(err, events.ErrDamaged) {
			break
		}
		if err != nil {
			return n, err
		}
		if e.Kind != events.Open && w.has(&e) {
			n += int64(max(len(e.Values), 1))
		}
	}
	return n, nil
}

// of filters a stream of events. It yields the events in the window.
func (w window) of(all iter.Seq2[events.Event, error]) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range all {
			if (err != nil || w.has(&e)) && !yield(e, err) {
				return
			}
		}
	}
}

// A conversion holds the values of the flags of convert.
type conversion struct {
	from, to time.Duration
	memory   int64 // maximum memory in MiB
}

func convertFlags(c *conversion) *flag.FlagSet {
	fs := flag.NewFlagSet("convert", flag.ContinueOnError)
	fs.DurationVar(&c.from, "from", 0, "leave out events that ended before this `time` of the recording")
	fs.DurationVar(&c.to, "to", 0, "leave out events that began after this `time` of the recording; 0 for its end")
	fs.Int64Var(&c.memory, "memory", 1024, "`MiB` of memory that the conversion may use")
	return fs
}

func runConvert(args []string, stdout io.Writer) error {
	var c conversion
	fs := convertFlags(&c)
	names, err := parse(fs, args, 2, stdout)
	if err != nil {
		return err
	}
	name, out := names[0], names[1]
	write, ok := export.ByEnding(out)
	if !ok {
		return frontend.UsageError(fmt.Sprintf("%s has an unknown ending; use %s", out, endings()))
	}
	part := window{int64(c.from), int64(c.to)}
	if c.from == 0 {
		part.from = math.MinInt64
	}
	if c.to == 0 {
		part.to = math.MaxInt64
	}
	file, err := open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	name = file.Name()
	begin, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("%s: a conversion reads the recording twice; save the recording to a file first", name)
	}
	n, err := part.count(events.Read(file))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if takes := (n*bytesOfEvent + 1<<20 - 1) >> 20; takes > c.memory {
		return fmt.Errorf("%s: converting %d events takes %d MiB, but the limit is %d; "+
			"choose a part of the recording (from, to), or raise the limit (memory)", name, n, takes, c.memory)
	}
	if _, err := file.Seek(begin, io.SeekStart); err != nil {
		return err
	}
	stream := events.Read(file)
	rec := export.OfStream(stream)
	rec.Events = part.of(rec.Events)
	rec.Open = func() []events.Event { return part.open(stream.Open()) }
	rec.Process = name
	var torn error // The events before a truncation are converted.
	err = atomicfile.Write(out, 0o666, func(w io.Writer) error {
		err := write(w, rec)
		if errors.Is(err, events.ErrDamaged) && !stream.Start().IsZero() {
			torn = fmt.Errorf("%s: %w; only the events before the damage are in %s", name, err, out)
			return nil
		}
		return err
	})
	return errors.Join(err, torn)
}

// open returns the unended scopes that overlap the window. It cuts them off at the end of the
// window.
func (w window) open(all []events.Event) (list []events.Event) {
	for _, e := range all {
		if e.Time <= w.to {
			e.Dur = min(e.Dur, w.to-e.Time)
			list = append(list, e)
		}
	}
	return list
}
