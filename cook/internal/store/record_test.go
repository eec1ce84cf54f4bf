package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/jobenv"
)

var sampleResult = Result{
	Artifacts: []Artifact{{Blob: BlobID{1, 2, 3}, Size: 77}, {Blob: BlobID{9}, Size: 0}},
	CookTime:  1234 * time.Millisecond,
}

var sampleOrigin = Origin{Server: "grpcs://cache/main", Run: "\x1b[2J", Host: "ci-7", Key: "ab12", At: time.UnixMilli(1_764_139_426_123).UTC()}

// sampleRoles has artifacts with a role and without.
var sampleRoles = Result{Artifacts: []Artifact{{Blob: BlobID{1}, Size: 5, Role: "normal"}, {Blob: BlobID{2}}}, Facts: sampleFacts}

var sampleFacts = jobenv.Facts{Evidence: "its path says height", Format: "r16", Levels: 9}

func TestRecordedResultIsReturned(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := ResultID{5}
	if r, err := s.Result(id); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), s.files.entryPath(results, id)) {
		t.Errorf("before: %v, %v", r, err)
	}
	for _, want := range []Result{{}, sampleResult, {CookTime: 5, Artifacts: sampleResult.Artifacts[:1]}, {Warnings: []string{"no such texture", ""}}, {Origin: sampleOrigin}, {Warnings: []string{"w"}, Origin: Origin{Server: "s"}}, {Facts: sampleFacts}, sampleRoles, {Warnings: []string{"w"}, Facts: sampleFacts}, {Origin: sampleOrigin, Facts: jobenv.Facts{Format: "png"}}} {
		if err := s.PutResult(id, want); err != nil {
			t.Fatal(err)
		}
		got, err := s.Result(id)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	wantNoLeftovers(t, s)
	for _, bad := range []Result{
		{CookTime: -1},
		{Artifacts: []Artifact{{Blob: BlobID{1}, Size: -1}}},
		{Artifacts: []Artifact{{Size: 1}}},
		{Artifacts: []Artifact{{Blob: BlobID{1}, Role: "two words"}}},
		{Artifacts: make([]Artifact, maxRecord/artifactSize)},
	} {
		if err := s.PutResult(ResultID{6}, bad); err == nil || errors.Is(err, ErrUnavailable) {
			t.Errorf("%d artifacts, %v: error %v", len(bad.Artifacts), bad.CookTime, err)
		}
	}
	wantGone(t, s.files.entryPath(results, ResultID{6}))
}

func TestLongestResultIsReadAgain(t *testing.T) {
	s := openStore(t, t.TempDir())
	const longest = maxRecord - 12 - artifactSize - 4 - 4 // length without an artifact, a list of warnings and one warning
	want := Result{Artifacts: sampleResult.Artifacts[:1], Warnings: []string{strings.Repeat("x", longest-recordHead-recordTail)}}
	if err := s.PutResult(ResultID{5}, want); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.files.entryPath(results, ResultID{5})); err != nil || info.Size() != maxRecord {
		t.Errorf("%v, error %v, want %d bytes", info, err, maxRecord)
	}
	if got, err := s.Result(ResultID{5}); err != nil || !cmp.Equal(want, got) {
		t.Errorf("error %v", err)
	}
	more := want
	more.Warnings = []string{want.Warnings[0] + "x"}
	if err := s.PutResult(ResultID{6}, more); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("one byte more: error %v", err)
	}
	// Without warnings, a result has the same size limit.
	many := Result{Artifacts: make([]Artifact, (maxRecord-recordHead-recordTail-12)/artifactSize+1)}
	for i := range many.Artifacts {
		many.Artifacts[i].Blob = BlobID{1}
	}
	if err := s.PutResult(ResultID{6}, many); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("%d artifacts: error %v", len(many.Artifacts), err)
	}
	many.Artifacts = many.Artifacts[1:]
	if err := s.PutResult(ResultID{6}, many); err != nil {
		t.Error(err)
	}
	if got, err := s.Result(ResultID{6}); err != nil || len(got.Artifacts) != len(many.Artifacts) {
		t.Errorf("%d artifacts, error %v", len(got.Artifacts), err)
	}
}

func TestReadSetsAreReturnedNewestFirst(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := ActionID{7}
	if sets, err := s.ReadSets(id); sets != nil || err != nil {
		t.Errorf("before: %v, %v", sets, err)
	}
	for _, c := range []struct {
		add  ReadSet
		want []ReadSet
	}{
		{nil, []ReadSet{filesRead()}},
		{filesRead("b", "a", "b"), []ReadSet{filesRead("a", "b"), filesRead()}},
		{filesRead("a", "b"), []ReadSet{filesRead("a", "b"), filesRead()}},
		{filesRead("\xff/\n", ""), []ReadSet{filesRead("", "\xff/\n"), filesRead("a", "b"), filesRead()}},
		{filesRead(), []ReadSet{filesRead(), filesRead("", "\xff/\n"), filesRead("a", "b")}},
	} {
		given := append(ReadSet(nil), c.add...)
		if err := s.AddReadSet(id, c.add); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(given, append(ReadSet(nil), c.add...)); diff != "" {
			t.Errorf("AddReadSet changed the caller's set: %s", diff)
		}
		got, err := s.ReadSets(id)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("after %q: %v %s", c.add, err, diff)
		}
	}
	wantNoLeftovers(t, s)
}

