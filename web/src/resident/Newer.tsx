/** In place of the control for a kind of question that this page is too old to know. */

import { Reload } from "../panels/Shown";

export function Newer() {
  return (
    <div class="tile missing" role="status" data-testid="newer">
      <p>This page is older than this question: reload it to answer.</p>
      <Reload />
    </div>
  );
}
