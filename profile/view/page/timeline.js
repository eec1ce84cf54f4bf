// The time line of scopes.
export const tab = { id: "timeline", title: "Time line", shown: info => info.recordings?.length > 0, mount: () => ({}) };
