// Command locks shows what waiting for a lock costs: a spin lock, one that yields, a
// sync.Mutex and a channel on which waiters are parked, for critical sections of some
// lengths and 1 to 64 goroutines. It prints Markdown, as ratios to sync.Mutex, and
// draws a picture:
//
//	go run ./bench/locks -svg bench/results/locks.svg >bench/results/locks.md
//
// A spin lock is what a mutex is at its best, and burns a core when it is not: where the
// holder has lost its processor, all others spin until the scheduler notices.
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
	rounds := flag.Int("rounds", 5, "how often each is repeated, in turns; medians are shown")
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
