// Folders as zip archives, without compression.

const TABLE = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) {
    value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return value >>> 0;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Returns numbers of 2 or 4 bytes, least byte first, as bytes. */
function numbers(...fields) {
  const bytes = ([size, value]) => Array.from({ length: size }, (_, byte) => (value >>> (8 * byte)) & 255);
  return Uint8Array.from(fields.flatMap(bytes));
}

/** The date of all files: the first of January 1980. */
const DATE = 0x21;

/** The flag of names in UTF-8. */
const UTF8 = 0x800;

/** Returns a zip archive of files, pairs of path and text. */
export function zip(files) {
  const encoder = new TextEncoder();
  const parts = [];
  const central = [];
  let offset = 0;
  for (const [path, content] of files) {
    const [name, data] = [encoder.encode(path), encoder.encode(content)];
    const common = [
      [2, 20], [2, UTF8], [2, 0], [2, 0], [2, DATE], [4, crc32(data)], [4, data.length], [4, data.length],
      [2, name.length], [2, 0],
    ];
    const local = numbers([4, 0x04034b50], ...common);
    central.push(numbers([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), name);
    parts.push(local, name, data);
    offset += local.length + name.length + data.length;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const count = files.length;
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...central, end], { type: "application/zip" });
}

/** Saves a file of the page on the disk of its user. */
export function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
