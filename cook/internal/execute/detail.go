package execute

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Detail is what the history keeps of a run besides its sums: what the workers did when,
// which artifacts became larger or smaller, and what was warned of. It is bounded, however
// much the run did: what is left out is counted.
type Detail struct {
	Workers int           `json:"workers"` // that there could be
	Took    time.Duration `json:"ns"`      // from the beginning of the first action to the end of the last
	// Busy is the time that workers had actions, Waited the part of it that these waited
	// for memory, Helped the time that idle cores worked on an action beside its worker,
	// Idle the time for which nothing was left to begin; all summed over the workers.
	Busy   time.Duration `json:"busy_ns"`
	Waited time.Duration `json:"waited_ns,omitempty"`
	Helped time.Duration `json:"helped_ns,omitempty"`
	Idle   time.Duration `json:"idle_ns,omitempty"`
	// Alone is how long the last worker was the only one with an action.
	Alone time.Duration `json:"alone_ns,omitempty"`

	Spans    []Span    `json:"spans,omitempty"`
	Sizes    []Size    `json:"sizes,omitempty"`
	Rest     Rest      `json:"more_sizes,omitzero"`
	Warnings []Warning `json:"warnings,omitempty"`
	Unlisted int       `json:"more_warnings,omitempty"`
}

// A Span is an action that took long, or several short ones, on one worker.
type Span struct {
	Worker int           `json:"w"`
	Begin  time.Duration `json:"at"` // since the first action began
	End    time.Duration `json:"to"`
	Busy   time.Duration `json:"busy"` // what remains was spent between actions
	Waited time.Duration `json:"wait,omitempty"`
	Helped time.Duration `json:"help,omitempty"`
	Assets int           `json:"n"`
	Path   Path          `json:"path,omitempty"` // of the one that took longest
	most   time.Duration // that it took
}

// A Size is the bytes of an action's artifacts before and after a run; -1 is that of an
// action that was not there.
type Size struct {
	Path   Path   `json:"path"`
	Target string `json:"target,omitempty"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// growth is how many bytes there are more.
func (s *Size) growth() int64 { return max(0, s.After) - max(0, s.Before) }

// Rest is the sum of sizes that are not listed.
type Rest struct {
	Assets int   `json:"assets"`
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// A Warning is a line about a source.
type Warning struct {
	Path Path   `json:"path"`
	Text string `json:"text"`
}

// A Path is any bytes. In JSON, those that are not UTF-8 are base64 behind a NUL.
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

// What a Detail lists at most.
const (
	mostSpans    = 384
	mostTracks   = 64 // workers that have spans
	mostSizes    = 150
	mostWarnings = 100
	longestPath  = 512 // bytes; what is longer is counted, not listed
	longestText  = 300
)

// A track is what one worker did.
type track struct {
	worker, most int // spans that it may keep
	spans        []Span
	end          time.Duration
	busy         time.Duration
	waited       time.Duration
	helped       time.Duration
}

// addSpan adds an action. If there are too many spans, the two neighbors that together last
// shortest become one: actions that take long stay by themselves.
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
	t.spans[at-1].join(&t.spans[at])
	t.spans = slices.Delete(t.spans, at, at+1)
}

// join makes one span of two that follow each other.
func (s *Span) join(next *Span) {
	s.End = next.End
	s.Busy += next.Busy
	s.Waited += next.Waited
	s.Helped += next.Helped
	s.Assets += next.Assets
	if next.most > s.most {
		s.most, s.Path = next.most, next.Path
	}
}

// addTracks adds what workers did.
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

// addSize notes what an action's artifacts take now. Those that change most are listed.
func (d *Detail) addSize(s Size) {
	if s.Before == s.After {
		return
	}
	if len(s.Path) > longestPath {
		d.rest(&s)
		return
	}
	if d.Sizes = append(d.Sizes, s); len(d.Sizes) >= 2*mostSizes {
		d.cutSizes()
	}
}

// cutSizes leaves the sizes that changed most in the list.
func (d *Detail) cutSizes() {
	slices.SortFunc(d.Sizes, func(a, b Size) int {
		return cmp.Or(cmp.Compare(max(b.growth(), -b.growth()), max(a.growth(), -a.growth())), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Target, b.Target))
	})
	for len(d.Sizes) > mostSizes {
		d.rest(&d.Sizes[len(d.Sizes)-1])
		d.Sizes = d.Sizes[:len(d.Sizes)-1]
	}
}

func (d *Detail) rest(s *Size) {
	d.Rest.Assets++
	d.Rest.Before += max(0, s.Before)
	d.Rest.After += max(0, s.After)
}

// addWarning notes a warning.
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
