// Package bucket keeps results in a bucket of an object store: S3, a server that is compatible with
// S3, or Google Cloud Storage. The objects are the files of package webcache, so a bucket that an
// HTTP gateway has filled has the same results.
//
// The package only finds the bucket and its credentials. Package webcache makes the requests, and
// the signer of the AWS SDK signs them with AWS Signature Version 4, whose secret keys never leave
// this machine. The other packages of the SDK are not used, because their initializers would
// slow every start of cook. Google Cloud Storage accepts the same signatures for HMAC keys.
package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Place is a bucket with the credentials to access it.
type Place struct {
	// URL is the address of the prefix, with http or https.
	URL *url.URL
	// KeySource names the variable or the file that has the credentials; "" if there are none.
	KeySource string

	bucket      *url.URL // address of the bucket
	prefix      string
	region      string
	credentials aws.Credentials
	advice      string // advice for a bucket that refuses the request
}

// Find finds the bucket at s3://BUCKET/PREFIX or gs://BUCKET/PREFIX by the environment variables and
// files of AWS's programs, or by GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY. Errors never contain
// secrets.
func Find(address *url.URL, getenv func(string) string) (*Place, error) {
	p := &Place{prefix: strings.Trim(address.Path, "/")}
	var endpoint string
	var err error
	if address.Scheme == "gs" {
		p.region, endpoint = "auto", "https://storage.googleapis.com"
		p.useKeys(getenv, "GS_ACCESS_KEY_ID", "GS_SECRET_ACCESS_KEY", "")
		p.advice = "set GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY to an HMAC key, or COOK_REMOTE_TOKEN to an access token, that may list and read objects"
	} else {
		endpoint, err = p.findAWS(getenv)
		p.advice = "the credentials need the permissions s3:ListBucket and s3:GetObject, and s3:PutObject for uploads"
		if p.KeySource == "" {
			p.advice = "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
		}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case endpoint != "":
		if p.bucket, err = url.Parse(endpoint); err != nil || p.bucket.Host == "" || p.bucket.User != nil || p.bucket.Scheme != "http" && p.bucket.Scheme != "https" {
			return nil, errors.New("the endpoint of AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or the profile is not http[s]://HOST")
		}
		p.bucket = p.bucket.JoinPath(address.Host)
	case strings.Contains(address.Host, "."): // the certificate of AWS has no names with dots
		p.bucket = &url.URL{Scheme: "https", Host: hostOf(p.region), Path: "/" + address.Host}
	default:
		p.bucket = &url.URL{Scheme: "https", Host: address.Host + "." + hostOf(p.region), Path: "/"}
	}
	p.URL = p.bucket.JoinPath(p.prefix)
	return p, nil
}

// hostOf returns the host of S3 in a region.
func hostOf(region string) string {
	host := "s3." + region + ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	return host
}

// useKeys uses the credentials of environment variables, and reports whether they are set.
func (p *Place) useKeys(getenv func(string) string, id, secret, token string) bool {
	if getenv(id) == "" || getenv(secret) == "" {
		return false
	}
	p.KeySource = id
	p.credentials = aws.Credentials{AccessKeyID: getenv(id), SecretAccessKey: getenv(secret)}
	if token != "" {
		p.credentials.SessionToken = getenv(token)
	}
	return true
}

// findAWS finds the credentials and the region, and returns the endpoint or, for AWS, "". A setting
// of the environment takes precedence over the profile.
func (p *Place) findAWS(getenv func(string) string) (endpoint string, err error) {
	home, _ := os.UserHomeDir()
	keysFile := cmp.Or(getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials"))
	configFile := cmp.Or(getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config"))
	name := cmp.Or(getenv("AWS_PROFILE"), "default")
	section := "profile " + name
	if name == "default" {
		section = name
	}
	keys, hasKeys, err := readProfile(keysFile, name)
	if err != nil {
		return "", err
	}
	config, hasConfig, err := readProfile(configFile, section)
	if err != nil {
		return "", err
	}
	switch {
	case p.useKeys(getenv, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
	case getenv("AWS_PROFILE") != "" && !hasKeys && !hasConfig:
		return "", fmt.Errorf("the profile %s of AWS_PROFILE is neither in %s nor in %s", pathname.Show(name), pathname.Show(keysFile), pathname.Show(configFile))
	case p.useProfile(keys, keysFile), p.useProfile(config, configFile):
	case hasKeys || hasConfig && (config["sso_session"] != "" || config["sso_start_url"] != "" || config["role_arn"] != "" || config["credential_process"] != ""):
		return "", fmt.Errorf("the profile %s has no aws_access_key_id; eval \"$(aws configure export-credentials --format env)\" sets the variables for other kinds of credentials", pathname.Show(name))
	}
	p.region = cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), config["region"], keys["region"], "us-east-1")
	if !isPlain(p.region) {
		return "", fmt.Errorf("the region %s is not a name such as us-east-1", pathname.Show(p.region))
	}
	return cmp.Or(getenv("AWS_ENDPOINT_URL_S3"), getenv("AWS_ENDPOINT_URL"), config["endpoint_url"]), nil
}

// isPlain reports whether a region may be part of a host name.
func isPlain(region string) bool {
	return strings.Trim(region, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// useProfile uses the credentials of a profile, and reports whether it has any.
func (p *Place) useProfile(profile map[string]string, file string) bool {
	has := p.useKeys(func(key string) string { return profile[key] }, "aws_access_key_id", "aws_secret_access_key", "aws_session_token")
	if has {
		p.KeySource = pathname.Show(file)
	}
	return has
}

// readProfile returns the settings of a section of a file of AWS's programs. A file that does not
// exist has no sections.
func readProfile(file, section string) (profile map[string]string, found bool, err error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	profile = map[string]string{}
	inside := false
	for line := range strings.Lines(string(data)) {
		trimmed := strings.TrimSpace(line)
		name, isSection := strings.CutPrefix(trimmed, "[")
		key, value, isSetting := strings.Cut(trimmed, "=")
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
		case isSection:
			name, _, _ = strings.Cut(name, "]")
			inside = strings.Join(strings.Fields(name), " ") == section
			found = found || inside
		case inside && isSetting && line[0] != ' ' && line[0] != '\t': // indented lines belong to a nested setting
			profile[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return profile, found, nil
}

// SendsSecret reports whether requests contain a secret. Signatures are none, but the token of
// temporary credentials is.
func (p *Place) SendsSecret() bool { return p.credentials.SessionToken != "" }

// Open opens the bucket. If opt has an Authorization, it replaces the signatures.
func (p *Place) Open(ctx context.Context, opt webcache.Options) (share.Server, error) {
	if opt.Authorization == "" && p.KeySource != "" {
		signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
		opt.Sign = func(r *http.Request, content string) error {
			r.Header.Set("X-Amz-Content-Sha256", content)
			return signer.SignHTTP(r.Context(), p.credentials, r, content, "s3", p.region, time.Now())
		}
	}
	list := *p.bucket
	list.RawQuery = url.Values{"list-type": {"2"}, "max-keys": {"1"}, "prefix": {strings.TrimPrefix(p.prefix+"/cas/", "/")}}.Encode()
	opt.Probe = list.String()
	s, err := webcache.Open(ctx, p.URL, opt)
	switch {
	case errors.Is(err, share.ErrMissing):
		return nil, errors.New("the bucket does not exist; create it, or check the address and AWS_ENDPOINT_URL_S3")
	case errors.Is(err, share.ErrRefused):
		return nil, fmt.Errorf("%w; %s", err, p.advice)
	}
	return s, err
}
