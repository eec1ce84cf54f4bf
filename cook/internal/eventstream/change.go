package eventstream

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/hashing"
)

// A Change is an artifact with new content, or a removed artifact.
type Change struct {
	Path    string         // path with slashes, relative to the output directory
	Blob    hashing.Digest // BLAKE3 hash of the content; zero if the artifact was removed
	Removed bool
	Cause   Cause
}

// A Cause is the asset whose artifact has changed, and the reason for its cook.
type Cause struct {
	Source string
	Target string
	Reason string    // one line; "" for a change that only the manifest shows
	Saved  time.Time // time when the source was last written; zero if unknown
}

// An event is the data of a server-sent event.
type event struct {
	Changes []change `json:"changes,omitempty"`
	Problem string   `json:"problem,omitempty"`
}

type change struct {
	Path    string  `json:"path"`
	Blob    string  `json:"blob,omitempty"`
	Removed bool    `json:"removed,omitempty"`
	Source  string  `json:"source"`
	Target  string  `json:"target,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Saved   float64 `json:"saved,omitempty"`
}

func changesOf(list []Change) []change {
	all := make([]change, len(list))
	for i, c := range list {
		all[i] = change{Path: c.Path, Removed: c.Removed, Source: c.Cause.Source, Target: c.Cause.Target, Reason: c.Cause.Reason}
		if !c.Removed {
			all[i].Blob = c.Blob.String()
		}
		if !c.Cause.Saved.IsZero() {
			all[i].Saved = float64(c.Cause.Saved.UnixMicro()) / 1e3
		}
	}
	return all
}

// oneLine replaces line breaks, which would end a line of the stream, with U+FFFD.
var oneLine = strings.NewReplacer("\r", "\ufffd", "\n", "\ufffd")

// encodeEvent returns the lines of an event: one for each change, one for a problem, and the data.
func encodeEvent(e event) []byte {
	var lines []byte
	for _, c := range e.Changes {
		field := "changed"
		if c.Removed {
			field = "removed"
		}
		lines = fmt.Appendf(lines, "%s: %s\n", field, oneLine.Replace(c.Path))
	}
	if e.Problem != "" {
		lines = fmt.Appendf(lines, "problem: %s\n", oneLine.Replace(e.Problem))
	}
	data, _ := json.Marshal(e)
	return append(append(lines, "data: "...), data...)
}
