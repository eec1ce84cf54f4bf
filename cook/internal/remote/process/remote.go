// Package process implements the process that connects to a server with shared results. A run
// starts the process with its first request or upload. "cook remote check" also uses the package,
// to test a server, and "cook snapshot" to open one.
package process

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/bucket"
	"github.com/assetcook/assetcook/cook/internal/remote/dircache"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/reapi"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/texttable"
	"github.com/assetcook/assetcook/profile/guid"
)

// Serve answers the requests of a run on stdin until stdin ends, and returns the exit status.
func Serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("serve-remote", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var s service
	s.way.registerFlags(fs)
	fs.BoolVar(&s.patient, "patient", false, "wait until the server has answered or failed")
	fs.BoolVar(&s.push, "push", false, "upload results of earlier runs, and end if the server does not answer at once")
	fs.StringVar(&s.store, "store", "", "`directory` of the store")
	if fs.Parse(args) != nil {
		return 2
	}
	if s.store == "" || fs.NArg() > 0 {
		fmt.Fprintln(stderr, "cook: serve-remote is for runs of cook, which start it; use cook -remote")
		return 2
	}
	if s.way.run == "" {
		s.way.run = guid.New().String()
	}
	signal.Ignore(os.Interrupt) // the run handles the signal, and ends this process by closing stdin
	err := rules.CheckRemote(s.way.url)
	if err == nil {
		err = s.serveRun(ctx, stdin, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, frontend.HideCredentials(fmt.Sprintf("cook: %s: %v", s.way.url, err)))
		return 1
	}
	return 0
}

// Check tests the server given by args, the arguments of [Serve], and prints a table of its
// capabilities. If uploads is set, it returns an error if this machine cannot upload results.
func Check(ctx context.Context, args []string, uploads bool, stdout io.Writer) error {
	w, err := parseWay(args)
	if err == nil {
		err = checkServer(ctx, w, uploads, stdout)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.url, err)
	}
	return nil
}

// parseWay returns the way to the server given by args, the arguments of [Serve].
func parseWay(args []string) (*way, error) {
	fs := flag.NewFlagSet("remote", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	w := new(way)
	w.registerFlags(fs)
	if err := fs.Parse(args); err != nil {
		return w, err
	}
	w.run = cmp.Or(w.run, guid.New().String())
	return w, rules.CheckRemote(w.url)
}

// OpenCarrier opens the server given by args, the arguments of [Serve], for snapshots. Downloads go
// into a store, which may be nil if there are none. It passes messages for the user to note.
func OpenCarrier(ctx context.Context, args []string, to *store.Store, note func(string)) (*share.Carrier, error) {
	w, err := parseWay(args)
	var keys share.Keys
	if err == nil {
		keys, err = w.readSigningKeys()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.url, err)
	}
	return share.NewCarrier(ctx, share.Options{Store: to, Open: w.openServer, Name: w.url, Run: w.run, Host: hostName(), Keys: keys}, note), nil
}

// hostName returns the name of this machine, as valid UTF-8.
func hostName() string {
	host, _ := os.Hostname()
	return strings.ToValidUTF8(host, "\ufffd") // json.Marshal replaces invalid bytes in the same way
}

// A service is a process that serves one run.
type service struct {
	way           way
	store         string // directory
	patient, push bool   // see share.Options
}

func (s *service) serveRun(ctx context.Context, in io.Reader, out io.Writer) error {
	w := &s.way
	opened, err := store.Open(s.store)
	if err != nil {
		return err
	}
	keys, wrong := w.readSigningKeys()
	open := func(ctx context.Context, meter *share.Meter) (share.Server, error) {
		if wrong != nil {
			return nil, wrong // answers every request with an error
		}
		return w.openServer(ctx, meter)
	}
	where := hashing.DigestOf([]byte(w.url)).String()[:16]
	return share.Serve(ctx, in, out, share.Options{
		Store: opened, Open: open, Name: w.url, Run: w.run, Host: hostName(), Keys: keys, Patient: s.patient, Push: s.push, Pending: filepath.Join(opened.Dir(), "v1", "uploads-"+where),
		Platform: w.platform,
	})
}

