package main

func systemCampaigns() []campaign {
	return append([]campaign{
		{"disk", "full disks at many levels, and what is denied (as root)", disk},
		{"kills", "SIGKILL at random instants of first, incremental and watching runs", kills},
		{"looks", "traced programs that look at a tree in many ways, random edits of it, also while they run", looks},
		{"power", "power cuts of ext4 and xfs while cook works on them (as root)", power},
		{"together", togetherAbout, together},
	}, archCampaigns()...)
}
