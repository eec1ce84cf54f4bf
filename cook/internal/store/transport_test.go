package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestSentRecordsAreDecodedOrRefused(t *testing.T) {
	result, err := MarshalResult(ResultID{5}, sampleResult)
	if err != nil {
		t.Fatal(err)
	}
	got, err := UnmarshalResult(ResultID{5}, result)
	if diff := cmp.Diff(sampleResult, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	elsewhere := sampleResult
	elsewhere.Origin = sampleOrigin
	if without, err := MarshalResult(ResultID{5}, elsewhere); err != nil || !bytes.Equal(without, result) {
		t.Errorf("the record contains the origin: %x, %v", without, err)
	}
	payload, _ := encodeResult(elsewhere)
	if got, err := UnmarshalResult(ResultID{5}, sealRecord(results, ResultID{5}, payload)); err != nil || !got.Origin.IsZero() {
		t.Errorf("the decoded result has an origin: %+v, %v", got.Origin, err)
	}
	sets := []ReadSet{filesRead("a", "b/*"), filesRead("c")}
	reads := MarshalReadSets(ActionID{6}, sets)
	gotSets, err := UnmarshalReadSets(ActionID{6}, reads)
	if diff := cmp.Diff(sets, gotSets); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}

	if _, err := UnmarshalResult(ResultID{6}, result); !errors.Is(err, ErrDamaged) {
		t.Errorf("another result's record: %v", err)
	}
	if _, err := UnmarshalReadSets(ActionID{5}, reads); !errors.Is(err, ErrDamaged) {
		t.Errorf("another action's record: %v", err)
	}
	if _, err := UnmarshalResult(ResultID{6}, reads); !errors.Is(err, ErrDamaged) {
		t.Errorf("read sets for a result: %v", err)
	}
	for _, record := range [][]byte{result, reads} {
		for i := range record {
			bad := bytes.Clone(record)
			bad[i] ^= 0x10
			for _, bad := range [][]byte{bad, record[:i], append(bytes.Clone(record), record[:i+1]...)} {
				_, err1 := UnmarshalResult(ResultID{5}, bad)
				_, err2 := UnmarshalReadSets(ActionID{6}, bad)
				if !errors.Is(err1, ErrDamaged) || !errors.Is(err2, ErrDamaged) {
					t.Fatalf("damaged at %d: %v, %v", i, err1, err2)
				}
			}
		}
	}
}

func TestReceivedBlobIsStoredOnlyIfItMatchesItsID(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(300 << 10)
	id, size := idOf(content), int64(len(content))
	torn := errors.New("torn")
	for name, tc := range map[string]struct {
		src  io.Reader
		want error
	}{
		"short":   {bytes.NewReader(content[:size-1]), ErrMismatch},
		"long":    {bytes.NewReader(append(bytes.Clone(content), 0)), ErrMismatch},
		"another": {bytes.NewReader(someBytes(len(content) + 1)[:size]), ErrMismatch},
		"empty":   {bytes.NewReader(nil), ErrMismatch},
		"torn":    {io.MultiReader(bytes.NewReader(content[:1000]), iotest.ErrReader(torn)), torn},
	} {
		if err := s.ReceiveBlob(t.Context(), tc.src, id, size); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
		if s.HasBlob(id, size) {
			t.Fatalf("%s: the blob exists", name)
		}
		if _, err := s.OpenBlob(id, size); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: open: %v", name, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := s.ReceiveBlob(stopped, bytes.NewReader(content), id, size); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	wantNoLeftovers(t, s)

	if err := s.ReceiveBlob(t.Context(), iotest.HalfReader(bytes.NewReader(content)), id, size); err != nil {
		t.Fatal(err)
	}
	wantCopy(t, s, content)
	if err := s.ReceiveBlob(t.Context(), iotest.ErrReader(torn), id, size); err != nil {
		t.Errorf("a blob that exists already: %v", err)
	}
	f, err := s.OpenBlob(id, size)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := s.OpenBlob(id, size+1); !errors.Is(err, ErrDamaged) {
		t.Errorf("another size: %v", err)
	}
	wantNoLeftovers(t, s)
}
