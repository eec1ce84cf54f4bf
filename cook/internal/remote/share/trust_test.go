package share_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// keyOf returns the private key with the given name.
func keyOf(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func public(name string) ed25519.PublicKey { return keyOf(name).Public().(ed25519.PublicKey) }

func fingerprint(name string) string { return share.Fingerprint(public(name)) }

// equals returns a result without dependencies. All of its artifacts have the same size.
func equals() job {
	j := jobs(7)[5]
	j.key.Reads, j.set = false, nil
	for i := range j.contents {
		j.contents[i] = []byte(strings.Repeat(string(rune('a'+i)), 20))
		j.result.Artifacts[i] = store.Artifact{Blob: store.BlobID(hashing.DigestOf(j.contents[i])), Size: 20}
	}
	return j
}

// signed returns a server with two results that the key ci has signed. The first is the result of
// equals.
func signed(t *testing.T) (*remotetest.Server, string, job) {
	server := &remotetest.Server{BLAKE3: true}
	url := server.Start(t)
	m := newMachine(t, url)
	m.keys.Sign = keyOf("ci")
	c := m.run()
	j := equals()
	m.keep(c, j)
	m.keep(c, jobs(7)[1])
	if stats := c.Close(t.Context()); stats.Uploaded != 2 {
		t.Fatalf("%+v", stats)
	}
	return server, url, j
}

// takes looks up a result on a machine that trusts some keys. got is nil if the machine does not
// accept the result.
func takes(t *testing.T, url string, j job, trusted ...string) (m *machine, got *store.Result, stats remote.Stats) {
	t.Helper()
	m = newMachine(t, url)
	for _, name := range trusted {
		m.keys.Trust = append(m.keys.Trust, public(name))
	}
	c := m.run()
	known := c.Look(t.Context(), j.key, "", time.Minute)
	fetched := c.Fetch(t.Context(), j.key, time.Minute)
	if fetched && known.Result == nil {
		t.Error("fetched an unknown result")
	}
	stats = c.Close(t.Context())
	m.verifyBlobs(j)
	return m, known.Result, stats
}

// forgeries are changes to a signed result that are possible without a trusted key.
var forgeries = map[string]func(r *repb.ActionResult, other *repb.ActionResult, j job){
	"stripped": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { delete(f, "key"); delete(f, "signature") })
	},
	"no signature": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { delete(f, "signature") })
	},
	"no key": func(r, _ *repb.ActionResult, _ job) { rewrite(r, func(f map[string]any) { delete(f, "key") }) },
	"a short key": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { f["key"] = []byte(public("ci"))[:31] })
	},
	"a short signature": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { f["signature"] = []byte{1} })
	},
	"another's key": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { f["key"] = []byte(public("eve")) })
	},
	"another result": func(r, _ *repb.ActionResult, j job) {
		rewrite(r, func(f map[string]any) {
			f["result"] = forge(j.key.Result, func(r *store.Result) { r.Artifacts[0], r.Artifacts[1] = r.Artifacts[1], r.Artifacts[0] }, j)
		})
		r.OutputFiles[0].Digest, r.OutputFiles[1].Digest = r.OutputFiles[1].Digest, r.OutputFiles[0].Digest
	},
	"another time": func(r, _ *repb.ActionResult, j job) {
		rewrite(r, func(f map[string]any) {
			f["result"] = forge(j.key.Result, func(r *store.Result) { r.CookTime++ }, j)
		})
	},
	"swapped artifacts": func(r, _ *repb.ActionResult, _ job) {
		r.OutputFiles[0].Digest, r.OutputFiles[1].Digest = r.OutputFiles[1].Digest, r.OutputFiles[0].Digest
	},
	"replayed under another key": func(r, other *repb.ActionResult, j job) {
		// The signature is valid, but for another result.
		rewrite(other, func(of map[string]any) {
			rewrite(r, func(f map[string]any) { f["key"], f["signature"], f["made"] = of["key"], of["signature"], of["made"] })
		})
	},
	"added read sets": func(r, _ *repb.ActionResult, j job) {
		rewrite(r, func(f map[string]any) {
			f["readSets"] = store.MarshalReadSets(j.key.Action, []store.ReadSet{filesRead("evil")})
		})
	},
	"another host": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { f["made"].(map[string]any)["host"] = "other" })
	},
	"another run": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { f["made"].(map[string]any)["run"] = "other" })
	},
	"another date": func(r, _ *repb.ActionResult, _ job) {
		rewrite(r, func(f map[string]any) { f["made"].(map[string]any)["at"] = "2001-01-01T00:00:00Z" })
	},
}

// TestForgeries checks that a machine with trusted keys accepts only results that they have signed.
func TestForgeries(t *testing.T) {
	_, url, j := signed(t)
	if m, got, stats := takes(t, url, j, "other", "ci"); got == nil || got.Origin.Key != fingerprint("ci") || stats.Untrusted != 0 || len(m.notes) > 0 {
		t.Fatalf("a signed result: %+v, %+v, %q", got, stats, m.notes)
	}
	for name, change := range forgeries {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, url, j := signed(t)
			server.Change(func(_ map[string][]byte, results map[string]*repb.ActionResult) {
				var r, other *repb.ActionResult
				for _, each := range results {
					if len(each.OutputFiles) == len(j.contents) {
						r = each
					} else {
						other = each
					}
				}
				change(r, other, j)
			})
			m, got, stats := takes(t, url, j, "ci")
			if got != nil || stats.Untrusted != 1 || stats.Hits != 0 || stats.Down != 0 || !strings.Contains(stats.String(), "; 1 without a trusted signature") {
				t.Errorf("%+v, %+v", got, stats)
			}
			if len(m.notes) != 1 || !strings.Contains(m.notes[0], "no trusted key signed a result") {
				t.Errorf("notes: %q", m.notes)
			}
			// A machine without trusted keys accepts the result if it is consistent. Without a
			// valid signature, the machine names no signer.
			if _, got, _ := takes(t, url, j); got != nil && got.Origin.Key != "" {
				t.Errorf("said to be signed: %+v", got.Origin)
			}
		})
	}
}

