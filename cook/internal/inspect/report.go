package inspect

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/webjson"
)

// sectionsOf maps each list of the tab to sections of the report.
var sectionsOf = map[string][]string{
	"last": {"glance", "last"}, "where": {"where"}, "growth": {"growth", "problems"}, "runs": {"history"},
}

// listOf maps each table to the list of the tab that contains it. All other tables are in the list
// of the last cook.
var listOf = map[string]string{"folders": "where", "textures": "losses", "growth_day": "growth", "warnings": "growth", "failures": "growth"}

// links returns link targets in the tab, which tab.js parses.
func links() *overview.Links {
	address := func(key, value string, more ...string) string {
		v := url.Values{"tab": {"assets"}, "a." + key: {value}}
		for ; len(more) > 0; more = more[2:] {
			v.Set("a."+more[0], more[1])
		}
		return "#" + v.Encode()
	}
	return &overview.Links{
		Asset: func(path, target string) string {
			text, _ := execute.Path(path).MarshalText()
			return address("asset", string(text), "target", target)
		},
		Run: func(began time.Time) string { return address("run", began.Format(time.RFC3339Nano)) },
		Table: func(key string) string {
			list := listOf[key]
			if list == "" {
				list = "last"
			}
			return address("list", list, "at", key)
		},
	}
}

// A reportCache caches the report on one state of the output directory.
type reportCache struct {
	mu     sync.Mutex
	state  string
	report *overview.Report // nil until it was first computed
}

// A reportAnswer is the response with sections of the report.
type reportAnswer struct {
	State string `json:"state"`
	Done  bool   `json:"done"`           // set if the comparison of all textures is complete
	HTML  string `json:"html,omitempty"` // empty if the page has this state already
}

// answerReport responds with a list of the tab.
func (p *project) answerReport(w http.ResponseWriter, req *http.Request) {
	list := sectionsOf[req.URL.Query().Get("list")]
	if list == nil {
		webjson.Fail(w, http.StatusNotFound, "there is no such list; reload the page")
		return
	}
	state, report, err := p.currentReport()
	if err != nil {
		answerError(w, err)
		return
	}
	answer := reportAnswer{State: state, Done: true}
	if state != req.URL.Query().Get("state") {
		answer.HTML = report.Sections(links(), list...)
	}
	webjson.Write(w, answer)
}

// currentReport returns the current report, and the name of the state of the output directory that
// it describes.
func (p *project) currentReport() (state string, report *overview.Report, err error) {
	list, err := p.table.currentListing()
	if err != nil {
		return "", nil, err
	}
	runs, err := survey.Runs(p.out)
	if err != nil {
		return "", nil, err
	}
	c := &p.reports
	c.mu.Lock()
	defer c.mu.Unlock()
	textures, others := p.losses.compared(overview.Candidates(list.all))
	state = fmt.Sprint(list.Seal, len(textures), others, len(runs))
	if len(runs) > 0 {
		state += runs[len(runs)-1].At.String()
	}
	if c.report == nil || c.state != state {
		c.state, c.report = state, overview.New(overview.Input{Out: p.out, Assets: list.all, Runs: runs, Textures: textures, Unlooked: others, Now: time.Now()})
	}
	return state, c.report, nil
}

// answerText responds with a file that belongs to the page.
func answerText(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		io.WriteString(w, text)
	}
}

// losses holds the results of comparing textures with their sources. A goroutine compares one
// texture after another, the largest first, as long as a page polls for progress.
type losses struct {
	mu    sync.Mutex
	known map[comparison]overview.Texture
	busy  bool
	asked time.Time
}

// A comparison identifies a texture and its source by content.
type comparison struct {
	path, target, output string
	source               store.BlobID
	at                   time.Time // time when the texture was cooked
}

// comparisonOf identifies the comparison of a candidate.
func comparisonOf(c *overview.Candidate) comparison {
	return comparison{c.Asset.Path, c.Asset.Target, c.File.Path, c.Asset.Source, c.Asset.Last.At}
}

// unasked is how long the comparison continues after a page last polled for progress.
const unasked = 5 * time.Second

// continueComparing starts the goroutine that compares textures, unless it is already running.
func (l *losses) continueComparing(p *project, list []overview.Candidate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	if l.busy {
		return
	}
	if old := l.known; old == nil || len(old) > 2*len(list)+100 {
		l.known = map[comparison]overview.Texture{} // this forgets the results of removed artifacts
		for i := range list {
			if found, ok := old[comparisonOf(&list[i])]; ok {
				l.known[comparisonOf(&list[i])] = found
			}
		}
	}
	l.busy = true
	go func() {
		for i := range list {
			l.mu.Lock()
			_, known := l.known[comparisonOf(&list[i])]
			wanted := time.Since(l.asked) < unasked
			l.mu.Unlock()
			if !wanted {
				break
			}
			if known {
				continue
			}
			found := p.compareTexture(&list[i])
			l.mu.Lock()
			l.known[comparisonOf(&list[i])] = found
			l.mu.Unlock()
		}
		l.mu.Lock()
		l.busy = false
		l.mu.Unlock()
	}()
}

// compareTexture waits for its turn and compares a texture with its source.
func (p *project) compareTexture(c *overview.Candidate) overview.Texture {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	out, err := confine.Open(p.out)
	if err != nil {
		return c.Unmeasured(err)
	}
	defer out.Close()
	return c.Measure(context.Background(), p.judge, out, nil)
}

// compared returns the results for a list of artifacts, and the number of artifacts without a result.
func (l *losses) compared(list []overview.Candidate) (results []overview.Texture, others int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range list {
		if found, ok := l.known[comparisonOf(&list[i])]; ok {
			results = append(results, found)
		}
	}
	return results, len(list) - len(results)
}

// answerLosses responds with the results for the textures compared so far, and lets the comparison
// continue.
func (p *project) answerLosses(w http.ResponseWriter, req *http.Request) {
	var q struct {
		State string `json:"state"`
	}
	if !webjson.Read(w, req, &q) {
		return
	}
	list, err := p.table.currentListing()
	if err != nil {
		answerError(w, err)
		return
	}
	all := overview.Candidates(list.all)
	p.losses.continueComparing(p, all)
	in := overview.Input{Now: time.Now()}
	in.Textures, in.Unlooked = p.losses.compared(all)
	answer := reportAnswer{State: fmt.Sprint(list.Seal, len(in.Textures)), Done: in.Unlooked == 0}
	if answer.State != q.State {
		answer.HTML = overview.New(in).Sections(links(), "looks")
	}
	webjson.Write(w, answer)
}
