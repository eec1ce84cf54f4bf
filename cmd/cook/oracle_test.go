package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assetcook/assetcook/cook/cooktest"
)

// A player of a script carries out its edit and agree lines, the language in which
// package cooktest prints what fails. It makes its folders when it is first asked.
type player struct {
	*cooktest.Player
	steps cooktest.Script // so far
}

// playerKey is what a script keeps its player by.
type playerKey struct{}

func playerOf(ts *testscript.TestScript) *player {
	p := ts.Value(playerKey{}).(*player)
	if p.Player == nil {
		var err error
		p.Player, err = cooktest.NewPlayer(cooktest.Place{Dir: ts.MkAbs("."), Scratch: ts.MkAbs(".scratch")}, cooktest.InProcess)
		ts.Check(err)
		ts.Defer(p.Close)
	}
	return p
}

// edit KIND ... does what an edit of package cooktest does.
func doEdit(ts *testscript.TestScript, _ bool, args []string) {
	p := playerOf(ts)
	e, err := cooktest.ParseEdit(args)
	ts.Check(err)
	p.steps = append(p.steps, cooktest.Step{Edit: e})
	ts.Check(p.Edit(e))
}

// agree [flags] cooks and proves that the outputs are those of a cook from scratch
// and that no work was done which nothing asked for; ! agree, that it is not so.
func agree(ts *testscript.TestScript, neg bool, args []string) {
	p := playerOf(ts)
	w, err := cooktest.ParseWay(args)
	ts.Check(err)
	p.steps = append(p.steps, cooktest.Step{Way: &w})
	err = p.Cook(context.Background(), w)
	var d *cooktest.Difference
	switch {
	case errors.As(err, &d) && neg:
	case neg && err == nil:
		ts.Fatalf("no difference")
	default:
		ts.Check(err)
	}
}

// What package cooktest prints of a script runs as it is, and is the same script.
func TestPrintedScripts(t *testing.T) {
	dir := t.TempDir()
	want := map[string]cooktest.Script{}
	for seed := range uint64(6) {
		name := fmt.Sprintf("seed%d", seed)
		want[name] = cooktest.Random(seed, cooktest.Options{Rounds: 3, Tools: true})
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), want[name].Txtar(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	begun, same := 0, 0 // of those that -run asks for
	p := params(dir)
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		mu.Lock()
		begun++
		mu.Unlock()
		e.Defer(func() {
			mu.Lock()
			defer mu.Unlock()
			got := e.Values[playerKey{}].(*player).steps
			for name, script := range want {
				if reflect.DeepEqual(script, got) {
					delete(want, name)
					same++
				}
			}
		})
		return setup(e)
	}
	t.Run("scripts", func(t *testing.T) { testscript.Run(t, p) })
	if same != begun {
		t.Errorf("%d of %d scripts were read back as they were", same, begun)
	}
}
