package bucket_test

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/assetcook/assetcook/cook/internal/remote/bucket"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
)

const secret = "not-for-logs"

var team = remotetest.Bucket{Name: "team", Region: "eu-central-1", KeyID: "AKID", Secret: secret}

// find finds a bucket with settings instead of environment variables. Files that are not set do not
// exist.
func find(t *testing.T, address string, settings map[string]string) (*bucket.Place, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	return bucket.Find(u, func(name string) string {
		if value, ok := settings[name]; ok || !strings.HasSuffix(name, "_FILE") {
			return value
		}
		return none
	})
}

func settings(endpoint string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL_S3": endpoint, "AWS_REGION": team.Region, "AWS_ACCESS_KEY_ID": team.KeyID, "AWS_SECRET_ACCESS_KEY": secret,
	}
}

func openBucket(t *testing.T, address string, settings map[string]string) (share.Server, error) {
	t.Helper()
	p, err := find(t, address, settings)
	if err != nil {
		return nil, err
	}
	s, err := p.Open(t.Context(), webcache.Options{})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

func write(t *testing.T, s share.Server, content []byte) error {
	return s.Write(t.Context(), share.SHA256.Of(content), func(offset int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content[offset:])), nil
	})
}

// TestBucketKeepsContents uploads through one connection and downloads through another, with every
// kind of request, and with a broken connection. The server verifies all signatures.
func TestBucketKeepsContents(t *testing.T) {
	server := &remotetest.Server{CutAt: 1000}
	endpoint := server.StartS3(t, team)
	for _, prefix := range []string{"", "/", "/a", "/a/b.c_d~e-f/"} {
		giver, err := openBucket(t, "s3://team"+prefix, settings(endpoint))
		if err != nil {
			t.Fatal(err)
		}
		content := bytes.Repeat([]byte(prefix+"."), 5000)
		d := share.SHA256.Of(content)
		if missing, err := giver.Missing(t.Context(), []share.Digest{d}); err != nil || len(missing) != 1 {
			t.Errorf("%q: missing %v, %v", prefix, missing, err)
		}
		if err := errors.Join(write(t, giver, content), write(t, giver, nil)); err != nil {
			t.Fatal(err)
		}
		if err := giver.PutResult(t.Context(), d, &messages.ActionResult{StdoutRaw: []byte(prefix)}); err != nil {
			t.Fatal(err)
		}
		taker, err := openBucket(t, "s3://team"+prefix, settings(endpoint))
		if err != nil {
			t.Fatal(err)
		}
		if missing, err := taker.Missing(t.Context(), []share.Digest{d}); err != nil || len(missing) > 0 {
			t.Errorf("%q: missing %v, %v", prefix, missing, err)
		}
		if r, err := taker.Result(t.Context(), d); err != nil || string(r.StdoutRaw) != prefix {
			t.Errorf("%q: result %v", prefix, err)
		}
		r, err := taker.Read(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if r.Close(); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%q: read %d bytes, %v", prefix, len(got), err)
		}
	}
}

