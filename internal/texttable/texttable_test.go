package texttable

import (
	"strings"
	"testing"
)

func TestColumnsAreAligned(t *testing.T) {
	for align, want := range map[Alignment]string{
		Left:          "a   bb   ccc\n12  345  d\n",
		Right:         "   a   bb  ccc\n  12  345    d\n",
		RightThenName: "   a   bb  ccc\n  12  345  d\n",
	} {
		var b strings.Builder
		table := New(&b, align)
		table.Row("a", "bb", "ccc")
		table.Row(12, 345, "d")
		if err := table.Flush(); err != nil || b.String() != want {
			t.Errorf("%d: %v\n%s\nwant\n%s", align, err, b.String(), want)
		}
	}
}
