package counters_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
)

// In a game loop, systems count through pointers, and the loop pushes frames. A display shows the
// history of watched names.
func Example() {
	set := counters.New(counters.Options{})
	set.Watch("scene/drawn", "frame")

	w := set.Worker() // worker of the goroutine that renders
	defer w.Release()
	drawn := w.Int(set.Counter("scene/drawn"))
	frame := set.Timer("frame")

	start := time.Unix(0, 0)
	for n := range 4 {
		for range 100 * (n + 1) {
			*drawn++
		}
		took := time.Duration(10+5*n) * time.Millisecond // or w.Begin(frame).End()
		w.Record(frame, took)

		w.Flush()
		set.PushFrame(start.Add(time.Duration(n) * 16 * time.Millisecond))
	}
	fmt.Println("drawn in each frame:", set.History("scene/drawn"))
	fmt.Println("drawn altogether:", set.Counter("scene/drawn").Value())
	slow := counters.SummarizeOver(set.History("frame"), float64(16*time.Millisecond)).Spikes
	fmt.Println("slow frames in a row:", slow.Longest)
	set.Snapshot().WriteTable(os.Stdout)
	// Output:
	// drawn in each frame: [100 200 300 400]
	// drawn altogether: 1000
	// slow frames in a row: 2
	// scene/drawn  1000
	// timer  calls  total  own   mean    min   max
	// frame  4      70ms   70ms  17.5ms  10ms  25ms
}

// In a server, handlers count from any goroutine, and Prometheus fetches the sums.
func Example_server() {
	set := counters.New(counters.Options{})
	requests, answering := set.Counter("http/requests"), set.Timer("http/answer")
	stored := set.Float("store/gigabytes")

	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		set.WritePrometheus(w)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		defer answering.Begin().End()
		requests.Add(1)
		stored.Add(0.5)
	})

	for range 3 { // This stands for an http.Server.
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	// The time varies between runs, so the example masks it.
	fmt.Print(regexp.MustCompile("_sum .*").ReplaceAllString(answer.Body.String(), "_sum ..."))
	// Output:
	// # HELP http_answer_seconds http/answer
	// # TYPE http_answer_seconds summary
	// http_answer_seconds_sum ...
	// http_answer_seconds_count 3
	// # HELP http_requests_total http/requests
	// # TYPE http_requests_total counter
	// http_requests_total 3
	// # HELP store_gigabytes store/gigabytes
	// # TYPE store_gigabytes gauge
	// store_gigabytes 1.5
}

// The difference between two snapshots describes the work done between them.
func ExampleSnapshot_Sub() {
	set := counters.New(counters.Options{})
	files := set.Counter("scan/files")
	files.Add(1000)
	before := set.Snapshot()
	files.Add(24)
	json, _ := set.Snapshot().Sub(before).MarshalJSON()
	fmt.Println(string(json))
	// Output: {"scan/files":24}
}

// A timer's own time excludes the nested scopes.
func ExampleWorker_Begin() {
	set := counters.New(counters.Options{})
	w := set.Worker()
	cook, encode := set.Timer("cook"), set.Timer("cook/encode")
	func() {
		defer w.Begin(cook).End()
		func() {
			defer w.Begin(encode).End()
		}()
	}()
	w.Release()
	outer, inner := cook.Stat(), encode.Stat()
	fmt.Println(outer.Calls, inner.Calls, outer.Own <= outer.Total, inner.Total <= outer.Total)
	// Output: 1 1 true true
}

// The first value initializes the average.
func ExampleEMA() {
	perSecond := counters.EMA{Factor: 0.5}
	for _, v := range []float64{100, 50, 50} {
		fmt.Println(perSecond.Add(v))
	}
	// Output:
	// 100
	// 75
	// 62.5
}

// A viewer watches the names that it shows, and reads only new frames.
func ExampleSet_Table() {
	set := counters.New(counters.Options{})
	drawn, height := set.Counter("scene/drawn"), set.Gauge("camera/height")

	viewer := []string{"scene/drawn", "camera/height"}
	defer set.Watch(viewer...)()
	var next int64
	for n := range 4 {
		drawn.Add(100)
		height.Set(1.5 + float64(n))
		set.PushFrame(time.Unix(int64(n), 0).UTC())
		if n%2 == 1 {
			news := set.Table(next, viewer...)
			next = news.Next
			news.WriteCSV(os.Stdout)
		}
	}
	// Output:
	// frame,time,scene/drawn,camera/height
	// 0,1970-01-01T00:00:00Z,100,1.5
	// 1,1970-01-01T00:00:01Z,100,2.5
	// frame,time,scene/drawn,camera/height
	// 2,1970-01-01T00:00:02Z,100,3.5
	// 3,1970-01-01T00:00:03Z,100,4.5
}

// A source polls a level at the end of each frame.
func ExampleSet_Source() {
	set := counters.New(counters.Options{})
	queue := []string{"wall.png", "door.png"}
	length := set.Gauge("queue/length")
	defer set.Source(func() { length.Set(float64(len(queue))) }).Close()
	set.Watch("queue/length")
	set.PushFrame(time.Unix(0, 0))
	fmt.Println(set.History("queue/length"))
	// Output: [2]
}

// The longest run of slow frames says more about a stutter than the slowest frame alone.
func ExampleSummarizeOver() {
	frames := []float64{15, 16, 40, 15, 17, 18, 19, 15} // durations in milliseconds
	s := counters.SummarizeOver(frames, 16)
	fmt.Printf("slowest %v ms in frame %d; %d over %v ms, %d in a row from frame %d on; half within %v ms\n",
		s.High.Value, s.High.At, s.Spikes.Count, s.Spikes.Over, s.Spikes.Longest, s.Spikes.LongestAt, s.P50)
	// Output: slowest 40 ms in frame 2; 4 over 16 ms, 3 in a row from frame 4 on; half within 16 ms
}
