package view

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/texttable"
	"github.com/assetcook/assetcook/internal/webjson"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/view/internal/console"
)

// Do executes a line of the page's console. If it changes graphs, the changes appear on open and
// future pages. The line may name counters that do not exist yet. Do returns the text that the
// console would show, such as the values for "print" or the list of conditions for "when".
func (v *View) Do(line string) (text string, err error) {
	reply, err := v.command(line, console.Names{Graphs: v.told.graphs(), Later: true}, true)
	if err != nil {
		return "", fmt.Errorf("view: %w", err)
	}
	v.told.appendOps(reply.Ops)
	return reply.Text, nil
}

// A commandReply is the answer to a console line.
type commandReply struct {
	Ops  []console.Op `json:"ops"`
	Text string       `json:"text"`
}

var (
	errNoCounters = errors.New("the recording has no counters")
	errMayNot     = errors.New("the command when needs the token; open the page with the full URL that was printed")
)

func (v *View) command(line string, names console.Names, mayAct bool) (commandReply, error) {
	none := commandReply{Ops: []console.Op{}}
	if v.sources.Counters == nil {
		return none, errNoCounters
	}
	now := v.catalogs.get(0)
	names.Counters = now.names
	c, err := console.Parse(line, names)
	if err != nil {
		return none, err
	}
	switch {
	case c.Ops != nil:
		return commandReply{Ops: c.Ops}, nil
	case c.Help:
		none.Text = console.Help
	case c.Print != nil:
		none.Text = now.print(c.Print)
	case c.List:
		none.Text = v.whens.list()
	case c.When != nil && !mayAct, c.Remove > 0 && !mayAct:
		return none, errMayNot
	case c.When != nil:
		none.Text, err = v.addWhen(*c.When)
	case c.Remove > 0:
		err = v.whens.remove(c.Remove)
	}
	return none, err
}

// print returns a table with the values of the last frame.
func (c *catalog) print(names []string) string {
	var text strings.Builder
	table := texttable.New(&text, texttable.Left)
	for _, name := range names {
		sample, ok := c.last.Of(name)
		if !ok {
			table.Row(name, "has no value yet")
			continue
		}
		switch r := c.row(sample); {
		case r.timerRow != nil:
			mean := 0.0
			if r.Calls > 0 {
				mean = float64(r.Value) / float64(r.Calls)
			}
			table.Row(name, fmt.Sprintf("%.4g ms", float64(r.Value)), fmt.Sprint("calls ", r.Calls), fmt.Sprintf("min %.4g", float64(r.Min)),
				fmt.Sprintf("mean %.4g", mean), fmt.Sprintf("max %.4g", float64(r.Max)), fmt.Sprintf("total %.6g ms", float64(c.total(name))))
		case sample.Kind == counters.KindGauge:
			table.Row(name, formatSum(r.Value))
		default:
			table.Row(name, formatSum(r.Value), "total "+formatSum(c.total(name)))
		}
	}
	table.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}

// formatSum formats a sum without an exponent.
func formatSum(d decimal) string { return strconv.FormatFloat(float64(d), 'f', -1, 64) }

// maxGraphNames is the maximum number of graph names that a page may send.
const maxGraphNames = 1000

// consoleLine answers POST api/console.
func (v *View) consoleLine(w http.ResponseWriter, req *http.Request) {
	var ask struct {
		Line   string   `json:"line"`
		Graphs []string `json:"graphs"`
	}
	if !webjson.Read(w, req, &ask) {
		return
	}
	ask.Graphs = ask.Graphs[:min(len(ask.Graphs), maxGraphNames)]
	answer, err := v.command(ask.Line, console.Names{Graphs: ask.Graphs}, v.mayAct(req))
	if err != nil {
		status := http.StatusBadRequest
		if err == errMayNot {
			status = http.StatusForbidden
		}
		webjson.Fail(w, status, "%v", err)
		return
	}
	webjson.Write(w, answer)
}