// A way has the address, the credentials and the settings for one server.
type way struct {
	url, ca, cert, key, token, basic string
	project                          string // the cook.toml that chooses url; "" if the user chooses the server
	sign, run                        string
	trust, platform                  []string
}

func (w *way) registerFlags(fs *flag.FlagSet) {
	fs.StringVar(&w.url, "url", "", "`address` of the server: "+rules.RemoteForms)
	fs.StringVar(&w.project, "project", "", "`file` cook.toml that chooses the address; secrets of the environment are sent only to the hosts in $"+hostsVar)
	fs.StringVar(&w.ca, "ca", "", "`file` of the certificates that sign the server's certificate")
	fs.StringVar(&w.cert, "cert", "", "`file` of the client certificate, if the server requires one")
	fs.StringVar(&w.key, "key", "", "`file` of the key of the client certificate")
	fs.StringVar(&w.token, "token-file", "", "`file` with a bearer token (default: $COOK_REMOTE_TOKEN)")
	fs.Func("platform", "`KEY=VALUE`, a property that machines must have to cook; may be given several times", func(property string) error {
		w.platform = append(w.platform, property)
		return nil
	})
	fs.StringVar(&w.sign, "sign-key", "", "`file` of the key that signs results")
	fs.Func("trust", "`file` of a public key; results signed with it are accepted; may be given several times", func(file string) error {
		w.trust = append(w.trust, file)
		return nil
	})
	fs.StringVar(&w.run, "run", "", "`ID` of the run that is served")
	fs.StringVar(&w.basic, "basic-file", "", "`file` with user:password (default: $COOK_REMOTE_BASIC)")
}

// connectToServer opens a connection to the server at url. meter may be nil.
func (w *way) connectToServer(ctx context.Context, meter *share.Meter) (share.Server, error) {
	address, err := url.Parse(w.url)
	if err != nil {
		return nil, err
	}
	var place *bucket.Place // nil unless the server is a bucket
	var keys string
	if isBucket(address) {
		if place, err = bucket.Find(address, os.Getenv); err != nil {
			return nil, err
		}
		keys = place.KeySource
	}
	if err := w.checkSecretHost(address, keys); err != nil {
		return nil, err
	}
	if address.Scheme == "file" {
		return dircache.Open(ctx, address, meter)
	}
	var authorization string
	if usesToken(address) {
		if authorization, err = w.authorization(); err != nil {
			return nil, err
		}
	}
	tls, err := w.tls()
	if err != nil {
		return nil, err
	}
	sendsSecret := authorization != ""
	if place != nil {
		address = place.URL
		sendsSecret = sendsSecret || place.SendsSecret()
	}
	if sendsSecret && (address.Scheme == "grpc" || address.Scheme == "http") && !isLoopback(address.Hostname()) {
		return nil, fmt.Errorf("credentials are not sent without encryption; use %ss://", address.Scheme)
	}
	web := webcache.Options{TLS: tls, Authorization: authorization, Meter: meter}
	switch {
	case place != nil:
		return place.Open(ctx, web)
	case address.Scheme == "http" || address.Scheme == "https":
		return webcache.Open(ctx, address, web)
	}
	return reapi.Open(ctx, address, reapi.Options{TLS: tls, Authorization: authorization, Invocation: w.run, Meter: meter})
}

// openTimeout limits how long a check waits for the server.
const openTimeout = 5 * time.Second

// Limits of a check: number of look-ups, bytes written and read back, and total time.
const (
	checkLooks = 20
	checkBytes = 8 << 20
	checkTime  = 30 * time.Second
)

// errNoUploads is the error of a check on a machine whose runs upload results.
var errNoUploads = errors.New("runs on this machine upload results, but cannot do so; correct the credentials, or set -remote-upload never")

