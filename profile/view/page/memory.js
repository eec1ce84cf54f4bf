// Memory as a tree.
export const tab = { id: "memory", title: "Memory", shown: info => info.memory || info.snapshots?.length > 0, mount: () => ({}) };
