package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTree(t *testing.T) {
	tree := newTree(t.TempDir(), 205)
	if err := tree.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	var total int64
	for i := range tree.Files {
		name := filepath.Join(tree.Assets(), tree.Path(i))
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() < 20 || info.Size() >= 200 || !info.ModTime().Equal(tree.born) {
			t.Errorf("%s: %d bytes of %v", tree.Path(i), info.Size(), info.ModTime())
		}
		total += info.Size()
	}
	if total != tree.bytes() {
		t.Errorf("%d bytes, want %d", total, tree.bytes())
	}
	folders, err := filepath.Glob(filepath.Join(tree.Assets(), "*", "*"))
	if err != nil || len(folders) != tree.Folders() || len(folders) != 3 {
		t.Errorf("directories %q, want %d", folders, tree.Folders())
	}

	before, err := os.ReadFile(filepath.Join(tree.Assets(), tree.Path(7)))
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Edit(7, 1); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(tree.Assets(), tree.Path(7)))
	if err != nil || len(after) != len(before) || bytes.Equal(after, before) {
		t.Errorf("an edit made %d bytes of %d, equal: %v (%v)", len(after), len(before), bytes.Equal(after, before), err)
	}
	if err := tree.Touch(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(tree.Assets(), tree.Path(204)))
	if err != nil || info.ModTime().Sub(tree.born).Seconds() != 3 {
		t.Errorf("a touched file has the time %v (%v)", info.ModTime(), err)
	}
}

func TestListNamesAll(t *testing.T) {
	tree := newTree(t.TempDir(), 250)
	if err := tree.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := tree.copyTo(t.Context(), tree.Cooked()); err != nil {
		t.Fatal(err)
	}
	for _, times := range []int{1, 3} {
		listNamesAll(t, tree, times)
	}
}

func listNamesAll(t *testing.T, tree *Tree, times int) {
	name := filepath.Join(tree.Root, "list")
	if err := tree.writeList(t.Context(), name, []string{tree.Assets(), tree.Cooked()}, times); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	folders := 6 * times
	if string(list[:8]) != "nullrun1" || binary.NativeEndian.Uint32(list[8:]) != 2 || binary.NativeEndian.Uint32(list[12:]) != uint32(folders) {
		t.Fatalf("head is %q", list[:16])
	}
	var got, want []string
	for i := range folders {
		record := list[16+16*i:]
		root := binary.NativeEndian.Uint32(record)
		texts := strings.Split(string(list[binary.NativeEndian.Uint64(record[8:]):]), "\x00")
		for _, file := range texts[1 : 1+binary.NativeEndian.Uint32(record[4:])] {
			got = append(got, string('0'+rune(root))+"/"+texts[0]+"/"+file)
		}
	}
	for i := range tree.Files {
		want = append(want, slices.Repeat([]string{"0/" + tree.Path(i), "1/" + tree.Path(i)}, times)...)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%d times: %s", times, diff)
	}
}

func TestEach(t *testing.T) {
	var sum atomic.Int64
	if err := each(t.Context(), 101, func(i int) error { sum.Add(int64(i)); return nil }); err != nil || sum.Load() != 5050 {
		t.Errorf("sum %d, %v", sum.Load(), err)
	}
	stop := errors.New("stop")
	if err := each(t.Context(), 10, func(i int) error {
		if i == 3 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := each(ctx, 10, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := each(t.Context(), 0, nil); err != nil {
		t.Error(err)
	}
}

// TestSetUps checks the files written for ninja and make, and how often each peer runs during its
// setup.
func TestSetUps(t *testing.T) {
	tree := newTree(t.TempDir(), 2)
	for _, test := range []struct {
		setUp func(context.Context, *peerTool, *Tree, string) (Contestant, error)
		file  string
		want  string
		runs  int
	}{
		{setUpNinja, "build.ninja", `rule copy
  command = cp $in $out
build out/level000/area00/asset0000000.dat: copy ../assets/level000/area00/asset0000000.dat
build out/level000/area00/asset0000001.dat: copy ../assets/level000/area00/asset0000001.dat
`, 1},
		{setUpMake, "Makefile", `MAKEFLAGS += --no-builtin-rules
.PHONY: all
all: out/level000/area00/asset0000000.dat out/level000/area00/asset0000001.dat
out/level000/area00/asset0000000.dat: ../assets/level000/area00/asset0000000.dat
	cp $< $@
out/level000/area00/asset0000001.dat: ../assets/level000/area00/asset0000001.dat
	cp $< $@
`, 0},
	} {
		dir, runs := t.TempDir(), 0
		p := &peerTool{bin: "peer", run: func(context.Context, Command) (Result, error) { runs++; return Result{}, nil }}
		if _, err := test.setUp(t.Context(), p, tree, dir); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, test.file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(got)); diff != "" || runs != test.runs {
			t.Errorf("%s: %d runs, want %d\n%s", test.file, runs, test.runs, diff)
		}
	}
	fails := errors.New("disk full")
	p := &peerTool{bin: "peer", run: func(context.Context, Command) (Result, error) { return Result{}, fails }}
	if _, err := setUpNinja(t.Context(), p, tree, t.TempDir()); !errors.Is(err, fails) {
		t.Errorf("got %v", err)
	}
	if err := writeMade(filepath.Join(tree.Root, "no", "such"), func(*bufio.Writer) {}); err == nil {
		t.Error("a file in a missing directory was written")
	}
}
