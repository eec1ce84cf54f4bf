package timeline

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/profile/events"
)

// Values holds quantities over time.
type Values struct {
	Names  []string    `json:"names"`  // names of all quantities in the recording
	Levels []string    `json:"levels"` // the part of Names that are levels of memory in bytes
	Series [][]float64 `json:"series"` // pairs of time and value, for each requested quantity
}

const (
	mostSeries     = 64
	mostQuantities = 1 << 12
)

// A point is a value at a time.
type point struct {
	time  int64
	value float64
}

// A pixel holds the points of a series that are drawn in one column of pixels.
type pixel struct {
	first, least, most, last point
	some                     bool
}

func (p *pixel) addPoint(at point) {
	if !p.some {
		*p = pixel{at, at, at, at, true}
		return
	}
	if at.time < p.first.time {
		p.first = at
	}
	if at.time >= p.last.time {
		p.last = at
	}
	if at.value < p.least.value {
		p.least = at
	}
	if at.value > p.most.value {
		p.most = at
	}
}

// Values returns quantities in a window: the first, least, greatest and last value of each pixel,
// preceded by the value at the start of the window.
func (r *Recording) Values(ctx context.Context, from, to int64, width int, names []string) (*Values, error) {
	release, err := r.use(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	from, to = clampWindow(from, to)
	width = min(max(width, 1), mostWidth)
	step := max((to-from)/int64(width), 1)
	names = names[:min(len(names), mostSeries)]
	table := r.tape.State().Names
	answer := &Values{Names: r.quantities(table), Series: make([][]float64, len(names))}
	answer.Levels = r.levelNames(table, answer.Names)
	answer.Names = append(answer.Names, answer.Levels...)
	slices.Sort(answer.Names)
	wanted := seriesBySymbol(table, names)
	pixels := make([][]pixel, len(names)) // pixels[i][0] has the values before the window
	for i := range pixels {
		pixels[i] = make([]pixel, 2+(to-from)/step)
	}
	var mu sync.Mutex
	err = cores().Each(ctx, len(r.rows), func(i int) error {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		before := make([]pixel, len(names))
		blocks := r.rows[i].blocks
		for k := len(blocks) - 1; k >= 0 && ctx.Err() == nil; k-- {
			b := &blocks[k]
			if b.before > to || !b.needed(wanted, before, b.end < from) {
				continue
			}
			s.records, _ = r.tape.Read(&b.Block, s.records[:0])
			mu.Lock()
			for n := range s.records {
				v := &s.records[n]
				series, ok := wanted[uint32(v.Name)]
				if !ok || v.Kind != events.Value || v.Start > to || math.IsNaN(v.Value()) || math.IsInf(v.Value(), 0) {
					continue
				}
				if at := (point{v.Start, v.Value()}); v.Start < from {
					before[series].addPoint(at)
				} else {
					pixels[series][1+(v.Start-from)/step].addPoint(at)
				}
			}
			mu.Unlock()
		}
		mu.Lock()
		defer mu.Unlock()
		for i := range before {
			if before[i].some {
				pixels[i][0].addPoint(before[i].last)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if levels := newLevelSeries(table, names, answer.Levels); !levels.none() {
		if err := r.addLevels(ctx, levels, from, to, step, pixels); err != nil {
			return nil, err
		}
	}
	for i := range pixels {
		answer.Series[i] = flat(pixels[i])
	}
	return answer, nil
}

// seriesBySymbol maps the symbols of requested names to the indexes of their series.
func seriesBySymbol(table, names []string) map[uint32]int {
	wanted := map[uint32]int{}
	for sym, name := range table {
		if i := slices.Index(names, name); i >= 0 {
			wanted[uint32(sym)] = i
		}
	}
	return wanted
}

// needed reports whether a block has values to read. A block outside the window is read only for
// quantities without a value so far.
func (b *block) needed(wanted map[uint32]int, before []pixel, outside bool) bool {
	return slices.ContainsFunc(b.values, func(name uint32) bool {
		i, ok := wanted[name]
		return ok && !(outside && before[i].some)
	})
}

// quantities returns the names of all quantities.
func (r *Recording) quantities(table []string) []string {
	found := map[uint32]bool{}
	list := []string{}
	for _, row := range r.rows {
		for i := range row.blocks {
			for _, name := range row.blocks[i].values {
				if !found[name] && len(list) < mostQuantities {
					found[name] = true
					list = append(list, shown(table[name]))
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// flat returns the points of all pixels in chronological order, without duplicates.
func flat(pixels []pixel) []float64 {
	list := []float64{}
	for i, p := range pixels {
		if !p.some {
			continue
		}
		points := []point{p.first, p.least, p.most, p.last}
		if i == 0 {
			points = points[3:]
		}
		slices.SortStableFunc(points, func(a, b point) int { return int(min(max(a.time-b.time, -1), 1)) })
		for _, at := range slices.Compact(points) {
			list = append(list, float64(at.time), at.value)
		}
	}
	return list
}
