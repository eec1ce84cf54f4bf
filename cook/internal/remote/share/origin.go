package share

import (
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/profile/guid"
)

// A maker says which run cooked a result, as its record claims.
type maker struct {
	Run  string    `json:"run,omitempty"`
	Host string    `json:"host,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// maxHost is the limit of a host name in bytes, as in DNS.
const maxHost = 253

// origin returns the valid parts of a maker: a server may send anything. Records of older
// versions have the host and the time only in the metadata.
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

// lastMilli is the begin of the year 10000, which JSON cannot represent.
const lastMilli = 253402300800000
