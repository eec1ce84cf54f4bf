//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/faultfs"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// These variables select the behavior of the test binary when a campaign runs it instead of cook.
const (
	fakeVar = "RELIABILITY_FAKE"
	textVar = "RELIABILITY_FAKE_TEXT"
	codeVar = "RELIABILITY_FAKE_CODE"
)

func TestMain(m *testing.M) {
	faultfs.Init()
	if name := os.Getenv(fakeVar); name != "" {
		os.Exit(fakes[name]())
	}
	os.Exit(m.Run())
}

// fakes maps names to functions that campaigns run instead of cook. The functions return the exit
// status.
var fakes = map[string]func() int{
	"cook": func() int { return fakeCook(nil) },
	// spoils is a fake that writes a wrong output after each cook.
	"spoils": func() int {
		return fakeCook(func(out string) error { return os.WriteFile(filepath.Join(out, "plain.txt"), []byte("x"), 0o666) })
	},
	// half is a fake that writes a wrong output while it watches.
	"half": func() int {
		fs, dirs := fakeFlags()
		fs.Parse(os.Args[1:])
		if err := os.WriteFile(filepath.Join(dirs.Out, "plain.txt"), []byte("x"), 0o666); err != nil {
			return 2
		}
		return sleep()
	},
	"sleeps": sleep,
	"says": func() int {
		fmt.Print(os.Getenv(textVar))
		code, _ := strconv.Atoi(os.Getenv(codeVar))
		return code
	},
}

func sleep() int {
	time.Sleep(time.Hour)
	return 0
}

func fakeFlags() (*flag.FlagSet, *oracle.Run) {
	fs := flag.NewFlagSet("cook", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var opt oracle.Run
	fs.StringVar(&opt.Dir, "dir", "", "")
	fs.StringVar(&opt.Out, "out", "", "")
	fs.StringVar(&opt.Cache, "cache", "", "")
	return fs, &opt
}

// fakeCook runs cook, and then calls more with the output directory.
func fakeCook(more func(out string) error) int {
	fs, opt := fakeFlags()
	watch := fs.Bool("watch", false, "")
	if fs.Parse(os.Args[1:]) != nil {
		return 2
	}
	summary, err := opt.Cook(context.Background())
	if err == nil && more != nil {
		err = more(opt.Out)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "cook: %v\n", err)
		return 2
	}
	fmt.Println("cook: " + summary.String())
	if *watch {
		sleep()
	}
	if summary.Failures() > 0 {
		return 1
	}
	return 0
}

// fake makes campaigns run a fake, and returns its path.
func fake(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(fakeVar, name)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector would delay each exit by one second
	return self
}

// says replaces the program of the campaigns by a fake that prints a text and exits.
func says(t *testing.T, text string, code int) string {
	t.Helper()
	t.Setenv(textVar, text)
	t.Setenv(codeVar, strconv.Itoa(code))
	return fake(t, "says")
}

// testRounds returns the rounds of a campaign that runs the given program in a directory of the
// test.
func testRounds(t *testing.T, program string) rounds {
	return rounds{workplace: workplace{name: "test", seed: 1, dir: t.TempDir(), program: program}}
}
