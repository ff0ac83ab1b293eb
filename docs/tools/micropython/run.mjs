// Runs time_model.py of a folder under the MicroPython whose module is the first argument; the second is the folder.
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, folder] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(module));
const stdout = (line) => console.log(line);
const python = await loadMicroPython({ heapsize: 8 * 1024 * 1024, stdout, linebuffer: true });
for (const file of readdirSync(folder).filter((file) => file.endsWith(".py"))) {
  python.FS.writeFile(`/${file}`, readFileSync(`${folder}/${file}`));
}
python.FS.chdir("/");
python.runPython('import sys\nsys.path.append("/")\nimport time_model\n');
