package store

import (
	"bytes"
	"testing"
)

// fuzzRecord decodes the bytes twice: as a file, and as the payload of a valid file. The second way
// is needed because few fuzzed files pass the checksum. Accepted bytes must be canonical: encoding
// the result gives the same bytes.
func fuzzRecord(f *testing.F, k kind, again func(payload []byte) ([]byte, error)) {
	id := [32]byte{42}
	f.Add([]byte(nil))
	f.Add(sealRecord(k, id, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, file := range [][]byte{b, sealRecord(k, id, b)} {
			payload, err := openRecord(k, id, file)
			if err != nil {
				continue
			}
			if !bytes.Equal(sealRecord(k, id, payload), file) {
				t.Fatalf("record is not canonical: %x", file)
			}
			if encoded, err := again(payload); err == nil && !bytes.Equal(encoded, payload) {
				t.Fatalf("payload %x is encoded as %x", payload, encoded)
			}
		}
	})
}

func FuzzResult(f *testing.F) {
	for _, r := range []Result{{}, sampleResult, {Warnings: []string{"no such texture"}}, {Origin: sampleOrigin}, {Facts: sampleFacts}, sampleRoles} {
		payload, err := encodeResult(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
		f.Add(sealRecord(results, [32]byte{42}, payload))
	}
	fuzzRecord(f, results, func(payload []byte) ([]byte, error) {
		r, err := decodeResult(payload)
		if err != nil {
			return nil, err
		}
		return encodeResult(r)
	})
}

func FuzzReadSets(f *testing.F) {
	for _, sets := range [][]ReadSet{{filesRead()}, {filesRead("a"), filesRead()}, {filesRead("", "\xff", "\xff\x01"), filesRead("a", "b")}} {
		f.Add(encodeReadSets(sets))
		f.Add(sealRecord(reads, [32]byte{42}, encodeReadSets(sets)))
	}
	fuzzRecord(f, reads, func(payload []byte) ([]byte, error) {
		sets, err := decodeReadSets(payload)
		if err != nil {
			return nil, err
		}
		return encodeReadSets(sets), nil
	})
}
