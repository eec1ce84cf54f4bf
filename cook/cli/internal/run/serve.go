package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/serve"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
)

const serveText = `usage: cook serve -dir assets [flags]

Cooks all changes, as cook -watch does, and serves the outputs of one target over HTTP, so that
a phone or another device loads them, and loads each again after an edit:

	manifest.json, and the files that it lists, at the same paths as in an export
	events       the changes, as server-sent events
	reload.js    a JavaScript module that calls functions for the events

Nothing else is served. Without -listen, only this machine can connect. A server for other
machines needs a token; without -token, cook makes one. The printed URL contains the token.
Clients may instead send the header "Authorization: Bearer TOKEN", or add ?token=TOKEN. The
variable COOK_TOKEN hides the token from other users of this machine.

-tls encrypts with a certificate that is made at each start; compare the printed fingerprint.
-tls-cert and -tls-key name a certificate that the device trusts.

Example:
	cook serve -dir assets
	cook serve -dir assets -target mobile -listen 0.0.0.0:7357
	cook serve -dir assets -listen 0.0.0.0:7357 -tls-cert cert.pem -tls-key key.pem
`

// Serve is the verb "cook serve".
var Serve = cmdline.Verb{
	Name: "serve", Synopsis: "serve -dir assets [flags]", Summary: "cook changes, and serve the outputs to phones and other devices", Text: serveText,
	Takes: cmdline.Argument{Folders: true},
	New:   cmdline.HandlerOf((*serveOptions).serveFlags, (*serveOptions).runServe),
}

type serveOptions struct {
	cook   cookOptions
	listen listenOptions
}

func (r *serveOptions) serveFlags(fs *flag.FlagSet) {
	r.cook.watchFlags(fs)
	cmdline.RuleFlags(fs, &r.cook.project, "cook and serve the target of this `name`, at paths without the directory of the target")
	fs.BoolVar(&r.cook.watch, "watch", true, "cook all changes; -watch=false only serves what another cook makes")
	r.listen.listenFlags(fs)
}

// chooseServedTarget returns the target to serve; "" is the unnamed target.
func (r *serveOptions) chooseServedTarget() (string, error) {
	targets := r.cook.project.Targets
	switch {
	case len(targets) == 0:
		return "", nil
	case len(targets) > 1:
		return "", fmt.Errorf("serve: a server has one target; choose one with -target: %s", strings.Join(targets, " or "))
	case slices.Contains(targets, rules.AllTargets):
		return "", errors.New("serve: a server has one target; name it with -target instead of all")
	}
	return targets[0], nil
}

func (r *serveOptions) runServe(ctx context.Context, c *cmdline.Call, words []string) int {
	p := &r.cook.project
	r.cook.call, p.Recipes = c, c.Recipes
	switch {
	case len(words) > 0:
		return c.Wrong("serve: unknown word %s; serve has one asset directory, and no patterns", pathname.Show(words[0]))
	case p.Dir == "" && (r.cook.watch || p.Out == ""):
		return c.Wrong("serve: no asset directory given; try: cook serve -dir assets")
	}
	target, err := r.chooseServedTarget()
	if err != nil {
		return c.Wrong("%v", err)
	}
	if err := cmdline.SelfForRemote(&p.Remote); err != nil {
		return c.Fail(ctx, err)
	}
	out, err := survey.OutputFolder(p.Dir, p.Out)
	if err != nil {
		return c.Fail(ctx, &cook.ConfigError{Err: err})
	}
	c.AtWork() // listen for interrupts, which must not cut off downloads
	at, err := r.listen.openListener()
	if err != nil {
		return c.Fail(ctx, &cook.ConfigError{Err: fmt.Errorf("serve: %w", err)})
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := serve.Start(ctx, serve.Options{Out: out, Target: target, Token: at.token})
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- server.Serve(at.listener)
	}()
	at.printURLs(c, target)
	code := r.watchUntil(ctx)
	stop()
	if err := <-ended; err != nil {
		return c.Fail(context.Background(), fmt.Errorf("serve: %w", err))
	}
	return code
}

// watchUntil cooks changes until ctx ends. With -watch=false, it only waits.
func (r *serveOptions) watchUntil(ctx context.Context) int {
	if !r.cook.watch {
		<-ctx.Done()
		fmt.Fprintf(r.cook.call.Stderr, "cook: no longer serving\n")
		return frontend.Interrupted
	}
	code := r.cook.runWatch(ctx)
	if code == cmdline.Locked {
		fmt.Fprintf(r.cook.call.Stderr, "cook: to serve what the other cook makes, add -watch=false\n")
	}
	return code
}
