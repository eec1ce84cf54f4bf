package counters

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A model is the specification of a set. It is slow and uses only maps.
type model struct {
	frame, total map[string]float64
	pending      map[*Worker]map[string]float64
	known        map[string]bool
	watches      map[string]watch
	order        []string       // names in the order of their creation
	limits       []int          // limits of the open WatchAll calls
	since        map[string]int // number of the first frame in the history of a name
	detailSince  map[string]int
	frames       []map[string]float64
}

// gauge reports whether the name belongs to a gauge.
func gauge(name string) bool { return name[0] == 'g' || name[0] == 'p' }

func (m *model) flush(w *Worker) {
	for name, n := range m.pending[w] {
		m.frame[name] += n
	}
	clear(m.pending[w])
}

// meet records that the program used a name. A name has a history from the time when it is both
// used and watched.
func (m *model) meet(name string) {
	if !m.known[name] {
		m.order = append(m.order, name)
	}
	m.known[name] = true
	m.update(name)
}

func (m *model) change(name string, plain, detailed int) {
	w := m.watches[name]
	m.watches[name] = watch{max(w.plain+plain, 0), max(w.detailed+detailed, 0)}
	m.update(name)
}

func (m *model) update(name string) {
	w := m.watches[name]
	since(m.since, name, m.known[name] && (m.inFirst(name) || w.plain > 0 || w.detailed > 0), len(m.frames))
	since(m.detailSince, name, m.known[name] && name[0] == 't' && w.detailed > 0, len(m.frames))
}

// inFirst reports whether a WatchAll call includes a name. The set has names of its own before the
// names of the model.
func (m *model) inFirst(name string) bool {
	at := slices.Index(m.order, name) + ownNames
	return slices.ContainsFunc(m.limits, func(limit int) bool { return at < limit })
}

func since(m map[string]int, name string, is bool, now int) {
	if _, was := m[name]; is && !was {
		m[name] = now
	} else if !is {
		delete(m, name)
	}
}

func (m *model) history(name string, keep int) []float64 {
	since, ok := m.since[name]
	if !ok {
		return nil
	}
	values := []float64{}
	for i := max(since, len(m.frames)-keep); i < len(m.frames); i++ {
		values = append(values, m.frames[i][name])
	}
	return values
}

func (m *model) checkDetail(t *rapid.T, set *Set, name string, keep int) {
	from, want := m.detailSince[name]
	first, got := set.TimerHistory(name, 0)
	if want != (got != nil) {
		t.Fatalf("details of %s are %v, want any: %v", name, got, want)
	}
	if from = max(from, len(m.frames)-keep); want && first != int64(from) {
		t.Fatalf("details of %s begin with frame %d, want %d", name, first, from)
	}
	for i, stat := range got {
		if float64(stat.Total) != m.frames[from+i][name] {
			t.Fatalf("%s took %v in frame %d, want %v", name, stat.Total, from+i, m.frames[from+i][name])
		}
	}
}

var modelNames = []string{"a/1", "a/2", "b/1", "a/3", "a/4", "a/5", "a/6", "c/1", "c/200", "f/1", "f/9", "g/1", "g/9", "p/1", "t/1", "t/120"}

