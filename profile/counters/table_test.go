package counters

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTableAsCSV(t *testing.T) {
	set := New(Options{})
	c, f := set.Counter("c,\n"), set.Float("f")
	set.Watch("c,\n")
	at := time.Date(2024, 5, 6, 7, 8, 9, 250_000_000, time.UTC)
	c.Add(25_000_000)
	set.PushFrame(at)
	set.Watch("f")
	f.Add(0.1)
	set.PushFrame(at.Add(time.Second))
	table := set.Table(0, "c,\n", "f")
	var records strings.Builder
	if err := table.WriteCSV(&records); err != nil {
		t.Fatal(err)
	}
	const wantCSV = "frame,time,\"c,\n\",f\n0,2024-05-06T07:08:09.25Z,25000000,\n1,2024-05-06T07:08:10.25Z,0,0.1\n"
	if records.String() != wantCSV {
		t.Errorf("CSV:\n%s\nwant:\n%s", records.String(), wantCSV)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestTableReportsErrors(t *testing.T) {
	table := &Table{Names: []string{"c"}, Frames: make([]Frame, 1), Values: []float64{1}}
	if table.WriteCSV(fullDisk{}) == nil {
		t.Error("no error from a full disk")
	}
}

func TestTableCSVIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &Table{Names: []string{rapid.StringN(1, 5, -1).Draw(t, "name")}}
		table.Values = rapid.SliceOfN(rapid.Float64(), 1, 5).Draw(t, "values")
		table.Frames = make([]Frame, len(table.Values))
		var b bytes.Buffer
		table.WriteCSV(&b)
		records, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(records) != 1+len(table.Values) {
			t.Fatal(records, err)
		}
		for i, want := range table.Values {
			if got, err := strconv.ParseFloat(records[i+1][2], 64); err != nil || got != want {
				t.Fatalf("%v came back as %v, %v", want, got, err)
			}
		}
	})
}
