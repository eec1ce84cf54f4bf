package inspect

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/webjson"
)

// Losses compare all textures with their sources, one after the other, the largest first,
// for as long as a page asks how far that has come. What was compared is remembered.
type losses struct {
	mu    sync.Mutex
	known map[comparison]loss
	busy  bool
	asked time.Time
}

// A comparison is a texture and its source as they were.
type comparison struct {
	path, target, output string
	source               store.BlobID
	at                   time.Time // when it was cooked
}

// A loss is what a comparison found.
type loss struct {
	Path   execute.Path `json:"path"`
	Target string       `json:"target,omitempty"`
	Output execute.Path `json:"output"`
	Format string       `json:"format,omitempty"`
	Size   int64        `json:"bytes"`
	PSNR   float64      `json:"psnr,omitempty"` // 0 if Note says why it is not known
	Note   string       `json:"note,omitempty"`
}

// A candidate is an artifact that is to be compared.
type candidate struct {
	comparison
	asset *survey.Asset
	size  int64
}

func candidates(all []survey.Asset) (list []candidate) {
	for i := range all {
		a := &all[i]
		for _, o := range a.Outputs {
			if likeness.IsTexture(o.Path) {
				list = append(list, candidate{comparison{a.Path, a.Target, o.Path, a.Source, a.Last.At}, a, o.Size})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.size, a.size) })
	return list
}

// unasked is how long the comparing goes on that no page asks about.
const unasked = 5 * time.Second

// begin goes on comparing, unless that is under way.
func (l *losses) begin(p *project, list []candidate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	if l.busy {
		return
	}
	if old := l.known; old == nil || len(old) > 2*len(list)+100 {
		l.known = map[comparison]loss{} // without what is not there any more
		for i := range list {
			if found, ok := old[list[i].comparison]; ok {
				l.known[list[i].comparison] = found
			}
		}
	}
	l.busy = true
	go func() {
		for i := range list {
			l.mu.Lock()
			_, known := l.known[list[i].comparison]
			wanted := time.Since(l.asked) < unasked
			l.mu.Unlock()
			if !wanted {
				break
			}
			if known {
				continue
			}
			found := p.compare(&list[i])
			l.mu.Lock()
			l.known[list[i].comparison] = found
			l.mu.Unlock()
		}
		l.mu.Lock()
		l.busy = false
		l.mu.Unlock()
	}()
}

func (p *project) compare(c *candidate) loss {
	found := loss{Path: execute.Path(c.path), Target: c.target, Output: execute.Path(c.output), Size: c.size}
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	_, _, err := guarded(func() (any, [][]byte, error) {
		out, err := confine.Open(p.out)
		if err != nil {
			return nil, nil, err
		}
		defer out.Close()
		t, err := likeness.Open(out, c.output)
		if err != nil {
			return nil, nil, err
		}
		found.Format = t.Format.String()
		db, err := likeness.Compare(context.Background(), p.assets, c.asset, t)
		if err == nil && math.IsInf(db, 1) {
			err = errors.New("the same pixels as the source")
		}
		if err == nil {
			found.PSNR = db
		}
		return nil, nil, err
	})
	if err != nil {
		found.Note = err.Error()
	}
	return found
}

// A comparing says how far the comparing has come.
type comparing struct {
	Of    int    `json:"of"`
	Done  int    `json:"done"`
	Known int    `json:"known"` // that have a PSNR
	Rows  []loss `json:"rows"`  // those that have lost most first, then those without a PSNR
}

// mostLosses is how many textures are listed.
const mostLosses = 1000

func (p *project) listLosses(w http.ResponseWriter, _ *http.Request) {
	list, err := p.table.current()
	if err != nil {
		fail(w, err)
		return
	}
	all := candidates(list.all)
	p.losses.begin(p, all)
	answer := comparing{Of: len(all), Rows: []loss{}}
	p.losses.mu.Lock()
	for i := range all {
		if found, ok := p.losses.known[all[i].comparison]; ok {
			answer.Done++
			if found.Note == "" {
				answer.Known++
			}
			answer.Rows = append(answer.Rows, found)
		}
	}
	p.losses.mu.Unlock()
	slices.SortStableFunc(answer.Rows, func(a, b loss) int {
		if (a.Note == "") != (b.Note == "") {
			return strings.Compare(a.Note, b.Note) // "" is first
		}
		return cmp.Compare(a.PSNR, b.PSNR)
	})
	answer.Rows = answer.Rows[:min(mostLosses, len(answer.Rows))]
	webjson.Write(w, answer)
}
