import { render } from "preact";
import "./styles/tokens.css";
import "./styles/app.css";
import { App } from "./app";
import { attend } from "./attention";
import { start } from "./live";
import { hasCode, takeCode } from "./resident/Pairing";
import { pushStop } from "./stop";
import { link } from "./store";

attend();
takeCode();
if (hasCode()) link.value = "unpaired";
start(!hasCode());
void pushStop();
const place = document.getElementById("app");
if (place) render(<App />, place);
