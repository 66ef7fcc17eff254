// The binaries of uWebSockets.js that set-up takes, by their digests. Plain data: scripts/setup/web_server.js acts on
// it.

/** The release that the server was tested with; `source_commit` in the package names what its authors built it from. */
export const UWS_VERSION = '20.56.0';

/**
 * The C library that the untouched Linux binaries were linked against, and the oldest that the changed copies run with.
 */
export const UWS_GLIBC = '2.38';
export const CHANGED_GLIBC = '2.36';

/** By ABI of Node: 115 is Node 20, 127 is Node 22, 137 is Node 24. */
const nodes = { 115: 20, 127: 22, 137: 24 };

/** sha256 of the files of the package. */
const digests = {
  uws_darwin_arm64_115: 'fe600f03f02ea7443d15ca7ae47bd4489b40b3543bc30a6db2b3048e2a04261f',
  uws_darwin_arm64_127: 'c8ca6162869372a5d4acd66aa8c835286ed6e897d125ddb88875b5ab7f68bc09',
  uws_darwin_arm64_137: '51546f781dfd41b4c3820f7198d94d953af1dd4a22745ccda2fcf5eec3e4edf8',
  uws_darwin_x64_115: '4f749a19869da5914e8c02a032ee06b4e5d26cd918b4a845c69eea7bdd9f7c34',
  uws_darwin_x64_127: '3ad68d013ed3d8c5251b07ddb099c59e051d1a468cc4c471185383cf7125a882',
  uws_darwin_x64_137: '249e85589d9d39445f70765a10e1f3b0b142b7d1b406f360ea27681e0025fb02',
  uws_linux_arm64_115: '5f179165f9ade910999ce8724d71ecdcc4f7e1b944053683d98bfda62665e081',
  uws_linux_arm64_127: 'db310856b4d36b2b6e83888c9faa87ccd65454e6157f457bf9cb4ebabaed7a65',
  uws_linux_arm64_137: 'ad0ffb42a119ee022ba1fc752d942e5a19b863ce47bfdc909cd1d5bc1363a7a6',
  uws_linux_x64_115: '3c4cfd4f4673c591dbca82cdda94f7e0ad9bc298966c39a7bd259838c2b25d4f',
  uws_linux_x64_127: '0e0af5d0e486b67e25dd5c6686f8f05be4504629404d5c1972c808ab5d8e4cc2',
  uws_linux_x64_137: '9aa8b857ac4ab0bfb1245e948eeeacc904b13a3608c9a281d551c43c66bea66e',
  uws_win32_x64_115: 'c8798bd1685caaf1c00ba0f76e018ddde00f0c3ec52380c4b0ebf8cf8ddc3658',
  uws_win32_x64_127: 'e8dbaf78d65aece0c8c2e11e8ee0a1e40323bf857b4c85106d5e4d21c67c0168',
  uws_win32_x64_137: 'b4f8fb7e3a593f32cecef9faaf2b0242e89e224120226cfc00a20bfd33b06927',
};

/** sha256 of the copies for an older glibc (older_glibc.js). */
const changedDigests = {
  uws_linux_arm64_115: 'a194fa54418161f60dbb84c377a3cb273ca4cb11442bdd5624fdc39ea2c76c0c',
  uws_linux_arm64_127: '7d92482a06e4746d172cdea39d925c33d0c6ee0de933b8d2a3e080a4037cfeda',
  uws_linux_arm64_137: '7a8680f1e6d7055da30777f8417bf2b03378f04cb731055ad0f5ca0845ad9ab9',
  uws_linux_x64_115: '35cad869817cdd371b41157849e606863126d49f311720e6a615080377a54dbb',
  uws_linux_x64_127: '87c413d1b1b1671ea81da757fa67199edd246453877083ab886fe1e7900f8cf4',
  uws_linux_x64_137: '0ff425dfe92ab9aceb6c15d8ef8408435fe3bed076dca62e93f5e1c1d1345d9f',
};

/** This machine, as far as binaries depend on it; `glibc` is undefined where the C library is another one. */
export function thisMachine() {
  const { platform, arch, versions, report } = process;
  // The report looks up the names of open connections otherwise.
  report.excludeNetwork = true;
  const { glibcVersionRuntime: glibc } = report.getReport().header;
  return { platform, arch, abi: versions.modules, node: versions.node, glibc };
}

/**
 * The binary for a machine, with its digest, and the digest of its copy where the machine needs that; or a sentence why there is none.
 * @param {ReturnType<typeof thisMachine>} machine
 */
export function findBinary({ platform, arch, abi, node, glibc }) {
  const name = `uws_${platform}_${arch}_${abi}`;
  const sha256 = digests[name];
  if (nodes[abi] === undefined) return { why: `uWebSockets.js ${UWS_VERSION} has no binary for Node ${node}` };
  if (sha256 === undefined) return { why: `uWebSockets.js ${UWS_VERSION} has no binary for ${platform}-${arch}` };
  if (platform !== 'linux') return { file: `${name}.node`, sha256 };
  if (glibc === undefined) return { why: `uWebSockets.js ${UWS_VERSION} needs glibc, which this system does not have` };
  if (!isOlder(glibc, UWS_GLIBC)) return { file: `${name}.node`, sha256 };
  if (isOlder(glibc, CHANGED_GLIBC))
    return { why: `uWebSockets.js ${UWS_VERSION} needs glibc ${CHANGED_GLIBC}, and this system has ${glibc}` };
  return { file: `${name}.node`, sha256, changedSha256: changedDigests[name] };
}

/** @param {string} version @param {string} other */
function isOlder(version, other) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
