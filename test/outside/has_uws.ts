/** True when uWebSockets.js has a binary for this Node: for 20, 22 and 24, by their ABIs. */
export const hasUws = ['115', '127', '137'].includes(process.versions.modules);
