package scan

import "testing"

func TestOnlyKnownFileSystemsAreTrusted(t *testing.T) {
	tests := []struct {
		name  string
		magic uint32
		want  bool
	}{
		{"ext2, ext3, ext4", 0xef53, true},
		{"xfs", 0x58465342, true},
		{"btrfs", 0x9123683e, true},
		{"tmpfs", 0x01021994, true},
		{"f2fs", 0xf2f52010, true},
		{"zfs", 0x2fc12fc1, true},
		{"bcachefs", 0xca451a4e, true},
		{"overlayfs", 0x794c7630, true},
		{"nilfs2", 0x3434, true},
		{"jfs", 0x3153464a, true},
		{"reiserfs", 0x52654973, true},

		{"nfs", 0x6969, false},
		{"cifs", 0xff534d42, false},
		{"smb2", 0xfe534d42, false},
		{"9p", 0x01021997, false},
		{"fuse", 0x65735546, false},
		{"fat", 0x4d44, false},
		{"exfat", 0x2011bab0, false},
		{"ntfs", 0x5346544e, false},
		{"ntfs3", 0x7366746e, false},
		{"ceph", 0x00c36400, false},
		{"vboxsf", 0x786f4256, false},
		{"proc", 0x9fa0, false},
		{"none", 0, false},
	}
	for _, tt := range tests {
		if got := keepsTimes(tt.magic); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func TestProcIsNotTrusted(t *testing.T) {
	tree := walk(t, "/proc/self/task", Options{Workers: 1})
	if len(tree.Folders) == 0 {
		t.Fatal("no directories")
	}
	for _, f := range tree.Folders {
		if !f.Odd {
			t.Errorf("%q is trusted", f.Path)
		}
	}
}
