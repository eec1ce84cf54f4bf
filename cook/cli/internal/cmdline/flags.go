package cmdline

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/pathname"
)

// size is a flag value in bytes, such as 4GiB, 512MB or 1048576.
type size int64

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *size) Set(text string) error {
	n := strings.TrimRight(text, "bBiIkKmMgGtT")
	unit, ok := map[string]float64{
		"": 1, "b": 1,
		"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
		"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
		"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
		"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
	}[strings.ToLower(text[len(n):])]
	x, err := strconv.ParseFloat(n, 64)
	if err != nil || !ok || x*unit < 1 || x*unit > math.MaxInt64/2 {
		return errors.New("want a size such as 512MiB or 4GiB")
	}
	*s = size(x * unit)
	return nil
}

// outputs is a flag value: "each" or "folder".
type outputs bool

func (o *outputs) String() string {
	if *o {
		return "folder"
	}
	return ""
}

func (o *outputs) Choices() []string { return []string{"each", "folder"} }

func (o *outputs) Set(text string) error {
	if text != "each" && text != "folder" {
		return errors.New("want each or folder")
	}
	*o = text == "folder"
	return nil
}

// Names is a flag value: words separated by commas.
type Names []string

func (n *Names) String() string { return strings.Join(*n, ",") }

func (n *Names) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return errors.New("want names separated by commas")
		}
		*n = append(*n, word)
	}
	return nil
}

// A wordValue is a flag value of one word. Completion offers the known words; the verb checks the
// value.
type wordValue struct {
	to    *string
	words func() []string
}

func (l wordValue) String() string {
	if l.to == nil {
		return ""
	}
	return *l.to
}

func (l wordValue) Set(text string) error {
	*l.to = text
	return nil
}

func (l wordValue) Choices() []string { return l.words() }

// ListedFlag declares a flag that accepts one of the given words.
func ListedFlag(fs *flag.FlagSet, to *string, name, preset, usage string, words func() []string) {
	*to = preset
	fs.Var(wordValue{to, words}, name, usage)
}

// FolderFlags declares the flags for a project's directories.
func FolderFlags(fs *flag.FlagSet, p *cook.Project) {
	PlaceFlags(fs, p)
	StoreFlag(fs, &p.Cache)
}

// PlaceFlags declares the flags for a project's asset directory and output directory.
func PlaceFlags(fs *flag.FlagSet, p *cook.Project) {
	fs.StringVar(&p.Dir, "dir", "", "`directory` of the source assets")
	fs.StringVar(&p.Out, "out", "", "output `directory` (default: cooked beside the directory assets, NAME.cooked beside others)")
}

// StoreFlag declares the flag for the store's directory.
func StoreFlag(fs *flag.FlagSet, dir *string) {
	fs.StringVar(dir, "cache", "", "`directory` of the store of results (default: $COOKCACHE, or assetcook in the user's cache directory)")
}

// SizeFlag declares the flag for the store's size limit.
func SizeFlag(fs *flag.FlagSet, bytes *int64) {
	BytesFlag(fs, bytes, "cache-size", "`size` to which the store is trimmed (default 10GiB)")
}

// BytesFlag declares a flag whose value is a size, such as 4GiB.
func BytesFlag(fs *flag.FlagSet, bytes *int64, name, usage string) {
	fs.Var((*size)(bytes), name, usage)
}

// TargetsToCook is the usage text of -target for verbs that cook.
const TargetsToCook = "cook for these targets, `names` separated by commas; all means every declared target"

// IDsFlag declares the flag that gives assets IDs.
func IDsFlag(fs *flag.FlagSet, p *cook.Project) {
	fs.BoolVar(&p.IDs, "ids", false, "give each asset an ID that survives renames; the file assets.ids in the asset directory records renames")
}

