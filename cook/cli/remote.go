package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/process"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/pathname"
)

// remoteFlags declares where results are shared and how that server is reached.
func remoteFlags(fs *flag.FlagSet, r *cook.Remote) {
	fs.Var((*address)(r), "remote", "share results on the server at this `address`: grpc[s]://HOST:PORT/INSTANCE or http[s]://HOST/PREFIX")
	keyFlags(fs, r)
}

// keyFlags declares how a server is reached, and whose results are taken.
func keyFlags(fs *flag.FlagSet, r *cook.Remote) {
	fs.StringVar(&r.CA, "remote-ca", "", "`file` of certificates that sign the server's")
	fs.StringVar(&r.Cert, "remote-cert", "", "`file` of the certificate to show to the server")
	fs.StringVar(&r.Key, "remote-key", "", "`file` of the key of that certificate")
	fs.StringVar(&r.TokenFile, "remote-token-file", "", "`file` with the bearer token for the server (default: $COOK_REMOTE_TOKEN)")
	fs.StringVar(&r.SignKey, "remote-sign-key", "", "`file` of the Ed25519 key, in PEM, that signs the results that are given")
	fs.Var((*names)(&r.Trust), "remote-trust", "take only results that were signed by one of these `keys`: files of Ed25519 public keys, in PEM, separated by commas")
	fs.StringVar(&r.BasicFile, "remote-basic-file", "", "`file` with user:password for the server (default: $COOK_REMOTE_BASIC)")
}

// executionFlags declares whether other machines cook.
func executionFlags(fs *flag.FlagSet, r *cook.Remote) {
	fs.Var((*execution)(&r.Exec), "remote-exec", "have assets cooked by the machines behind the server of -remote as well, where that saves time; =always: where it does not, too")
	fs.Var((*jobs)(&r.Jobs), "remote-jobs", "`number` of assets that they cook at once (default: four for each worker here)")
	fs.Var((*platform)(&r.Platform), "remote-platform", "`KEY=VALUE`, separated by commas: properties that they must have")
}

// execution is a flag value: true, false or always.
type execution string

func (e *execution) IsBoolFlag() bool { return true }

func (e *execution) String() string { return string(*e) }

func (e *execution) Choices() []string { return []string{"true", "false", rules.ExecAlways} }

func (e *execution) Set(text string) error {
	switch yes, err := strconv.ParseBool(text); {
	case text == rules.ExecAlways || text == rules.ExecAuto || text == rules.ExecNever:
		*e = execution(text)
	case err != nil:
		return errors.New("want true, false or always")
	case yes:
		*e = rules.ExecAuto
	default:
		*e = rules.ExecNever
	}
	return nil
}

// jobs is a flag value: a number, "" for none.
type jobs int

func (j *jobs) String() string {
	if *j == 0 {
		return ""
	}
	return strconv.Itoa(int(*j))
}

func (j *jobs) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > rules.MaxRemoteJobs {
		return fmt.Errorf("want a whole number from 1 to %d", rules.MaxRemoteJobs)
	}
	*j = jobs(n)
	return nil
}

// platform is a flag value: properties separated by commas.
type platform []string

func (p *platform) String() string { return strings.Join(*p, ",") }

func (p *platform) Set(text string) error {
	for property := range strings.SplitSeq(text, ",") {
		if name, _, ok := strings.Cut(property, "="); !ok || name == "" {
			return errors.New("want KEY=VALUE, such as OSFamily=linux")
		}
		*p = append(*p, property)
	}
	return nil
}

// address is a flag value: that of a server.
type address cook.Remote

func (a *address) String() string { return a.URL }

func (a *address) Set(text string) error {
	a.URL = text
	return rules.CheckRemote(text)
}

func (a *address) chosenBy(p *cook.Remote) { a.URL, a.File = p.URL, p.File }

// asked is a flag value: true asks the server that the project or the environment names, an
// address that one.
type asked struct {
	to *cook.Remote
	on *bool
}

func (a asked) IsBoolFlag() bool { return true }

func (a asked) String() string {
	if a.to == nil {
		return ""
	}
	return a.to.URL
}

