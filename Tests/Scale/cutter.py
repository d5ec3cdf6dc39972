"""A TCP proxy that cuts and hangs, in a separate process.

usage: cutter.py PORT_FILE UPSTREAM_PORT PARENT

Takes commands on standard input, and answers each with a line:
  cut          closes all connections
  hang         forwards nothing any more, in both directions, and takes no connections
  drop         closes all connections, and forgets what was held back
  go           forwards again, first what was held back
  commit SWALLOWS  waits for the next COMMIT of a client, forwards it, and closes all connections: at once, or, with
               SWALLOWS 1, when the answer to it is there; the line comes then
"""
import asyncio
import os
import re
import subprocess
import sys
import time


class Cutter:
    """All connections of one proxy."""

    def __init__(self, upstream):
        self.upstream, self.links = upstream, set()
        self.may_go = asyncio.Event()
        self.may_go.set()
        # Set while a COMMIT is waited for: whether its answer is, too, and the future that is told.
        self.trap = None

    async def take(self, reader, writer):
        await self.may_go.wait()
        try:
            link = Link(self, (reader, writer), await asyncio.open_connection("127.0.0.1", self.upstream))
        except OSError:
            writer.close()
            return
        self.links.add(link)
        await link.run()
        self.links.discard(link)

    def cut(self):
        for link in list(self.links):
            link.close()

    async def run(self, words):
        verb = words[0]
        if verb == "hang":
            self.may_go.clear()
        elif verb in ("go", "drop"):
            if verb == "drop":
                self.cut()
            self.may_go.set()
        elif verb == "cut":
            self.cut()
        elif verb == "commit":
            self.trap = (words[1] == "1", asyncio.get_running_loop().create_future())
            try:
                await asyncio.wait_for(self.trap[1], 5)
            except asyncio.TimeoutError:
                return "no COMMIT came"
            finally:
                self.trap = None
        return "done"


class Link:
    """A client, and the connection to the server on its behalf; each a reader and a writer."""

    def __init__(self, cutter, client, server):
        self.cutter, self.client, self.server = cutter, client, server
        # Whether an answer to a COMMIT is being waited for.
        self.is_trapped = False
        # How a message that sends COMMIT names it: by its text, until it is prepared.
        self.commit = b"COMMIT\0"

    async def run(self):
        flows = [asyncio.create_task(self.flow(self.client[0], self.server[1], self.saw_request)),
                 asyncio.create_task(self.flow(self.server[0], self.client[1], self.saw_answer))]
        await asyncio.wait(flows, return_when=asyncio.FIRST_COMPLETED)
        self.close()
        await asyncio.wait(flows)

    async def flow(self, reader, writer, saw):
        try:
            while piece := await reader.read(1 << 16):
                await self.cutter.may_go.wait()
                if not await saw(piece, writer):
                    return
        except OSError:
            pass

    async def saw_request(self, piece, writer):
        trap = self.cutter.trap
        if prepared := re.search(rb"(s\d+\0)COMMIT\0", piece):
            self.commit = b"\0" + prepared[1]
        is_last = trap and not trap[1].done() and self.commit in piece
        self.is_trapped = bool(is_last and trap[0])
        writer.write(piece)
        await writer.drain()
        if is_last and not self.is_trapped:
            self.spring()
            return False
        return True

    async def saw_answer(self, piece, writer):
        if self.is_trapped:
            self.spring()
            return False
        writer.write(piece)
        await writer.drain()
        return True

    def spring(self):
        if self.cutter.trap and not self.cutter.trap[1].done():
            self.cutter.trap[1].set_result(None)
        self.cutter.cut()

    def close(self):
        for _, writer in (self.client, self.server):
            writer.transport.abort() if not writer.transport.get_write_buffer_size() else writer.close()


async def serve(port_file, upstream, parent):
    cutter = Cutter(int(upstream))
    listener = await asyncio.start_server(cutter.take, "127.0.0.1", 0, backlog=256)
    with open(port_file + ".new", "w") as out:
        out.write(str(listener.sockets[0].getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    commands = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while os.path.exists(f"/proc/{parent}") and (line := await commands.readline()):
        print(await cutter.run(line.decode().split()), flush=True)
    os._exit(0)


class Proxy:
    """The process, as the proofs see it."""

    def __init__(self, folder, name, upstream):
        port_file = f"{folder}/{name}"
        self.process = subprocess.Popen(
            [sys.executable, __file__, port_file, str(upstream), str(os.getpid())], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not os.path.exists(port_file):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError("the proxy did not start")
            time.sleep(0.005)
        self.port = int(open(port_file).read())

    def order(self, *words):
        """Gives a command, whose answer is to be taken later."""
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().strip()

    def do(self, *words):
        self.order(*words)
        return self.answer()

    def clean_up(self):
        self.process.kill()
        self.process.wait()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:4]))