// TestSetAgreesWithModel applies random operations to a set and the model, and compares them. There
// are enough names for more than one page of lines. Numbers are integers, so that sums of floats
// are exact.
func TestSetAgreesWithModel(t *testing.T) {
	const keep = 5
	rapid.Check(t, func(t *rapid.T) {
		set := still(Options{Frames: keep})
		m := &model{frame: map[string]float64{}, total: map[string]float64{}, pending: map[*Worker]map[string]float64{},
			known: map[string]bool{}, watches: map[string]watch{}, since: map[string]int{}, detailSince: map[string]int{}}
		var polled float64
		defer set.function("p/1", func() float64 { return polled }).Close()
		m.meet("p/1")
		names := rapid.SampledFrom(modelNames)
		if rapid.Bool().Draw(t, "many") {
			for i := range 130 { // The timers fill two pages, mixed with other kinds.
				set.Counter(fmt.Sprint("a/", i))
				set.Float(fmt.Sprint("f/", i))
				set.Timer(fmt.Sprint("t/", i))
				m.meet(fmt.Sprint("a/", i))
				m.meet(fmt.Sprint("f/", i))
				m.meet(fmt.Sprint("t/", i))
			}
		}
		workers := []*Worker{set.Worker(), set.Worker()}
		var stops []func() // stops of the WatchAll calls in m.limits
		for _, w := range workers {
			m.pending[w] = map[string]float64{}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				name, n := names.Draw(t, "name"), rapid.Int64Range(0, 1000).Draw(t, "n")
				switch name[0] {
				case 'f':
					set.Float(name).Add(float64(n))
				case 't':
					set.Timer(name).Record(time.Duration(n))
				case 'g':
					set.Gauge(name).Set(float64(n))
					m.frame[name] = 0
				case 'p':
					polled = float64(n)
					m.frame[name] = 0
				default:
					set.Counter(name).Add(n)
				}
				m.meet(name)
				m.frame[name] += float64(n)
			},
			"count": func(t *rapid.T) {
				w := rapid.SampledFrom(workers).Draw(t, "worker")
				name, n := names.Draw(t, "name"), rapid.Int64Range(0, 1000).Draw(t, "n")
				switch name[0] {
				case 'f':
					*w.Float(set.Float(name)) += float64(n)
				case 't':
					w.Record(set.Timer(name), time.Duration(n))
				case 'g', 'p':
					set.Gauge(name)
				default:
					*w.Int(set.Counter(name)) += n
				}
				m.meet(name)
				if !gauge(name) {
					m.pending[w][name] += float64(n)
				}
			},
			"flush": func(t *rapid.T) {
				w := rapid.SampledFrom(workers).Draw(t, "worker")
				w.Flush()
				m.flush(w)
			},
			"change": func(t *rapid.T) {
				i := rapid.IntRange(0, len(workers)-1).Draw(t, "worker")
				m.flush(workers[i])
				workers[i].Release()
				workers[i] = set.Worker()
			},
			"watch": func(t *rapid.T) {
				list := rapid.SliceOfN(names, 0, 5).Draw(t, "names")
				call := rapid.SampledFrom([]struct {
					f               func(...string)
					plain, detailed int
				}{{set.watch, 1, 0}, {set.unwatch, -1, 0}, {set.watchDetail, 1, 1}, {set.unwatchDetail, -1, -1}}).Draw(t, "call")
				call.f(list...)
				for _, name := range list {
					m.change(name, call.plain, call.detailed)
				}
			},
			"watch all": func(t *rapid.T) {
				if len(stops) == 0 || rapid.Bool().Draw(t, "more") {
					most := rapid.IntRange(0, ownNames+len(modelNames)).Draw(t, "most")
					stops, m.limits = append(stops, set.WatchAll(most*valueBytes*keep)), append(m.limits, most)
				} else {
					i := rapid.IntRange(0, len(stops)-1).Draw(t, "stop")
					stops[i]()
					stops[i]() // This does nothing.
					stops, m.limits = slices.Delete(stops, i, i+1), slices.Delete(m.limits, i, i+1)
				}
				for name := range m.known {
					m.update(name)
				}
			},
			"push": func(t *rapid.T) {
				set.PushFrame(time.Unix(int64(len(m.frames)), 0))
				m.frames = append(m.frames, m.frame)
				m.frame = map[string]float64{}
				for name, n := range m.frames[len(m.frames)-1] {
					if gauge(name) {
						m.frame[name] = n
					} else {
						m.total[name] += n
					}
				}
			},
			"": func(t *rapid.T) {
				for _, sample := range set.Snapshot() {
					if want := m.total[sample.Name] + m.frame[sample.Name]; sample.Value() != want {
						t.Fatalf("%s is %v, want %v", sample.Name, sample.Value(), want)
					}
				}
				_, last := set.LastFrame()
				if (last != nil) != (len(m.frames) > 0) {
					t.Fatalf("the last of %d frames is %v", len(m.frames), last)
				}
				for _, sample := range last {
					if want := m.frames[len(m.frames)-1][sample.Name]; sample.Value() != want {
						t.Fatalf("%s was %v in the last frame, want %v", sample.Name, sample.Value(), want)
					}
				}
				for _, name := range modelNames {
					if got, want := set.History(name), m.history(name, keep); !slices.Equal(got, want) || (got == nil) != (want == nil) {
						t.Fatalf("history of %s is %v, want %v", name, got, want)
					}
					m.checkDetail(t, set, name, keep)
				}
			},
		})
	})
}
