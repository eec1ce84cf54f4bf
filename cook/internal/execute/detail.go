package execute

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Detail holds details of a run for the history: the times of the workers, the growth of
// artifacts, and the warnings. Its size is limited. Details that do not fit are only counted.
type Detail struct {
	Workers int           `json:"workers"` // maximum number of workers
	Took    time.Duration `json:"ns"`      // time from the start of the first action to the end of the last
	// The following times are sums over the workers. Busy is the time spent on actions, which
	// includes Waited. Waited is the time spent waiting for memory. Helped is the time during which
	// idle cores helped with an action. Idle is the time after the last action of a worker.
	Busy   time.Duration `json:"busy_ns"`
	Waited time.Duration `json:"waited_ns,omitempty"`
	Helped time.Duration `json:"helped_ns,omitempty"`
	Idle   time.Duration `json:"idle_ns,omitempty"`
	// Alone is the time at the end of the run after all workers but one had finished.
	Alone time.Duration `json:"alone_ns,omitempty"`

	Spans    []Span    `json:"spans,omitempty"`
	Sizes    []Size    `json:"sizes,omitempty"`
	Rest     Rest      `json:"more_sizes,omitzero"`
	Warnings []Warning `json:"warnings,omitempty"`
	Unlisted int       `json:"more_warnings,omitempty"`
}

// A Span is one long action of a worker, or several short actions in a row.
type Span struct {
	Worker int           `json:"w"`
	Begin  time.Duration `json:"at"` // time since the first action began
	End    time.Duration `json:"to"`
	Busy   time.Duration `json:"busy"` // sum of the actions' times
	Waited time.Duration `json:"wait,omitempty"`
	Helped time.Duration `json:"help,omitempty"`
	Assets int           `json:"n"`
	Path   Path          `json:"path,omitempty"` // source of the longest action
	most   time.Duration
}

// A Size has the total bytes of an action's artifacts before and after a run. It is -1 if there was
// no such action.
type Size struct {
	Path   Path   `json:"path"`
	Target string `json:"target,omitempty"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// sizeGrowth returns the growth of the artifacts in bytes.
func (s *Size) sizeGrowth() int64 { return max(0, s.After) - max(0, s.Before) }

// Rest has the totals of the sizes that Detail.Sizes omits.
type Rest struct {
	Assets int   `json:"assets"`
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// A Warning is a warning about a source.
type Warning struct {
	Path Path   `json:"path"`
	Text string `json:"text"`
}

// A Path may contain any bytes. In JSON, a path that is not valid UTF-8 is encoded as a NUL
// followed by base64.
type Path string

// MarshalText implements encoding.TextMarshaler.
func (p Path) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(p)) && !strings.HasPrefix(string(p), "\x00") {
		return []byte(p), nil
	}
	return base64.StdEncoding.AppendEncode([]byte{0}, []byte(p)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Path) UnmarshalText(text []byte) error {
	if len(text) == 0 || text[0] != 0 {
		*p = Path(text)
		return nil
	}
	raw, err := base64.StdEncoding.AppendDecode(nil, text[1:])
	*p = Path(raw)
	return err
}

// These are the limits of a Detail.
const (
	mostSpans    = 384
	mostTracks   = 64 // number of workers whose spans are kept
	mostSizes    = 150
	mostWarnings = 100
	longestPath  = 512 // limit in bytes; assets with longer paths are only counted
	longestText  = 300
)

// A track holds the spans and the sums of times of one worker.
type track struct {
	worker, most int
	spans        []Span
	end          time.Duration
	busy         time.Duration
	waited       time.Duration
	helped       time.Duration
}

// addSpan adds an action. If there are too many spans, it merges the two neighbors with the
// shortest total time. Long actions therefore keep their own spans.
func (t *track) addSpan(s Span) {
	s.Worker, s.Busy, s.most, s.Assets = t.worker, s.End-s.Begin, s.End-s.Begin, 1
	if len(s.Path) > longestPath {
		s.Path = ""
	}
	t.end = s.End
	t.busy += s.Busy
	t.waited += s.Waited
	t.helped += s.Helped
	if t.most == 0 {
		return
	}
	if t.spans = append(t.spans, s); len(t.spans) <= t.most {
		return
	}
	at := 1
	for i := 2; i < len(t.spans); i++ {
		if t.spans[i].End-t.spans[i-1].Begin < t.spans[at].End-t.spans[at-1].Begin {
			at = i
		}
	}
	t.spans[at-1].joinSpan(&t.spans[at])
	t.spans = slices.Delete(t.spans, at, at+1)
}

// joinSpan merges two neighboring spans.
func (s *Span) joinSpan(next *Span) {
	s.End = next.End
	s.Busy += next.Busy
	s.Waited += next.Waited
	s.Helped += next.Helped
	s.Assets += next.Assets
	if next.most > s.most {
		s.most, s.Path = next.most, next.Path
	}
}

// addTracks adds the tracks of workers.
func (d *Detail) addTracks(tracks []*track) {
	var ends []time.Duration
	for _, t := range tracks {
		d.Busy += t.busy
		d.Waited += t.waited
		d.Helped += t.helped
		d.Spans = append(d.Spans, t.spans...)
		ends = append(ends, t.end)
	}
	slices.Sort(ends)
	if len(ends) == 0 {
		return
	}
	d.Took = ends[len(ends)-1]
	for _, end := range ends {
		d.Idle += d.Took - end
	}
	d.Idle += d.Took * time.Duration(max(0, d.Workers-len(ends)))
	d.Alone = d.Took
	if len(ends) > 1 {
		d.Alone -= ends[len(ends)-2]
	}
}

// noteArtifactSize records the size of an action's artifacts. Only the largest changes are listed.
func (d *Detail) noteArtifactSize(s Size) {
	if s.Before == s.After {
		return
	}
	if len(s.Path) > longestPath {
		d.countRest(&s)
		return
	}
	if d.Sizes = append(d.Sizes, s); len(d.Sizes) >= 2*mostSizes {
		d.cutSizes()
	}
}

// cutSizes keeps the largest changes in the list.
func (d *Detail) cutSizes() {
	slices.SortFunc(d.Sizes, func(a, b Size) int {
		return cmp.Or(cmp.Compare(max(b.sizeGrowth(), -b.sizeGrowth()), max(a.sizeGrowth(), -a.sizeGrowth())), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Target, b.Target))
	})
	for len(d.Sizes) > mostSizes {
		d.countRest(&d.Sizes[len(d.Sizes)-1])
		d.Sizes = d.Sizes[:len(d.Sizes)-1]
	}
}

// countRest adds a size to Rest.
func (d *Detail) countRest(s *Size) {
	d.Rest.Assets++
	d.Rest.Before += max(0, s.Before)
	d.Rest.After += max(0, s.After)
}

func (d *Detail) addWarning(path, text string) {
	if len(d.Warnings) == mostWarnings || len(path) > longestPath {
		d.Unlisted++
		return
	}
	if len(text) > longestText {
		text = text[:longestText]
	}
	d.Warnings = append(d.Warnings, Warning{Path(path), strings.ToValidUTF8(text, "\ufffd")})
}