func TestReadSetsAreBounded(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := ActionID{7}
	for i := range 40 {
		if err := s.AddReadSet(id, filesRead(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.ReadSets(id)
	if err != nil || len(got) != maxReadSets || got[0][0].Path != "39" || got[15][0].Path != "24" {
		t.Errorf("%v, %v", got, err)
	}
	// The two sets are small enough one by one but not together, so AddReadSet drops the oldest
	// sets.
	half := strings.Repeat("x", maxRecord/2-1000)
	for _, name := range []string{"1" + half, "2" + half} {
		if err := s.AddReadSet(id, filesRead(name)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err = s.ReadSets(id); err != nil || len(got) < 2 || got[0][0].Path[0] != '2' || got[1][0].Path[0] != '1' {
		t.Errorf("%d sets, %v", len(got), err)
	}
	if err := s.AddReadSet(id, filesRead(half+half)); err != nil {
		t.Fatal(err)
	}
	if got, err = s.ReadSets(id); err != nil || len(got) != 1 {
		t.Errorf("%d sets, %v", len(got), err)
	}
	// AddReadSet returns an error for a set that exceeds the maximum record size, and keeps the
	// stored sets.
	if err := s.AddReadSet(id, filesRead(half+half+half)); err == nil || errors.Is(err, ErrUnavailable) {
		t.Errorf("too large a set: %v", err)
	}
	if again, err := s.ReadSets(id); err != nil || len(again) != 1 {
		t.Errorf("%d sets, %v", len(again), err)
	}
}

// readEither reads the record of a kind and reports whether it has content.
func readEither(s *Store, k kind, id [32]byte) (any, error) {
	if k == reads {
		sets, err := s.ReadSets(id)
		if sets == nil {
			return nil, err
		}
		return sets, err
	}
	r, err := s.Result(id)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func writeSamples(t testing.TB, s *Store, id [32]byte) {
	t.Helper()
	if err := s.PutResult(id, sampleResult); err != nil {
		t.Fatal(err)
	}
	if err := s.AddReadSet(id, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.AddReadSet(id, filesRead("a", "lib/b.png")); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedRecordIsDetected(t *testing.T) {
	for _, k := range []kind{reads, results} {
		t.Run(k.String(), func(t *testing.T) {
			s := openStore(t, t.TempDir())
			id := [32]byte{3, 1, 4}
			writeSamples(t, s, id)
			path := s.files.entryPath(k, id)
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			noticed := func(what string, b []byte) {
				overwrite(t, path, b)
				if got, err := readEither(s, k, id); got != nil || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
					t.Fatalf("%s: %v, %v", what, got, err)
				}
				wantGone(t, path)
			}
			damage(good, noticed)
			noticed("foreign", []byte("#!/bin/sh\necho a file that has nothing to do with the store, but is long enough\n"))

			// Each file is a valid record, but at the path of another record.
			other := [32]byte{3, 1, 5}
			writeSamples(t, s, other)
			swapped, err := os.ReadFile(s.files.entryPath(k, other))
			if err != nil {
				t.Fatal(err)
			}
			noticed("the record belongs to another ID", swapped)
			wrong := map[kind]kind{reads: results, results: reads}[k]
			writeSamples(t, s, id)
			foreign, err := os.ReadFile(s.files.entryPath(wrong, id))
			if err != nil {
				t.Fatal(err)
			}
			noticed("the record is of another kind", foreign)

			overwrite(t, path, good[:len(good)-1])
			writeSamples(t, s, id)
			if got, err := readEither(s, k, id); got == nil || err != nil {
				t.Fatalf("after repair: %v, %v", got, err)
			}
		})
	}
}

// A record is a miss if its path is not a regular file, or if the file is far too long.
func TestFilesOtherThanRecordsAreMisses(t *testing.T) {
	s := openStore(t, t.TempDir())
	id := ResultID{1}
	path := s.files.entryPath(results, id)
	overwrite(t, path, nil)
	if err := os.Truncate(path, 1<<40); err != nil && !errors.Is(err, fs.ErrInvalid) {
		// If the system does not allow such large files, use the smallest size that is too large.
		if err := os.Truncate(path, maxRecord+1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Result(id); !errors.Is(err, ErrDamaged) {
		t.Errorf("huge file: %v", err)
	}
	wantGone(t, path)
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(id); !errors.Is(err, ErrDamaged) {
		t.Errorf("folder: %v", err)
	}
	wantGone(t, path)
	// A directory in place of a record is a miss, even if it cannot be removed because it is not
	// empty.
	if err := os.MkdirAll(path+"/full", 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(id); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("directory with a file: %v", err)
	}
}

// A payload with a right checksum can still be invalid.
func TestInvalidPayloadIsRefused(t *testing.T) {
	zero4 := "\x00\x00\x00\x00"
	sets := func(names ...string) string { return string(encodeReadSets([]ReadSet{filesRead(names...)})) }
	for name, c := range map[string]struct {
		kind    kind
		payload string
	}{
		"no result":          {results, ""},
		"negative time":      {results, strings.Repeat("\xff", 8) + zero4},
		"count too large":    {results, strings.Repeat("\x00", 8) + "\xff\xff\xff\xff" + strings.Repeat("x", 80)},
		"negative size":      {results, strings.Repeat("\x00", 8) + "\x01\x00\x00\x00" + strings.Repeat("\xff", 40)},
		"zero blob":          {results, strings.Repeat("\x00", 8) + "\x01\x00\x00\x00" + strings.Repeat("\x00", 40)},
		"left over":          {results, strings.Repeat("\x00", 13)},
		"empty origin":       {results, strings.Repeat("\x00", 8+4+4+4*4+8)},
		"origin cut short":   {results, strings.Repeat("\x00", 8+4+4) + "\x01\x00\x00\x00s"},
		"origin after 9999":  {results, strings.Repeat("\x00", 8+4+4+4*4) + strings.Repeat("\x7f", 8)},
		"no read sets":       {reads, zero4},
		"no count":           {reads, ""},
		"too many sets":      {reads, "\x11\x00\x00\x00" + strings.Repeat(zero4, 17)},
		"more than there is": {reads, "\xff\xff\xff\xff"},
		"many names":         {reads, "\x01\x00\x00\x00\xff\xff\xff\xff"},
		"long name":          {reads, "\x01\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff"},
		"unsorted":           {reads, sets("b", "a")},
		"name twice":         {reads, sets("a", "a")},
		"set twice":          {reads, string(encodeReadSets([]ReadSet{filesRead("a"), filesRead(), filesRead("a")}))},
		"one byte more":      {reads, sets("a") + "x"},
		"no dependency":      {reads, sets("a\x00")},
	} {
		s := openStore(t, t.TempDir())
		id := [32]byte{1}
		path := s.files.entryPath(c.kind, id)
		overwrite(t, path, sealRecord(c.kind, id, []byte(c.payload)))
		if got, err := readEither(s, c.kind, id); got != nil || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		wantGone(t, path)
	}
}

func TestRecordOfAnotherKeyIsRefused(t *testing.T) {
	id := [32]byte{1}
	sound := sealRecord(results, id, []byte("payload"))
	if payload, err := openRecord(results, id, sound); err != nil || string(payload) != "payload" {
		t.Fatalf("%q, %v", payload, err)
	}
	for name, at := range map[string]int{"magic": 0, "version": 4, "kind": 5, "first byte of the ID": 6, "last byte of the ID": 37} {
		body := []byte(string(sound[:len(sound)-recordTail]))
		body[at]++
		sum := recordChecksum(body)
		if payload, err := openRecord(results, id, append(body, sum[:]...)); err == nil {
			t.Errorf("another %s was accepted: %q", name, payload)
		}
	}
}

// TestRecordFormatIsStable pins the bytes on disk: a change needs a new version.
func TestRecordFormatIsStable(t *testing.T) {
	payload, err := encodeResult(Result{Artifacts: []Artifact{{Blob: BlobID{0xbb}, Size: 0x0102}}, CookTime: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := "\x03\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00" +
		"\xbb" + strings.Repeat("\x00", 31) + "\x02\x01\x00\x00\x00\x00\x00\x00"
	if string(payload) != want {
		t.Errorf("result %q, want %q", payload, want)
	}
	got := encodeReadSets([]ReadSet{append(filesRead("a", "bc"), dependency.OfNames("d", "*", true)), filesRead()})
	want = "\x02\x00\x00\x00" + "\x03\x00\x00\x00" + "\x01\x00\x00\x00a" + "\x02\x00\x00\x00bc" + "\x06\x00\x00\x00d/.\x00*\x00" + "\x00\x00\x00\x00"
	if string(got) != want {
		t.Errorf("read sets %q, want %q", got, want)
	}
	head := "acst\x01\x02" + "\x05" + strings.Repeat("\x00", 31) + "payload"
	if record := string(sealRecord(results, [32]byte{5}, []byte("payload"))); record[:len(record)-16] != head {
		t.Errorf("record %q, want %q and a checksum", record, head)
	}
}
