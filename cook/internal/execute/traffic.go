package execute

import (
	"fmt"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/profile"
)

// transfers are what passes between a run and a server, as rows of a recording.
type transfers struct {
	probe profile.Probe
	open  map[int]row
	idle  []*profile.Worker
}

// A row has one transfer at a time.
type row struct {
	*profile.Worker
	span profile.Span
}

// record begins or ends the span of a transfer.
func (t *transfers) record(is remote.Transfer) {
	if is.Ended {
		if r, ok := t.open[is.ID]; ok {
			r.span.End()
			r.Flush()
			t.idle = append(t.idle, r.Worker)
			delete(t.open, is.ID)
		}
		return
	}
	if len(t.idle) == 0 {
		t.idle = append(t.idle, t.probe.Worker("remote"))
	}
	w := t.idle[len(t.idle)-1]
	t.idle = t.idle[:len(t.idle)-1]
	name := "cook/remote/download"
	if is.Up {
		name = "cook/remote/upload"
	}
	t.open[is.ID] = row{w, w.Begin(name, fmt.Sprintf("%s, %s", human.Count(is.Blobs, "blob"), human.Bytes(is.Bytes)))}
}

// close ends what was not told to have ended.
func (t *transfers) close() {
	for _, r := range t.open {
		r.span.End()
		t.idle = append(t.idle, r.Worker)
	}
	for _, w := range t.idle {
		w.Release()
	}
}

// watch shows what passes: to people as a step of the run as a whole, and in the recording.
// It ends with close, when nothing is told any more.
func (r *runner) watch() (told func(remote.Traffic), end func()) {
	var t *transfers
	if r.Probe.On() {
		t = &transfers{probe: r.Probe, open: map[int]row{}}
	}
	run := &plan.Action{}
	shown := ""
	show := func(text string) {
		if text != shown {
			shown = text
			r.tell(run, text)
		}
	}
	return func(news remote.Traffic) {
			switch {
			case news.Transfer == nil:
				show(news.String())
			case t != nil:
				t.record(*news.Transfer)
			}
		}, func() {
			show("")
			if t != nil {
				t.close()
			}
		}
}
