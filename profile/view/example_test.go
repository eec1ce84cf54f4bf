package view_test

import (
	"log"
	"net/http"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/view"
)

// The program shows its counters and its events. The page is at /, with the token in the fragment
// of its URL.
func ExampleHandler() {
	set, feed := counters.New(counters.Options{}), events.NewFeed()
	rec := events.New(feed, events.Options{})
	defer rec.Close()
	token := view.NewToken()
	go func() {
		log.Printf("http://127.0.0.1:7357/#token=%s", token)
		log.Fatal(http.ListenAndServe("127.0.0.1:7357", view.New(view.Sources{Counters: set, Events: feed, Token: token})))
	}()
	frame, update := set.Timer("frame"), rec.Symbol("update")
	for worker := rec.Worker("main"); ; {
		mark := worker.Begin(update, 0)
		span := frame.Begin()
		time.Sleep(16 * time.Millisecond) // stands for real work
		span.End()
		mark.End()
		worker.Flush()
		set.PushFrame(time.Now())
	}
}

// This makes a graph on every page, and a recording when frames become slow.
func ExampleView_Do() {
	set, feed := counters.New(counters.Options{}), events.NewFeed()
	v := view.New(view.Sources{Counters: set, Events: feed, Dumps: "recordings"})
	defer v.Close()
	for _, line := range []string{
		"graph add fps game/frame",
		"graph range fps 0 33ms",
		"when game/frame > 33ms for 3 dump 2s",
	} {
		if _, err := v.Do(line); err != nil {
			log.Print(err)
		}
	}
}
