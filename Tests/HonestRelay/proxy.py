"""A proxy as it stands before many relays: it passes bytes on, and closes a client's connection that has been idle.

    proxy.py PORT IDLE

Listens on a port of its own, prints it, and passes each connection on to PORT of this machine. A connection is idle
when the last that was said is the relay's; after IDLE seconds of that both ends are closed, whatever the client is
about to say."""

import asyncio
import sys


async def main(port, idle):
    async def serve(reader, writer):
        try:
            there, to_relay = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return writer.close()
        timer = None

        def stop():
            if timer:
                timer.cancel()
            writer.close()
            to_relay.close()

        async def carry(source, target, isAnswer):
            nonlocal timer
            try:
                while data := await source.read(65536):
                    if timer:
                        timer.cancel()
                    target.write(data)
                    timer = asyncio.get_running_loop().call_later(idle, stop) if isAnswer else None
            except OSError:
                pass
            stop()

        await asyncio.gather(carry(reader, to_relay, False), carry(there, writer, True))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
