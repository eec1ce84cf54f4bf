package inspect

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/webjson"
)

// losses has the results of comparing textures with their sources. A goroutine compares one texture
// after the other, the largest first, as long as a page asks for progress.
type losses struct {
	mu    sync.Mutex
	known map[comparison]loss
	busy  bool
	asked time.Time
}

// A comparison identifies a texture and its source by content.
type comparison struct {
	path, target, output string
	source               store.BlobID
	at                   time.Time // when it was cooked
}

// A loss is the result of a comparison.
type loss struct {
	Path   execute.Path `json:"path"`
	Target string       `json:"target,omitempty"`
	Output execute.Path `json:"output"`
	Format string       `json:"format,omitempty"`
	Width  int          `json:"width,omitempty"`
	Height int          `json:"height,omitempty"`
	Levels int          `json:"levels,omitempty"`
	Size   int64        `json:"bytes"`
	likenessInfo
}

// comparisonOf identifies the comparison of a candidate.
func comparisonOf(c *overview.Candidate) comparison {
	return comparison{c.Asset.Path, c.Asset.Target, c.File.Path, c.Asset.Source, c.Asset.Last.At}
}

// unasked is the time after which comparing ends if no page asks for progress.
const unasked = 5 * time.Second

// continueComparing starts the goroutine that compares textures, unless it runs already.
func (l *losses) continueComparing(p *project, list []overview.Candidate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = time.Now()
	if l.busy {
		return
	}
	if old := l.known; old == nil || len(old) > 2*len(list)+100 {
		l.known = map[comparison]loss{} // forgets removed artifacts
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

// compareTexture compares a texture with its source, when its turn comes.
func (p *project) compareTexture(c *overview.Candidate) loss {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	out, err := confine.Open(p.out)
	if err != nil {
		return loss{Path: execute.Path(c.Asset.Path), Target: c.Asset.Target, Output: execute.Path(c.File.Path), Size: c.File.Size, likenessInfo: likenessInfo{Note: err.Error()}}
	}
	defer out.Close()
	return lossAnswer(c.Measure(context.Background(), p.judge, out, nil))
}

// lossAnswer describes a compared texture for the page.
func lossAnswer(t overview.Texture) loss {
	l := loss{
		Path: execute.Path(t.Path), Target: t.Target, Output: execute.Path(t.Output), Format: t.Encoding.Format, Width: t.Encoding.W, Height: t.Encoding.H, Levels: t.Encoding.Levels, Size: t.Out,
		likenessInfo: infoOf(t.Likeness, t.Note),
	}
	if math.IsInf(t.Likeness.PSNR, 1) {
		l.Note = "the same pixels as the source"
	}
	return l
}

// A lossQuery chooses and orders losses.
type lossQuery struct {
	Role   string `json:"role"`   // "" for any
	Format string `json:"format"` // "" for any
	By     string `json:"sort"`   // "" for PSNR
	Down   bool   `json:"down"`
}

func (q *lossQuery) matchesLoss(l *loss) bool {
	return (q.Role == "" || l.Role == q.Role) && (q.Format == "" || l.Format == q.Format)
}

// compareLosses orders losses: the worst first, and losses without the figure last in either
// direction.
func (q *lossQuery) compareLosses(a, b *loss) int {
	order := 0
	switch q.By {
	case "path":
		order = strings.Compare(string(a.Path), string(b.Path))
	case "role":
		order = strings.Compare(a.Role, b.Role)
	case "format":
		order = strings.Compare(a.Format, b.Format)
	case "size":
		order = cmp.Compare(b.Width*b.Height, a.Width*a.Height)
	case "bytes":
		order = cmp.Compare(b.Size, a.Size)
	default:
		figure := map[string]func(*loss) *float64{
			"angle":    func(l *loss) *float64 { return l.Angle },
			"coverage": func(l *loss) *float64 { return l.Coverage },
		}[q.By]
		worst := -1 // the worst is the largest
		if figure == nil {
			figure, worst = func(l *loss) *float64 { return l.PSNR }, 1
		}
		x, y := figure(a), figure(b)
		if x == nil || y == nil {
			return cmp.Or(compareBool(x == nil, y == nil), strings.Compare(a.Note, b.Note))
		}
		order = worst * cmp.Compare(*x, *y)
	}
	if q.Down {
		return -order
	}
	return order
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// A lossesAnswer has the progress of the comparisons, and the rows.
type lossesAnswer struct {
	Of      int      `json:"of"`
	Done    int      `json:"done"`
	Known   int      `json:"known"` // textures with a PSNR
	Matched int      `json:"matched"`
	Rows    []loss   `json:"rows"`
	Roles   []choice `json:"roles"`
	Formats []choice `json:"formats"`
}

// mostLosses is the maximum number of listed textures.
const mostLosses = 1000

func (p *project) answerLosses(w http.ResponseWriter, req *http.Request) {
	var q lossQuery
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
	answer := lossesAnswer{Of: len(all), Rows: []loss{}}
	roles, formats := map[string]int{}, map[string]int{}
	p.losses.mu.Lock()
	for i := range all {
		found, ok := p.losses.known[comparisonOf(&all[i])]
		if !ok {
			continue
		}
		answer.Done++
		if found.PSNR != nil {
			answer.Known++
		}
		roles[found.Role]++
		formats[found.Format]++
		if q.matchesLoss(&found) {
			answer.Rows = append(answer.Rows, found)
		}
	}
	p.losses.mu.Unlock()
	slices.SortStableFunc(answer.Rows, func(a, b loss) int { return q.compareLosses(&a, &b) })
	answer.Roles, answer.Formats, answer.Matched = sortedChoices(roles), sortedChoices(formats), len(answer.Rows)
	answer.Rows = answer.Rows[:min(mostLosses, len(answer.Rows))]
	webjson.Write(w, answer)
}
