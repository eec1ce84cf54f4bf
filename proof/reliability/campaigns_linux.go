package main

func systemCampaigns() []campaign {
	return append([]campaign{
		{"disk", "full disks at many levels, and denied permissions (as root)", disk},
		{"kills", "SIGKILL at random instants of first, incremental and watching runs", kills},
		{"looks", "traced programs that access a tree in many ways, with random edits between and during runs", looks},
		{"power", "power cuts of ext4 and xfs while cook works on them (as root)", power},
		{"together", togetherAbout, together},
	}, archCampaigns()...)
}