// EngineFlag declares -engine, which selects the engine that loads the outputs.
func EngineFlag(fs *flag.FlagSet, name *string) {
	ListedFlag(fs, name, "engine", "", "`engine` that loads the outputs (default: engine in cook.toml, or any); cook help engines lists them", engine.Names)
}

// RuleFlags declares the flags for rules and targets. The usage text of -target depends on the
// verb.
func RuleFlags(fs *flag.FlagSet, p *cook.Project, targets string) {
	fs.StringVar(&p.Config, "config", "", "`file` of rules for the whole tree (default: cook.toml in the asset directory)")
	EngineFlag(fs, &p.Engine)
	fs.Var((*Names)(&p.Targets), "target", targets)
	IDsFlag(fs, p)
	ListedFlag(fs, &p.Manifest, "manifest", "", "`layout` of the manifest: single, one file with all assets, or parts, files with about 1,000 assets each (default single)", manifest.LayoutNames)
}

// ChangeFlags declares the flags that control how changed files are detected.
func ChangeFlags(fs *flag.FlagSet, p *cook.Project, ignoreTimestamps, outputsByFolder *bool) {
	ListedFlag(fs, &p.Checksum, "checksum", "", "`function` that detects changed files: "+strings.Join(session.Checksums(), ", ")+" (default "+session.Checksums()[0]+")", session.Checksums)
	fs.Var((*outputs)(outputsByFolder), "outputs", "each: check each output; `folder`: skip per-file checks in output directories whose stamp is unchanged (misses in-place edits) (default each)")
	fs.BoolVar(ignoreTimestamps, "check-contents", false, "ignore timestamps: checksum all sources and outputs")
}

// ShardFlag declares -shard, which selects one of several parts of the assets.
func ShardFlag(fs *flag.FlagSet, s *session.Shard) {
	fs.Var(s, "shard", "only the assets in this `part`, NUMBER/SHARDS such as 3/8; a hash of its path determines the part of an asset, so several machines can share a cook")
}

// WorkerFlag declares the flag for the number of workers.
func WorkerFlag(fs *flag.FlagSet, n *int) {
	fs.IntVar(n, "j", 0, "`number` of assets to work on at once (default: one for each CPU)")
}

// MemoryFlag declares the flag for the memory budget of recipes.
func MemoryFlag(fs *flag.FlagSet, bytes *int64) {
	fs.Var((*size)(bytes), "mem", "`size` of the memory that running recipes may use (default: half of the machine's)")
}

// RemoteFlags declares the flags for the server that shares results.
func RemoteFlags(fs *flag.FlagSet, r *cook.Remote) {
	fs.Var((*address)(r), "remote", "share results on the server at this `address`: "+rules.RemoteForms)
	KeyFlags(fs, r)
}

// KeyFlags declares the flags for credentials, and for the keys that sign results.
func KeyFlags(fs *flag.FlagSet, r *cook.Remote) {
	fs.StringVar(&r.CA, "remote-ca", "", "`file` of the certificates that sign the server's certificate")
	fs.StringVar(&r.Cert, "remote-cert", "", "`file` of the client certificate, if the server requires one")
	fs.StringVar(&r.Key, "remote-key", "", "`file` of the key of the client certificate")
	fs.StringVar(&r.TokenFile, "remote-token-file", "", "`file` with the bearer token for the server (default: $COOK_REMOTE_TOKEN)")
	fs.StringVar(&r.SignKey, "remote-sign-key", "", "`file` of the Ed25519 key, in PEM, that signs uploaded results")
	fs.Var((*Names)(&r.Trust), "remote-trust", "accept only results signed by one of these `keys`: files of Ed25519 public keys, in PEM, separated by commas")
	fs.StringVar(&r.BasicFile, "remote-basic-file", "", "`file` with user:password for the server (default: $COOK_REMOTE_BASIC)")
}

