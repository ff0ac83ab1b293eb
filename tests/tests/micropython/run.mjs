// Runs driver.py of this folder under the MicroPython whose module is the argument.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { loadMicroPython } = await import(pathToFileURL(process.argv[2]));
const python = await loadMicroPython({ heapsize: 64 * 1024 * 1024 });
for (const file of readdirSync(".").filter((file) => /\.(py|json)$/.test(file))) {
  python.FS.writeFile(`/${file}`, readFileSync(file));
}
python.FS.chdir("/");
python.runPython('import sys\nsys.path.append("/")\nimport driver\n');
writeFileSync("results.json", python.FS.readFile("/results.json"));
