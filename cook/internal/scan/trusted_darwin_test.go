package scan

import "testing"

func TestOnlyKnownFileSystemsAreTrusted(t *testing.T) {
	for _, kind := range []string{"apfs", "hfs"} {
		if !keepsTimes(kind) {
			t.Errorf("%s is not trusted", kind)
		}
	}
	for _, kind := range []string{"", "nfs", "smbfs", "msdos", "exfat", "ntfs", "macfuse", "webdav", "devfs", "hfs2", "apf"} {
		if keepsTimes(kind) {
			t.Errorf("%q is trusted", kind)
		}
	}
}
