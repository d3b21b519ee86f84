"""Writes the files of this folder, with nothing but Python: python3 make.py."""

import struct

INT64, TEXT = 2, 6
PLAIN, RLE_DICTIONARY = 0, 8
NONE, ZSTD = 0, 6
MOST = 2**31 - 1


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


# Fields of Thrift's compact protocol. Each is given the distance of its number from that of the field before.
def i32(delta, n):
    return bytes([delta << 4 | 5]) + varint(n << 1)


def i64(delta, n):
    return bytes([delta << 4 | 6]) + varint(n << 1)


def binary(delta, s):
    return bytes([delta << 4 | 8]) + varint(len(s)) + s


def items(delta, kind, n):
    return bytes([delta << 4 | 9, 0xF0 | kind]) + varint(n)


def struct_of(delta, fields):
    return bytes([delta << 4 | 12]) + fields + b"\0"


def root(children):
    return binary(4, b"schema") + i32(1, children) + b"\0"


def group(name, children):
    return i32(3, 0) + binary(1, name) + i32(1, children) + b"\0"


def leaf(name, kind=INT64):
    return i32(1, kind) + i32(2, 0) + binary(1, name) + b"\0"


def page(kind, size, packed, header):
    return i32(1, kind) + i32(1, size) + i32(1, len(packed)) + header + b"\0" + packed


def data_page(size, packed, values, encoding=PLAIN):
    return page(0, size, packed, struct_of(2, i32(1, values) + i32(1, encoding) + i32(1, 3) + i32(1, 3)))


def dictionary_page(packed, entries):
    return page(2, len(packed), packed, struct_of(4, i32(1, entries) + i32(1, PLAIN)))


def chunk(body, rows, size, codec=NONE, kind=INT64, dictionary=0):
    """A row group of one column, "a", whose pages are the body; the first bytes of it are those of the dictionary."""
    meta = i32(1, kind) + items(1, 5, 2) + varint(PLAIN << 1) + varint(RLE_DICTIONARY << 1)
    meta += items(1, 8, 1) + varint(1) + b"a" + i32(1, codec) + i64(1, rows) + i64(1, size) + i64(1, len(body))
    meta += i64(2, 4 + dictionary) + (i64(2, 4) if dictionary else b"") + b"\0"
    column = i64(2, 4) + bytes([1 << 4 | 12]) + meta + b"\0"
    return items(1, 12, 1) + column + i64(1, size) + i64(1, rows) + b"\0"


def footer(schema, rows, groups):
    meta = i32(1, 1) + items(1, 12, len(schema)) + b"".join(schema)
    return meta + i64(1, rows) + items(1, 12, len(groups)) + b"".join(groups) + b"\0"


def write(name, meta, body=b""):
    with open(name, "wb") as f:
        f.write(b"PAR1" + body + meta + struct.pack("<I", len(meta)) + b"PAR1")


def zstd_zeros(n):
    """A frame of zeros, each 128 KiB of them in a block of four bytes."""
    out = struct.pack("<IBBQ", 0xFD2FB528, 0xC0, 0x50, n)
    while n > 0:
        size = min(n, 128 << 10)
        n -= size
        out += struct.pack("<I", (n == 0) | 1 << 1 | size << 3)[:3] + b"\0"
    return out


dictionaries = ("dictionary_numbers", INT64, struct.pack("<q", 5)), ("dictionary_text", TEXT, b"\4\0\0\0abcd")
for name, kind, entry in dictionaries:
    entries = dictionary_page(entry, MOST)
    pages = entries + data_page(2, b"\1\0", 10, RLE_DICTIONARY)
    row_group = chunk(pages, 10, len(pages), kind=kind, dictionary=len(entries))
    write(name + ".parquet", footer([root(1), leaf(b"a", kind)], 10, [row_group]), pages)

write("schema_children.parquet", footer([root(MOST)], 0, []))
write("schema_elements.parquet", i32(1, 1) + items(1, 12, MOST))
write("schema_rest.parquet", footer([root(1), leaf(b"a"), leaf(b"b")], 0, []))
write("schema_levels.parquet", footer([root(1)] + [group(b"g", 1)] * 2000 + [leaf(b"a")], 0, []))
write("row_groups.parquet", i32(1, 1) + items(1, 12, 2) + root(1) + leaf(b"a") + i64(1, 0) + items(1, 12, MOST))

entries = dictionary_page(struct.pack("<q", 5), 1)
run = b"\1" + varint(MOST << 1) + b"\0"
pages = entries + data_page(len(run), run, MOST, RLE_DICTIONARY) * 6
row_group = chunk(pages, 6 * MOST, len(pages), dictionary=len(entries))
write("rows.parquet", footer([root(1), leaf(b"a")], 6 * MOST, [row_group]), pages)

half = 1 << 30
frame = zstd_zeros(half)
pages = data_page(half, frame, 10)
write("page_header.parquet", footer([root(1), leaf(b"a")], 10, [chunk(pages, 10, 80, ZSTD)]), pages)
pages = data_page(80, frame, 10)
write("page_unpacked.parquet", footer([root(1), leaf(b"a")], 10, [chunk(pages, 10, 80, ZSTD)]), pages)
