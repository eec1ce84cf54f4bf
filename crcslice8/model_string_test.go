package crcslice8

import (
	"fmt"
	"testing"
)

func TestModelString(t *testing.T) {
	const want = "CRC-32/ISO-HDLC(poly=0x04c11db7 init=0xffffffff reflected=true xorout=0xffffffff check=0xcbf43926)"
	m := ModelISOHDLC()
	for _, got := range []string{m.String(), fmt.Sprint(m), fmt.Sprintf("%v", &m), fmt.Sprintf("%+v", m)} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	// A model of one's own need not have a name, nor a check.
	if got, want := (Model{Poly: 0xaf}).String(), "CRC-32(poly=0x000000af init=0x00000000 reflected=false xorout=0x00000000)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
