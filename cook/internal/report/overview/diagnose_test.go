package overview

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/diagnosis"
)

// TestReportsAreReadBack expects a report, also one with hostile names, to be the same after it was
// written and read, and to give the same diagnosis.
func TestReportsAreReadBack(t *testing.T) {
	for name, in := range map[string]Input{"empty": {}, "large": large(40, 5), "attacked": attacked()} {
		r := New(in)
		var want, got bytes.Buffer
		if err := r.WriteJSON(&want); err != nil {
			t.Fatal(err)
		}
		read, err := ReadTables(bytes.NewReader(want.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read.Made = r.Made
		if err := read.WriteJSON(&got); err != nil {
			t.Fatal(err)
		}
		if name != "attacked" && got.String() != want.String() { // Parts of cells are not read back.
			a, b := strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] && !strings.HasPrefix(a[i], `{"run":`) {
					t.Fatalf("%s: line %d is %s, was %s", name, i, b[i], a[i])
				}
			}
		}
		if a, b := diagnosed(t, r), diagnosed(t, read); a != b {
			t.Errorf("%s: the diagnosis is\n%s\nwant\n%s", name, b, a)
		}
	}
}

func diagnosed(t *testing.T, r *Report) string {
	t.Helper()
	d := r.DiagnoseOutputs("cooked", "assets", nil)
	var text, line bytes.Buffer
	if err := d.WriteFindings(&text); err != nil {
		t.Fatal(err)
	}
	if err := d.WriteLine(&line); err != nil {
		t.Fatal(err)
	}
	if strings.Count(line.String(), "\n") != 1 || strings.Count(text.String(), "next:") > diagnosis.Most {
		t.Errorf("the diagnosis has too many lines:\n%s\n%s", text.String(), line.String())
	}
	if bad := badFormat.FindString(text.String()); bad != "" && !strings.Contains(bad, "%!x") {
		t.Errorf("the diagnosis has %q", bad)
	}
	for _, c := range text.String() {
		if c < ' ' && c != '\n' || c == '\u202e' || c == '\ufffd' {
			t.Errorf("the diagnosis has the character %q:\n%s", c, text.String())
			break
		}
	}
	return text.String() + line.String()
}
