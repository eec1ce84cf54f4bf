package command

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assetcook/assetcook/profile/events"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"events": func() {
			if err := Run(os.Args[1:], os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, "events", err)
				os.Exit(1)
			}
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"record": record, "serve": serveFeed},
	})
}

// serveFeed serves the stream of a program that runs until the script ends. It sets the variable
// ADDRESS.
func serveFeed(ts *testscript.TestScript, _ bool, _ []string) {
	feed := events.NewFeed()
	r := events.New(feed, events.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ctx, stop := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { feed.ServeConn(ctx, conn) })
		}
	})
	ts.Defer(func() {
		l.Close()
		stop()
		serving.Wait()
		r.Close()
	})
	ts.Setenv("ADDRESS", l.Addr().String())
}

// record makes a recording. With -cut it truncates the recording and leaves a scope open; with
// -many it records 20000 events.
func record(ts *testscript.TestScript, _ bool, args []string) {
	how, name := "", args[len(args)-1]
	if len(args) == 2 {
		how = args[0]
	}
	var stream bytes.Buffer
	r := events.New(&stream, events.Options{})
	w := r.Worker("worker 0")
	encode := r.Symbol("encode")
	w.Begin(encode, r.Symbol("wall.png")).End()
	w.Begin(encode, r.Symbol("roof.png")).End()
	w.Value(r.Symbol("draws"), 7)
	w.Instant(r.Symbol("done"), 0)
	if how == "-many" {
		for range 20_000 - 4 {
			w.Instant(encode, 0)
		}
	}
	if how == "-cut" {
		w.Begin(r.Symbol("hangs"), r.Symbol("floor.png"))
		w.Flush()
	} else {
		w.Release()
	}
	ts.Check(r.Close())
	b := stream.Bytes()
	if how == "-cut" {
		const end = 4 + 1 + 2 + 4 // length in bytes of the last block, which contains two small numbers
		b = b[:len(b)-end]
	}
	ts.Check(os.WriteFile(ts.MkAbs(name), b, 0o666))
}
