package pass

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/stats"
)

// The counts of up-to-date actions do not depend on patterns, and equal the counts of the events.
// An action with a touched source or artifact is up to date by checksum, so all of its bytes are
// counted.
func TestRestInScope(t *testing.T) {
	files := map[string]string{"a.txt": "1", "b.json": "[ 10, 2 ]", "c.txt": "1000", "d.txt": "10000", "e.txt": "100000"}
	of := func(names ...string) (n stats.Count) {
		for _, name := range names {
			size := int64(len(files[name]))
			n.Assets, n.In, n.Out = n.Assets+1, n.In+size, n.Out+size
			if name == "b.json" {
				n.Out -= 3
			}
		}
		return n
	}
	for _, tt := range []struct {
		what              string
		patterns, touched []string
		stamp, checksum   stats.Count
	}{
		{"nothing", []string{"[a-d]*"}, nil, of("a.txt", "b.json", "c.txt", "d.txt"), of()},
		{"a source", []string{"[a-d]*"}, []string{"assets/b.json"}, of("a.txt", "c.txt", "d.txt"), of("b.json")},
		{"an artifact", []string{"[a-d]*"}, []string{"cooked/b.json"}, of("a.txt", "c.txt", "d.txt"), of("b.json")},
		{"both of one", []string{"a.txt", "c.txt"}, []string{"assets/c.txt", "cooked/c.txt"}, of("a.txt"), of("c.txt")},
		{"those of others", []string{"a.txt"}, []string{"assets/e.txt", "cooked/d.txt"}, of("a.txt"), of()},
		{"without patterns", nil, []string{"assets/a.txt", "cooked/c.txt", "assets/e.txt"}, of("b.json", "d.txt"), of("a.txt", "c.txt", "e.txt")},
	} {
		t.Run(tt.what, func(t *testing.T) {
			p := newProject(t, files)
			p.run()
			p.write("c.txt", "edit") // after this edit, the index stores its changes separately from its base
			p.run()
			p.Scope.Patterns = tt.patterns
			for i, name := range tt.touched {
				at := time.Date(2001, 1, 1+i, 0, 0, 0, 0, time.UTC)
				if err := os.Chtimes(filepath.Join(filepath.Dir(p.Place.Dir), name), at, at); err != nil {
					t.Fatal(err)
				}
			}
			p.Mode.DryRun = true // a dry run writes nothing, so both runs find the same differences
			s := p.open()
			defer s.Close()
			for _, every := range []bool{false, true} {
				s.Mode.EveryAction, p.heard.events = every, nil
				done, err := Run(t.Context(), s, nil)
				if err != nil {
					t.Fatal(err)
				}
				if done.Delta == nil || done.Stats.Outcomes.ByStamp != tt.stamp || done.Stats.Outcomes.ByChecksum != tt.checksum {
					t.Errorf("every action %v: by stamp %+v, want %+v; by checksum %+v, want %+v", every, done.Stats.Outcomes.ByStamp, tt.stamp, done.Stats.Outcomes.ByChecksum, tt.checksum)
				}
			}
			var stamp, checksum stats.Count
			for _, e := range p.heard.events {
				if e.Outcome != execute.UpToDate {
					t.Errorf("%s: %s", e.Path, e.Outcome)
				}
				if e.Reasons[0].Kind == plan.SameStamp {
					stamp.AddEvent(&e)
				} else {
					checksum.AddEvent(&e)
				}
			}
			if stamp != tt.stamp || checksum != tt.checksum {
				t.Errorf("events: by stamp %+v, want %+v; by checksum %+v, want %+v", stamp, tt.stamp, checksum, tt.checksum)
			}
		})
	}
}
