package process

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
)

func TestFiguresFollowTheProcess(t *testing.T) {
	r := openReader()
	defer r.closeFiles()
	debug.FreeOSMemory() // Return freed memory to the system, so that nothing reuses it.
	before := r.readAll()
	memory := make([]byte, 64<<20)
	for at := 0; at < len(memory); at += 4096 {
		memory[at] = 1
	}
	var files []*os.File
	for range 5 {
		f, err := os.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	stop := make(chan bool)
	defer close(stop)
	for range 7 {
		go func() { <-stop }()
	}
	runtime.GC()
	after := r.readAll()
	runtime.KeepAlive(memory)
	if after.Heap-before.Heap < 63<<20 || after.Goroutines < before.Goroutines+7 || after.GCs <= before.GCs || after.GCPause <= before.GCPause {
		t.Errorf("runtime figures did not follow: %+v, then %+v", before, after)
	}
	if runtime.GOOS != "linux" {
		return
	}
	if after.RSS-before.RSS < 60<<20 || after.PeakRSS < after.RSS || after.MinorFaults <= before.MinorFaults || after.MajorFaults < before.MajorFaults {
		t.Errorf("memory: %+v, then %+v", before, after)
	}
	if after.OpenFiles < before.OpenFiles+int64(len(files)) || after.Threads < 1 || after.User+after.System <= before.User+before.System {
		t.Errorf("system figures did not follow: %+v, then %+v", before, after)
	}
	r.closeFiles()
	r.closeFiles()
	if closed := r.readAll(); runtime.GOOS == "linux" && (closed.RSS != unknown || closed.OpenFiles != unknown || closed.Heap <= 0) {
		t.Errorf("closed: %+v", closed)
	}
}

func TestPublishShowsLevelsAndSums(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // Only collections that the test requests may run.
	set := counters.New(counters.Options{})
	set.Watch("process/goroutines", "process/gc/cycles")
	runtime.GC()
	stop := Publish(set)
	runtime.GC()
	runtime.GC()
	set.PushFrame(time.Unix(0, 0))
	stop()
	stop()
	runtime.GC()
	set.PushFrame(time.Unix(1, 0))
	got := fmt.Sprint(set.History("process/gc/cycles"))
	if got != "[2 0]" {
		t.Errorf("collections: %v, want [2 0]", got)
	}
	if levels := set.History("process/goroutines"); levels[0] < 1 || levels[1] != levels[0] {
		t.Errorf("goroutines: %v", levels)
	}
	for _, name := range append(levelNames[:], sumNames[:]...) {
		if _, ok := set.Snapshot().Of(name); !ok && runtime.GOOS == "linux" {
			t.Errorf("no %s", name)
		}
	}
	Publish(nil)()
}

// Several goroutines read while another closes the reader.
func TestReadingWhileClosing(t *testing.T) {
	r := openReader()
	var reading sync.WaitGroup
	for range 3 {
		reading.Go(func() {
			for range 100 {
				if r.readAll().Goroutines < 1 {
					t.Error("no goroutines")
				}
			}
		})
	}
	r.closeFiles()
	reading.Wait()
}

func BenchmarkRead(b *testing.B) {
	r := openReader()
	defer r.closeFiles()
	b.ReportAllocs()
	for b.Loop() {
		r.readAll()
	}
}