// checkServer tests a server, and prints the results.
func checkServer(ctx context.Context, w *way, uploads bool, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	table := texttable.New(out, texttable.Left)
	defer table.Flush()
	row := func(name, format string, args ...any) {
		table.Row(name, fmt.Sprintf(format, args...))
	}

	keys, err := w.readSigningKeys()
	if err != nil {
		return err
	}
	opening, stop := context.WithTimeout(ctx, openTimeout)
	defer stop()
	begin := time.Now()
	server, err := w.openServer(opening, nil)
	if err != nil {
		return err
	}
	defer server.Close()
	row("reached", "in %s", human.Duration(time.Since(begin)))
	t := server.Traits()
	row("digests", "%v", t.Function)
	row("batches", "%s", human.Bytes(t.Batch))
	if len(t.Compressors) > 0 {
		row("compresses", "%s", strings.Join(t.Compressors, ", "))
	}
	row("executes", "%s", map[bool]string{true: "actions", false: "nothing"}[t.Executes])

	if keys.Sign != nil {
		row("signs", "key %s", share.Fingerprint(keys.Sign.Public().(ed25519.PublicKey)))
	}
	for _, key := range keys.Trust {
		row("trusts", "key %s", share.Fingerprint(key))
	}

	latency, err := checkLatency(ctx, server)
	if err != nil {
		return fmt.Errorf("cannot look up a result: %w", err)
	}
	row("a look-up", "%s (median of %d)", human.Duration(latency), checkLooks)
	if clock, ok := server.(interface{ Ahead() (time.Duration, bool) }); ok {
		if ahead, ok := clock.Ahead(); ok && ahead.Abs() > time.Minute {
			row("clock", "differs by %s: results may expire too early or too late", human.Duration(ahead.Abs()))
		} else if ok {
			row("clock", "agrees")
		}
	}
	switch {
	case !t.Uploads:
		err = fmt.Errorf("%w: it accepts no results from this machine", share.ErrRefused)
	case len(keys.Trust) > 0 && keys.Sign == nil:
		err = share.ErrNoKey
	default:
		err = checkRoundTrip(ctx, server, row)
	}
	if !errors.Is(err, share.ErrRefused) && !errors.Is(err, share.ErrFull) {
		return err
	}
	row("uploads", "no: %v", err)
	if uploads {
		return errNoUploads
	}
	return nil
}

// checkLatency measures the latency of looking up results that do not exist.
func checkLatency(ctx context.Context, server share.Server) (time.Duration, error) {
	var took []time.Duration
	for range checkLooks {
		key := make([]byte, 32)
		rand.Read(key)
		begin := time.Now()
		_, err := server.Result(ctx, server.Traits().Function.Of(key))
		if err != nil && !errors.Is(err, share.ErrMissing) {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// checkRoundTrip writes a blob and a result, and reads the blob back. No run looks up the result.
func checkRoundTrip(ctx context.Context, server share.Server, row func(name, format string, args ...any)) error {
	blob := make([]byte, checkBytes)
	rand.Read(blob)
	d := server.Traits().Function.Of(blob)
	begin := time.Now()
	err := server.Write(ctx, d, func(offset int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(blob[offset:])), nil
	})
	took := time.Since(begin)
	if err == nil {
		err = server.PutResult(ctx, d, &messages.ActionResult{OutputFiles: []messages.OutputFile{{Path: "0", Digest: d}}})
	}
	if errors.Is(err, share.ErrRefused) || errors.Is(err, share.ErrFull) {
		return err
	}
	if err != nil {
		return fmt.Errorf("cannot write a blob of %s: %w", human.Bytes(checkBytes), err)
	}
	row("uploads", "%s/s", human.Bytes(int64(checkBytes/took.Seconds())))
	begin = time.Now()
	r, err := server.Read(ctx, d)
	if err == nil {
		defer r.Close()
		var back []byte
		if back, err = io.ReadAll(io.LimitReader(r, checkBytes+1)); err == nil && !bytes.Equal(back, blob) {
			err = errors.New("the downloaded blob differs from the uploaded blob")
		}
	}
	if err != nil {
		return fmt.Errorf("cannot read a blob of %s: %w", human.Bytes(checkBytes), err)
	}
	row("downloads", "%s/s", human.Bytes(int64(checkBytes/time.Since(begin).Seconds())))
	return nil
}
