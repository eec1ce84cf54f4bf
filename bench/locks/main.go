// Command locks measures the cost of waiting for a lock: a spin lock, one that yields, a
// sync.Mutex and a channel on which waiters are parked, for critical sections of several lengths
// and 1 to 64 goroutines. It prints Markdown, as ratios to sync.Mutex, and draws a picture:
//
//	go run ./bench/locks -svg bench/results/locks.svg >bench/results/locks.md
//
// At its best a spin lock equals a mutex; at its worst it burns cores: if the holder has lost its
// processor, all others spin until the scheduler notices.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	svg := flag.String("svg", "locks.svg", "`file` for the picture")
	each := flag.Duration("each", 40*time.Millisecond, "how long each measurement lasts")
	rounds := flag.Int("rounds", 5, "how often to repeat each measurement, in turns; medians are shown")
	flag.Parse()
	results := measureAll(*each, *rounds)
	page, err := picture(results)
	if err == nil {
		err = os.WriteFile(*svg, page, 0o666)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "locks: %v\n", err)
		os.Exit(1)
	}
	fmt.Print(markdown(results, filepath.Base(*svg)))
}
