package verify

import (
	"encoding/json"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/cookone"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
)

// These cook times mark the server's results. Actions that read no files have one time, and actions
// that read files have the other.
const readsNothing, readsSomething = time.Second, time.Minute

// sharingServer returns a client of a server that has a result for every key.
func sharingServer(t *testing.T) *remote.Client {
	opt := remote.Options{URL: "grpc://server", Read: true}
	c := remote.NewOver(t.Context(), opt, func(note string) { t.Error(note) }, func() (io.ReadWriteCloser, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			requests, answers := json.NewDecoder(there), json.NewEncoder(there)
			answers.Encode(remote.Answer{Wire: remote.WireVersion})
			for {
				var r remote.Request
				if err := requests.Decode(&r); err != nil {
					return
				}
				a := remote.Answer{Seq: r.Seq, Stats: &remote.Stats{}}
				if r.Op == remote.Look {
					took := readsNothing
					if r.Keys[0].Reads {
						took = readsSomething
					}
					a.Found = true
					a.Result, _ = store.MarshalResult(r.Keys[0].Result, store.Result{CookTime: took})
				}
				if r.Seq != 0 {
					answers.Encode(a)
				}
				if r.Op == remote.End {
					return
				}
			}
		}()
		return here, nil
	})
	t.Cleanup(func() { c.Close(t.Context()) })
	return c
}

// A new asset is compared with results that read no files. A known asset is also compared with
// results that have the same dependencies as its last cook.
func TestSharedResultsAreOfTheLastReads(t *testing.T) {
	tree, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	sums, _ := hashing.Lookup("xxh3")
	g := cookone.NewAgain(cookone.Env{Contents: contents.New(contents.Options{Assets: tree, Known: index.Empty().Files(), Checksum: sums}), Checksum: sums})
	last := &contents.Before{Action: &index.Action{Deps: []index.Dep{{Name: "b.h", On: dependency.OfFile("b.h")}}}}
	for name, c := range map[string]struct {
		last *contents.Before
		want []time.Duration
	}{
		"new asset":    {want: []time.Duration{readsNothing}},
		"known asset":  {last: last, want: []time.Duration{readsNothing, readsSomething}},
		"read nothing": {last: &contents.Before{Action: &index.Action{}}, want: []time.Duration{readsNothing}},
	} {
		t.Run(name, func(t *testing.T) {
			task := cookone.TaskOf(&plan.Action{
				Path: "a.x", Last: c.last, Source: &contents.File{Path: "a.x", How: contents.ByReading},
				Method: &plan.Method{Choice: &rules.Method{Recipe: recipe.Recipe{Name: "x"}}},
			})
			var got []time.Duration
			for _, r := range sharedResults(t.Context(), sharingServer(t), g.Cooker(), cookone.Step{Task: task}) {
				got = append(got, r.CookTime)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("results of %v, want %v", got, c.want)
			}
		})
	}
}
