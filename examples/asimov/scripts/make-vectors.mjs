// Makes the reference vectors of the tests: LZ-string by the npm package, URLs by Node's own parser (the URL Standard).
//
//   dir=$(mktemp -d) && npm install --prefix "$dir" lz-string@1.5.0 && \
//   NODE_PATH="$dir/node_modules" node scripts/make-vectors.mjs src/test/resources/vectors
//
// The output is the same on every run; it was made with Node 20 and lz-string 1.5.0.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const LZString = createRequire(import.meta.url)("lz-string");
const folder = process.argv[2] ?? "src/test/resources/vectors";

let state = 20260101;
function random(bound) {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
}
function text(length, character) {
  return Array.from({ length }, (_, i) => character(i)).join("");
}

const words = "river weir gate flow stream lock sluice höhe 水位 поток spillway bank".split(" ");
const everyLatin1 = text(256, (i) => String.fromCharCode(i));
const event = JSON.stringify({
  v: 3, title: "Café – お気に入り", clicks: Array.from({ length: 40 }, (_, i) => ({ t: i * 137, x: random(1920), y: random(1080), sel: `main > ul:nth-child(${random(9)}) > li` })),
});

const texts = {
  "empty": "",
  "one ASCII character": "a",
  "one Latin-1 character": "é",
  "one wide character": "水",
  "NUL": "\0",
  "U+00FF and U+0100": "\u00ff\u0100",
  "two equal": "aa",
  "two different": "ab",
  "three equal: a code that names itself": "aaa",
  "four equal": "aaaa",
  "alternating": "abababababababab",
  "hello": "hello, hello, hello world",
  "quotes and backslashes": "\"\\\"\\\n\t\r\"",
  "every Latin-1 character": everyLatin1,
  "every Latin-1 character twice": everyLatin1 + everyLatin1,
  "accents": "Übergrößenträger à la crème brûlée",
  "Cyrillic": "Съешь же ещё этих мягких французских булок",
  "Japanese": "いろはにほへと ちりぬるを いろはにほへと",
  "emoji": "😀😁😂🤣😀😁😂🤣👩‍👩‍👧‍👦",
  "lone high surrogate": "a\ud800b",
  "lone low surrogate": "\udc00",
  "surrogates in the wrong order": "\udc00\ud800\udc00\ud800",
  "highest code unit": "\uffff\uffff\ufffe",
  "digits": "31415926535897932384626433832795028841971693993751",
  "JSON": event,
  "JSON twice": event + event,
  "nested JSON": JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: "\\\"" }) }) }),
  "HTML": "<ul>" + text(30, (i) => `<li class="item">${i}</li>`) + "</ul>",
  "1,000 equal": "z".repeat(1000),
  "10,000 equal": "z".repeat(10000),
  "60,000 of one line": "The quick brown fox jumps over the lazy dog. ".repeat(1334),
  "growing runs": text(60, (i) => "a".repeat(i) + "b"),
  "300 random letters": text(300, () => String.fromCharCode(97 + random(26))),
  "3,000 random bytes": text(3000, () => String.fromCharCode(random(256))),
  "2,000 random code units": text(2000, () => String.fromCharCode(random(65536))),
  "50,000 of random words": text(9000, () => words[random(words.length)] + " ").slice(0, 50000),
};
for (let length = 5; length <= 20; length++) {
  texts[`${length} random of abc: end of stream at every bit`] = text(length, () => "abc"[random(3)]);
}

const lz = Object.entries(texts).map(([name, text]) => ({
  name,
  text,
  plain: LZString.compress(text),
  utf16: LZString.compressToUTF16(text),
  base64: LZString.compressToBase64(text),
  uri: LZString.compressToEncodedURIComponent(text),
}));

