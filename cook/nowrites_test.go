package cook_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A no-op run writes nothing: no file or directory of the outputs or the store gets another
// stamp.
func TestNoOpRunWritesNothing(t *testing.T) {
	p := newProject(t)
	for name, text := range map[string]string{"a.txt": "text", "b.json": "{}", "c.png": string(oracle.Picture(1))} {
		p.write(name, text)
	}
	p.run.Now = func() time.Time { return time.Now().Add(time.Hour) } // so that all stamps are trusted
	s := p.cook()
	before := stampsOf(t, isLock, p.run.Out, p.run.Cache)
	if s.Cooked.Assets != 3 || len(before) < 6 {
		t.Fatalf("%s, %d files", s.String(), len(before))
	}
	for i := range 2 {
		if s := p.cook(); s.ByStamp.Assets != 3 || s.Checksummed.Assets != 0 {
			t.Errorf("run %d: %s, %d files checksummed", i, s.String(), s.Checksummed.Assets)
		}
		checkStamps(t, fmt.Sprint("run ", i), before, stampsOf(t, isLock, p.run.Out, p.run.Cache))
	}
}
