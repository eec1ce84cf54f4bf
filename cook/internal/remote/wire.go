package remote

import (
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/human"
)

// A Key names a result.
type Key struct {
	Action store.ActionID
	Result store.ResultID // for what the action reads
	Reads  bool           // the action reads something besides its source
}

// An Op is what cook-remote is asked for.
type Op string

const (
	Expect Op = "expect" // look keys up ahead of the questions
	Look   Op = "look"   // say what is known of a key
	Fetch  Op = "fetch"  // bring the blobs of a key's result into the store
	Keep   Op = "keep"   // upload what the store has under keys, later
	End    Op = "end"    // finish uploads within the time given, and stop
)

// A Request is one line of JSON that cook-remote reads. It reads on whatever it has to answer.
type Request struct {
	Seq   uint64        `json:"seq,omitempty"` // of the answer; 0 wants none
	Op    Op            `json:"op"`
	Keys  []Key         `json:"keys,omitempty"`
	Fetch bool          `json:"fetch,omitempty"` // for Expect: what is found will be fetched
	Flush time.Duration `json:"flush,omitempty"` // for End
}

// An Answer is one line of JSON that cook-remote writes.
type Answer struct {
	Seq   uint64 `json:"seq,omitempty"` // 0 for a note
	Found bool   `json:"found,omitempty"`
	// ReadSets and Result are records of the store, for Look. Either may be missing.
	ReadSets []byte       `json:"readSets,omitempty"`
	Result   []byte       `json:"result,omitempty"`
	Origin   store.Origin `json:"origin,omitzero"` // of the result
	Note     string       `json:"note,omitempty"`
	Stats    *Stats       `json:"stats,omitempty"` // for End
}

// Stats count what passed between a run and the server.
type Stats struct {
	Looked     int64         `json:"looked"`     // actions that were looked for
	Hits       int64         `json:"hits"`       // those that had a result
	Downloaded int64         `json:"downloaded"` // blobs
	Down       int64         `json:"down"`       // bytes of them
	Uploaded   int64         `json:"uploaded"`   // results
	Up         int64         `json:"up"`         // bytes of their blobs
	Left       int64         `json:"left"`       // results that the next run uploads
	Dear       int64         `json:"dear"`       // results that take longer to download than to cook
	Requests   int64         `json:"requests"`
	Waited     time.Duration `json:"waited"` // for the first answer of the server
}

// String returns what of it matters to a person.
func (s Stats) String() string {
	text := ""
	if s.Looked > 0 {
		text += fmt.Sprintf("; %d of %d found, %s", s.Hits, s.Looked, human.Bytes(s.Down))
	}
	if s.Uploaded > 0 {
		text += fmt.Sprintf("; %s given, %s", human.Count(int(s.Uploaded), "result"), human.Bytes(s.Up))
	}
	if s.Left > 0 {
		text += fmt.Sprintf("; %d left for the next run", s.Left)
	}
	if text == "" {
		return "nothing found and nothing given"
	}
	return strings.TrimPrefix(text, "; ")
}
