package view

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/view/internal/console"
)

func TestTrigger(t *testing.T) {
	trigger := trigger{when: console.When{Is: ">", Number: 33, Frames: 3}}
	var fired []int
	for i, v := range []float64{40, 40, 10, 34, 34, 34, 34, 34, 33, 50, 50, 50} {
		if trigger.takeFrameValue(v) {
			fired = append(fired, i)
		}
	}
	if len(fired) != 2 || fired[0] != 5 || fired[1] != 11 {
		t.Errorf("fired at %v", fired)
	}
}

// TestConditionWritesARecording plays a game that records a scope in each frame. Its frames become
// slow, which must trigger the recording.
func TestConditionWritesARecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "dumps")
		set, feed := counters.New(counters.Options{}), events.NewFeed()
		rec := events.New(feed, events.Options{})
		v := New(Sources{Counters: set, Events: feed, Dumps: dir, Token: "secret"})
		defer v.Close()
		v.unwatch() // Only the condition watches the counter.
		frame := set.Timer("game/frame")
		w := rec.Worker("main")
		play := func(name string, frames int, took time.Duration) {
			for range frames {
				w.Instant(rec.Symbol(name), 0)
				w.Flush()
				frame.Record(took)
				time.Sleep(took)
				set.PushFrame(time.Now())
			}
			time.Sleep(pollFrames)
			synctest.Wait()
		}
		synctest.Wait()                          // Now the view reads the feed.
		play("before", 162, 16*time.Millisecond) // A recording includes events before the command.
		if status, _, failed := say(v, "", "when game/frame > 33ms for 3 dump 1s"); status != 403 || !strings.HasPrefix(failed, "the command when needs the token; open the page with the full URL that was printed") {
			t.Errorf("without token: %d %s", status, failed)
		}
		status, got, failed := say(v, "secret", "when game/frame > 33ms for 3 dump 1s")
		if status != 200 || got.Text != "1: when game/frame > 33 for 3 dump 1s" {
			t.Fatalf("%d %q %s", status, got.Text, failed)
		}
		play("slow", 2, 40*time.Millisecond) // These slow frames are too few for the condition.
		play("well", 1, 16*time.Millisecond)
		play("slow", 3, 40*time.Millisecond)
		if list, _ := v.Do("when"); !strings.HasSuffix(list, "at frame 167: the condition is true; recording for another 1s") {
			t.Errorf("after the event: %q", list)
		}
		play("after", 61, 16*time.Millisecond) // This takes 0.98 s.
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
		play("long after", 10, 16*time.Millisecond)
		list, _ := v.Do("when")
		if !strings.Contains(list, "at frame 167 (40): wrote when-") {
			t.Fatalf("the list is %q", list)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(files) != 1 {
			t.Fatalf("files %q", files)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for e, err := range events.Read(bytes.NewReader(data)).All() {
			if err != nil {
				t.Fatal(err)
			}
			count[e.Name]++
		}
		if count["slow"] != 5 || count["after"] != 61 || count["long after"] != 0 || count["before"] != 162 {
			t.Errorf("the recording has %v", count) // Tests of events.Tape check how far back the tape goes.
		}

		if _, err := v.Do("when remove 1"); err != nil {
			t.Error(err)
		}
		if _, err := v.Do("when remove 1"); err == nil || err.Error() != "view: there is no condition 1; when lists them" {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if set.History("game/frame") != nil {
			t.Error("the counter is still watched")
		}
		w.Release()
		rec.Close()
	})
}

func TestWhenRefused(t *testing.T) {
	set, feed := counters.New(counters.Options{}), events.NewFeed()
	for _, tc := range []struct {
		sources Sources
		want    string
	}{
		{Sources{Counters: set, Dumps: "x"}, "view: when: nothing is being recorded: there is neither Sources.Events nor a stream among the recordings"},
		{Sources{Counters: set, Events: feed}, "view: when: there is no directory for recordings: Sources.Dumps is not set"},
	} {
		v := New(tc.sources)
		if _, err := v.Do("when a > 1 dump 1s"); err == nil || err.Error() != tc.want {
			t.Errorf("%v", err)
		}
	}
	v := New(Sources{Counters: set, Events: feed, Dumps: t.TempDir()})
	for range maxWhens {
		if _, err := v.Do("when a > 1 dump 1s"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Do("when a > 1 dump 1s"); err == nil || !strings.Contains(err.Error(), "16 conditions") {
		t.Errorf("%v", err)
	}
	v.Close()
	if _, err := v.Do("when a > 1 dump 1s"); err == nil || err.Error() != "view: when: the view is closed" {
		t.Errorf("%v", err)
	}
	waitFor(t, func() bool { return set.History("a") == nil })
}

func TestDumpLimit(t *testing.T) {
	dir := t.TempDir()
	v := New(Sources{Dumps: dir})
	tape := events.NewTape(0)
	for i := range maxDumps {
		if _, err := v.dump(tape, time.Second); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	_, err := v.dump(tape, time.Second)
	if err == nil || !strings.Contains(err.Error(), "it may have at most 32 of 1024 MiB") {
		t.Errorf("%v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != maxDumps {
		t.Errorf("%d files", len(files))
	}
}