func (a asked) Set(text string) error {
	yes, err := strconv.ParseBool(text)
	if err == nil {
		*a.on = yes
		return nil
	}
	*a.on, a.to.URL = true, text
	return rules.CheckRemote(text)
}

func (a asked) suggest(text string) error {
	if a.to.URL != "" {
		return nil
	}
	a.to.URL = text
	return rules.CheckRemote(text)
}

func (a asked) chosenBy(p *cook.Remote) { (*address)(a.to).chosenBy(p) }

// A suggested flag value accepts a default from the environment.
type suggested interface{ suggest(text string) error }

// A server is a flag value that accepts an address from a project's cook.toml, and remembers
// its origin.
type server interface{ chosenBy(*cook.Remote) }

// upload is a flag value: never, ci or always.
type upload string

func (u *upload) String() string { return string(*u) }

func (u *upload) Choices() []string { return rules.UploadChoices }

func (u *upload) Set(text string) error {
	for _, choice := range u.Choices() {
		if text == choice {
			*u = upload(text)
			return nil
		}
	}
	return errors.New("want never, ci or always")
}

// unless is a flag value that is true for false, and says "" as long as nothing was set.
type unless bool

func (n *unless) IsBoolFlag() bool { return true }

func (n *unless) String() string {
	if n == nil || !bool(*n) {
		return ""
	}
	return "false"
}

func (n *unless) Set(text string) error {
	yes, err := strconv.ParseBool(text)
	*n = unless(!yes)
	return err
}

// selfForRemote makes this program the one that speaks to the server of r.
func selfForRemote(r *cook.Remote) (err error) {
	if r.URL != "" {
		r.Program, err = os.Executable()
	}
	return err
}

// errNoServer says that a command line needs a server and names none.
var errNoServer = errors.New("no server: give -remote, or write a table [remote] into cook.toml")

// checkServer checks that there is a server to ask. words are the other words of the command
// line.
func checkServer(r *cook.Remote, words []string) (err error) {
	for _, word := range words {
		if rules.CheckRemote(word) == nil {
			return fmt.Errorf("%s is no pattern; write -remote=%s", pathname.Show(word), pathname.Show(word))
		}
	}
	if r.URL == "" {
		return errNoServer
	}
	return selfForRemote(r)
}

const remoteText = `usage: cook remote check [flags]

Tries the server of -remote, or of [remote] in cook.toml: whether it is there and lets you
in, what it can do, how long an answer takes, how fast blobs come and go, and whether its
clock agrees. Exit status 1 says that results cannot be shared.

A server keeps results for a team: what one machine has cooked, no other machine cooks
again. Any cache server for Bazel will do. Results are checked by their content when they
arrive. cook help -all lists the flags that share results.

Example:
	cook remote check -remote grpc://cache.example.com:9092
	cook -dir assets -remote grpc://cache.example.com:9092
`

func remoteVerbs() []string { return []string{"check"} }

// A remoteRun is a command line of the verb.
type remoteRun struct{ project cook.Project }

func (r *remoteRun) flags() *flag.FlagSet {
	fs := newFlags("remote", remoteText)
	fs.StringVar(&r.project.Dir, "dir", "", "`folder` of the source assets, whose cook.toml may say where the server is")
	remoteFlags(fs, &r.project.Remote)
	return fs
}

func runRemote(ctx context.Context, _ func(), args []string, stdout, stderr io.Writer) int {
	var r remoteRun
	fs := r.flags()
	words, code, ok := parse(fs, args, stdout, stderr)
	if !ok {
		return code
	}
	to := &r.project.Remote
	switch {
	case len(words) != 1 || words[0] != "check":
		wrong(stderr, "remote: want check, not %q; see cook help remote", strings.Join(words, " "))
		return exitUsage
	case to.URL == "":
		wrong(stderr, "%v", errNoServer)
		return exitUsage
	}
	opt, err := remote.OptionsOf(rules.Remote(*to))
	if err != nil {
		wrong(stderr, "%v", err)
		return exitUsage
	}
	if err := process.Check(ctx, opt.Args, stdout); err != nil {
		return fail(ctx, stderr, err)
	}
	return exitOK
}
