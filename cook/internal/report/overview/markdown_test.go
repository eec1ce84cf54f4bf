package overview

import (
	"strings"
	"testing"
)

// Names of files are any text: none of them may end a cell, a row or the table.
func TestMarkdownCellsHoldAnyName(t *testing.T) {
	for _, name := range []string{"a|b.png", "a\nb", "<img src=x>", "`a`", "[a](b)", "@somebody", "**a**", "\\|"} {
		table := Table{Title: "T", Columns: []Column{{Key: "path", Title: "path", Kind: Text}, {Key: "n", Title: "n", Kind: Number}, {Key: "none", Title: "none", Kind: Text}}}
		table.addRow(name, int64(7), nil)
		table.addRow("second", int64(8), nil)
		var b strings.Builder
		table.writeMarkdown(&b, 1)
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) != 7 || lines[2] != "| path | n |" || lines[3] != "|---|---:|" || lines[6] != "and 1 more" {
			t.Errorf("%q makes\n%s", name, b.String())
			continue
		}
		bare := strings.NewReplacer(`\\`, "", `\|`, "", `\<`, "", "\\`", "", `\[`, "", `\]`, "", `\@`, "", `\*`, "").Replace(lines[4])
		if strings.Count(bare, "|") != 3 || strings.ContainsAny(bare, "<`[]@*") {
			t.Errorf("%q makes %s", name, lines[4])
		}
	}
}
