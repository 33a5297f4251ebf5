"""One connection to the stand-in: HTTP/1.1, with every way in which a reply can fail to arrive."""

from __future__ import annotations

import asyncio
import itertools
import socket
import struct
from http import HTTPStatus
from typing import TYPE_CHECKING

from .recorded import Request
from .replies import Reply, failure
from .wire import pieces

if TYPE_CHECKING:
    from .server import ClaudeAPI

_connections = itertools.count()
_requests = itertools.count()


class Connection(asyncio.Protocol):
    """One connection: reads requests and sends replies, and notices when the client goes away."""

    transport: asyncio.Transport
    task: asyncio.Task[None]

    def __init__(self, api: ClaudeAPI) -> None:
        self.api = api
        self.number = next(_connections)
        self.buffer = bytearray()
        self.more = asyncio.Event()
        self.current: Request | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.api.connected(self)
        self.task = asyncio.get_running_loop().create_task(self.serve())

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self.more.set()

    def connection_lost(self, error: Exception | None) -> None:
        self.api.disconnected(self)
        if self.current is not None:
            self.current.disconnected.happen()
        self.task.cancel()

    def close(self, reset: bool = False) -> None:
        """Close from this side, which is no disconnect of the client's."""
        self.current = None
        if reset:
            sock = self.transport.get_extra_info("socket")
            # Lingering for no time makes the kernel send RST in place of FIN.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
        else:
            self.transport.close()

    async def serve(self) -> None:
        try:
            while True:
                self.current = request = await self.read()
                self.api.record(request)
                if not await self.send(request):
                    return
                self.current = None
        except Exception as error:
            # Whatever the SDK never sends: the test hears of it when it leaves the context.
            self.api.errors.append(error)
            self.close()

    async def read(self) -> Request:
        """The next request, whole."""
        while b"\r\n\r\n" not in self.buffer:
            await self.wait()
        head, _, _ = bytes(self.buffer).partition(b"\r\n\r\n")
        del self.buffer[: len(head) + 4]
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        request = Request(next(_requests), self.number, method, target.partition("?")[0], headers)
        if "transfer-encoding" in headers:
            raise NotImplementedError("request bodies in chunks")
        length = int(headers.get("content-length", 0))
        while len(self.buffer) < length:
            await self.wait()
        request.content = bytes(self.buffer[:length])
        del self.buffer[:length]
        return request

    async def wait(self) -> None:
        self.more.clear()
        await self.more.wait()

    async def send(self, request: Request) -> bool:
        """Send the reply to a request; whether the connection is good for another one."""
        request_id = f"req_{request.number:024d}"
        try:
            said = self.api.answer(request)
            kind, body = pieces(said, request, request_id)
        except Exception as error:
            # Not retried, so that a test sees its own mistake and not what follows from it.
            self.api.errors.append(error)
            said = failure(500, f"stand-in: {error!r}", headers={"x-should-retry": "false"})
            kind, body = pieces(said, request, request_id)
        if said.stall == "headers":
            await asyncio.Event().wait()
        await asyncio.sleep(said.delay_headers)
        if said.cut == "headers":
            self.close(said.reset)
            return False
        stream = "event-stream" in kind
        size = sum(len(piece.data) for piece in body)
        # A body that never comes is announced all the same.
        size += 1 if isinstance(said.stall, int) else 0
        request.status = said.status
        self.transport.write(_head(said, kind, request_id, None if stream else size))
        await asyncio.sleep(said.delay_body)
        for piece in body:
            if piece.pause:
                await asyncio.sleep(piece.pause)
            data = piece.data
            if isinstance(said.cut, int):
                data = data[: said.cut - request.bytes_sent]
            if data:
                self.transport.write(b"%x\r\n%b\r\n" % (len(data), data) if stream else data)
                request.bytes_sent += len(data)
            if said.cut == request.bytes_sent:
                break
        if said.stall is not None:
            await asyncio.Event().wait()
        request.finished.happen()
        if said.cut is not None:
            self.close(said.reset)
            return False
        if stream:
            self.transport.write(b"0\r\n\r\n")
        return True


def _head(said: Reply, kind: str, request_id: str, size: int | None) -> bytes:
    reason = HTTPStatus(said.status).phrase if said.status in list(HTTPStatus) else "Overloaded"
    length = "transfer-encoding: chunked" if size is None else f"content-length: {size}"
    headers = {"content-type": kind, "request-id": request_id, **said.headers}
    lines = [f"HTTP/1.1 {said.status} {reason}", length]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
