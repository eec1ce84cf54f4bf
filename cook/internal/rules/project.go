package rules

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
)

// A Project is the table [project] of a file. It specifies the directories of a project:
//
//	[project]
//	dir     = "assets"           # default: the directory of the file
//	out     = "build/cooked"
//	cache   = "../store"
//	state   = "build"            # holds .cook, the state, instead of out
//	targets = ["mobile", "pc"]   # cooked unless a run names others
//	ids     = true               # assets have IDs that they keep through renames
//	manifest = "parts"           # the list of artifacts in several files
//	engine  = "three"            # loads the artifacts; see package engine
//
// Directories are relative to the file's directory. Omitted keys are "".
type Project struct {
	Dir, Out, Cache, State string
	Targets                []string
	IDs                    bool
	Manifest               string
	Engine                 string
	Remote                 Remote
	// HasRules is set if the file also contains rules, targets or an engine.
	HasRules bool

	in projectPlace
}

// A projectPlace holds the positions of the project's keys in its file.
type projectPlace struct {
	file   *document
	table  int            // offset of the first table
	values map[string]int // offsets of the keys of both tables
}

// Wrong returns an error about the value of a key. Its position is the key or, if the file lacks
// the key, the table.
func (p *Project) Wrong(key, why string) error {
	offset, ok := p.in.values[key]
	if !ok {
		offset = p.in.table
	}
	line, column := p.in.file.lineAndColumn(offset)
	return Errors{p.in.file.errorInDocument(line, column, key+": "+why)}
}

// manifestKey is the key that selects how many files the manifest has.
const manifestKey = "manifest"

// projectKeys are the keys of the table [project].
var projectKeys = []string{"dir", "out", "cache", "state", "targets", "ids", manifestKey, engineKey}

// ReadProject returns the tables [project] and [remote] of a file, or nil if the file has neither.
// The error has type Errors.
func ReadProject(name string, data []byte) (*Project, error) {
	if !mayHaveProject(data) {
		return nil, nil
	}
	r := &tableReader{}
	d, err := parseFile(name, data)
	if err != nil {
		return nil, Errors{err}
	}
	r.file = d
	var p *Project
	tables := 0
	if value, ok := d.values["project"]; ok {
		p = r.readProjectTable(d.places.fieldPlace("project"), value)
		tables++
	}
	if value, ok := d.values["remote"]; ok {
		if p == nil {
			p = &Project{in: projectPlace{d, d.places.fieldPlace("remote").key, map[string]int{}}}
		}
		at := d.places.fieldPlace("remote")
		p.Remote = r.readRemoteTable(at, value)
		table, _ := value.(map[string]any)
		for key := range table {
			p.in.values[key] = at.fieldPlace(key).value
		}
		tables++
	}
	if p == nil {
		return nil, nil
	}
	if len(r.errs) > 0 {
		r.errs.sortByPlace()
		return nil, r.errs
	}
	p.HasRules = len(d.values) > tables || p.Engine != ""
	return p, nil
}

// mayHaveProject reports whether a line may be a key or table that ReadProject reads.
func mayHaveProject(data []byte) bool {
	for line := range bytes.Lines(data) {
		word := bytes.TrimLeft(line, "\xef\xbb\xbf \t[\"'")
		if bytes.HasPrefix(word, []byte("project")) || bytes.HasPrefix(word, []byte("remote")) {
			return true
		}
	}
	return false
}

// readProjectTable checks the table [project].
func (r *tableReader) readProjectTable(at *node, value any) *Project {
	p := &Project{in: projectPlace{r.file, at.key, map[string]int{}}}
	table, ok := value.(map[string]any)
	if !ok {
		r.failf(at.key, "project: want a table; write [project] above its keys")
		return p
	}
	for _, key := range sortedKeys(table) {
		place := at.fieldPlace(key)
		p.in.values[key] = place.value
		folder := func(to *string) {
			text, ok := table[key].(string)
			if !ok || text == "" {
				r.failf(place.value, `%s: want a directory, such as "assets"`, key)
			}
			*to = text
		}
		switch key {
		case "dir":
			folder(&p.Dir)
		case "out":
			folder(&p.Out)
		case "cache":
			folder(&p.Cache)
		case "state":
			folder(&p.State)
		case "targets":
			p.Targets = r.projectTargets(place, table[key])
		case "ids":
			if p.IDs, ok = table[key].(bool); !ok {
				r.failf(place.value, "ids: want true or false")
			}
		case manifestKey:
			p.Manifest, _ = table[key].(string)
			if _, err := manifest.LayoutNamed(p.Manifest); err != nil || p.Manifest == "" {
				r.failf(place.value, "manifest: want %s", strings.Join(manifest.LayoutNames(), " or "))
			}
		case engineKey:
			p.Engine = r.readEngine(place, table[key])
		default:
			r.failf(place.key, "unknown key %q%s", clipText(key), instead(key, projectKeys)).fixMisspelling(key, projectKeys)
		}
	}
	return p
}

