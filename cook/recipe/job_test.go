package recipe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/jobenv"
)

func TestExt(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.PNG": ".png", "a.tar.gz": ".gz", "a": "", ".bashrc": "", "d.x/a": "", "a.": ".",
	} {
		if got := Ext(path); got != want {
			t.Errorf("Ext(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestPathMustBeDeclared(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "UsesPath") {
			t.Errorf("recovered %v, want a panic that names UsesPath", r)
		}
	}()
	(&Job{env: jobenv.Env{Path: "a.png"}}).Path()
}

// TestStep expects Step to allocate nothing unless steps are recorded.
func TestStep(t *testing.T) {
	job := &Job{}
	if n := testing.AllocsPerRun(100, func() { job.Step("decode")() }); n != 0 {
		t.Errorf("a step that is not wanted allocates %v times", n)
	}
	var said []string
	job = &Job{env: jobenv.Env{Step: func(name string) func() {
		said = append(said, name)
		return func() { said = append(said, "end "+name) }
	}}}
	outer := job.Step("mipmaps")
	job.Step("encode")()
	outer()
	if want := []string{"mipmaps", "encode", "end encode", "end mipmaps"}; !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}

func TestFormatStarts(t *testing.T) {
	f := Format{Magic: []string{"AB", "A..D", "\x00"}}
	for head, want := range map[string]int{"": 0, "A": 0, "ABC": 2, "ABCD": 4, "A\x00\xffDE": 4, "\x00": 1, "xAB": 0} {
		if got := f.Starts([]byte(head)); got != want {
			t.Errorf("%q: %d, want %d", head, got, want)
		}
	}
}