// TestTornBlobOfBucketIsMissing checks that a blob with a wrong size counts as missing, and that an
// upload replaces it.
func TestTornBlobOfBucketIsMissing(t *testing.T) {
	server := &remotetest.Server{}
	s, err := openBucket(t, "s3://team/x", settings(server.StartS3(t, team)))
	if err != nil {
		t.Fatal(err)
	}
	content := []byte("content")
	d := share.SHA256.Of(content)
	server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) { blobs[d.Hash] = content[:3] })
	for _, want := range []int{1, 0} {
		if missing, err := s.Missing(t.Context(), []share.Digest{d}); err != nil || len(missing) != want {
			t.Errorf("missing %v, %v; want %d", missing, err, want)
		}
		if err := write(t, s, content); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBucketErrors checks the errors for wrong settings. No error may contain the secret.
func TestBucketErrors(t *testing.T) {
	endpoint := (&remotetest.Server{}).StartS3(t, team)
	for name, c := range map[string]struct {
		address, key, value string
		kind                error // nil for an error of another kind
		says                string
	}{
		"wrong key":       {"s3://team", "AWS_ACCESS_KEY_ID", "other", share.ErrRefused, "403 Forbidden (InvalidAccessKeyId); the credentials need"},
		"wrong secret":    {"s3://team", "AWS_SECRET_ACCESS_KEY", secret + "2", share.ErrRefused, "(SignatureDoesNotMatch)"},
		"unwanted token":  {"s3://team", "AWS_SESSION_TOKEN", secret, share.ErrRefused, "(InvalidToken)"},
		"no key":          {"s3://team", "AWS_ACCESS_KEY_ID", "", share.ErrRefused, "no credentials were found"},
		"wrong region":    {"s3://team", "AWS_REGION", "us-east-1", nil, "(AuthorizationHeaderMalformed)"},
		"odd region":      {"s3://team", "AWS_REGION", "evil.com/", nil, "is not a name such as"},
		"no bucket":       {"s3://other", "", "", nil, "the bucket does not exist"},
		"no profile":      {"s3://team", "AWS_PROFILE", "other", nil, ""},
		"odd endpoint":    {"s3://team", "AWS_ENDPOINT_URL_S3", "localhost:9000", nil, "is not http[s]://HOST"},
		"user in address": {"s3://team", "AWS_ENDPOINT_URL_S3", "http://u:" + secret + "@localhost", nil, "is not http[s]://HOST"},
	} {
		all := settings(endpoint)
		all[c.key] = c.value
		_, err := openBucket(t, c.address, all)
		if c.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), secret) ||
			errors.Is(err, share.ErrRefused) != (c.kind != nil) || errors.Is(err, share.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFind checks the addresses of buckets, and the order of the sources of settings.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	keys, config := filepath.Join(dir, "credentials"), filepath.Join(dir, "config")
	for name, text := range map[string]string{
		keys: "# keys\n[default]\naws_access_key_id = D\naws_secret_access_key=" + secret + "\n\n[ci]\nAWS_ACCESS_KEY_ID=C\naws_secret_access_key = " + secret + "\naws_session_token = T\n[odd]\nregion = x\n",
		config: "[default]\nregion = eu-west-1\n[profile  ci]\nregion=us-west-2\nendpoint_url = https://s3.example.com\ns3 =\n  endpoint_url = https://nested.example.com\n[profile sso]\nsso_session = x\n[profile c]\naws_access_key_id = E\naws_secret_access_key = " +
			secret + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := "AWS_ACCESS_KEY_ID=A AWS_SECRET_ACCESS_KEY=" + secret
	files := " AWS_SHARED_CREDENTIALS_FILE=" + keys + " AWS_CONFIG_FILE=" + config
	for _, c := range []struct{ address, env, url, source string }{ // a source with a blank is part of an error
		{"s3://team", "", "https://team.s3.us-east-1.amazonaws.com/", ""},
		{"s3://team/a/b", env + " AWS_REGION=eu-west-3", "https://team.s3.eu-west-3.amazonaws.com/a/b", "AWS_ACCESS_KEY_ID"},
		{"s3://team/a", "AWS_DEFAULT_REGION=cn-north-1", "https://team.s3.cn-north-1.amazonaws.com.cn/a", ""},
		{"s3://my.team/a", "", "https://s3.us-east-1.amazonaws.com/my.team/a", ""},
		{"s3://team/a", "AWS_ENDPOINT_URL=http://localhost:9000", "http://localhost:9000/team/a", ""},
		{"s3://team/a", "AWS_ENDPOINT_URL=http://localhost:9000 AWS_ENDPOINT_URL_S3=https://s3.example.com/x/", "https://s3.example.com/x/team/a", ""},
		{"s3://team", files, "https://team.s3.eu-west-1.amazonaws.com/", keys},
		{"s3://team", env + files, "https://team.s3.eu-west-1.amazonaws.com/", "AWS_ACCESS_KEY_ID"},
		{"s3://team", "AWS_PROFILE=ci" + files, "https://s3.example.com/team", keys},
		{"s3://team", "AWS_PROFILE=c" + files, "https://team.s3.us-east-1.amazonaws.com/", config},
		{"s3://team", "AWS_PROFILE=sso" + files, "", "has no aws_access_key_id; eval"},
		{"s3://team", "AWS_PROFILE=odd" + files, "", "has no aws_access_key_id; eval"},
		{"s3://team", "AWS_PROFILE=none" + files, "", "the profile none of AWS_PROFILE is neither"},
		{"gs://team/a", env + " AWS_ENDPOINT_URL=http://localhost:9000", "https://storage.googleapis.com/team/a", ""},
		{"gs://team.example.com/a", "GS_ACCESS_KEY_ID=G GS_SECRET_ACCESS_KEY=" + secret, "https://storage.googleapis.com/team.example.com/a", "GS_ACCESS_KEY_ID"},
	} {
		settings := map[string]string{}
		for word := range strings.FieldsSeq(c.env) {
			key, value, _ := strings.Cut(word, "=")
			settings[key] = value
		}
		p, err := find(t, c.address, settings)
		if err != nil {
			if c.url != "" || !strings.Contains(err.Error(), c.source) || strings.Contains(err.Error(), secret) {
				t.Errorf("%s with %s: %v", c.address, c.env, err)
			}
			continue
		}
		if p.URL.String() != c.url || p.KeySource != c.source || p.SendsSecret() != strings.Contains(c.env, "=ci") {
			t.Errorf("%s with %s: %s, keys of %q", c.address, c.env, p.URL, p.KeySource)
		}
	}
}
