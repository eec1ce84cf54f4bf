package frontend

import "testing"

func TestAddressesWithoutHostAreOfThisMachine(t *testing.T) {
	for addr, want := range map[string]string{
		"7357": "127.0.0.1:7357", ":7357": "127.0.0.1:7357", "0": "127.0.0.1:0",
		"0.0.0.0:7357": "0.0.0.0:7357", "[::1]:7357": "[::1]:7357", "localhost:7357": "localhost:7357",
	} {
		if got := ListenAddress(addr); got != want {
			t.Errorf("%q: %q, want %q", addr, got, want)
		}
	}
}

func TestHideCredentials(t *testing.T) {
	for text, want := range map[string]string{
		"grpc://bob:hunter2@h:1: no":                          "grpc://...@h:1: no",
		`invalid value "grpc://bob@h" for flag -remote`:       `invalid value "grpc://...@h" for flag -remote`,
		`invalid value "bob:hunter2@h" for flag -remote`:      `invalid value "...@h" for flag -remote`,
		"COOK_REMOTE=bob:hunter2@h: want grpc":                "COOK_REMOTE=...@h: want grpc",
		`    2 | url = "https://:hunter2@h/x"`:                `    2 | url = "https://...@h/x"`,
		"two: http://a:b@h and http://c:d@h":                  "two: http://...@h and http://...@h",
		"a password with @: http://bob:hun@ter2@h/p":          "a password with @: http://...@h/p",
		"hidden before: http://...@h":                         "hidden before: http://...@h",
		"icon@2x.png: the name ui/icon:a@2x.png has a colon":  "icon@2x.png: the name ui/icon:a@2x.png has a colon",
		"http://h/@scope/package and mail to bob@example.com": "http://h/@scope/package and mail to bob@example.com",
		"invalid value \"icon@2x.png\" for flag -shard: no":   "invalid value \"icon@2x.png\" for flag -shard: no",
		"no address": "no address",
	} {
		if got := HideCredentials(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
