package notify

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// raw returns a struct inotify_event, with its name padded by zeros.
func raw(id watchID, mask uint32, name string) []byte {
	b := binary.NativeEndian.AppendUint32(nil, uint32(id))
	b = binary.NativeEndian.AppendUint32(b, mask)
	b = binary.NativeEndian.AppendUint32(b, mask+5)
	padded := make([]byte, (len(name)+15)/16*16)
	copy(padded, name)
	return append(binary.NativeEndian.AppendUint32(b, uint32(len(padded))), padded...)
}

type plain struct {
	Watch  watchID
	Name   string
	Kind   kind
	Folder bool
	Cookie uint32
}

func decoded(b []byte) (events []plain, err error) {
	err = decode(b, func(e event) { events = append(events, plain{e.watch, string(e.name), e.kind, e.folder, e.cookie}) })
	return events, err
}

func TestDecodeReturnsAllEvents(t *testing.T) {
	var all []byte
	var want []plain
	for _, test := range []struct {
		mask uint32
		kind kind
	}{
		{unix.IN_CREATE, made}, {unix.IN_CREATE | unix.IN_ISDIR, made}, {unix.IN_MODIFY, written},
		{unix.IN_CLOSE_WRITE, closed}, {unix.IN_ATTRIB, changed},
		{unix.IN_DELETE, removed}, {unix.IN_MOVED_FROM | unix.IN_ISDIR, movedFrom}, {unix.IN_MOVED_TO, movedTo},
		{unix.IN_DELETE_SELF, ended}, {unix.IN_MOVE_SELF | unix.IN_ISDIR, ended}, {unix.IN_UNMOUNT, ended}, {unix.IN_IGNORED, ended},
	} {
		for _, name := range []string{"", "n", "name of 16 bytes", "\xff\n\\"} {
			all = append(all, raw(3, test.mask, name)...)
			want = append(want, plain{3, name, test.kind, test.mask&unix.IN_ISDIR != 0, test.mask + 5})
		}
	}
	all = append(all, raw(-1, unix.IN_Q_OVERFLOW, "")...)
	want = append(want, plain{-1, "", overflowed, false, unix.IN_Q_OVERFLOW + 5})
	got, err := decoded(all)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func FuzzDecode(f *testing.F) {
	one := raw(1, unix.IN_CREATE, "name")
	f.Add([]byte{})
	f.Add(one)
	f.Add(slices.Concat(one, raw(2, unix.IN_DELETE_SELF, "")))
	f.Add(one[:len(one)-1])
	f.Add(one[:7])
	f.Fuzz(func(t *testing.T, b []byte) {
		events, err := decoded(b)
		if len(events) > len(b)/unix.SizeofInotifyEvent {
			t.Errorf("%d events from %d bytes", len(events), len(b))
		}
		for _, e := range events {
			if strings.Contains(e.Name, "\x00") {
				t.Errorf("name %q", e.Name)
			}
		}
		if err != nil {
			return
		}
		more, err := decoded(slices.Concat(b, one))
		if diff := cmp.Diff(append(events, plain{1, "name", made, false, unix.IN_CREATE + 5}), more); diff != "" || err != nil {
			t.Errorf("with one more event: %v\n%s", err, diff)
		}
	})
}
