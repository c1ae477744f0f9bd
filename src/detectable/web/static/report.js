// The report: its charts are drawn here, its words are the server's.
import { drawAll } from "./charts.js";

await drawAll();
document.documentElement.dataset.ready = "yes";
