package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestRoundsBeginFresh(t *testing.T) {
	for _, test := range []struct {
		files int
		aside int
		err   error
	}{
		{10, 1, nil},
		{asideMost + 1, 0, context.Canceled},
	} {
		tree := newTree(t.TempDir(), test.files).Into("made")
		b := &bench{dir: tree.Root, log: io.Discard}
		row := b.fresh(tree, []Contestant{{Name: "ours"}, {Name: "other"}}, tree.Cooked(), filepath.Join(tree.Root, "never made"))
		if err := os.MkdirAll(filepath.Join(tree.Cooked(), "file"), 0o777); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := row.Contestants[0].Prepare(ctx, 0); err != nil {
			t.Errorf("the first round: %v", err)
		}
		if _, err := os.Stat(tree.Cooked()); err != nil {
			t.Error("the first round has nothing to set aside")
		}
		if err := row.Contestants[0].Prepare(ctx, 1); !errors.Is(err, test.err) {
			t.Errorf("%d files: %v, want %v", test.files, err, test.err)
		}
		if err := row.Contestants[1].Prepare(ctx, 1); err != nil {
			t.Error(err)
		}
		aside, err := filepath.Glob(tree.Cooked() + "*")
		if err != nil || len(aside) != test.aside {
			t.Errorf("%d files: %q exist, want %d directories set aside", test.files, aside, test.aside)
		}
		row.Close()
	}
}
