package cook

import (
	"os"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/survey"
)

// unchanged reports whether the long way has found every file and folder that
// the index speaks of to be as it says, and nothing else. Then there is no need
// to make the same manifest and the same index again.
func (k *kitchen) unchanged(p *plan.Plan) bool {
	if k.identity.IsZero() || k.last.Identity() != k.identity || k.last.Checksum() != k.checksum.Name ||
		len(k.claims)+len(p.Kept)+p.Gone+len(p.Retired) > 0 || len(p.Actions) != k.last.Actions() {
		return false
	}
	for i := range p.Actions {
		if a := &p.Actions[i]; a.Err != nil || a.Runs || a.Reasons[0].Kind != plan.SameStamp {
			return false
		}
	}
	files := len(k.survey.Assets())
	for _, f := range k.survey.Extra() {
		if f.How != survey.ByStamp {
			return false
		}
		files++
	}
	for _, list := range [...][]scan.Entry{k.tree.Configs, k.tree.Ignores} {
		for _, e := range list {
			if !k.sameStamp(e.Path, e.Stamp) {
				return false
			}
			files++
		}
	}
	manifests, same := k.sameManifest()
	return same && files+manifests == k.last.Files() && k.sameFolders()
}

// sameStamp reports whether the index has a file with this stamp, and trusts it.
func (k *kitchen) sameStamp(path string, now scan.Stamp) bool {
	row, ok := k.last.FindFile(path)
	if !ok {
		return false
	}
	f := k.last.File(row)
	return f.Settled && f.Stamp == now
}

// sameManifest counts the files of the manifest.
func (k *kitchen) sameManifest() (n int, same bool) {
	for row := range k.last.Files() {
		path := k.last.FilePath(row)
		if !k.isManifest(path) {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil || !k.sameStamp(path, scan.StampOf(info)) {
			return 0, false
		}
		n++
	}
	return n, n > 0
}

// sameFolders compares the folders that were listed with those of the index,
// which has them in the same order.
func (k *kitchen) sameFolders() bool {
	next := 0
	for row := range k.last.Folders() {
		was := k.last.Folder(row)
		if was.Tree != index.Assets || !was.Listed {
			continue
		}
		if next == len(k.tree.Folders) {
			return false
		}
		is := k.tree.Folders[next]
		next++
		if string(was.Path) != slashed(is.Path) || string(was.Real) != slashed(is.Real) || was.Stamp != is.Stamp ||
			was.Odd != is.Odd || was.Usable != (!is.Odd && k.clock.Settled(is.Stamp)) {
			return false
		}
	}
	return next == len(k.tree.Folders)
}
