package live_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/live"
)

// This server has its own listeners. It serves the stream over TCP, and a handler for a page in a
// browser. Most programs call Listen instead.
func Example() {
	feed := events.NewFeed()
	file := io.Discard // A program can also write to a file.
	rec := events.New(io.MultiWriter(file, feed), events.Options{})

	l, err := net.Listen("tcp", "localhost:0") // Only this machine can reach the listener.
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	go live.Serve(l, feed)
	page := httptest.NewServer(live.Handler(feed)) // A program can also call http.Handle("/events", ...).
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
	w.Release() // A long-lived worker calls Flush after each request instead.
	rec.Close()

	viewer := events.Read(conn)
	for _, err := range viewer.All() { // A real viewer draws each event.
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

// A program writes its recording to a file, and shows it to viewers at the same time.
func ExampleListen() {
	feed := events.NewFeed()
	file := io.Discard // A program can also write to a file.
	rec := events.New(io.MultiWriter(file, feed), events.Options{})
	server, err := live.Listen(":0", feed)
	if err != nil {
		log.Fatal(err)
	}
	response, err := http.Get("http://" + server.Addr().String() + "/stream")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()

	w := rec.Worker("worker")
	w.Begin(rec.Symbol("work"), 0).End()
	w.Release()
	rec.Close()
	for e, err := range events.Read(response.Body).All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Kind, e.Name)
	}
	if err := server.Shutdown(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output: scope work
}
