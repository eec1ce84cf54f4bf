package jsontext

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/countdown"
)

func FuzzCompact(f *testing.F) {
	for _, text := range append(texts, " { \"a b\" : [ 1 ,\t2 , \"\\\" \\\\\" ] } \r\n", "\"<\u2028>\"") {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want bytes.Buffer
		if json.Compact(&want, text) != nil {
			return
		}
		if got, err := Compact(t.Context(), text); err != nil || string(got) != want.String() {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want.String())
		}
	})
}

func TestCompactEnds(t *testing.T) {
	for left := range 4 {
		if _, err := Compact(countdown.New(t.Context(), left), []byte("["+strings.Repeat("1,", 2*chunk)+"1]")); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v after %d looks", err, left)
		}
	}
}
