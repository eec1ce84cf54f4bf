package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/texttable"
)

// mostKinds limits the number of file kinds in the output.
const mostKinds = 6

// WriteKinds prints which kinds of files a first run copied or ignored by default. It also prints
// whether no engine was named, and whether the images look like a 2D game or a 3D scene.
func WriteKinds(w io.Writer, s *cook.Summary) {
	if s.AnyEngine {
		fmt.Fprintln(w, `no engine is named: images, sounds and models are in formats that most engines load; name yours for smaller and faster ones: engine = "three" in [project] of cook.toml, or cook init -for three (cook help engines)`)
	}
	if len(s.Copied) > 0 {
		fmt.Fprintf(w, "copied as they are: %s\n", kindsText(s.Copied))
	}
	if len(s.LeftOut) > 0 {
		fmt.Fprintf(w, "left out: %s; see cook help ignore\n", kindsText(s.LeftOut))
	}
	switch {
	case s.AnyEngine: // images get no mipmaps if no engine is named
	case s.Preset == "2d":
		fmt.Fprintln(w, `the images look like a 2D game; their roles decide which get mipmaps (in a rule, preset = "2d" turns mipmaps off, and preset = "3d" gives sprites mipmaps too)`)
	case s.Preset == "3d":
		fmt.Fprintln(w, `the images look like a 3D scene; their roles decide which get mipmaps (in a rule, preset = "3d" gives sprites mipmaps too, and preset = "2d" turns mipmaps off)`)
	}
}

func kindsText(list []cook.Kind) string {
	var shown []string
	rest := cook.Kind{}
	for i, k := range list {
		if i >= mostKinds {
			rest.Files += k.Files
			rest.Bytes += k.Bytes
			continue
		}
		name := pathname.Show(k.Name)
		if k.Name == "" {
			name = "without an extension"
		}
		shown = append(shown, kindText(fmt.Sprintf("%d %s", k.Files, name), k.Bytes))
	}
	if rest.Files > 0 {
		shown = append(shown, kindText(fmt.Sprintf("and %s of %s", human.Count(rest.Files, "file"), human.Count(len(list)-mostKinds, "other kind")), rest.Bytes))
	}
	return strings.Join(shown, ", ")
}

func kindText(name string, bytes int64) string {
	if bytes == 0 {
		return name
	}
	return name + " " + human.Bytes(bytes)
}

// WriteTable prints all counts of a summary. It also prints the peak physical memory, unless that
// is 0.
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
		t.Row("remote unanswered", r.Unanswered, "", "", "")
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
