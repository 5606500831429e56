/** What happened last, the latest first: failures, what it did about them, and what people said. */
import { Sign } from "../signs/Sign";
import type { NewsState } from "../types";
import { clock, NEWS } from "./words";

export function News({ news }: { news: readonly NewsState[] }) {
  return (
    <section class="news" aria-labelledby="news-title">
      <h3 id="news-title">What happened</h3>
      {news.length === 0 && <p class="news-none">Everything went as planned so far.</p>}
      <ol reversed>
        {[...news].reverse().map((each, index) => (
          <li key={news.length - index} class={`new is-${each.kind}`} data-testid="news">
            <Sign of={NEWS[each.kind]} />
            <span class="new-at">{clock(each.at_s)}</span>
            <span class="new-words">{each.words}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
