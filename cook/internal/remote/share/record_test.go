package share

import (
	"testing"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// The keys of what servers have do not change from version to version.
func TestActionsArePinned(t *testing.T) {
	k := remote.Key{Action: store.ActionID{1}, Result: store.ResultID{2}}
	of := k
	of.Reads = true
	for _, tc := range []struct {
		key  remote.Key
		f    Function
		want string
	}{
		{k, SHA256, "fdafce13f6b492df52f4207e82309056dc0d71fd14d1622c693c9be4c00d991b"},
		{k, BLAKE3, "eeb1bba9898d1a85b4959bf76ba4628917409e7bdf9ed34ea1a4df159cd31523"},
		{of, SHA256, "399e03d5882087c4d8404c27fed22c69bb225520062d196ccb71aaae557aa1bb"},
		{of, BLAKE3, "e604d3dafeee652e24dd012ecfa4950eadf99060e5d91239adb05969197ac0c9"},
	} {
		if got := actionOf(tc.key, tc.f); got.Hash != tc.want || len(got.blobs) != 3 {
			t.Errorf("%v %+v: %s, want %s", tc.f, tc.key, got.Hash, tc.want)
		}
	}
}
