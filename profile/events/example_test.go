package events_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/profile/events"
)

// A command writes a trace file only if a flag requests it. The same code runs with and without a
// trace.
func Example_command() {
	dir, err := os.MkdirTemp("", "events")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	trace := filepath.Join(dir, "cook.events") // value of a flag; if it is empty, rec stays nil

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

	// A reader opens the file later.
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
