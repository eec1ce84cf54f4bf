package report

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A FindingKind is a kind of difference that verifying finds. Its text is part of
// the JSON output.
type FindingKind string

const (
	OutputMissing   FindingKind = "output missing"
	OutputDamaged   FindingKind = "output damaged"     // another content than was cooked
	OutputMode      FindingKind = "output mode"        // other permissions than cook gave it
	StateDamaged    FindingKind = "state damaged"      // index or manifest
	StoreDamaged    FindingKind = "store damaged"      // a blob or a record; costs time, not truth
	NotUpToDate     FindingKind = "not up to date"     // a cook would have work to do
	NotReproducible FindingKind = "not reproducible"   // a new cook gave something else
	Unreadable      FindingKind = "cannot be verified" // something could not be read
)

// A Finding is one difference between what is there and what should be.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Path is the source, Target its target; if no one source is concerned, Path
	// is the file in the output folder or the store.
	Path   string `json:"-"`
	Target string `json:"-"`
	Output string `json:"-"` // the artifact concerned, if one is
	Recipe string `json:"-"` // set if Kind is NotReproducible
	// Bytes says where two artifacts first differ; nil if that is not known.
	Bytes *ByteDifference `json:"bytes,omitempty"`
	// Text says what is wrong and what to do, without the path. What a program
	// printed follows on lines of its own.
	Text string `json:"-"`
}

// A ByteDifference is the first place in which two artifacts differ.
type ByteDifference struct {
	Offset int64 `json:"offset"` // from 0
	Was    int   `json:"was"`    // the byte in the output folder, -1 for its end
	Now    int   `json:"now"`    // the byte in the new artifact, -1 for its end
}

// String is the place as people are shown it.
func (d ByteDifference) String() string {
	show := func(b int) string {
		if b < 0 {
			return "the end"
		}
		return fmt.Sprintf("0x%02x", b)
	}
	return fmt.Sprintf("offset %d (%s, now %s)", d.Offset, show(d.Was), show(d.Now))
}

// String is the finding as people are shown it, on one line but for what a
// program printed.
func (f Finding) String() string {
	name := pathname.Show(f.Path)
	if f.Target != "" {
		name += " [" + f.Target + "]"
	}
	text := strings.TrimRight(pathname.Escape(f.Text), "\n")
	return name + ": " + strings.ReplaceAll(text, "\n", "\n  | ")
}

// A Finder is an observer that wants to hear of findings.
type Finder interface {
	// Finding is called as the methods of Observer are, one at a time.
	Finding(Finding)
}

// Finding tells those observers that want to hear of it.
func (m Multi) Finding(f Finding) {
	for _, o := range m {
		if o, ok := o.(Finder); ok {
			o.Finding(f)
		}
	}
}

// Finding prints a line.
func (t *Text) Finding(f Finding) { fmt.Fprintf(t.Out, "cook: %s\n", f) }

// Finding writes a record.
func (j *JSON) Finding(f Finding) {
	rec := Record{Event: "difference", Path: f.Path, Target: f.Target, Recipe: f.Recipe, Text: f.Text, Finding: &f}
	if !utf8.ValidString(f.Path) {
		rec.PathBase64 = base64.StdEncoding.EncodeToString([]byte(f.Path))
	}
	if f.Output != "" {
		rec.Outputs = []string{f.Output}
	}
	j.enc.Encode(rec)
}

// Verified writes the last record of verifying.
func (j *JSON) Verified(v *Verified) { j.enc.Encode(Record{Event: "verified", Verified: v}) }

// Verified is what verifying amounts to. An asset cooked for two targets counts
// twice.
type Verified struct {
	Outputs int   `json:"outputs"` // looked at
	Bytes   int64 `json:"bytes"`   // of them, read
	Blobs   int   `json:"blobs"`   // of the store, found intact
	Again   int   `json:"again"`   // assets cooked again
	Assets  int   `json:"assets"`
	// Seed draws the same sample again.
	Seed        uint64        `json:"seed"`
	Differences int           `json:"differences"`
	Took        time.Duration `json:"took_ns"`
}

// Line is the last line. Its form is fixed, for scripts.
func (v *Verified) Line() string {
	return fmt.Sprintf("cook: verified %d outputs (%s) and %d blobs, cooked %d of %d assets again: %d differences in %s",
		v.Outputs, Bytes(v.Bytes), v.Blobs, v.Again, v.Assets, v.Differences, Duration(v.Took))
}
