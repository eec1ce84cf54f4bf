package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/assetcook/assetcook/profile/memory"
)

// For one kind of asset, the encoder in this example forgets to free its scratch buffer.
func Example_leaks() {
	tracker := memory.New(memory.Options{})
	scratch := tracker.Group("encoder scratch", memory.GroupOptions{Budget: 64 << 20}).Pool("blocks", memory.PoolOptions{})
	outputs := tracker.Group("outputs", memory.GroupOptions{}).Pool("file", memory.PoolOptions{})
	cook := func(w *memory.Worker, asset string) {
		defer w.Push(asset).Pop()
		out := outputs.Bytes(w, 1<<20)
		defer outputs.Free(nil, out)

		defer w.Push("encode").Pop()
		blocks := scratch.Bytes(w, 4096)
		if asset != "wall_n.png" {
			scratch.Free(nil, blocks)
		}
	}

	before := tracker.Snapshot()
	w := tracker.Worker("worker 1")
	for _, asset := range []string{"wall.png", "wall_n.png", "floor.png"} {
		cook(w, asset)
	}
	if err := tracker.Snapshot().Sub(before).WriteLeaks(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// leak: 4096 bytes in 1 of encoder scratch/blocks from wall_n.png;encode
}

func ExampleSnapshot_Tree() {
	tracker := memory.New(memory.Options{})
	images := tracker.Group("images", memory.GroupOptions{Budget: 256 << 20})
	levels := images.Pool("mip levels", memory.PoolOptions{})
	for _, work := range []struct{ worker, asset string }{
		{"worker 1", "wall.png"},
		{"worker 2", "floor.png"},
	} {
		w := tracker.Worker(work.worker).Push(work.asset)
		images.Grow(w, 512*512*4) // A decoder allocates this memory itself.
		w.Push("shrink")
		for size := 256; size >= 64; size /= 2 {
			levels.Bytes(w, size*size*4)
		}
	}
	tree := tracker.Snapshot().Tree(memory.Query{Scope: "wall"})
	if err := tree.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	//   bytes  count
	// 1392640      4  total
	// 1392640      4    worker 1
	// 1392640      4      wall.png
	// 1048576      1        images
	//  344064      3        shrink
	//  344064      3          images/mip levels
}

// The capture is written to a file, and later compared with the memory held at that time.
func ExampleReadCapture() {
	tracker := memory.New(memory.Options{})
	pixels := tracker.Group("textures", memory.GroupOptions{}).Pool("pixels", memory.PoolOptions{})
	w := tracker.Worker("loader")
	pixels.Bytes(w.Push("menu.png"), 1<<20)
	w.Pop()

	var file bytes.Buffer // stands for an *os.File
	if err := tracker.Capture(time.Now()).WriteJSON(&file); err != nil {
		fmt.Println(err)
	}
	pixels.Bytes(w.Push("level 1;sky.png"), 4<<20)
	w.Pop()

	menu, err := memory.ReadCapture(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := tracker.Capture(time.Now())
	for _, leak := range now.List.Sub(menu.List).Leaks.Places() {
		fmt.Println(leak.Bytes, "bytes of", leak.Group, leak.Name, "from", leak.Scope)
	}
	tree := now.Snapshot.Tree(memory.Query{Since: menu.Snapshot, By: []memory.Part{"asset"}})
	for _, n := range tree.Children {
		fmt.Println(n.Name, n.Was.Bytes, n.Bytes)
	}
	// Output:
	// 4194304 bytes of textures pixels from level 1;sky.png
	// level 1 0 4194304
	// menu.png 1048576 1048576
}

// The group textures is inside the group level, and each of them has a budget.
func ExamplePool_TryBytes() {
	tracker := memory.New(memory.Options{})
	level := tracker.Group("level", memory.GroupOptions{Budget: 100 << 20, Enforce: true})
	textures := tracker.Group("textures", memory.GroupOptions{Budget: 64 << 20, Enforce: true, Parent: level}).Pool("pixels", memory.PoolOptions{})
	meshes := tracker.Group("meshes", memory.GroupOptions{Parent: level}).Pool("vertices", memory.PoolOptions{})

	for range 2 {
		pixels, err := textures.TryBytes(nil, 40<<20)
		if err != nil {
			fmt.Println(err)
			continue
		}
		defer textures.Free(nil, pixels)
	}
	_, err := meshes.TryBytes(nil, 80<<20)
	fmt.Println(err)
	var refused *memory.BudgetError
	fmt.Println(errors.As(err, &refused), refused.Group)
	// Output:
	// memory: group "textures": the request of 41943040 bytes exceeds the budget: 41943040 of 67108864 are in use
	// memory: group "level": the request of 83886080 bytes exceeds the budget: 41943040 of 104857600 are in use
	// true level
}
