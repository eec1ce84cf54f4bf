package report

import (
	"io"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/texttable"
)

// WriteTable prints all counts of a summary, and the peak of physical memory unless it is 0.
func WriteTable(w io.Writer, s *cook.Summary, peakRSS int64) error {
	t := texttable.New(w, texttable.Right)
	t.Row("counter", "assets", "bytes in", "bytes out", "time")
	row := func(name string, c cook.Count) {
		t.Row(name, c.Assets, c.In, c.Out, human.Duration(c.Time))
	}
	row("found", s.Found)
	row("up to date by stamp", s.ByStamp)
	row("up to date by checksum", s.ByChecksum)
	row("unchanged", s.Unchanged)
	row("restored", s.Restored)
	row("cooked", s.Cooked)
	row("not shipped", s.NotShipped)
	row("failed", s.Failed)
	row("not reached", s.NotReached)
	row("removed", s.Removed)
	row("files checksummed", s.Checksummed)
	if s.Errors > 0 {
		t.Row("other errors", s.Errors, "", "", "")
	}
	t.Row("directories opened", s.Looked.Opened, "", "", "")
	t.Row("directories listed", s.Looked.Listed, "", "", "")
	t.Row("stats", s.Looked.Stats, "", "", "")
	if r := s.Remote; r != nil {
		t.Row("remote looked up", r.Looked, "", "", human.Duration(r.Waited))
		t.Row("remote found", r.Hits, r.Down, "", "")
		t.Row("remote cooked", r.Executed, "", "", "")
		t.Row("remote given", r.Uploaded, "", r.Up, "")
		t.Row("remote dear", r.Dear, "", "", "")
		t.Row("remote untrusted", r.Untrusted, "", "", "")
		t.Row("remote requests", r.Requests, "", "", "")
	}
	if peakRSS > 0 {
		t.Row("peak RSS in bytes", peakRSS, "", "", "")
	}
	t.Row("saved", "", "", "", human.Duration(s.Saved))
	t.Row("wall", "", "", "", human.Duration(s.Took))
	return t.Flush()
}
