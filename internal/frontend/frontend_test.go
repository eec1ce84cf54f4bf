package frontend

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
)

func TestFlagsStandBeforeBetweenAndAfterWords(t *testing.T) {
	for _, tc := range []struct {
		args, words []string
		on          bool
	}{
		{nil, nil, false},
		{[]string{"-on", "a"}, []string{"a"}, true},
		{[]string{"a", "-on", "b"}, []string{"a", "b"}, true},
		{[]string{"a", "b", "--on"}, []string{"a", "b"}, true},
		{[]string{"a", "--", "-on"}, []string{"a", "-on"}, false},
		{[]string{"-", "-on"}, []string{"-"}, true},
	} {
		fs := flag.NewFlagSet("", flag.ContinueOnError)
		on := fs.Bool("on", false, "")
		words, err := Parse(fs, tc.args)
		if err != nil || !slices.Equal(words, tc.words) || *on != tc.on {
			t.Errorf("%q: %q, %v, %v", tc.args, words, *on, err)
		}
	}
}

func TestUnknownFlagNamesTheNearestOne(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.Bool("strict", false, "")
	for arg, want := range map[string]string{
		"-strikt": "flag provided but not defined: -strikt; did you mean -strict?",
		"-other":  "flag provided but not defined: -other",
	} {
		if _, err := Parse(fs, []string{arg}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", arg, err, want)
		}
	}
	if _, err := Parse(fs, []string{"a", "-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

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