// complete answers GET api/complete?line=...&at=BYTE&graph=NAME&graph=NAME.
func (v *View) complete(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	at, err := strconv.Atoi(q.Get("at"))
	if err != nil {
		at = len(q.Get("line"))
	}
	names := console.Names{Graphs: q["graph"][:min(len(q["graph"]), maxGraphNames)]}
	if v.sources.Counters != nil {
		names.Counters = v.catalogs.get(catalogAge).names
	}
	webjson.Write(w, console.Complete(q.Get("line"), at, names))
}

// told keeps the program's changes to the graphs for future pages, and also sends them to open
// pages.
type told struct {
	id string // identifies this run to pages that reconnect

	mu        sync.Mutex
	ops       []console.Op
	first     int                      // number of the change in ops[0], counted from the start of the program
	listeners map[chan string]struct{} // channels that pass notices to open pages
	changed   chan struct{}            // closed when new ops arrive
}

// maxTold is the maximum number of changes that are kept.
const maxTold = 1000

func newTold() *told {
	return &told{id: rand.Text()[:8], listeners: map[chan string]struct{}{}, changed: make(chan struct{})}
}

func (t *told) appendOps(ops []console.Op) {
	if len(ops) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ops = append(t.ops, ops...)
	if over := len(t.ops) - maxTold; over > 0 {
		t.ops, t.first = slices.Delete(t.ops, 0, over), t.first+over
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// since returns the changes from number n on, and the number of the next change. The channel is
// closed when there are further changes.
func (t *told) since(n int) ([]console.Op, int, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.first + len(t.ops)
	n = min(max(n, t.first), end)
	return slices.Clone(t.ops[n-t.first:]), end, t.changed
}

// graphs returns the graphs that the program has made and not removed.
func (t *told) graphs() (list []string) {
	ops, _, _ := t.since(0)
	for _, op := range ops {
		at := slices.Index(list, op.Graph)
		switch {
		case at < 0 && op.Do != "remove":
			list = append(list, op.Graph)
		case at >= 0 && op.Do == "remove" && len(op.Names) == 0:
			list = slices.Delete(list, at, at+1)
		}
	}
	return list
}

// notice sends a line to open pages, which show it.
func (t *told) notice(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.listeners {
		select {
		case c <- line:
		default: // The page is not reading, so the line is dropped.
		}
	}
}

func (t *told) listen() (notices chan string, leave func()) {
	notices = make(chan string, 16)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listeners[notices] = struct{}{}
	return notices, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners, notices)
	}
}

// opsStream answers GET api/ops?after=ID.N with server-sent events. An event "ops" has the
// program's changes to the graphs, from change N of run ID on. An event "notice" has a line to
// show.
func (v *View) opsStream(w http.ResponseWriter, req *http.Request) {
	after := req.Header.Get("Last-Event-ID")
	if after == "" {
		after = req.URL.Query().Get("after")
	}
	next := 0
	if id, n, ok := strings.Cut(after, "."); ok && id == v.told.id {
		next, _ = strconv.Atoi(n)
	}
	notices, leave := v.told.listen()
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		out.SetWriteDeadline(time.Now().Add(writeDeadline))
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && out.Flush() == nil
	}
	if !send(": %s\n\n", v.told.id) {
		return
	}
	alive := time.NewTicker(15 * time.Second) // The ticker detects pages that have disconnected.
	defer alive.Stop()
	for {
		ops, end, changed := v.told.since(next)
		next = end
		if len(ops) > 0 {
			text, _ := json.Marshal(ops) // Strings and finite numbers can always be marshaled.
			if !send("id: %s.%d\nevent: ops\ndata: %s\n\n", v.told.id, end, text) {
				return
			}
		}
		ok := true
		select {
		case <-req.Context().Done():
			return
		case <-v.closed:
			return
		case <-changed:
		case line := <-notices:
			text, _ := json.Marshal(line)
			ok = send("event: notice\ndata: %s\n\n", text)
		case <-alive.C:
			ok = send(": alive\n\n")
		}
		if !ok {
			return
		}
	}
}
