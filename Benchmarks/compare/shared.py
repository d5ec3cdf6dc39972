"""The server of this repository with its jobs in PostgreSQL."""
import os

from .ours import Ours
from .postgresql import PostgreSQL
from .targets import SHARED


class Shared(Ours):
    name = SHARED
    durability = "as postgresql; its database has the settings of the other rows"

    def __init__(self, bench):
        super().__init__(bench)
        self.database = PostgreSQL(bench)

    def words(self):
        return [*super().words(), "--store", self.database.address(), "--artifacts", os.path.join(self.folder, "artifacts")]

    def spawn(self):
        if not self.database.process:
            self.database.launch()
        super().spawn()

    def stop(self):
        super().stop()
        self.database.stop()
