package pass

import "github.com/assetcook/assetcook/internal/pathname"

// works reports whether something is to be made or removed.
func (t *Todo) works() bool {
	if len(t.Retired)+t.Late > 0 {
		return true
	}
	for i := range t.Actions {
		if t.Actions[i].Runs() {
			return true
		}
	}
	return false
}

// CheckOwner refuses to touch what was cooked of another asset folder.
func (s *Session) CheckOwner() error {
	if s.Out == nil {
		return nil
	}
	other := s.State.OtherOwner(s.Assets.Name())
	if other == "" {
		return nil
	}
	return configError("output folder %s holds what was cooked of the asset folder %s, not of %s; choose another output folder, or clean that one first",
		pathname.Show(s.Place.Out), pathname.Show(other), pathname.Show(s.Place.Dir))
}
