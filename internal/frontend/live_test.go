package frontend

import (
	"strings"
	"testing"
)

func TestTextAppearsAboveLiveLines(t *testing.T) {
	var b strings.Builder
	width := 6
	l := NewLive(&b, func() int { return width })
	l.Draw("one", "longer")
	l.Write([]byte("text\n"))
	l.Draw("two")
	width = 0
	l.Draw("two")
	l.Clear()
	l.Clear()
	want := "one\nlong~" + "\r\x1b[K\x1b[1A\x1b[K" + "text\n" + "two" + "\r\x1b[K" + "" + "\r\x1b[K"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestCutLineFitsItsColumns(t *testing.T) {
	if got := Cut("größer", 4); got != "grö~" {
		t.Errorf("cut: %q", got)
	}
	if got := Cut("four", 4); got != "four" {
		t.Errorf("cut: %q", got)
	}
}
