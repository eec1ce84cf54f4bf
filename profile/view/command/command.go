// Package command implements the command line of a viewer. It serves the page of package view for
// recordings and memory snapshots in files, and for running programs. The arguments are:
//
//	FILE ...      recordings (.events) and snapshots of memory (.json)
//	HOST:PORT     a program that serves its stream there, bare TCP as live.Serve or
//	              "cook -feed" do; the viewer may connect at any time
//	-             a stream from the standard input
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/view"
)

// A Viewer serves pages for the sources on its command line.
type Viewer struct {
	Addr     string // address to listen on
	Attached bool   // true to end the viewer when its standard input ends
	Title    string
	Tabs     []view.Tab // tabs in addition to the tabs of the recordings
	Files    []string   // names of files and addresses of programs

	Beside map[string]http.Handler // handlers in addition to the page, by path

	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Flags declares the viewer's flags in a flag set.
func (v *Viewer) Flags(fs *flag.FlagSet) {
	fs.StringVar(&v.Addr, "http", "127.0.0.1:0", "`address` to serve the pages at: a port, or host:port (without a host: this machine only); port 0 selects a free port")
	fs.StringVar(&v.Title, "title", "", "`text` above the pages (default: the names of the files and addresses)")
}

// Run serves the page until ctx ends.
func (v *Viewer) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	shown, err := v.openRecording(ctx, end)
	if err != nil {
		return err
	}
	defer shown.closeAll()
	l, err := net.Listen("tcp", frontend.ListenAddress(v.Addr))
	if err != nil {
		return err
	}
	page := view.New(shown.Sources)
	handlers := http.NewServeMux()
	handlers.Handle("/", page)
	for path, h := range v.Beside {
		handlers.Handle(path, h)
	}
	server := &http.Server{Handler: handlers, ReadHeaderTimeout: 10 * time.Second, ErrorLog: nil}
	defer context.AfterFunc(ctx, func() {
		page.Close()
		server.Close()
	})()
	fmt.Fprintf(v.Stdout, "view: http://%s/#token=%s\n", l.Addr(), shown.Token)
	if host, _, err := net.SplitHostPort(l.Addr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		v.print("", frontend.Warning, "everyone who can reach this machine can see the pages, without encryption; serve at 127.0.0.1 to prevent this")
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// print prints a diagnostic about a file or an address. An empty name stands for the viewer itself.
func (v *Viewer) print(source string, severity frontend.Severity, text string) {
	frontend.Diagnostic{Program: "view", File: source, Severity: severity, Text: text}.Print(v.Stderr)
}

// title returns the heading of the page.
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
