package view

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/view/internal/timeline"
)

// keptEvents is the maximum number of bytes of the program's own events that a view keeps.
const keptEvents = 64 << 20

// timelines holds the recordings available to a page.
type timelines struct {
	list []namedLine
	live *events.Tape // tape of the feed, and first element of list; nil without a feed

	ctx  context.Context // the view stops reading the feed when this ends
	drop context.CancelFunc
}

type namedLine struct {
	name string
	*timeline.Recording
}

// recordingInfo describes a recording to the page.
type recordingInfo struct {
	Name    string   `json:"name"`
	Start   int64    `json:"start"` // Unix time in nanoseconds
	Dur     int64    `json:"dur"`
	Events  int64    `json:"events"`
	Dropped int64    `json:"dropped"`
	Live    bool     `json:"live"`
	Workers []string `json:"workers"`
	Error   string   `json:"error,omitempty"` // reason why the recording ends early
}

func newTimelines(s Sources) *timelines {
	t := &timelines{}
	t.ctx, t.drop = context.WithCancel(context.Background())
	if s.Events != nil {
		t.live = events.NewTape(keptEvents)
		go s.Events.WriteStream(t.ctx, t.live) // The error is in the tape, or ctx has ended.
		t.list = append(t.list, namedLine{s.Title, timeline.New(t.live)})
	}
	for _, r := range s.Recordings {
		t.list = append(t.list, namedLine{r.Name, timeline.New(r.Tape)})
	}
	return t
}

// tape returns the first live recording, or nil if there is none.
func (t *timelines) tape() *events.Tape {
	for _, line := range t.list {
		tape := line.Tape()
		if state := tape.State(); !state.Ended && state.Err == nil {
			return tape
		}
	}
	return nil
}

func (t *timelines) infos() []recordingInfo {
	list := []recordingInfo{}
	for _, line := range t.list {
		tape := line.Tape().State()
		r := recordingInfo{Name: line.name, Dur: tape.End, Dropped: tape.Dropped + tape.Forgotten, Workers: append([]string{}, tape.Workers...)}
		if !tape.Start.IsZero() {
			r.Start = tape.Start.UnixNano()
		}
		for _, b := range tape.Blocks {
			r.Events += int64(b.Records)
		}
		if tape.Err != nil {
			r.Error = tape.Err.Error()
		}
		r.Live = !tape.Ended && tape.Err == nil && t.ctx.Err() == nil
		list = append(list, r)
	}
	return list
}

func (v *View) timelineRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/timeline", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		from, to := q.window()
		return q.asked(func() (any, error) { return line.Window(ctx, from, to, q.width()) })
	}))
	mux.HandleFunc("GET /api/sums", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		from, to := q.window()
		question := timeline.Query{From: from, To: to, Row: q.row(), Name: q.Get("name"),
			Detail: q.Get("detail"), Within: q.Get("within") != ""}
		return q.asked(func() (any, error) { return line.Sums(ctx, question) })
	}))
	mux.HandleFunc("GET /api/paths", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		from, to := q.window()
		row := q.row()
		return q.asked(func() (any, error) { return line.Paths(ctx, from, to, row) })
	}))
	mux.HandleFunc("GET /api/calls", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		from, to := q.window()
		row := q.row()
		return q.asked(func() (any, error) { return line.Calls(ctx, from, to, row, q.Get("name")) })
	}))
	mux.HandleFunc("GET /api/find", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		at, dir := q.number("at", 0), q.number("dir", 1)
		return q.asked(func() (any, error) { return line.Find(ctx, q.Get("q"), at, dir < 0) })
	}))
	mux.HandleFunc("GET /api/values", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		from, to := q.window()
		return q.asked(func() (any, error) { return line.Values(ctx, from, to, q.width(), q.Values["names"]) })
	}))
	mux.HandleFunc("GET /api/framestrip", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		from, to := q.window()
		limit := q.number("limit", math.MaxInt64)
		return q.asked(func() (any, error) { return line.Frames(ctx, from, to, q.width(), limit) })
	}))
	mux.HandleFunc("GET /api/frame", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		question := timeline.FrameQuery{Number: q.number("number", -1), At: q.number("at", 0), Dir: int(min(max(q.number("dir", 0), -1), 1)), Limit: q.number("limit", 0)}
		return q.asked(func() (any, error) { return line.Frame(ctx, question) })
	}))
	mux.HandleFunc("GET /api/slowestframes", v.answer(func(ctx context.Context, line namedLine, q *query) (any, error) {
		return q.asked(func() (any, error) { return line.SlowestFrames(ctx) })
	}))
	mux.HandleFunc("GET /api/compare", v.compareRuns)
}

// errQuery means that a query is invalid.
var errQuery = errors.New("bad query")

// A query holds the parameters of a URL. The first invalid parameter sets its error.
type query struct {
	url.Values
	err error
}

// asked calls question and returns its result. If the query is invalid, it returns the query's
// error instead.
func (q *query) asked(question func() (any, error)) (any, error) {
	if q.err != nil {
		return nil, q.err
	}
	return question()
}

// number reads a whole number. It rounds floats down, because pages compute with floats.
func (q *query) number(name string, missing int64) int64 {
	text := q.Get(name)
	if text == "" {
		return missing
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	f, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // The number is infinite.
	}
	if err != nil || math.IsNaN(f) {
		q.err = fmt.Errorf("%w: %s is %.40q, not a number", errQuery, name, text)
		return missing
	}
	const most = 1 << 62
	return int64(min(max(math.Floor(f), -most), most))
}

func (q *query) window() (from, to int64) {
	return q.number("from", 0), q.number("to", math.MaxInt64)
}

// row returns the number of a row; a negative number selects all rows.
func (q *query) row() int { return int(min(q.number("row", -1), math.MaxInt32)) }

func (q *query) width() int { return int(min(max(q.number("width", 1024), 1), 1<<20)) }

// viewLine returns the recording that a query names.
func (v *View) viewLine(q *query, name string) (namedLine, error) {
	n := q.number(name, 0)
	if q.err != nil {
		return namedLine{}, q.err
	}
	if n < 0 || n >= int64(len(v.lines.list)) {
		return namedLine{}, fmt.Errorf("%w: there is no recording %d of %d", errQuery, n, len(v.lines.list))
	}
	return v.lines.list[n], nil
}

// answer returns a handler for queries about a recording.
func (v *View) answer(question func(ctx context.Context, line namedLine, q *query) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		q := &query{Values: req.URL.Query()}
		line, err := v.viewLine(q, "rec")
		var answer any
		if err == nil {
			answer, err = question(req.Context(), line, q)
		}
		reply(w, answer, err)
	}
}

func (v *View) compareRuns(w http.ResponseWriter, req *http.Request) {
	q := &query{Values: req.URL.Query()}
	a, err := v.viewLine(q, "a")
	if err != nil {
		reply(w, nil, err)
		return
	}
	b, err := v.viewLine(q, "b")
	if err != nil {
		reply(w, nil, err)
		return
	}
	answer, err := timeline.Compare(req.Context(), a.Recording, b.Recording)
	reply(w, answer, err)
}

func reply(w http.ResponseWriter, answer any, err error) {
	switch {
	case err == nil:
		webjson.Write(w, answer)
	case errors.Is(err, errQuery):
		webjson.Fail(w, http.StatusBadRequest, "%v", err)
	default: // The page has disconnected.
		webjson.Fail(w, http.StatusServiceUnavailable, "%v", err)
	}
}