const urls = [
  "https://example.com", "https://example.com/", "HTTPS://EXAMPLE.COM/Path", "http://example.com:80/", "https://example.com:443/",
  "http://example.com:443/", "https://example.com:8443/a", "https://example.com:/", "https://example.com:00080/", "http://example.com:00080/",
  "https://example.com:65535/", "https://example.com:65536/", "https://example.com:99999999999/", "https://example.com:8o/", "https://:443/",
  "https://", "https:", "https:/", "https:example.com/a", "https:/example.com/a", "https:///example.com/a", "https:\\\\example.com\\a\\b",
  "https://example.com\\a?b\\c#d\\e", "//example.com/", "/a/b", "", " ", "example.com", "ftp://example.com/", "javascript:alert(1)",
  "data:text/html,x", "mailto:a@example.com", "1https://example.com", "ht tps://example.com", "ht-tp://example.com", ":https://example.com",
  "  https://example.com/a  ", "\u0000\u001fhttps://example.com/\u0001 ", "ht\ntps://exa\tmple.com/a\r/b?c\n=d#e\tf",
  "https://user@example.com/", "https://user:secret@example.com:8080/x", "https://a@b@example.com/", "https://user@/", "https://@/x", "https://@example.com",
  "https://exa mple.com/", "https://exa%20mple.com/", "https://exa<mple.com/", "https://exa%mple.com/", "https://exa^mple.com/", "https://exa|mple.com/",
  "https://example%2Ecom/", "https://%65xample.com/", "https://example.com%3A80/", "https://ex%00ample.com/", "https://a_b.example.com/", "https://-a-.example/",
  "https://example.com./", "https://example..com/", "https://.example.com/", "https://*.example.com/",
  "https://münchen.example/", "https://MÜNCHEN.example/", "https://b%C3%BCcher.example/", "https://例え.テスト/", "https://пример.испытание/a", "https://ｅｘａｍｐｌｅ。com/",
  "https://xn--mnchen-3ya.example/", "https://☃.example/",
  "http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://0177.0.0.1/", "http://2130706433/", "http://256.1.1.1/", "http://1.2.3.4.5/", "http://1.2.3.256/",
  "http://1.2.3.4./", "http://0x/", "http://09.1.1.1/", "http://4294967295/", "http://4294967296/", "http://1.2.65536/", "http://a.1/", "http://1.a/", "http://a.0x1g/", "http://1..2/", "http://0X1F.1/",
  "http://[::1]/", "http://[2001:DB8:0:0:1:0:0:1]:8080/x", "http://[2001:db8::1]", "http://[::ffff:192.0.2.1]/", "http://[1:2:3:4:5:6:7:8]/",
  "http://[1:0:0:4:0:0:0:8]/", "http://[::]/", "http://[::1%eth0]/", "http://[::1", "http://::1]/", "http://[1::2::3]/", "http://[1:2:3]/", "http://[g::1]/", "http://[1.2.3.4]/", "http://[::1]x/", "http://[]/",
  "http://[0:1:0:1:0:1:0:1]/", "http://[1:2:3:4:5:6:7::]/", "http://[::1.2.3]/", "http://[12345::]/", "http://[1:2:3:4:5:6:7:8:9]/",
  "https://example.com/a/./b", "https://example.com/a/../b", "https://example.com/../../b", "https://example.com/a/..", "https://example.com/a/.", "https://example.com/a/b/../",
  "https://example.com/%2e/a", "https://example.com/a/%2E%2e/b", "https://example.com/a/.%2e/b", "https://example.com/...", "https://example.com//a//b//", "https://example.com/a\\..\\b",
  "https://example.com/a b", "https://example.com/a%20b", "https://example.com/é/水", "https://example.com/\"<>`{}", "https://example.com/%zz%4", "https://example.com/a|b[c]'d~!$&()*+,;=:@",
  "https://example.com/😀", "https://example.com/a\ud800b", "https://example.com/\u007f\u0080",
  "https://example.com?a=b", "https://example.com#f", "https://example.com/?", "https://example.com/#", "https://example.com/?#", "https://example.com/#a b\"<>`é{}", "https://example.com/#a#b?c", "https://example.com/a?b?c#d",
  "https://example.com/?q=%E2%98%83&q=☃&page=2", "https://example.com/?filter[price][min]=10&filter[price][max]=20&tags[]=a&tags[]=b",
  "https://example.com/?next=https%3A%2F%2Fexample.org%2F%3Fa%3D1%26b%3D2%23c&z=1",
].map((input) => {
  let url;
  try {
    url = new URL(input);
  } catch {
    return { input };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return { input };
  }
  return {
    input,
    scheme: url.protocol.slice(0, -1),
    host: url.hostname,
    port: url.port === "" ? -1 : Number(url.port),
    path: url.pathname,
    parameters: [...url.searchParams].flat(),
    fragment: url.href.includes("#") ? url.hash.slice(1) : null,
  };
});

const queries = [
  "", "a", "a=", "=a", "=", "&", "&&a&&", "a=b", "a=b&c=d", "a=b=c", "a==", "a&a=", "a=1&a=2&a=1", "=&=", "a;b=c", "?a=b",
  "a+b=c+d", "+=+", "a%20b=c%20d", "%2B=%2b", "%26=%3D", "%00=%00", "a=%", "a=%2", "a=%zz", "a=%2x", "%61%62=%63", "a=%%41", "a=%e2%98%83", "a=☃", "%c3%a9=é", "é=ü&水=河",
  "a=%ff", "a=%c3", "a=%c3%28", "a=%e2%98", "a=%e2%98x", "a=%f0%9f%98%80", "a=%f0%9f%98", "a=%ed%a0%80", "a=%ed%bf", "a=%ed%9f%bf", "a=%ed%a0%80%ed%b0%80", "a=%ed", "a=%c0%80", "a=%f5%80%80%80", "a=%fe%ff", "a=%ef%bb%bfb", "a=\ufeffb", "a=%80%80%80", "a=%e1%80%e2%80x",
  "a=\ud800", "a=\udc00b", "a=😀+%F0%9F%98%80", "utf8=✓&q=Стакан+воды", "filter[a][b]=c&filter%5Ba%5D%5Bd%5D=e", "a=b#c", "a= b c", "a='\"<>`{}|\\^",
].map((input) => ({ input, parameters: [...new URLSearchParams("?" + input)].flat() }));

function write(name, vectors) {
  writeFileSync(join(folder, name), "[\n" + vectors.map((v) => JSON.stringify(v)).join(",\n") + "\n]\n");
  console.log(`${name}: ${vectors.length} vectors`);
}
write("lz-string.json", lz);
write("urls.json", urls);
write("queries.json", queries);
