// Hotreload shows a small scene in the browser. It updates its texture, numbers and shader when
// their files are edited.
//
//	go run ./examples/hotreload
//
// It copies sample assets to a directory, cooks them after each edit, and prints the directory and
// the URL of the page. With -out it shows the output directory of a running "cook -watch -target
// bc7,rgba8" instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/examples/hotreload/game"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:7360", "where to serve the page")
	dir := flag.String("dir", "", "directory of the assets; by default a new one with samples")
	out := flag.String("out", "", "output directory of a running cook -watch")
	picture := flag.String("picture", "testdata/assets/textures/props/crate.png", "the texture of the samples")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, *dir, *out, *picture); err != nil && !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

func run(ctx context.Context, addr, dir, out, picture string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan struct{})
	if out == "" {
		tmp, err := os.MkdirTemp("", "hotreload")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		if dir == "" {
			dir = filepath.Join(tmp, "assets")
			if err := game.Sample(dir, picture); err != nil {
				return err
			}
		}
		out = filepath.Join(tmp, "cooked")
		p := game.Project(dir, out)
		go func() {
			defer close(ended)
			stop(cook.Watch(ctx, p, cook.WatchOptions{Round: report}))
		}()
		fmt.Println("edit the files in", dir)
	} else {
		close(ended)
	}
	defer func() { stop(nil); <-ended }()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("look at http://%s/\n", listener.Addr())
	server := &http.Server{Handler: game.Handler(out), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

func report(r cook.Round) {
	if r.Err != nil {
		fmt.Println(r.Err)
		return
	}
	fmt.Println(r.Summary.String())
}
