package view

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/view/internal/console"
)

// say sends a line to the console, as the page does.
func say(v *View, token, line string, graphs ...string) (status int, got commandReply, failed string) {
	body, _ := json.Marshal(map[string]any{"line": line, "graphs": graphs})
	req := httptest.NewRequest("POST", "http://127.0.0.1/api/console", strings.NewReader(string(body)))
	req.Header.Set(tokenHeader, token)
	w := httptest.NewRecorder()
	v.ServeHTTP(w, req)
	var answer struct {
		commandReply
		Error string
	}
	json.Unmarshal(w.Body.Bytes(), &answer)
	return w.Code, answer.commandReply, answer.Error
}

func TestConsole(t *testing.T) {
	set := counters.New(counters.Options{})
	set.Counter("cook/skip/stamp").Add(4)
	set.Timer("frame").Record(12 * time.Millisecond)
	set.Gauge("level").Set(.5)
	set.PushFrame(frameAt(0))
	set.Counter("cook/skip/stamp").Add(3)
	set.Timer("frame").Record(2 * time.Millisecond)
	set.Timer("frame").Record(4 * time.Millisecond)
	set.PushFrame(frameAt(1))
	v := New(Sources{Counters: set})
	for _, tc := range []struct {
		line   string
		graphs []string
		ops    []console.Op
		text   string
	}{
		{"graph add fps frame", nil, []console.Op{{Do: "add", Graph: "fps", Names: []string{"frame"}}}, ""},
		{"graph hide fps", []string{"fps"}, []console.Op{{Do: "hide", Graph: "fps"}}, ""},
		{"print cook/skip/stamp level", nil, []console.Op{}, "cook/skip/stamp  3  total 7\nlevel            0.5"},
		{"print frame", nil, []console.Op{}, "frame  6 ms  calls 2  min 2  mean 3  max 4  total 18 ms"},
		{"help", nil, []console.Op{}, console.Help},
		{"", nil, []console.Op{}, ""},
	} {
		status, got, failed := say(v, "", tc.line, tc.graphs...)
		if status != http.StatusOK || !reflect.DeepEqual(got, commandReply{tc.ops, tc.text}) {
			t.Errorf("%q: %d %+v %s", tc.line, status, got, failed)
		}
	}
	if status, _, failed := say(v, "", "print cook/skip/stmap"); status != http.StatusBadRequest || failed != "there is no counter cook/skip/stmap; did you mean cook/skip/stamp?" {
		t.Errorf("%d %s", status, failed)
	}
	if status, _, failed := say(New(Sources{}), "", "graph make a"); status != http.StatusBadRequest || failed != "the recording has no counters" {
		t.Errorf("%d %s", status, failed)
	}
	got := getJSON[console.Completion](t, v, "/api/complete?line=graph+hide+f&at=12&graph=fps&graph=other")
	if !reflect.DeepEqual(got, console.Completion{From: 11, To: 12, Words: []string{"fps"}}) {
		t.Errorf("%+v", got)
	}
	for _, query := range []string{"", "?line=x&at=-5", "?line=x&at=999999999999999999999", "?line=%ff%22&at=1"} {
		getJSON[console.Completion](t, v, "/api/complete"+query)
	}
}

// opsReader reads server-sent events.
func opsReader(t *testing.T, url string) (next func() (id, event, data string)) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	return func() (id, event, data string) {
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "id":
				id = value
			case "event":
				event = value
			case "data":
				data = value
			case "":
				if event != "" {
					return id, event, data
				}
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return
	}
}

func TestDo(t *testing.T) {
	set := counters.New(counters.Options{})
	v, url := serve(t, Sources{Counters: set})
	do := func(line string) {
		t.Helper()
		if _, err := v.Do(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	next := opsReader(t, url+"/api/ops")
	do("graph add fps not/counted/yet")
	id, event, data := next()
	if event != "ops" || data != `[{"do":"add","graph":"fps","names":["not/counted/yet"]}]` {
		t.Errorf("an open page gets %s %s", event, data)
	}
	do("graph range fps -20 20")
	if _, _, data := next(); data != `[{"do":"range","graph":"fps","range":[-20,20]}]` {
		t.Errorf("then %s", data)
	}
	// A later page must get all changes. A page that reconnects must get the changes that it has
	// missed.
	if _, _, data := opsReader(t, url+"/api/ops")(); strings.Count(data, `"do"`) != 2 {
		t.Errorf("a later page gets %s", data)
	}
	if _, _, data := opsReader(t, url+"/api/ops?after="+id)(); strings.Count(data, `"do"`) != 1 {
		t.Errorf("a reconnecting page gets %s", data)
	}
	if _, _, data := opsReader(t, url+"/api/ops?after=other.1")(); strings.Count(data, `"do"`) != 2 {
		t.Errorf("a page of an earlier run gets %s", data)
	}
	v.told.notice("look")
	if _, event, data := next(); event != "notice" || data != `"look"` {
		t.Errorf("%s %s", event, data)
	}

	if _, err := v.Do("graph hide fsp"); err == nil || err.Error() != "view: there is no graph fsp; did you mean fps?" {
		t.Errorf("%v", err)
	}
	do("graph remove fps")
	if _, err := v.Do("graph hide fps"); err == nil {
		t.Error("a removed graph can be hidden")
	}
	if text, err := v.Do("print none"); err != nil || text != "none  has no value yet" {
		t.Errorf("%q %v", text, err)
	}
}

func TestDoIsBounded(t *testing.T) {
	v := New(Sources{Counters: counters.New(counters.Options{})})
	for range maxTold + 50 {
		if _, err := v.Do("graph add a b"); err != nil {
			t.Fatal(err)
		}
	}
	ops, end, _ := v.told.since(3)
	if len(ops) != maxTold || end != maxTold+50 {
		t.Errorf("%d changes kept, up to %d", len(ops), end)
	}
	if ops, _, _ := v.told.since(end - 1); len(ops) != 1 {
		t.Errorf("%d changes since the one before the last", len(ops))
	}
}
