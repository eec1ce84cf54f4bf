package cook_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A badFarm is a team whose server has machines that fail, and lie where that can be told.
type badFarm struct {
	*team
	executed, failed atomic.Int64
}

// spoil sometimes changes the result of an action.
func (f *badFarm) spoil(r *repb.ActionResult) {
	fault := f.dice(40)
	if fault > 12 || len(r.OutputFiles) == 0 {
		return
	}
	f.failed.Add(1)
	one := r.OutputFiles[f.dice(len(r.OutputFiles))]
	switch fault {
	case 0:
		r.OutputFiles = nil
	case 1:
		r.ExitCode = 1
	case 2: // of another output, or of the record
		one.Digest = r.OutputFiles[0].Digest
	case 3:
		one.Path = "out/1"
	case 4:
		r.OutputSymlinks = []*repb.OutputSymlink{{Path: "out/0", Target: "/etc/passwd"}}
	case 5: // the server loses it
		f.server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) { delete(blobs, one.Digest.Hash) })
	case 6:
		f.server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) { clear(blobs) })
	default:
		f.forge(r, fault)
	}
}

// forge changes the record of an action so that it is not true.
func (f *badFarm) forge(r *repb.ActionResult, how int) {
	for _, file := range r.OutputFiles {
		if file.Path != "out/record" {
			continue
		}
		f.server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
			var rec remote.Record
			if json.Unmarshal(blobs[file.Digest.Hash], &rec) != nil {
				return
			}
			switch how {
			case 7:
				rec.Error = "forged"
			case 8:
				rec.Refused = "forged"
			case 9:
				for i := range rec.Artifacts {
					rec.Artifacts[i].Blob = hashing.DigestOf([]byte("forged")).String()
				}
			case 10:
				rec.Reads = []remote.Reading{{Asked: dependency.OfFile("../../../../etc/passwd"), Found: true, Blob: hashing.DigestOf(nil).String()}}
			case 11:
				rec.Reads = append(rec.Reads, remote.Reading{Asked: dependency.OfFile("~"), Found: true, Blob: hashing.DigestOf([]byte("forged")).String()})
			default:
				for i := range rec.Reads {
					rec.Reads[i].Found = !rec.Reads[i].Found
				}
				rec.Artifacts = append(rec.Artifacts, rec.Artifacts...)
			}
			text, err := json.Marshal(rec)
			if err != nil {
				return
			}
			file.Digest = &repb.Digest{Hash: f.hash(text), SizeBytes: int64(len(text))}
			blobs[file.Digest.Hash] = text
		})
	}
}

// hash is the server's name of a content.
func (f *badFarm) hash(content []byte) string {
	if f.server.BLAKE3 {
		return hashing.DigestOf(content).String()
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// cook is an oracle.Cooker, like the one of a team.
func (f *badFarm) cook(ctx context.Context, folders oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
	if filepath.Base(folders.Cache) == "store" && filepath.Base(filepath.Dir(folders.Cache)) == "new" {
		f.alone.Add(1)
		return cookInProcess(ctx, folders, mode)
	}
	if f.dice(3) == 0 {
		os.RemoveAll(folders.Cache)
	}
	ctx, run := options(ctx, folders, mode)
	adjust := run.Adjust
	how := [...]string{"always", "auto"}[f.dice(2)]
	run.Workers = 1 // so that more is left to others
	run.Adjust = func(p *cook.Project) {
		adjust(p)
		p.Remote = cook.Remote{URL: f.share.URL, Upload: "never", NoRead: f.dice(2) == 0, NoRace: f.dice(2) == 0, Program: os.Args[0], Exec: how, Jobs: 1 + f.dice(4)}
	}
	return oracle.Cook(ctx, run)
}

// After any edits, the outputs equal a cook from scratch on one machine, however other machines fail.
func TestExecutedEqualsFromScratch(t *testing.T) {
	var executed, failed, alone int64
	for i := range scripts(75, 3) {
		t.Run(fmt.Sprint("seed ", *seed+i), func(t *testing.T) { // a server's memory is free again behind it
			f := &badFarm{team: newTeam(t, *seed+i)}
			f.play(t, oracle.Random(*seed+i, oracle.Options{Rounds: *rounds, Tools: true, Targets: i%3 == 0}))
			alone += f.alone.Load()
			executed += f.executed.Load()
			failed += f.failed.Load()
		})
	}
	if t.Logf("%d executions, %d failed", executed, failed); alone == 0 || executed == 0 {
		t.Errorf("%d runs from scratch", alone)
	}
}

func (f *badFarm) play(t *testing.T, script oracle.Script) {
	f.server.Farm.Executes, f.server.Farm.Env, f.server.Farm.Result = true, []string{"GORACE=" + noSleep}, f.spoil
	fault := f.server.Fault
	f.server.Fault = func(ctx context.Context, call string) error {
		if (call == "Execute" || call == "WaitExecution") && f.dice(6) == 0 {
			f.failed.Add(1)
			return status.Error([]codes.Code{codes.Unavailable, codes.Internal, codes.ResourceExhausted, codes.FailedPrecondition, codes.DeadlineExceeded}[f.dice(5)], "broken")
		}
		if call != "Execute" {
			return fault(ctx, call)
		}
		f.executed.Add(1)
		return nil
	}
	place := newPlace(t)
	defer os.RemoveAll(filepath.Dir(place.Dir))
	if err := oracle.Play(t.Context(), place, script, f.cook); err != nil {
		t.Fatal(err)
	}
}
