// Package remote is the command cook-remote, which speaks to a server on which results are
// shared. Programs that are cook with recipes of their own use the same cook-remote.
package remote

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/reapi"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/profile/guid"
)

const usage = `usage: cook-remote -check -url ADDRESS [flags]

Speaks to a server on which results of cook are shared. cook starts it for -remote; use
"cook remote check" to try a server.

`

// Main runs the command line and returns the exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("cook-remote", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), usage)
		fs.PrintDefaults()
	}
	var way way
	way.flags(fs)
	fs.BoolVar(&way.patient, "patient", false, "wait until it is known whether the server is there")
	serve := fs.Bool("serve", false, "answer a cook on the standard input and output")
	try := fs.Bool("check", false, "try the server")
	dir := fs.String("store", "", "`folder` of the store")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case *serve == *try || *serve && *dir == "" || fs.NArg() > 0:
		fs.Usage()
		return 2
	}
	if way.run == "" {
		way.run = guid.New().String()
	}
	err := rules.CheckRemote(way.url)
	if err == nil && *try {
		err = check(context.Background(), &way, stdout)
	} else if err == nil {
		signal.Ignore(os.Interrupt) // which is for cook; the end of the input is for this program
		err = answer(&way, *dir, stdin, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cook-remote: %s: %v\n", way.url, err)
		return 1
	}
	return 0
}

// answer serves one run.
func answer(w *way, dir string, in io.Reader, out io.Writer) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	keys, wrong := w.keys()
	open := func(ctx context.Context) (share.Server, error) {
		if wrong != nil {
			return nil, wrong // and so nothing is taken or given
		}
		return w.open(ctx)
	}
	host, _ := os.Hostname()
	host = strings.ToValidUTF8(host, "\ufffd") // which JSON would make of it under a signature
	where := hashing.DigestOf([]byte(w.url)).String()[:16]
	return share.Serve(context.Background(), in, out, share.Options{
		Store: s, Open: open, Name: w.url, Run: w.run, Host: host, Keys: keys, Patient: w.patient, Pending: filepath.Join(s.Dir(), "v1", "uploads-"+where),
		Platform: w.platform,
	})
}

// A way is how a server is reached.
type way struct {
	url, ca, cert, key, token, basic string
	project                          string // the cook.toml that chooses url, "" if the user chooses it
	sign, run                        string
	trust, platform                  []string
	patient                          bool
}

func (w *way) flags(fs *flag.FlagSet) {
	fs.StringVar(&w.url, "url", "", "`address` of the server: grpc[s]://HOST:PORT/INSTANCE or http[s]://HOST/PREFIX")
	fs.StringVar(&w.project, "project", "", "`file` cook.toml that chooses the address: secrets of the environment go there only if $"+hostsVar+" has its host")
	fs.StringVar(&w.ca, "ca", "", "`file` of certificates that sign the server's")
	fs.StringVar(&w.cert, "cert", "", "`file` of the certificate to show to the server")
	fs.StringVar(&w.key, "key", "", "`file` of the key of that certificate")
	fs.StringVar(&w.token, "token-file", "", "`file` with a bearer token (default: $COOK_REMOTE_TOKEN)")
	fs.Func("platform", "`KEY=VALUE` of the machines that are to cook; may be given several times", func(property string) error {
		w.platform = append(w.platform, property)
		return nil
	})
	fs.StringVar(&w.sign, "sign-key", "", "`file` of the key that signs results")
	fs.Func("trust", "`file` of a key whose results are taken; may be given several times", func(file string) error {
		w.trust = append(w.trust, file)
		return nil
	})
	fs.StringVar(&w.run, "run", "", "`ID` of the run that is served")
	fs.StringVar(&w.basic, "basic-file", "", "`file` with user:password (default: $COOK_REMOTE_BASIC)")
}

// open opens the server.
func (w *way) open(ctx context.Context) (share.Server, error) {
	address, err := url.Parse(w.url)
	if err != nil {
		return nil, err
	}
	if err := w.bind(address); err != nil {
		return nil, err
	}
	authorization, err := w.authorization()
	if err != nil {
		return nil, err
	}
	tls, err := w.tls()
	if err != nil {
		return nil, err
	}
	if authorization != "" && (address.Scheme == "grpc" || address.Scheme == "http") && !isLoopback(address.Hostname()) {
		return nil, fmt.Errorf("credentials do not travel in the clear: use %ss://", address.Scheme)
	}
	if address.Scheme == "http" || address.Scheme == "https" {
		return webcache.Open(ctx, address, webcache.Options{TLS: tls, Authorization: authorization})
	}
	return reapi.Open(ctx, address, reapi.Options{TLS: tls, Authorization: authorization, Invocation: w.run})
}

// openTimeout bounds how long a check waits for the server.
const openTimeout = 5 * time.Second
