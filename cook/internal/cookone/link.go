package cookone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Link writes final names into the artifacts of a ready task. In their scratch files it replaces
// the tokens of planned names with digits, and computes the checksums again. Tokens and digits have
// the same length, so no other byte moves. Link also fills in the contents of dependencies of the
// kind Name.
//
// A stored result has planned names. Therefore, after an edit of a texture, a model is only linked
// again and not cooked. Call Link after the result was stored. If an artifact of another asset is
// not made yet, the error wraps an artifacts.Wait.
func (c *Cooker) Link(ctx context.Context, r *Ready) error {
	if err := ResolveNames(ctx, c.env.Contents, r.Deps); err != nil {
		return err
	}
	l := linker{r: r, digits: map[string]string{}, own: map[string]int{}}
	for _, d := range r.Deps {
		if name, ok := nameOf(d); ok {
			l.digits[name.Token()] = hashname.Digits(d.Blob)
		}
	}
	a := r.Task.Action
	if a.IsLinked() {
		for i := range a.Outputs {
			if name := a.HashName(i); !name.IsZero() {
				l.own[name.Token()] = i
			}
		}
	}
	if len(l.digits)+len(l.own) == 0 {
		return nil
	}
	if err := l.linkAll(ctx, c); err != nil {
		return c.InUserTerms(err, r.Scratch, r.Task)
	}
	return nil
}

// namesHidden returns an error if an output of a step contains a name with {hash} and is the input
// of another step. That step may compress the name, so that Link cannot find it.
func (r *Ready) namesHidden() error {
	whole, method := r.Task.chain.whole.Action, r.Task.Action.Method.Choice.Whole
	tokens := map[string]bool{}
	if whole.IsLinked() {
		for i := range whole.Outputs {
			tokens[whole.HashName(i).Token()] = true
		}
	}
	for _, d := range r.Deps {
		if name, ok := nameOf(d); ok {
			tokens[name.Token()] = true
		}
	}
	if method == nil || len(tokens) == 0 {
		return nil
	}
	for i, next := range method.Then {
		if next == nil {
			continue
		}
		f, err := r.Scratch.in.OpenFile(r.Scratch.files[i])
		if err != nil {
			return err
		}
		found, err := findTokens(f, func(token string) bool { return tokens[token] })
		f.Close()
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return fmt.Errorf("%s contains a name with {hash}, and the rule at %s cooks it further, which could hide the name; remove {hash} from the output names of the named file, or do not cook %[1]s further",
				pathname.Show(r.Task.Action.ShownOutput(i)), next.Chosen())
		}
	}
	return nil
}

// ResolveNames fills in the contents of dependencies of the kind Name. The error wraps an
// artifacts.Wait if an artifact is still to be made.
func ResolveNames(ctx context.Context, found *contents.Contents, deps []index.Dep) error {
	for i := range deps {
		d := &deps[i]
		if d.On.Kind != dependency.Name {
			continue
		}
		f := found.At(ctx, d.On)
		if f.How == contents.Unreadable {
			return f.Err
		}
		*d = plan.Dependency(d.Name, d.On, f)
	}
	return nil
}

// nameOf returns the name in a dependency of the kind Name.
func nameOf(d index.Dep) (hashname.Name, bool) {
	if d.On.Kind != dependency.Name {
		return hashname.Name{}, false
	}
	_, output := d.On.NamedOutput()
	return hashname.Parse("", output)
}

// A linker links the artifacts of one task.
type linker struct {
	r      *Ready
	digits map[string]string // known digits of hashes, by token
	own    map[string]int    // index of the output whose name contains the token
	found  [][]place
}

// A place is the position of a token in a file.
type place struct {
	offset int64
	token  string
}

