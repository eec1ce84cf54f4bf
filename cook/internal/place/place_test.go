package place

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
)

func TestPlacedFileIsTheSummedFile(t *testing.T) {
	out, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	f, _ := hashing.Lookup("xxh128")
	o := New(out, "", &plan.Plan{}, nil, hashing.NewSummer(f))
	name := filepath.Join(out.Name(), "a")
	if err := os.WriteFile(name, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	now := scan.StampOf(info)
	renamed, later, grown := now, now, now
	renamed.CTime -= 5
	later.MTime -= 5
	grown.Size--
	for what, tt := range map[string]struct {
		made    scan.Stamp
		content string
		fine    bool
	}{
		"untouched":          {now, "content", true},
		"renamed":            {renamed, "content", true},
		"stamped late":       {later, "content", true},
		"written to":         {later, "CONTENT", false},
		"grown":              {grown, "conten", false},
		"stamps are trusted": {now, "CONTENT", true},
	} {
		err := o.isAsMade("a", now, &index.Artifact{Stamp: tt.made, Sum: f.Sum128([]byte(tt.content))})
		if (err == nil) != tt.fine {
			t.Errorf("%s: %v", what, err)
		}
	}
}
