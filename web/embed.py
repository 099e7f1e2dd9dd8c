#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a C file that holds the page templates and static files given.

usage: embed.py OUTPUT.c FILE...

Where a template names a static file, its hash is put behind the name: a browser
may keep for ever what it got under that address.
"""
import hashlib
import os
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
    static = [f for f in files if not f.endswith(".html")]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write('#include "web/static.h"\n#include "web/template.h"\n\n')
        out.write("const struct template_file template_files[] = {\n")
        for path in pages:
            name = os.path.basename(path)[: -len(".html")]
            text = addressed(read(path), static)
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
