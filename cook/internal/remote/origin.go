package remote

import (
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// keyDigits is how many digits of a fingerprint are shown.
const keyDigits = 16

// Describe says on one line where a result came from that took some time to cook. What does
// not print is escaped.
func Describe(o store.Origin, took time.Duration) string {
	text := pathname.Show(o.Server) + ", cooked"
	if o.Run != "" {
		text += " by run " + pathname.Show(o.Run)
	}
	if o.Host != "" {
		text += " on host " + pathname.Show(o.Host)
	}
	text += " in " + human.Duration(took)
	if !o.At.IsZero() {
		text += " (" + o.At.UTC().Format("2006-01-02 15:04:05 UTC") + ")"
	}
	if o.Key != "" {
		text += ", signed by key " + pathname.Show(o.Key[:min(keyDigits, len(o.Key))])
	}
	return text
}
