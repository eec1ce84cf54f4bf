package broker

import (
	"fmt"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/profile"
)

// transfers records the transfers between a run and a server as rows of a recording.
type transfers struct {
	probe profile.Probe
	open  map[int]transfer
	idle  []*profile.Worker
}

// A transfer is on a row of the recording that has one transfer at a time.
type transfer struct {
	row  *profile.Worker
	span profile.Span
}

// record begins or ends the span of a transfer.
func (t *transfers) record(is remote.Transfer) {
	if is.Ended {
		if r, ok := t.open[is.ID]; ok {
			r.span.End()
			r.row.Flush()
			t.idle = append(t.idle, r.row)
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
	t.open[is.ID] = transfer{w, w.Begin(name, fmt.Sprintf("%s, %s", human.Count(is.Blobs, "blob"), human.Bytes(is.Bytes)))}
}

// close ends all transfers.
func (t *transfers) close() {
	for _, r := range t.open {
		r.span.End()
		t.idle = append(t.idle, r.row)
	}
	for _, w := range t.idle {
		w.Release()
	}
}

// watch returns functions that show the traffic of a server: to people as a step of the run
// as a whole, and in the recording. end is called after the last news.
func (b *Broker) watch() (news func(remote.Traffic), end func()) {
	var t *transfers
	if b.opt.Probe.On() {
		t = &transfers{probe: b.opt.Probe, open: map[int]transfer{}}
	}
	run := &plan.Action{}
	shown := ""
	show := func(text string) {
		if text != shown {
			shown = text
			b.opt.Say.Step(run, text)
		}
	}
	news = func(is remote.Traffic) {
		switch {
		case is.Transfer == nil:
			show(is.String())
		case t != nil:
			t.record(*is.Transfer)
		}
	}
	return news, func() {
		show("")
		if t != nil {
			t.close()
		}
	}
}
