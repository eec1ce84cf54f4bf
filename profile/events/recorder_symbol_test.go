package events

import (
	"io"
	"testing"

	"github.com/assetcook/assetcook/intern"
)

// A name of a recorder is an interned name, without a conversion.
func TestSymbolIsInterned(t *testing.T) {
	rec := New(io.Discard, Options{})
	var sym intern.Symbol = rec.Symbol("a")
	if sym == 0 || sym == intern.None || rec.Symbol("a") != sym {
		t.Errorf("the symbol of a name is %d", sym)
	}
}
