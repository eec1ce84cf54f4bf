package export

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

func unpacked(t failer, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("%v", err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return text
}

// nanos converts microseconds to nanoseconds in all ways that readers use: by digits, and in
// floating point, both rounded and truncated.
func nanos(t failer, n json.Number) int64 {
	t.Helper()
	whole, part, _ := strings.Cut(n.String(), ".")
	if len(part) != 3 && !(len(part) == 4 && part[3] == '1') {
		t.Fatalf("time %s does not have three decimals", n)
	}
	ns, err := strconv.ParseInt(whole+part[:3], 10, 64)
	if err != nil {
		t.Fatalf("%v", err)
	}
	us, err := n.Float64()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if cut := int64(us * 1000); ns < 1<<50 && (cut != ns || int64(math.Round(us*1000)) != ns) {
		t.Fatalf("time %s truncates to %d, want %v", n, cut, us*1000)
	}
	return ns
}

// readChrome reads the format that the Trace Event Format document describes.
func readChrome(t failer, packed []byte) reading {
	t.Helper()
	var file struct {
		TraceEvents []struct {
			Ph, Name, Cat, S, Bp string
			Pid, Tid, ID         int
			Ts, Dur              json.Number
			Args                 struct {
				Name  string
				Value float64
				Bytes uint64
			}
		}
		DisplayTimeUnit *string
	}
	if err := json.Unmarshal(unpacked(t, packed), &file); err != nil {
		t.Fatalf("%v", err)
	}
	if file.DisplayTimeUnit != nil {
		t.Fatalf("displayTimeUnit misleads older readers")
	}
	var (
		r     reading
		rows  = map[int]string{}
		last  = map[int]string{}
		from  = map[int]string{}
		named = map[int][]string{} // Both ends of a flow must have the same name and category.
	)
	for _, e := range file.TraceEvents {
		switch e.Ph {
		case "M":
			if e.Name == "process_name" {
				r.process = e.Args.Name
				continue
			}
			rows[e.Tid] = e.Args.Name
			r.rows = append(r.rows, e.Args.Name)
		case "X":
			r.slices = append(r.slices, readSlice{rows[e.Tid], e.Cat, e.Name, nanos(t, e.Ts), nanos(t, e.Dur)})
			last[e.Tid] = e.Name
		case "i":
			if e.S != "t" {
				t.Fatalf("mark of scope %q", e.S)
			}
			r.marks = append(r.marks, readMark{rows[e.Tid], e.Cat, e.Name, nanos(t, e.Ts), e.Args.Bytes})
			last[e.Tid] = e.Name
		case "C":
			r.samples = append(r.samples, readSample{e.Name, nanos(t, e.Ts), e.Args.Value})
		case "s":
			from[e.ID] = last[e.Tid]
			named[e.ID] = append(named[e.ID], e.Name+" "+e.Cat)
		case "f":
			if e.Bp != "e" {
				t.Fatalf("arrow arrives at the next slice")
			}
			r.arrows = append(r.arrows, readArrow{fmt.Sprint(e.ID), last[e.Tid]})
			named[e.ID] = append(named[e.ID], e.Name+" "+e.Cat)
		default:
			t.Fatalf("event of phase %q", e.Ph)
		}
	}
	for i, a := range r.arrows { // An arrow may arrive in an earlier row, so the start is known only now.
		id, _ := strconv.Atoi(a.from)
		r.arrows[i].from = from[id]
	}
	for id, n := range named {
		if len(n) != 2 || n[0] != n[1] {
			t.Fatalf("sides of flow %d: %q", id, n)
		}
	}
	mustNest(t, r.slices)
	return r
}

func TestChromeStart(t *testing.T) {
	var file struct{ OtherData struct{ Start string } }
	if err := json.Unmarshal(unpacked(t, writtenBy(t, writeChrome, kitchen())), &file); err != nil {
		t.Fatal(err)
	}
	if want := "2026-03-14T09:26:53.589793238Z"; file.OtherData.Start != want {
		t.Errorf("start %q, want %q", file.OtherData.Start, want)
	}
}

// JSON cannot express NaN and infinities. The counter's other values must be written.
func TestChromeOmitsInvalidNumbers(t *testing.T) {
	rec := Recording{Events: given(
		amount(events.Value, 0, "v", 1, math.NaN()),
		amount(events.Value, 0, "v", 2, math.Inf(-1)),
		amount(events.Value, 0, "v", 3, 1e300),
		amount(events.Value, 0, "v", 4, 5e-324),
	)}
	got := readChrome(t, writtenBy(t, writeChrome, rec)).samples
	if want := []readSample{{"v", 3, 1e300}, {"v", 4, 5e-324}}; !slices.Equal(got, want) {
		t.Errorf("samples %v, want %v", got, want)
	}
}
