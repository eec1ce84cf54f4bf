package frontend

import (
	"bytes"
	"os"
	"testing"
)

func TestColorsAndLinksAreForTerminalsThatHaveThem(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, tc := range []struct {
		env  map[string]string
		want Style
	}{
		{nil, Style{}},
		{map[string]string{"TERM": "xterm-kitty"}, Style{}},
		{map[string]string{"CLICOLOR_FORCE": "1"}, Style{Color: true}},
		{map[string]string{"CLICOLOR_FORCE": "0"}, Style{}},
		{map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, Style{}},
	} {
		env := func(name string) string { return tc.env[name] }
		if got := StyleOf(file, env); got != tc.want {
			t.Errorf("%v: file gets %+v, want %+v", tc.env, got, tc.want)
		}
		if got := StyleOf(&bytes.Buffer{}, env); got != tc.want {
			t.Errorf("%v: buffer gets %+v, want %+v", tc.env, got, tc.want)
		}
	}
	for name, want := range map[string]bool{
		"TERM=xterm-256color": false, "TERM=xterm-kitty": true, "TERM=foot": true, "VTE_VERSION=6800": true, "VTE_VERSION=4999": false,
		"WT_SESSION=1": true, "TERM_PROGRAM=vscode": true, "TERM_PROGRAM=Apple_Terminal": false,
	} {
		key, value, _ := bytes.Cut([]byte(name), []byte("="))
		env := map[string]string{string(key): string(value)}
		if got := knowsLinks(func(name string) string { return env[name] }); got != want {
			t.Errorf("%s: links %t, want %t", name, got, want)
		}
		env["CI"] = "true"
		if knowsLinks(func(name string) string { return env[name] }) {
			t.Errorf("%s: links in a job of a build server", name)
		}
	}
	if Animates(func(name string) string { return map[string]string{"TERM": "dumb"}[name] }) || !Animates(func(string) string { return "" }) {
		t.Error("a dumb terminal cannot move its cursor, others can")
	}
}