// SharingFlags declares the flags that limit downloads from and uploads to the server.
func SharingFlags(fs *flag.FlagSet, r *cook.Remote) {
	UploadFlag(fs, r)
	fs.Var((*unless)(&r.NoRace), "remote-race", "cook assets before the server of -remote has answered (default true)")
	fs.Var((*unless)(&r.NoRead), "remote-read", "download results from the server of -remote (default true)")
}

// UploadFlag declares the flag for uploads to the server.
func UploadFlag(fs *flag.FlagSet, r *cook.Remote) {
	fs.Var((*upload)(&r.Upload), "remote-upload", "`when` to upload results to the server of -remote: never, ci (if the variable CI is set) or always (default ci)")
}

// ExecutionFlags declares the flags for remote execution.
func ExecutionFlags(fs *flag.FlagSet, r *cook.Remote) {
	fs.Var((*execution)(&r.Exec), "remote-exec", "let the machines behind the server of -remote cook assets too, if that saves time; =always: even if it does not")
	fs.Var((*jobs)(&r.Jobs), "remote-jobs", "`number` of assets that the machines of -remote-exec cook at once (default: four for each worker here)")
	fs.Var((*platform)(&r.Platform), "remote-platform", "`KEY=VALUE`, separated by commas: properties that the machines of -remote-exec must have")
}

// execution is a flag value: true, false or "always".
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

// jobs is a flag value: a number of workers, or "" for zero.
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

// platform is a flag value: comma-separated properties of a remote machine.
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

type address cook.Remote

func (a *address) String() string { return a.URL }

func (a *address) Set(text string) error {
	a.URL = text
	return rules.CheckRemote(text)
}

func (a *address) chosenBy(p *cook.Remote) { a.URL, a.File = p.URL, p.File }

// An optionalAddress is a flag value: true, or the address of a server. The value true selects the
// server of the project or of the environment.
type optionalAddress struct {
	to *cook.Remote
	on *bool
}

func (a optionalAddress) IsBoolFlag() bool { return true }

func (a optionalAddress) String() string {
	if a.to == nil {
		return ""
	}
	return a.to.URL
}

func (a optionalAddress) Set(text string) error {
	yes, err := strconv.ParseBool(text)
	if err == nil {
		*a.on = yes
		return nil
	}
	*a.on, a.to.URL = true, text
	return rules.CheckRemote(text)
}

func (a optionalAddress) suggest(text string) error {
	if a.to.URL != "" {
		return nil
	}
	a.to.URL = text
	return rules.CheckRemote(text)
}

func (a optionalAddress) chosenBy(p *cook.Remote) { (*address)(a.to).chosenBy(p) }

// AskedFlag declares -remote for verbs that contact a server only if the flag is given.
func AskedFlag(fs *flag.FlagSet, r *cook.Remote, on *bool, usage string) {
	fs.Var(optionalAddress{r, on}, "remote", usage)
}

// A suggestible flag value accepts a default from the environment even if the flag is on the
// command line.
type suggestible interface{ suggest(text string) error }

// A server is a flag value that records which cook.toml set its address.
type server interface{ chosenBy(*cook.Remote) }

// upload is a flag value: "never", "ci" or "always".
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

// unless is a flag value that inverts a boolean. Its text is "" unless the flag was set to false.
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

// SelfForRemote makes r run this program as the child process that communicates with the server.
func SelfForRemote(r *cook.Remote) (err error) {
	if r.URL != "" {
		r.Program, err = os.Executable()
	}
	return err
}

// ErrNoServer reports that no server was named.
var ErrNoServer = errors.New("no server is given; use -remote, or write a table [remote] into cook.toml")

// CheckServer returns an error if the command line names no server. words are the remaining words
// of the command line.
func CheckServer(r *cook.Remote, words []string) (err error) {
	for _, word := range words {
		if rules.CheckRemote(word) == nil {
			return fmt.Errorf("%s is the address of a server, not a pattern; write -remote=%s", pathname.Show(word), pathname.Show(word))
		}
	}
	if r.URL == "" {
		return ErrNoServer
	}
	return SelfForRemote(r)
}
