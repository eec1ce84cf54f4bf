// Package command is the command line of a viewer: it serves the page of package view for
// recordings and reports in files, and for programs that run.
//
//	view FILE ...      recordings (.events) and snapshots of memory (.json)
//	view HOST:PORT     a program that serves its stream there, bare TCP as live.Serve or
//	                   "cook -feed" do; it may be joined at any time
//	view -             a stream from the standard input
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/profile/view"
)

// Exit codes of [Main].
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `usage: view [flags] FILE ... | HOST:PORT | -

Shows recordings (.events), snapshots of memory (.json), and programs that run and serve
their stream at HOST:PORT or write it to the standard input (-), as pages in a browser.

Flags:
`

// A Viewer is what the command line says.
type Viewer struct {
	Addr     string // where to serve
	Attached bool   // ends when the standard input does, and not at Ctrl-C
	Title    string
	Tabs     []view.Tab // besides those of the recordings
	Files    []string   // and addresses

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Flags declares the flags of a viewer.
func (v *Viewer) Flags(fs *flag.FlagSet) {
	fs.StringVar(&v.Addr, "http", "127.0.0.1:0", "`address` to serve the pages at; port 0 is any that is free")
	fs.StringVar(&v.Title, "title", "", "`text` above the pages (default: the names of what is shown)")
	fs.BoolVar(&v.Attached, "attached", false, "end when the standard input does, and not at Ctrl-C; for programs that start a viewer")
}

// Main runs the command with the arguments after its name, and returns its exit code.
// extend declares further flags and, when they have been parsed, adds to the viewer; it
// may be nil.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, extend func(*flag.FlagSet) func(*Viewer) error) int {
	v := &Viewer{Stdin: stdin, Stdout: stdout, Stderr: stderr}
	fs := flag.NewFlagSet("view", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	v.Flags(fs)
	parsed := func(*Viewer) error { return nil }
	if extend != nil {
		parsed = extend(fs)
	}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		io.WriteString(stdout, usage)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "view: %v; see view -h\n", err)
		return exitUsage
	}
	v.Files = fs.Args()
	if err := parsed(v); err != nil {
		fmt.Fprintf(stderr, "view: %v\n", err)
		return exitUsage
	}
	if len(v.Files) == 0 && len(v.Tabs) == 0 {
		fmt.Fprintln(stderr, "view: nothing to show: name recordings, a HOST:PORT or -; see view -h")
		return exitUsage
	}
	ctx, stop := v.untilEnd()
	defer stop()
	if err := v.Run(ctx); err != nil {
		fmt.Fprintf(stderr, "view: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// untilEnd returns a context that ends when the user wants that.
func (v *Viewer) untilEnd() (context.Context, context.CancelFunc) {
	if v.Attached {
		signal.Ignore(os.Interrupt)
		return context.WithCancel(context.Background())
	}
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// Run serves until ctx ends.
func (v *Viewer) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	shown, err := v.open(ctx, end)
	if err != nil {
		return err
	}
	defer shown.closeAll()
	l, err := net.Listen("tcp", v.Addr)
	if err != nil {
		return err
	}
	page := view.New(shown.Sources)
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second, ErrorLog: nil}
	defer context.AfterFunc(ctx, func() {
		page.Close()
		server.Close()
	})()
	fmt.Fprintf(v.Stdout, "view: http://%s/#token=%s\n", l.Addr(), shown.Token)
	if host, _, err := net.SplitHostPort(l.Addr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		fmt.Fprintln(v.Stderr, "view: everyone who can reach this machine can see the pages, without encryption")
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// title names what is shown.
func (v *Viewer) title() string {
	if v.Title != "" {
		return v.Title
	}
	names := make([]string, len(v.Files))
	for i, name := range v.Files {
		names[i] = filepath.Base(name)
	}
	return strings.Join(names, ", ")
}
