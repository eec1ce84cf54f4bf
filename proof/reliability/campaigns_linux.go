package main

func systemCampaigns() []campaign {
	return append([]campaign{
		{"disk", "full disks at many levels, and what is denied (as root)", disk},
		{"kills", "SIGKILL at random instants of first, incremental and watching runs", kills},
		{"power", "power cuts of ext4 and xfs while cook works on them (as root)", power},
		{"together", togetherAbout, together},
	}, archCampaigns()...)
}
