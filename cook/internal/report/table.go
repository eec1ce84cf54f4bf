package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/human"
)

// WriteTable prints all counts of a summary, and the most bytes of physical memory that
// the process has held, if that is not 0.
func WriteTable(w io.Writer, s *cook.Summary, peakRSS int64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "counter\tassets\tbytes in\tbytes out\ttime\t")
	row := func(name string, c cook.Count) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t\n", name, c.Assets, c.In, c.Out, human.Duration(c.Time))
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
		fmt.Fprintf(t, "other errors\t%d\t\t\t\t\n", s.Errors)
	}
	fmt.Fprintf(t, "folders opened\t%d\t\t\t\t\n", s.Looked.Opened)
	fmt.Fprintf(t, "folders listed\t%d\t\t\t\t\n", s.Looked.Listed)
	fmt.Fprintf(t, "stats\t%d\t\t\t\t\n", s.Looked.Stats)
	if r := s.Remote; r != nil {
		fmt.Fprintf(t, "remote looked up\t%d\t\t\t%s\t\n", r.Looked, human.Duration(r.Waited))
		fmt.Fprintf(t, "remote found\t%d\t%d\t\t\t\n", r.Hits, r.Down)
		fmt.Fprintf(t, "remote cooked\t%d\t\t\t\t\n", r.Executed)
		fmt.Fprintf(t, "remote given\t%d\t\t%d\t\t\n", r.Uploaded, r.Up)
		fmt.Fprintf(t, "remote dear\t%d\t\t\t\t\n", r.Dear)
		fmt.Fprintf(t, "remote untrusted\t%d\t\t\t\t\n", r.Untrusted)
		fmt.Fprintf(t, "remote requests\t%d\t\t\t\t\n", r.Requests)
	}
	if peakRSS > 0 {
		fmt.Fprintf(t, "peak RSS in bytes\t%d\t\t\t\t\n", peakRSS)
	}
	fmt.Fprintf(t, "saved\t\t\t\t%s\t\n", human.Duration(s.Saved))
	fmt.Fprintf(t, "wall\t\t\t\t%s\t\n", human.Duration(s.Took))
	return t.Flush()
}