// linkAll links the outputs in the order of their references: an output follows the outputs that it
// names.
func (l *linker) linkAll(ctx context.Context, c *Cooker) error {
	l.found = make([][]place, len(l.r.Made))
	left := make([]int, 0, len(l.r.Made))
	for i := range l.r.Made {
		left = append(left, i)
		if l.r.InPlace != nil && l.r.InPlace[i] {
			continue // the last run linked this output
		}
		var err error
		if l.found[i], err = l.findTokens(l.r.Scratch, i); err != nil {
			return err
		}
	}
	for len(left) > 0 {
		n := slices.IndexFunc(left, l.isReady)
		if n < 0 {
			return l.circleError(left)
		}
		i := left[n]
		left = slices.Delete(left, n, n+1)
		if err := l.linkOne(ctx, c, i); err != nil {
			return err
		}
	}
	return nil
}

// isReady reports whether the digits of all names in an output are known.
func (l *linker) isReady(i int) bool {
	return !slices.ContainsFunc(l.found[i], func(p place) bool { return l.digits[p.token] == "" })
}

// linkOne writes digits into an output and records the digits of the output's own name.
func (l *linker) linkOne(ctx context.Context, c *Cooker, i int) error {
	a, tmp := l.r.Task.Action, l.r.Scratch
	if len(l.found[i]) > 0 {
		f, err := tmp.in.Root().OpenFile(tmp.files[i], os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		for _, p := range l.found[i] {
			_, e := f.WriteAt([]byte(l.digits[p.token]), p.offset)
			err = errors.Join(err, e)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		role := l.r.Made[i].Role
		if l.r.Made[i], err = c.sumOutput(ctx, a, tmp, i); err != nil {
			return err
		}
		l.r.Made[i].Role = role
	}
	if name := a.HashName(i); !name.IsZero() {
		l.digits[name.Token()] = hashname.Digits(l.r.Made[i].Blob)
	}
	return nil
}

// circleError returns the error for outputs that name each other.
func (l *linker) circleError(left []int) error {
	a, one, seen := l.r.Task.Action, left[0], map[int]bool{}
	for {
		seen[one] = true
		n := slices.IndexFunc(l.found[one], func(p place) bool { return l.digits[p.token] == "" })
		other := l.own[l.found[one][n].token]
		switch {
		case other == one:
			return fmt.Errorf("output %s contains its own name; remove {hash} from this name", pathname.Show(a.ShownOutput(one)))
		case seen[other]:
			return fmt.Errorf("outputs %s and %s contain the names of each other; remove {hash} from one of the names",
				pathname.Show(a.ShownOutput(other)), pathname.Show(a.ShownOutput(one)))
		}
		one = other
	}
}

// findTokens finds the known tokens in a scratch file.
func (l *linker) findTokens(tmp *Scratch, i int) ([]place, error) {
	f, err := tmp.in.OpenFile(tmp.files[i])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return findTokens(f, func(token string) bool { return l.digits[token] != "" || l.isOwn(token) })
}

func (l *linker) isOwn(token string) bool { _, ok := l.own[token]; return ok }

// isHex reports whether a byte may be part of a token.
func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// findTokens returns the tokens that occur in a file.
func findTokens(file io.Reader, known func(token string) bool) (list []place, err error) {
	const overlap = hashname.Length - 1
	buf := make([]byte, 256<<10)
	kept, base := 0, int64(0) // bytes kept from the last read, and the file offset of buf
	for {
		n, err := io.ReadFull(file, buf[kept:])
		text := buf[:kept+n]
		for at := range tokensIn(text) {
			if token := string(text[at : at+hashname.Length]); known(token) {
				list = append(list, place{base + int64(at), token})
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		kept = copy(buf, text[len(text)-overlap:])
		base += int64(len(text) - overlap)
	}
}

// tokensIn yields the positions of texts that look like a token. It examines few bytes, because
// each token covers a position that is a multiple of its length.
func tokensIn(text []byte) func(yield func(at int) bool) {
	return func(yield func(at int) bool) {
		for i := hashname.Length - 1; i < len(text); {
			if !isHex(text[i]) {
				i += hashname.Length
				continue
			}
			first, end := i, i+1
			for first > 0 && isHex(text[first-1]) {
				first--
			}
			for end < len(text) && isHex(text[end]) {
				end++
			}
			for at := first; at+hashname.Length <= end; at++ {
				if !yield(at) {
					return
				}
			}
			i = end + hashname.Length
		}
	}
}