// TestResultOfUnknownKeyIsReplaced checks that unsigned results, and results signed by unknown
// keys, are misses. Results signed by a trusted key must replace them.
func TestResultOfUnknownKeyIsReplaced(t *testing.T) {
	for _, writer := range []string{"eve", ""} {
		server := &remotetest.Server{}
		url := server.Start(t)
		j := equals()
		give := func(name string) {
			m := newMachine(t, url)
			if name != "" {
				m.keys.Sign = keyOf(name)
			}
			c := m.run()
			m.keep(c, j)
			if stats := c.Close(t.Context()); stats.Uploaded != 1 {
				t.Fatalf("%+v", stats)
			}
		}
		give(writer)
		if _, got, stats := takes(t, url, j, "ci"); got != nil || stats.Untrusted != 1 {
			t.Errorf("by %q: %+v, %+v", writer, got, stats)
		}
		if _, got, _ := takes(t, url, j); got == nil || got.Origin.Key != map[string]string{"eve": fingerprint("eve")}[writer] {
			t.Errorf("by %q: %+v", writer, got)
		}
		give("ci")
		if _, got, stats := takes(t, url, j, "ci"); got == nil || stats.Untrusted != 0 {
			t.Errorf("by ci after %q: %+v, %+v", writer, got, stats)
		}
	}
}

// TestSignedMerge lets a machine add a read set to an entry. If the machine signs entries, it must
// drop old read sets unless it trusts their signer.
func TestSignedMerge(t *testing.T) {
	j := jobs(7)[2]
	for name, tc := range map[string]struct {
		first, second string   // names of the signing keys
		trusted       []string // names of the keys that the second machine trusts
		want          []store.ReadSet
	}{
		"both trusted":       {"ci", "ci2", []string{"ci"}, []store.ReadSet{filesRead("b"), filesRead("a")}},
		"the same":           {"ci2", "ci2", nil, []store.ReadSet{filesRead("b"), filesRead("a")}},
		"the same, listed":   {"ci2", "ci2", []string{"ci"}, []store.ReadSet{filesRead("b"), filesRead("a")}},
		"unknown":            {"eve", "ci2", []string{"ci"}, []store.ReadSet{filesRead("b")}},
		"unsigned":           {"", "ci2", []string{"ci"}, []store.ReadSet{filesRead("b")}},
		"unknown, no trust":  {"eve", "ci2", nil, []store.ReadSet{filesRead("b")}},
		"unsigned, no trust": {"", "ci2", nil, []store.ReadSet{filesRead("b")}},
		"nobody signs":       {"", "", nil, []store.ReadSet{filesRead("b"), filesRead("a")}},
		"not stripped":       {"ci2", "", nil, []store.ReadSet{filesRead("a")}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &remotetest.Server{}
			url := server.Start(t)
			give := func(signer, read string, trusted []string) {
				m := newMachine(t, url)
				if signer != "" {
					m.keys.Sign = keyOf(signer)
				}
				for _, name := range trusted {
					m.keys.Trust = append(m.keys.Trust, public(name))
				}
				if err := m.store.AddReadSet(j.key.Action, filesRead(read)); err != nil {
					t.Fatal(err)
				}
				c := m.run()
				c.Keep("a.png", j.above())
				c.Close(t.Context())
			}
			give(tc.first, "a", nil)
			give(tc.second, "b", tc.trusted)
			taker := newMachine(t, url)
			if tc.first+tc.second != "" {
				taker.keys.Trust = []ed25519.PublicKey{public("ci2")}
			}
			c := taker.run()
			got := c.Look(t.Context(), j.above(), "", time.Minute).ReadSets
			c.Close(t.Context())
			if !slices.EqualFunc(got, tc.want, func(a, b store.ReadSet) bool { return slices.Equal(a, b) }) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestUnsignedResultIsNotUploadedIfOnlySignedAreTrusted(t *testing.T) {
	server := &remotetest.Server{}
	m := newMachine(t, server.Start(t))
	m.keys.Trust = []ed25519.PublicKey{public("ci")}
	c := m.run()
	for _, j := range jobs(2) {
		m.keep(c, j)
	}
	if stats := c.Close(t.Context()); stats.Uploaded != 0 || stats.Left != 0 || server.Calls("UpdateActionResult") != 0 {
		t.Errorf("%+v", stats)
	}
	if len(m.notes) != 1 || !strings.Contains(m.notes[0], "there is no key to sign with") {
		t.Errorf("notes: %q", m.notes)
	}
}

func TestFingerprintIsThatOfOpenssl(t *testing.T) {
	// The DER form of an Ed25519 public key is this prefix and the key (RFC 8410).
	der, _ := hex.DecodeString("302a300506032b6570032100")
	sum := sha256.Sum256(append(der, public("ci")...))
	if got := fingerprint("ci"); got != hex.EncodeToString(sum[:]) || share.Fingerprint(nil) != "" {
		t.Errorf("%s, want %x", got, sum)
	}
}
