package cli

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

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A player executes the edit and agree lines of a script; package oracle prints failing scripts in
// this form. It creates its directories on first use.
type player struct {
	*oracle.Player
	steps oracle.Script
}

// playerKey is the key of a player in the values of a test script.
type playerKey struct{}

func playerOf(ts *testscript.TestScript) *player {
	p := ts.Value(playerKey{}).(*player)
	if p.Player == nil {
		var err error
		p.Player, err = oracle.NewPlayer(oracle.Place{Dir: ts.MkAbs("."), Scratch: ts.MkAbs(".scratch")}, oracle.InProcess)
		ts.Check(err)
		ts.Defer(p.Close)
	}
	return p
}

// edit KIND ... applies an edit of package oracle.
func doEdit(ts *testscript.TestScript, _ bool, args []string) {
	p := playerOf(ts)
	e, err := oracle.ParseEdit(args)
	ts.Check(err)
	p.steps = append(p.steps, oracle.Step{Edit: e})
	ts.Check(p.Edit(e))
}

// agree [flags] cooks, and checks that the outputs equal a cook from scratch and that no work was
// needless. "! agree" expects one of these checks to fail.
func agree(ts *testscript.TestScript, neg bool, args []string) {
	p := playerOf(ts)
	w, err := oracle.ParseMode(args)
	ts.Check(err)
	p.steps = append(p.steps, oracle.Step{Mode: &w})
	err = p.Cook(context.Background(), w)
	var d *oracle.Difference
	switch {
	case errors.As(err, &d) && neg:
	case neg && err == nil:
		ts.Fatalf("no difference")
	default:
		ts.Check(err)
	}
}

// TestPrintedScripts runs scripts that package oracle has printed, and expects the same scripts
// back.
func TestPrintedScripts(t *testing.T) {
	dir := t.TempDir()
	want := map[string]oracle.Script{}
	for seed := range uint64(6) {
		name := fmt.Sprintf("seed%d", seed)
		want[name] = oracle.Random(seed, oracle.Options{Rounds: 3, Tools: true})
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), want[name].Txtar(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	started, same := 0, 0
	p := params(dir)
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		mu.Lock()
		started++
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
	if same != started {
		t.Errorf("%d of %d scripts were read back unchanged", same, started)
	}
}
