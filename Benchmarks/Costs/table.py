"""The table of COSTS.md: rows by what is done and what is counted, a column for each commit."""
import os
import re

#: What may grow without a word, by what is counted: a part of the figure, and a number. The rest is not stable enough to
#: be held to a part of a percent: threads that meet or miss each other.
ALLOWANCES = {"instructions": (0.03, 0), "allocations": (0.03, 1), "bytes allocated": (0.05, 64), "bytes copied": (0.05, 64),
              "system calls": (0.10, 1), "bytes written to files": (0.03, 0), "bytes sent": (0.05, 16)}
#: The prefix of rows that only show where the instructions are; a function that is inlined moves between parts.
PART = "of which: "
NOW = "now"


class Table:
    """Figures by column and row; a row is what is done, and what is counted."""

    def __init__(self, path):
        self.path, self.columns, self.rows, self.figures = path, [], [], {}
        with open(path) as file:
            self.text = file.read()
        for line in self.text.splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
            if len(cells) < 3 or set(cells[0]) <= set("-:"):
                continue
            if cells[0] == "What":
                self.columns = [cell for cell in cells[2:] if " / " not in cell]
                continue
            row = (cells[0], cells[1])
            self.rows.append(row)
            for column, cell in zip(self.columns, cells[2:]):
                if re.fullmatch(r"[\d,]+", cell):
                    self.figures[column, row] = int(cell.replace(",", ""))

    def put(self, column, measured):
        """Replaces the figures of a column by those that were measured; `measured` is by row."""
        if column not in self.columns:
            self.columns.insert(max(len(self.columns) - 1, 0), column)
        done = {what for what, _ in measured}
        for row in [row for row in self.rows if row[0] in done and row not in measured]:
            self.figures.pop((column, row), None)
        for row in measured:
            if row not in self.rows:
                places = [index for index, other in enumerate(self.rows) if other[0] == row[0]]
                self.rows.insert(places[-1] + 1 if places else len(self.rows), row)
            self.figures[column, row] = round(measured[row])

    def lines(self):
        base = self.columns[-2] if len(self.columns) > 1 else None
        titles = ["What", "Count", *self.columns, *([f"{NOW} / {base}"] if base else [])]
        yield "| " + " | ".join(titles) + " |"
        yield "|---|---|" + "--:|" * (len(titles) - 2)
        for row in self.rows:
            figures = [self.figures.get((column, row)) for column in self.columns]
            if not any(figure is not None for figure in figures):
                continue
            cells = ["" if figure is None else f"{figure:,}" for figure in figures]
            if base:
                before, after = figures[-2], figures[-1]
                cells.append(f"{after / before:.3f}" if before and after is not None else "")
            yield "| " + " | ".join([*row, *cells]) + " |"

    def save(self, reason=None):
        """Writes the file again, with what stands around the table as it was."""
        lines = self.text.splitlines()
        places = [index for index, line in enumerate(lines) if line.startswith("|")]
        head, tail = lines[:places[0]], lines[places[-1] + 1:]
        if reason:
            tail.append(f"* {reason}")
        self.text = "\n".join([*head, *self.lines(), *tail]) + "\n"
        with open(f"{self.path}.new", "w") as file:
            file.write(self.text)
        os.replace(f"{self.path}.new", self.path)

    def complaints(self, measured, column=NOW):
        """The rows that grew by more than they may since they were recorded."""
        found = []
        for row, figure in measured.items():
            what, count = row
            before = self.figures.get((column, row))
            if before is None or count.startswith(PART):
                continue
            share, number = ALLOWANCES[count]
            if figure > before * (1 + share) + number:
                grown = f"{figure / before - 1:+.1%}" if before else "from nothing"
                found.append(f"{what}, {count}: {before:,} → {round(figure):,} ({grown}, may grow by {share:.0%})")
        return found
