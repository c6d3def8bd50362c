# SPDX-License-Identifier: Apache-2.0
"""Seeded choices: the same class and seed always make the same input."""
import random

# Numbers at which something may break.
EDGES = [0, 1, 2, 3, 7, 8, 255, 256, 1000, 65535, 65536, 1_000_000, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 10**12, 2**53, 10**18,
         2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, -1, -2**31, -2**63]
# Words that readers like to mistake.
WORDS = ["", " ", "null", "~", "true", "no", "nan", "-inf", ".inf", "0x10", "0o17", "1e3", "1e400", "1_000", "01", "-0", "1 GB/s", "0 B/s",
         "20 ns", "1.5 TB/s", "1e-30 s", "4 KiB", "1 THz", "0 Hz", "[", "{", "]", "&a", "*a", "!!binary x", "<<", "- a", "a: b", "'", '"', "\\",
         "\t", "\x00", "\x1b[31m", "<script>", "</script>", "<!--", "=1+1", "@x", "\ufeff", "\u202e", "\ud7ff", "\U0001f600", "a" * 300,
         "../x", "/dev/null", "/dev/zero", "/", ".", "..", "$(touch owned)", "`id`", "%s%n", "ring", "direct", "in_switch", "all_reduce",
         "fred", "mesh", "torus", "values", "auto", "all", "row_major"]


class Draw(random.Random):
    """Random choices of one input."""

    def __init__(self, name, seed):
        super().__init__(f"{name}:{seed}")

    def chance(self, p):
        return self.random() < p

    def number(self):
        """A number that may break something, or any."""
        kind = self.random()
        if kind < 0.5:
            return self.choice(EDGES)
        if kind < 0.8:
            return self.randrange(0, 70)
        return self.randrange(0, 2 ** self.randrange(1, 66))

    def word(self):
        return self.choice(WORDS)

    def bytes_changed(self, data, most=8):
        """Bytes with a few of them changed, left out, put in, doubled or cut off."""
        data = bytearray(data)
        for _ in range(self.randint(1, most)):
            at = self.randrange(len(data) + 1)
            length = self.choice([1, 1, 1, 2, 4, 8, 32])
            kind = self.randrange(7)
            if kind == 0 and at < len(data):
                data[at] ^= 1 << self.randrange(8)
            elif kind == 1:
                del data[at:at + length]
            elif kind == 2:
                data[at:at] = self.randbytes(length)
            elif kind == 3:
                data[at:at] = data[at:at + 4 * length]
            elif kind == 4:
                data[at:at + length] = bytes([self.choice([0, 0x20, 0x22, 0x2d, 0x7f, 0x80, 0xc0, 0xff])]) * length
            elif kind == 5 and self.chance(0.2):
                del data[at:]
            else:
                source = self.randrange(len(data) + 1)
                data[at:at] = data[source:source + length]
        return bytes(data)

    def text_changed(self, text, most=6):
        """Text with lines or words of it changed."""
        lines = text.split("\n")
        for _ in range(self.randint(1, most)):
            at = self.randrange(len(lines))
            kind = self.randrange(8)
            if kind == 0:
                del lines[at]
                lines = lines or [""]
            elif kind == 1:
                lines.insert(at, lines[self.randrange(len(lines))])
            elif kind == 2:
                other = self.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            elif kind == 3:
                lines[at] = " " * self.randrange(9) + lines[at].lstrip()
            elif kind == 4:
                words = lines[at].split(" ")
                words[self.randrange(len(words))] = self.word() if self.chance(0.5) else str(self.number())
                lines[at] = " ".join(words)
            elif kind == 5:
                where = self.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:where] + self.choice(list(":#-[]{},&*!|>'\"%@`\t =\n") + [self.word()]) + lines[at][where:]
            elif kind == 6:
                lines[at] = lines[at][:self.randrange(len(lines[at]) + 1)]
            else:
                digits = [i for i, c in enumerate(lines[at]) if c.isdigit()]
                if digits:
                    where = self.choice(digits)
                    lines[at] = lines[at][:where] + str(self.number()) + lines[at][where + 1:]
        return "\n".join(lines)