// projectTargets checks the targets of a project. It cannot check whether rules declare them,
// because other files may have these rules.
func (r *tableReader) projectTargets(at *node, value any) (targets []string) {
	list, isList := value.([]any)
	if text, ok := value.(string); ok {
		list = []any{text}
	} else if !isList || len(list) == 0 {
		r.failf(at.value, `targets: want a list of names, such as ["mobile", "pc"], or "all"`)
	}
	for i, v := range list {
		place := at
		if isList {
			place = at.itemPlace(i)
		}
		if name, ok := v.(string); ok && isTargetName(name) {
			targets = append(targets, name)
		} else {
			r.failf(place.value, "targets: want a name of a-z, 0-9, '-' and '_', at most %d bytes", maxTargetName)
		}
	}
	return slices.Compact(targets)
}

// A Remote holds the table [remote] of a file, which describes the server that shares results:
//
//	[remote]
//	url    = "grpcs://cache.example.com:8980/main"
//	upload = "ci"                # never, ci or always
//	read   = true
//	race   = true
//	ca     = "certificates/ca.pem"
//	exec   = true
//	jobs   = 32
//	platform = { OSFamily = "linux" }
//	trust  = ["certificates/ci.pub"]
//
// Files are relative to the file's directory. Omitted keys are "". The table does not name the
// program that speaks to the server.
type Remote struct {
	// File is the cook.toml that names URL, or "" if the user gives the URL. Secrets from the
	// environment are sent to a server from a cook.toml only if the environment names its host.
	File                                string
	URL, Upload                         string
	NoRead, NoRace                      bool
	CA, Cert, Key, TokenFile, BasicFile string
	Exec                                string // ExecAuto, ExecAlways or ExecNever
	Jobs                                int
	Platform                            []string // properties in the form KEY=VALUE, sorted
	SignKey                             string
	Trust                               []string
	Program                             string
}

// remoteKeys are the keys of the table [remote].
var remoteKeys = []string{"url", "upload", "read", "race", "ca", "cert", "key", "token_file", "basic_file", "exec", "jobs", "platform", "sign_key", "trust"}

// UploadChoices lists the choices of when to upload results.
var UploadChoices = []string{"never", "ci", "always"}

// These values say when other machines cook: if that saves time, always if possible, or never.
const (
	ExecAuto   = "auto"
	ExecAlways = "always"
	ExecNever  = "never"
)

// MaxRemoteJobs limits the number of actions that other machines cook at once.
const MaxRemoteJobs = 10_000

// RemoteForms lists the forms of the address of a server, for messages.
const RemoteForms = "grpc[s]://HOST:PORT/INSTANCE, http[s]://HOST/PREFIX, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or file:///DIRECTORY"

// CheckRemote returns an error unless address is the address of a server for sharing results.
func CheckRemote(address string) error {
	scheme, rest, ok := strings.Cut(address, "://")
	host, _, slash := strings.Cut(rest, "/")
	bucket := scheme == "s3" || scheme == "gs"
	isOther := func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~/", r))
	}
	switch {
	case !ok || !slices.Contains([]string{"grpc", "grpcs", "http", "https", "s3", "gs", "file"}, scheme) || host == "" && scheme != "file":
		return errors.New("want " + RemoteForms)
	case strings.Contains(host, "@") && bucket:
		return errors.New("the address must not hold credentials, because others can see it; put them in the environment")
	case strings.Contains(host, "@"):
		return fmt.Errorf("the address must not hold credentials, because others can see it; put them in a file (basic_file, token_file) or the environment (COOK_REMOTE_BASIC, COOK_REMOTE_TOKEN)")
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fmt.Errorf("an address cannot have blanks; write %%20 for a blank in a path")
	case scheme == "file" && (!slash || strings.ContainsAny(rest, `\?#`)):
		return errors.New("want an absolute path with slashes, such as file:///mnt/nas/cook, file:///C:/cook or file://nas/share/cook, and %3F and %23 for ? and #")
	case bucket && strings.ContainsFunc(rest, isOther):
		return fmt.Errorf("want %s://BUCKET/PREFIX with letters, digits, -, ., _, ~ and /; AWS_ENDPOINT_URL_S3 names a server other than AWS", scheme)
	}
	return nil
}

