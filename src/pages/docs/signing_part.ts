import { html, type Content } from './html.ts';
import { codeBlock, table } from './layout.ts';
import { workedExample, type WorkedExample } from './worked_example.ts';
import type { Profile } from '../../values/profile.ts';

/** Explains the signing of a transaction, with an example in bytes. */
export function signingPart(words: Pick<Profile, 'coinSymbol' | 'keyPrefix'>): Content {
  const example = workedExample(words);
  return [
    html`<ol>
        <li>
          Write the transaction without its signatures as bytes. Numbers are little-endian; a length or count is a
          varint.
        </li>
        <li>
          The digest is sha256(chain id ‖ bytes). <code>get_version</code> and <code>about</code> say the chain id, 32
          bytes.
        </li>
        <li>
          Sign the digest with ECDSA on secp256k1. Any nonce makes a valid signature, so yours may differ; that of RFC
          6979 needs no random source.
        </li>
        <li>A signature has 65 bytes: 31 plus the recovery id, then r and s, 32 bytes each, big-endian.</li>
        <li>The transaction id is the first 20 bytes of sha256(bytes). Signatures don’t change it.</li>
        <li>
          The signed form is the bytes, the number of signatures, and the signatures. Its sha256 is the leaf of the
          block’s Merkle tree.
        </li>
      </ol>
      <h3 id="worked-example">A worked example</h3>
      <p>
        The chain id is the sha256 of the text <code>example</code>. The private key is the sha256 of the text
        <code>${example.seed}</code>: anybody knows it, so use it nowhere. The transaction refers to block 42, whose id
        is <code>${example.blockId}</code>.
      </p>`,
    bytesTable(example),
    values(example),
    html`<p>
      Compare your own with <a href="methods/database_api.get_transaction_hex.html">get_transaction_hex</a>,
      <a href="methods/alexandria_api.get_transaction_digest.html">get_transaction_digest</a>,
      <a href="methods/alexandria_api.get_transaction_id.html">get_transaction_id</a> and
      <a href="methods/alexandria_api.verify_signature.html">verify_signature</a>.
    </p>`,
  ];
}

function bytesTable({ parts }: WorkedExample): Content {
  return table(
    'Bytes of the transaction',
    ['member', 'value', 'bytes', 'form'],
    parts.map(({ member, value, hex, form }) => [html`<code>${member}</code>`, value, html`<code>${hex}</code>`, form]),
  );
}

function values({ chainId, unsigned, digest, id, publicKey, signature, signed, leaf }: WorkedExample): Content {
  const named: readonly (readonly [id: string, title: string, value: string])[] = [
    ['chain-id', 'Chain id', chainId],
    ['bytes', 'Bytes that are signed', unsigned],
    ['digest', 'Digest', digest],
    ['transaction-id', 'Transaction id', id],
    ['public-key', 'Public key', publicKey],
    ['signature', 'Signature', signature],
    ['signed', 'Signed form', signed],
    ['leaf', 'Leaf of the Merkle tree', leaf],
  ];
  return named.map(([name, title, value]) => [html`<h4>${title}</h4>`, codeBlock(value, `example-${name}`, title)]);
}

/** Which of the valid forms of a signature the chain takes. */
export function canonicalPart(): Content {
  return html`<p>
      A chain takes one form of each signature, so that nobody but the signer can make a second valid block or
      transaction from the first.
    </p>
    <ul>
      <li>The first byte is 31 to 34.</li>
      <li>r and s are from 1 to n − 1, and s is at most n ÷ 2, where n is the order of the curve.</li>
      <li>Several signatures stand in ascending order of their 65 bytes. None stands twice.</li>
    </ul>
    <p>
      A node brings what you post into this form: a first byte of 27 to 30, a high s, another order. It refuses a
      signature that stands twice. It refuses a block that holds any other form.
    </p>
    <p>
      Lists that are sets, such as <code>account_auths</code>, <code>key_auths</code> and <code>recipients</code>, are
      written in ascending order. JSON may have them in any order; the digest is that of the order in bytes.
    </p>`;
}
