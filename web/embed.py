#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a C file that holds the page templates and static files given.

usage: embed.py OUTPUT.c FILE...

Where a template names a static file, its hash is put behind the name: a browser
may keep for ever what it got under that address.
"""
import hashlib
import html
import os
import re
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def literal(data):
    """C string literal of bytes, one source line per line of the file."""
    for line in data.splitlines(keepends=True) or [b""]:
        out = ""
        for byte in line:
            char = chr(byte)
            if char in '\\"':
                out += "\\" + char
            elif 32 <= byte < 127 and char != "?":
                out += char
            else:
                out += "\\%03o" % byte
        yield '\t"%s"' % out


MANUAL = b"{{! the manual }}"


def inline(text):
    """One paragraph: code, addresses, nothing else of what Markdown has."""
    text = html.escape(text).replace("{{", "{&#123;")
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)


def block(lines):
    """Lines between two empty ones."""
    if lines[0].startswith("#"):
        level = len(lines[0]) - len(lines[0].lstrip("#"))
        name = re.sub(r"[^a-z0-9]+", "-", lines[0].lower()).strip("-")
        return '<h%d id="%s">%s</h%d>' % (
            level, name, inline(lines[0].lstrip("# ")), level)
    if all(line.startswith("    ") for line in lines):
        return '<pre class="diag">%s</pre>' % html.escape(
            "\n".join(line[4:] for line in lines)).replace("{{", "{&#123;")
    if lines[0].startswith("|"):
        cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines]
        head = "".join("<th>" + inline(c.strip()) for c in cells[0])
        body = "".join(
            "<tr>" + "".join("<td>" + inline(c.strip()) for c in row) + "\n"
            for row in cells[2:])
        return ('<div class="wide" tabindex="0" role="region" aria-label="%s">'
                '<table><thead><tr>%s</thead><tbody>\n%s</table></div>'
                % (html.escape(cells[0][0].strip()), head, body))
    if lines[0].startswith(("- ", "* ")):
        items = re.split(r"\n[-*] ", "\n".join(lines)[2:])
        return "<ul>%s</ul>" % "".join("<li>" + inline(i) + "</li>" for i in items)
    return "<p>%s</p>" % inline("\n".join(lines))


def markdown(path):
    """As much of Markdown as our manuals use."""
    with open(path, encoding="utf-8") as f:
        blocks = re.split(r"\n(?:[ \t]*\n)+", f.read().strip("\n"))
    return "\n".join(block(b.splitlines()) for b in blocks).encode()


def read(path):
    with open(path, "rb") as f:
        return f.read()


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def addressed(page, static):
    """The template with the hashes of the files it names."""
    for path in static:
        name = b"/static/" + os.path.basename(path).encode()
        page = page.replace(
            name + b'"', name + b"?v=" + digest(read(path)).encode() + b'"'
        )
    return page


def main():
    files = sys.argv[2:]
    pages = [f for f in files if f.endswith(".html")]
    texts = [f for f in files if f.endswith(".md")]
    static = [f for f in files if f not in pages + texts]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('#include "web/static.h"\n#include "web/template.h"\n\n')
        out.write("const struct template_file template_files[] = {\n")
        for path in pages:
            name = os.path.basename(path)[: -len(".html")]
            text = addressed(read(path), static)
            if texts and MANUAL in text:
                text = text.replace(MANUAL, markdown(texts[0]))
            out.write('{ "%s",\n%s\n},\n' % (name, "\n".join(literal(text))))
        out.write("};\nconst size_t n_template_files = %d;\n\n" % len(pages))
        out.write("const struct static_file static_files[] = {\n")
        for path in static:
            data = read(path)
            out.write(
                '{ "%s", "%s", "\\"%s\\"", %d,\n%s\n},\n'
                % (
                    os.path.basename(path),
                    TYPES[os.path.splitext(path)[1]],
                    digest(data),
                    len(data),
                    "\n".join(literal(data)),
                )
            )
        out.write("};\nconst size_t n_static_files = %d;\n" % len(static))


main()
