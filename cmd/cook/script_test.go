package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/internal/faultfs"
	"github.com/assetcook/assetcook/profile/counters"
)

// commands are what this test binary is when it is called so.
var commands = map[string]func(){"cook": command{countedCook}.main}

func TestMain(m *testing.M) {
	faultfs.Init() // this process may be one that is to become cook
	testscript.Main(m, commands)
}

// miscounted names the file in which a run says that its counters and its summary
// differ.
const miscounted = "COOK_MISCOUNTED"

// countedCook is cook.Cook with its counters compared with its summary.
func countedCook(ctx context.Context, opt cook.Options) (report.Summary, error) {
	if opt.Probe.Counters == nil {
		opt.Probe.Counters = counters.New(counters.Options{Max: 256})
	}
	s, err := cook.Cook(ctx, opt)
	if d := cooktest.CountedOtherwise(opt.Probe.Counters, &s); d != "" {
		err = errors.Join(err, os.WriteFile(os.Getenv(miscounted), []byte(d), 0o666))
	}
	return s, err
}

func TestScripts(t *testing.T) {
	testscript.Run(t, params("testdata/script"))
}

// params say how the scripts of a folder are run.
func params(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("COOKCACHE", filepath.Join(e.WorkDir, ".store"))
			e.Values[playerKey{}] = &player{}
			wrong := filepath.Join(e.WorkDir, ".miscounted")
			e.Setenv(miscounted, wrong)
			e.Defer(func() {
				if text, err := os.ReadFile(wrong); err == nil {
					e.T().Fatal("miscounted: " + string(text))
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"png":   makePNG,
			"cut":   cutFile,
			"touch": touchFile,
			"same":  sameTrees,
			"lock":  lockFile,
			"sh":    writeProgram,
			"size":  fileSize,
			"until": untilThere,
			"flip":  flipByte,
			"code":  exitCode,
			"edit":  doEdit,
			"agree": agree,
			// Not on all systems.
			"freeze": freeze,
		},
	}
}

// png FILE WIDTH HEIGHT SHADE writes a picture.
func makePNG(ts *testscript.TestScript, _ bool, args []string) {
	n := make([]int, 3)
	for i := range n {
		var err error
		n[i], err = strconv.Atoi(args[i+1])
		ts.Check(err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, n[0], n[1]))
	for y := range n[1] {
		for x := range n[0] {
			img.SetNRGBA(x, y, color.NRGBA{byte(x * 8), byte(y * 8), byte(n[2]), 255})
		}
	}
	var b bytes.Buffer
	ts.Check(png.Encode(&b, img))
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, b.Bytes(), 0o666))
}

// cut FILE BYTES shortens a file.
func cutFile(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// touch FILE|DIR ... gives files another time.
func touchFile(ts *testscript.TestScript, _ bool, args []string) {
	at := time.Unix(1_000_000_000, 0)
	for _, arg := range args {
		ts.Check(filepath.WalkDir(ts.MkAbs(arg), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return os.Chtimes(name, at, at)
		}))
	}
}

// same DIR DIR compares output folders, but for the cooker's own state.
func sameTrees(ts *testscript.TestScript, neg bool, args []string) {
	a, b := treeText(ts, args[0]), treeText(ts, args[1])
	if (a == b) == neg {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], a, args[1], b)
	}
}

func treeText(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case rel == ".cook":
			return fs.SkipDir
		case d.IsDir():
			fmt.Fprintf(&b, "%s/\n", rel)
			return nil
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(&b, "%s %q\n", rel, data)
		return err
	}))
	return b.String()
}

// lock FILE holds the lock of an output folder until the script ends.
func lockFile(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte("\x00process 4711\n"), 0o666))
	l := flock.New(name)
	ok, err := l.TryLock()
	ts.Check(err)
	if !ok {
		ts.Fatalf("%s is locked already", args[0])
	}
	ts.Defer(func() { l.Close() })
}

// sh FILE LINE writes a program that runs one line of shell.
func writeProgram(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte("#!/bin/sh\n"+strings.Join(args[1:], " ")+"\n"), 0o777))
}

// until FILE waits until there is such a file; ! until FILE, until there is none.
func untilThere(ts *testscript.TestScript, neg bool, args []string) {
	name := ts.MkAbs(args[0])
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(name); (err == nil) != neg {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("waited a minute for %s", args[0])
		}
	}
}

// size FILE BYTES fails unless the file is that long.
func fileSize(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if (fmt.Sprint(info.Size()) == args[1]) == neg {
		ts.Fatalf("%s has %d bytes", args[0], info.Size())
	}
}
