/** One switch or two for everything on the page. */
export { scanning } from "./active";
export { useScanning, type ScanOptions } from "./useScanning";
