#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a C file that holds the migrations given, in order of their number.

usage: embed-sql.py OUTPUT.c FILE.sql...
"""
import os
import sys


def literal(text):
    for line in text.splitlines(keepends=True):
        escaped = line.replace("\\", "\\\\").replace('"', '\\"')
        yield '\t"%s"' % escaped.replace("\t", "\\t").replace("\n", "\\n")


def main():
    out, files = sys.argv[1], sorted(sys.argv[2:], key=os.path.basename)
    for want, path in enumerate(files, 1):
        have = int(os.path.basename(path).split("-")[0])
        if have != want:
            sys.exit("%s: number %d expected, they must follow one another" % (path, want))
    with open(out, "w", encoding="utf-8") as f:
        f.write('#include "db/migrations.h"\n\n')
        f.write("const struct db_migration db_migrations[] = {\n")
        for path in files:
            with open(path, encoding="utf-8") as sql:
                f.write('{ "%s",\n%s\n},\n' % (os.path.basename(path), "\n".join(literal(sql.read()))))
        f.write("};\nconst size_t db_n_migrations = sizeof(db_migrations) / sizeof(db_migrations[0]);\n")


main()