// readRemoteTable checks the table [remote].
func (t *tableReader) readRemoteTable(at *node, value any) (r Remote) {
	table, ok := value.(map[string]any)
	if !ok {
		t.failf(at.key, "remote: want a table; write [remote] above its keys")
		return r
	}
	files := map[string]*string{"ca": &r.CA, "cert": &r.Cert, "key": &r.Key, "token_file": &r.TokenFile, "basic_file": &r.BasicFile, "sign_key": &r.SignKey}
	for _, key := range sortedKeys(table) {
		place := at.fieldPlace(key)
		text, _ := table[key].(string)
		switch to := files[key]; {
		case to != nil:
			if *to = text; text == "" {
				t.failf(place.value, "%s: want a file", key)
			}
		case key == "url":
			r.URL = text
			if err := CheckRemote(text); err != nil {
				t.failf(place.value, "url: %v", err)
			}
		case key == "upload":
			r.Upload = text
			if text != "never" && text != "ci" && text != "always" {
				t.failf(place.value, `upload: want "never", "ci" or "always"`)
			}
		case key == "read", key == "race":
			yes, isBool := table[key].(bool)
			if key == "read" {
				r.NoRead = !yes
			} else {
				r.NoRace = !yes
			}
			if !isBool {
				t.failf(place.value, "%s: want true or false", key)
			}
		case key == "exec":
			switch table[key] {
			case true:
				r.Exec = ExecAuto
			case false:
				r.Exec = ExecNever
			case ExecAlways:
				r.Exec = ExecAlways
			default:
				t.failf(place.value, `exec: want true, false or "always"`)
			}
		case key == "jobs":
			n, isInt := table[key].(int64)
			if r.Jobs = int(n); !isInt || n < 1 || n > MaxRemoteJobs {
				t.failf(place.value, "jobs: want a whole number from 1 to %d", MaxRemoteJobs)
			}
		case key == "platform":
			r.Platform = t.readPlatform(place, table[key])
		case key == "trust":
			r.Trust = t.readTrust(place, table[key])
		default:
			t.failf(place.key, "unknown key %q%s", clipText(key), instead(key, remoteKeys)).fixMisspelling(key, remoteKeys)
		}
	}
	if r.URL == "" && len(t.errs) == 0 {
		t.failf(at.key, "remote: want a url")
	}
	return r
}

// readPlatform checks the properties that machines must have to execute actions.
func (t *tableReader) readPlatform(at *node, value any) (properties []string) {
	table, ok := value.(map[string]any)
	if !ok {
		t.failf(at.value, `platform: want a table such as { OSFamily = "linux" }`)
	}
	for _, key := range sortedKeys(table) {
		text, isText := table[key].(string)
		if !isText {
			t.failf(at.fieldPlace(key).value, "platform: %s: want a string", clipText(key))
		}
		properties = append(properties, key+"="+text)
	}
	return properties
}

// readTrust checks the list of trusted keys.
func (t *tableReader) readTrust(at *node, value any) (files []string) {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		t.failf(at.value, `trust: want a list of files, such as ["ci.pub"]`)
	}
	for i, v := range list {
		file, _ := v.(string)
		if file == "" {
			t.failf(at.itemPlace(i).value, "trust: want a file")
		}
		files = append(files, file)
	}
	return files
}

// remoteSchema returns the schema of the table [remote].
func remoteSchema() schema {
	file := func(about string) schema {
		return schema{"description": about, "type": "string", "minLength": 1}
	}
	return schema{
		"url":        schema{"description": RemoteForms, "type": "string", "pattern": "^((grpcs?|https?|s3|gs)://[^/@]|file://[^@]*/)"},
		"upload":     schema{"description": "when results are uploaded; ci: if the variable CI is set", "enum": UploadChoices},
		"read":       schema{"description": "download results from the server", "type": "boolean"},
		"race":       schema{"description": "cook assets while their answers are in flight", "type": "boolean"},
		"exec":       schema{"description": "the server's machines cook too; always: even if cooking here is faster", "enum": []any{true, false, ExecAlways}},
		"jobs":       schema{"description": "limit of assets that the server's machines cook at once", "type": "integer", "minimum": 1, "maximum": MaxRemoteJobs},
		"platform":   schema{"description": "properties that machines must have to cook", "type": "object", "additionalProperties": schema{"type": "string"}},
		"ca":         file("certificates that sign the server's certificate, in PEM"),
		"cert":       file("the certificate to show to the server, in PEM"),
		"key":        file("the key of cert, in PEM"),
		"token_file": file("a file that holds the bearer token"),
		"basic_file": file("a file that holds user:password"),
		"sign_key":   file("the Ed25519 key that signs results, in PEM"),
		"trust": schema{
			"description": "Ed25519 public keys in PEM: only results signed by one of them are accepted",
			"type":        "array", "minItems": 1, "items": schema{"type": "string", "minLength": 1},
		},
	}
}
