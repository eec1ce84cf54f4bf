package minimal

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
)

// A forecast is the exact work that a run must do.
type forecast struct {
	outcomes map[key][]cook.Outcome // the possible outcomes of each asset that needs work; two if equal assets are cooked concurrently
	logs     map[string]int         // how often each program must be executed
	claims   map[string]int         // how many steps and chains look up each key in the store
}

// foretell predicts the work of a run for the given targets. It updates the model to the state
// after the run.
func (p *player) foretell(targets []string) *forecast {
	f := &forecast{outcomes: map[key][]cook.Outcome{}, logs: map[string]int{}, claims: map[string]int{}}
	fresh := map[key]string{} // the keys of the actions that are cooked
	old := p.known
	p.known = map[string]bool{}
	for k := range old {
		p.known[k] = true
	}
	for _, target := range targets {
		var made []artifact
		for _, name := range slices.Concat(single, bundles) {
			source := p.where(name)
			if source == "" {
				continue
			}
			slices.SortFunc(made, func(a, b artifact) int { return strings.Compare(a.source, b.source) })
			now := p.act(source, target, made)
			p.one(f, key{source, target}, now, made, old, fresh)
			text := now.made
			if now.err != nil {
				text = "\x00"
			}
			made = append(made, artifact{source, now.output, text})
		}
		p.retire(target)
	}
	for k, needed := range fresh {
		if f.claims[needed] > 1 && f.outcomes[k][0] == cook.Cooked {
			f.outcomes[k] = append(f.outcomes[k], cook.Restored)
		}
	}
	return f
}

// one predicts the outcome of one action.
func (p *player) one(f *forecast, k key, now action, made []artifact, old map[string]bool, fresh map[key]string) {
	last, seen := p.states[k]
	at := func(output string) string { return path.Join(k.target, output) }
	good := seen && !last.failed
	intact := false
	if good {
		text, there := p.disk[at(last.output)]
		intact = there && text == last.made
	}
	moved := func(d dep) bool { return p.value(d.what, made) != d.value }
	if good && intact && now.err == nil && last.id == now.id && last.output == now.output && !slices.ContainsFunc(last.deps, moved) {
		return
	}
	if good {
		delete(p.disk, at(last.output))
	}
	if whole := now.key(); now.err != nil || !old[whole] {
		f.claim(whole)
		for i, s := range now.steps {
			switch {
			case now.err != nil && i == len(now.steps)-1 && errors.Is(now.err, errStop):
				f.logs[s.log]++ // failures are not in the store
			case !p.known[s.key]:
				f.logs[s.log]++
				p.known[s.key] = true
			}
			if len(now.steps) > 1 {
				f.claim(s.key)
			}
		}
	}
	p.states[k] = state{now, now.err != nil}
	if now.err != nil {
		f.outcomes[k] = []cook.Outcome{cook.Failed}
		return
	}
	p.disk[at(now.output)] = now.made
	switch {
	case good && intact && last.output == now.output && last.made == now.made && (last.text != now.text || slices.ContainsFunc(last.deps, moved)):
		f.outcomes[k] = []cook.Outcome{cook.Unchanged}
	case old[now.key()]:
		f.outcomes[k] = []cook.Outcome{cook.Restored}
	default:
		f.outcomes[k] = []cook.Outcome{cook.Cooked}
		fresh[k] = now.key()
	}
	p.known[now.key()] = true
}

func (f *forecast) claim(key string) { f.claims[key]++ }

// retire updates the model for one target: it deletes the outputs and states of sources that no
// longer exist.
func (p *player) retire(target string) {
	claimed := map[string]bool{}
	for k, s := range p.states {
		if k.target != target {
			continue
		}
		if _, there := p.files[k.source]; !there {
			delete(p.states, k)
		} else if !s.failed {
			claimed[path.Join(target, s.output)] = true
		}
	}
	for name := range p.disk {
		if targetOf(name) == target && !claimed[name] {
			delete(p.disk, name)
		}
	}
}

// diffOutcomes compares the outcomes of assets with the prediction. Where the model predicts
// Unchanged, it also accepts Restored with the reason "moved". The asset then uses the artifacts of
// another asset that was just removed.
func (f *forecast) diffOutcomes(got map[key]cook.Event) string {
	var lines []string
	for k, e := range got {
		want := f.outcomes[k]
		moved := e.Outcome == cook.Restored && slices.Contains(want, cook.Unchanged) &&
			slices.ContainsFunc(e.Reasons, func(r cook.Reason) bool { return r.Kind == "moved" })
		if !slices.Contains(want, e.Outcome) && !moved {
			lines = append(lines, fmt.Sprintf("%s [%s] %s, want %q: %v %v", k.source, k.target, e.Outcome, want, e.Reasons, e.Err))
		}
	}
	for k, want := range f.outcomes {
		if _, ok := got[k]; !ok {
			lines = append(lines, fmt.Sprintf("%s [%s] got no work, want %q", k.source, k.target, want))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// diffLogs compares how often programs were executed. If exact is false, it allows twice the
// predicted number. The reason is that a run cannot trust a recent file stamp, and may execute a
// program again.
func (f *forecast) diffLogs(got map[string]int, exact bool) string {
	var lines []string
	for log, n := range got {
		if want := f.logs[log]; n < want || n > want && (exact || n > 2*want) {
			lines = append(lines, fmt.Sprintf("executed %d times, want %d: %s", n, want, log))
		}
	}
	for log, want := range f.logs {
		if got[log] == 0 {
			lines = append(lines, fmt.Sprintf("not executed, want %d times: %s", want, log))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
