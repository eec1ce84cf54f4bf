package share

import (
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/profile/guid"
)

// A maker is who cooked a result, as its record says.
type maker struct {
	Run  string    `json:"run,omitempty"`
	Host string    `json:"host,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// maxHost is how many bytes the name of a host may have; DNS allows no more.
const maxHost = 253

// origin is what of it can be believed to be what it is called: a server may say anything.
// Records of versions that name no maker have the host and the time in the metadata alone.
func (m maker) origin(ar *messages.ActionResult) (o store.Origin) {
	if m == (maker{}) {
		m.Host, m.At = ar.ExecutionMetadata.Worker, ar.ExecutionMetadata.ExecutionCompletedTimestamp.Time()
	}
	if id, err := guid.Parse(m.Run); err == nil {
		o.Run = id.String()
	}
	if len(m.Host) <= maxHost {
		o.Host = strings.ToValidUTF8(m.Host, "\ufffd")
	}
	if at := m.At.UnixMilli(); at > 0 && at < lastMilli {
		o.At = time.UnixMilli(at).UTC()
	}
	return o
}

// lastMilli is when the year 10000 begins, which JSON cannot write.
const lastMilli = 253402300800000
