import { Answer, useAsked } from './asked.tsx';
import { finalTime, readBlockCertificate, standingText } from './finality.ts';
import { finalities, finality, head } from './live.tsx';
import { readNodePage } from './node_page.ts';
import { BlockLink, Time } from './parts.tsx';
import { countText } from '../../values/words.ts';

/** Tells whether anything can undo a block, by how many votes, and since when. */
export function BlockStanding({ number }: { readonly number: number }) {
  const isFinal = number <= (head.value?.last_irreversible_block_num ?? 0);
  const hasVotes = finality.value?.votes !== undefined;
  const since = finalTime(number, finalities.value);
  return (
    <>
      {standingText(number, isFinal ? number : 0, finality.value?.confirmed)}
      {isFinal && !hasVotes && since !== undefined && (
        <>
          , since <Time at={since} />
        </>
      )}
      {isFinal && hasVotes && <CertificateNote number={number} />}
    </>
  );
}

/** The certificate that made a block final, or what the node keeps instead. */
function CertificateNote({ number }: { readonly number: number }) {
  const asked = useAsked(
    String(number),
    async () =>
      await readNodePage(`chain/finality/${number}.json`, (json) => ({ certificate: readBlockCertificate(json) })),
  );
  return (
    <div>
      <Answer asked={asked}>
        {({ certificate }) => {
          if (certificate === undefined) return <>The node has no certificate that covers it.</>;
          const { block, votes, voters, time, madeFinal, isOfRound } = certificate;
          return (
            <>
              {madeFinal ? 'Made final by ' : isOfRound ? 'Covered by ' : 'Covered by a later round: '}
              {block === number ? (
                'its own certificate'
              ) : (
                <>
                  the certificate of block <BlockLink number={block} />
                </>
              )}
              , {countText(votes)} of {countText(voters)} votes, cast <Time at={time} />.
              {!madeFinal && (
                <>
                  {' '}
                  <small>
                    The node does not keep the earlier certificate that made it final
                    {isOfRound ? '' : ', nor any of its own round'}.
                  </small>
                </>
              )}
            </>
          );
        }}
      </Answer>
    </div>
  );
}
