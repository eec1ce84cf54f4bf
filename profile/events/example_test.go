package events_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/profile/events"
)

// A command with a trace: it records into a file if asked to, and the code that
// works need not know.
func Example_command() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	trace := filepath.Join(dir, "cook.events") // from a flag; without one rec stays nil

	var rec *events.Recorder
	file, err := os.Create(trace)
	if err != nil {
		log.Fatal(err)
	}
	rec = events.New(file, events.Options{})

	read, encode := rec.Symbol("cook/read"), rec.Symbol("cook/encode")
	cook := func(w *events.Worker, path string) {
		asset := rec.Symbol(path)
		defer w.Begin(rec.Symbol("cook"), asset).End()
		mark := w.Begin(read, asset)
		mark.End()
		mark = w.Begin(encode, asset)
		w.Value(rec.Symbol("quality"), 0.75)
		mark.End()
	}
	w := rec.Worker("worker 0")
	cook(w, "textures/wall.png")
	w.Release()

	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}

	// Later, and elsewhere.
	if file, err = os.Open(trace); err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	stream := events.Read(file)
	for e, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(stream.Workers()[e.Worker], e.Kind, e.Name, e.Detail, e.Values)
	}
	fmt.Println(stream.Dropped(), "dropped")
	// Output:
	// worker 0 scope cook/read textures/wall.png []
	// worker 0 value quality  [0.75]
	// worker 0 scope cook/encode textures/wall.png []
	// worker 0 scope cook textures/wall.png []
	// 0 dropped
}

// A server with a live feed, for programs over TCP and for a page in a browser,
// that keeps the stream as well.
func ExampleFeed() {
	feed := events.NewFeed()
	file := io.Discard // or a file
	rec := events.New(io.MultiWriter(file, feed), events.Options{})

	l, err := net.Listen("tcp", "localhost:0") // nobody else's business
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	go feed.Serve(l)
	page := httptest.NewServer(feed) // or http.Handle("/events", feed)
	defer page.Close()

	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	response, err := http.Get(page.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()

	w := rec.Worker("requests")
	w.Begin(rec.Symbol("GET"), rec.Symbol("/index.html")).End()
	w.Release() // or Flush, after each request
	rec.Close()

	viewer := events.Read(conn)
	for _, err := range viewer.All() { // with each e, draw it
		if err != nil {
			log.Fatal(err)
		}
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		log.Fatal(err)
	}
	fmt.Println("TCP:", viewer.Workers())
	fmt.Println("page:", response.Header.Get("Content-Type"))
	// Output:
	// TCP: [requests]
	// page: text/event-stream
}
