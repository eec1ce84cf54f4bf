package export_test

import (
	"bytes"
	"fmt"
	"iter"
	"os"

	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/events/export"
)

// some stands for the events of a stream.
func some() iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for _, e := range []events.Event{
			{Kind: events.Scope, Name: "cook/read", Time: 100, Dur: 200},
			{Kind: events.Scope, Name: "cook/encode", Time: 300, Dur: 5000},
			{Kind: events.Scope, Name: "cook/asset", Detail: "textures/wall.png", Time: 50, Dur: 5300},
		} {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// The ending of the file name chooses the format.
func ExampleByEnding() {
	name := "cook.pftrace"
	write, ok := export.ByEnding(name)
	if !ok {
		fmt.Println("-trace: want a file that ends in one of", export.Endings())
		return
	}
	var file bytes.Buffer
	if err := write(&file, export.Recording{Events: some(), Process: "cook"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(name, file.Len(), "bytes")
	// Output: cook.pftrace 303 bytes
}

// Folded stacks are lines of text.
func ExampleByEnding_folded() {
	write, _ := export.ByEnding("cook.folded")
	rec := export.Recording{Events: some(), Workers: func() []string { return []string{"worker 1"} }}
	if err := write(os.Stdout, rec); err != nil {
		fmt.Println(err)
	}
	// Output:
	// worker 1;cook/asset textures/wall.png 100
	// worker 1;cook/asset textures/wall.png;cook/encode 5000
	// worker 1;cook/asset textures/wall.png;cook/read 200
}
