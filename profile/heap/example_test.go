package heap_test

import (
	"fmt"
	"path"
	"runtime"

	"github.com/assetcook/assetcook/profile/heap"
)

var sessions [][]byte

//go:noinline
func openSession() { sessions = append(sessions, make([]byte, 1<<20)) }

// The function that grew most between two profiles is first in their difference.
func ExampleProfile_Sub() {
	runtime.GC()
	before := heap.Read()
	for range 20 {
		openSession()
	}
	runtime.GC()
	grown := heap.Read().Sub(before)
	most := grown.Stacks[0]
	at := grown.Frames[most.Calls[0]]
	fmt.Printf("%s at %s:%d: %d MiB\n", at.Function, path.Base(at.File), at.Line, most.InUseBytes>>20)
	runtime.KeepAlive(sessions)
	// Output: github.com/assetcook/assetcook/profile/heap_test.openSession at example_test.go:14: 20 MiB
}
